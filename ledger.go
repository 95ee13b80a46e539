package nod

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of the ledger, in bytes.
const (
	ledgerBudget = 24_000 // all of it
	userLimit    = 4_000  // one message of the person's
	callLimit    = 400    // one call's input
	askedLimit   = 800    // the agent's words before a short answer
	shortAnswer  = 240    // what counts as one
	pieceLines   = 8      // about how many lines one piece has
)

// ledger is a session as the model sees it: pieces that no longer change, and
// what came after them. Both are whole JSON lines, oldest first.
//
// Where it begins and where pieces end follows from the content of the turns,
// not from how many there are. So the next call of the session is shown the
// same pieces, with new ones behind, until the beginning has to move; and no
// process needs to remember what the one before it sent.
type ledger struct {
	pieces []string
	rest   string
	said   string // the person's own lines
	// consent is those, and the agent's words that a short answer refers to.
	consent string
}

// readLedger reads the conversation. It fails where that cannot be read, since
// a model that does not see what the person forbade would allow it.
func readLedger(ctx context.Context, c Call) (ledger, error) {
	lines, whole, err := ledgerLines(ctx, c)
	if err != nil {
		return ledger{}, err
	}
	if !whole {
		first := opening(ctx, c)
		if len(lines) == 0 && len(first) == 1 {
			return ledger{}, unreadable(ErrEarlier)
		}
		lines = append(first, lines...)
	}
	l := cutIntoPieces(lines)
	l.said, l.consent = linesOf(lines, `{"user":`), linesOf(lines, `{"user":`, `{"agent_asked":`)
	return l, nil
}

// linesOf are the lines that begin in one of these ways.
func linesOf(lines []string, starts ...string) string {
	var found []string
	for _, line := range lines {
		if slices.ContainsFunc(starts, func(start string) bool { return strings.HasPrefix(line, start) }) {
			found = append(found, line)
		}
	}
	return strings.Join(found, "\n")
}

// ledgerLines are the newest lines that fit the budget, oldest first. whole
// says that none are left out.
func ledgerLines(ctx context.Context, c Call) (lines []string, whole bool, err error) {
	if c.Transcript == nil {
		return nil, true, nil
	}
	size := 0
	var answer bool // the line before, in time after this turn, is a short answer
	for turn, err := range c.Transcript(ctx) {
		if isMissing(err) && len(lines) == 0 {
			return nil, true, nil // the host keeps none, or has not written it yet
		}
		if errors.Is(err, ErrEarlier) {
			slices.Reverse(lines)
			return lines, false, nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, false, unreadable(err)
		}
		line := ledgerLine(turn, answer)
		if turn.Origin == OriginPerson || turn.Origin == OriginAgent && turn.Text != "" {
			answer = turn.Origin == OriginPerson && len(strings.TrimSpace(turn.Text)) <= shortAnswer
		}
		if line == "" {
			continue
		}
		if size += len(line); size > ledgerBudget {
			slices.Reverse(lines)
			return lines[ledgerStart(lines):], false, nil
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	return lines, true, nil
}

func unreadable(err error) *Failure {
	return &Failure{Kind: NoTranscript, Message: "the transcript could not be read, so the model would not know what the user asked for", Cause: err}
}

// ledgerLine is a turn as one JSON line, "" for one that is not shown.
func ledgerLine(t Turn, beforeAnswer bool) string {
	switch {
	case t.Tool != "" && t.Origin == OriginAgent:
		return `{"call":` + jsonLine(t.Tool) + `,"input":` + shortInput(t.Input) + `}`
	case strings.TrimSpace(t.Text) == "":
		return ""
	case t.Origin == OriginPerson:
		return jsonLine(struct {
			User string `json:"user"`
		}{middleCut(t.Text, userLimit)})
	case t.Origin == OriginAgent && beforeAnswer:
		return jsonLine(struct {
			Asked string `json:"agent_asked"`
		}{tail(t.Text, askedLimit)})
	case t.Origin == OriginOtherAgent:
		return jsonLine(struct {
			Note string `json:"note"`
		}{"another agent said: " + middleCut(t.Text, callLimit)})
	}
	return ""
}

// shortInput is a call's input, whole or as a JSON string of its beginning.
func shortInput(input json.RawMessage) string {
	var b bytes.Buffer
	err := json.Compact(&b, input)
	text := b.String()
	if err != nil {
		text = compact(input)
	}
	if len(text) <= callLimit && (err == nil || json.Valid([]byte(text))) {
		return text
	}
	return jsonLine(middleCut(text, callLimit))
}

// middleCut keeps the beginning and the end of a text that is too long, and
// says so between them.
func middleCut(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= limit {
		return s
	}
	return firstBytes(s, limit*2/3) + " [... left out ...] " + tail(s, limit/3)
}

// firstBytes and tail cut between characters.
func firstBytes(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at := len(s) - n
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:]
}

// jsonLine encodes a value that always can be.
func jsonLine(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return `"?"`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// ledgerStart is where a ledger begins that does not reach back to the start:
// at the line, in the older half, whose hash ends in the most zero bits. As
// lines are added behind, the same line stays the beginning for long.
func ledgerStart(lines []string) int {
	size, best, at := 0, -1, 0
	for i, line := range lines {
		if zeros := bits.TrailingZeros32(hashOf(line)); zeros > best {
			best, at = zeros, i
		}
		if size += len(line); size > ledgerBudget/2 {
			break
		}
	}
	return at
}

func hashOf(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}

// opening is the first request of the person, which is never left out if it is
// known, and a note that something was.
func opening(ctx context.Context, c Call) []string {
	note := jsonLine(struct {
		Note string `json:"note"`
	}{"earlier turns are not shown; what the person allowed or forbade in them is not known"})
	if c.Opening == nil {
		return []string{note}
	}
	turn, ok := c.Opening(ctx)
	if !ok || turn.Origin != OriginPerson {
		return []string{note}
	}
	return []string{ledgerLine(turn, false), note}
}

// cutIntoPieces ends a piece after a line whose hash says so.
func cutIntoPieces(lines []string) ledger {
	var l ledger
	from := 0
	for i, line := range lines {
		if hashOf(line)%pieceLines == 0 {
			l.pieces = append(l.pieces, strings.Join(lines[from:i+1], "\n"))
			from = i + 1
		}
	}
	l.rest = strings.Join(lines[from:], "\n")
	return l
}
