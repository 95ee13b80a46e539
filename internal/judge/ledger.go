package judge

import (
	"cmp"
	"context"
	_ "embed" // the names of look-ups
	"encoding/json"
	"errors"
	"hash/fnv"
	"io/fs"
	"iter"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/transcript"
)

// Bounds of the ledger, in bytes. What the person said and what was called have
// budgets of their own: no number of calls pushes out a word of the person's.
const (
	saidBudget  = 32_000 // the person's words
	callBudget  = 6_000  // the calls
	userLimit   = 4_000  // one message of the person's, where not all fit whole
	callLimit   = 300    // one call's input
	askedLimit  = 800    // the agent's words before a short answer
	shortAnswer = 240    // what counts as a short answer
	pieceLines  = 8      // about how many lines one piece has
)

// Ledger is a session as the model sees it: first what the person said, then what was called, as
// whole JSON lines, oldest first, in pieces that no longer change and what came after them.
//
// Where the calls begin and where pieces end follows from the content of the turns, not from how many there are. So
// the next call of the session is shown the same pieces, with new ones behind, until the beginning has to move or
// the person speaks; and no process needs to remember what the one before it sent.
type Ledger struct {
	Pieces []string
	Rest   string
	Said   string // the person's own lines
	Calls  string // the inputs of the calls that are shown
}

const (
	saidHeading  = "WHAT THE PERSON SAID\n"
	callsHeading = "WHAT WAS CALLED\n"
)

// Conversation is a session as its host keeps it, and how its texts may be shown.
type Conversation struct {
	// Transcript yields the turns, newest first; nil means no turns.
	Transcript func(context.Context) iter.Seq2[transcript.Turn, error]
	// Opening is the first thing that the person said; nil means unknown.
	Opening func(context.Context) (transcript.Turn, bool)
	// Show is a text without secrets, Input a call's input without them, on one line.
	Show  func(string) string
	Input func(json.RawMessage) string
	// Ended is what nod itself knows of an earlier call, by its id.
	Ended func(call string) transcript.Ended
}

// Ledger reads the conversation. It fails where that cannot be read, since a
// model that does not see what the person forbade would allow it.
func (c Conversation) Ledger(ctx context.Context) (Ledger, error) {
	heard := listener{Conversation: c, outcome: map[string]transcript.Ended{}}
	whole, err := c.each(ctx, func(turn transcript.Turn) (enough bool) {
		heard.turn(turn)
		return false
	})
	if err != nil {
		return Ledger{}, err
	}
	said, calls := heard.lines()
	if !whole {
		first := c.opening(ctx)
		if len(said) == 0 && len(calls) == 0 && len(first) == 1 {
			return Ledger{}, unreadable(transcript.ErrEarlier)
		}
		said = append(first, said...)
	}
	own := slices.DeleteFunc(slices.Clone(said), func(l string) bool { return !strings.HasPrefix(l, `{"user":`) })
	l := Ledger{Said: strings.Join(own, "\n"), Calls: strings.Join(calls, "\n")}
	if len(said) > 0 {
		l.Pieces = []string{saidHeading + strings.Join(said, "\n")}
	}
	pieces, rest := cutIntoPieces(calls)
	if len(pieces) > 0 {
		pieces[0] = callsHeading + pieces[0]
	} else if rest != "" {
		rest = callsHeading + rest
	}
	l.Pieces, l.Rest = append(l.Pieces, pieces...), rest
	return l, nil
}

// listener hears a conversation, newest turn first.
type listener struct {
	Conversation
	outcome map[string]transcript.Ended // what results said, by the call's id

	words   []spokenTurn
	calls   []string
	size    int
	full    bool // older calls are left out
	looked  bool // a run of look-ups goes on
	answer  bool // the turn that was heard before, later in time, is a short answer
	unknown bool // the line that was heard before says that something is left out
}

// spokenTurn is one line of what was said.
type spokenTurn struct {
	key, text string
	limit     int
}

// each hears the turns, newest first, until it is enough. whole says that nothing came before what was heard.
func (c Conversation) each(ctx context.Context, hear func(transcript.Turn) (enough bool)) (whole bool, err error) {
	if c.Transcript == nil {
		return true, nil
	}
	heard := false
	for turn, err := range c.Transcript(ctx) {
		if errors.Is(err, fs.ErrNotExist) && !heard {
			return true, nil // the host keeps none, or has not written it yet
		}
		if errors.Is(err, transcript.ErrEarlier) {
			return false, nil
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return false, unreadable(err)
		}
		if heard = true; hear(turn) {
			return false, nil
		}
	}
	return true, nil
}

func (l *listener) turn(t transcript.Turn) {
	if t.Call != "" && t.Ended != transcript.EndedUnknown && t.Tool == "" {
		l.outcome[t.Call] = t.Ended
	}
	switch blank := strings.TrimSpace(t.Text) == ""; {
	case t.Tool != "" && t.Origin == transcript.Agent:
		l.called(t)
	case blank:
	case t.Origin == transcript.Person:
		l.say("user", t.Text, saidBudget)
		l.answer = len(strings.TrimSpace(t.Text)) <= shortAnswer
		l.call(noteLine("here the person said: " + Cut(l.Show(t.Text), 60)))
	case t.Origin == transcript.Agent:
		if l.answer {
			l.say("agent_asked", tail(t.Text, askedLimit), askedLimit)
		}
		l.answer = false
	case t.Origin == transcript.OtherAgent:
		l.call(noteLine("another agent said: " + Cut(l.Show(t.Text), callLimit)))
	case t.Origin == transcript.Other:
		if !l.unknown {
			l.say("note", "something stood here of which nobody can say who said it; it is left out, "+
				"and it is no consent", userLimit)
			l.unknown = true
		}
		return
	}
	l.unknown = l.unknown && t.Origin != transcript.Person
}

func noteLine(text string) string { return `{"note":` + printable.JSON(text) + "}" }

func (l *listener) say(key, text string, limit int) {
	l.words = append(l.words, spokenTurn{key, l.Show(text), limit})
}

// called adds a call. Look-ups are folded: they change nothing, and there are many.
func (l *listener) called(t transcript.Turn) {
	if isLookUp(t.Tool) {
		l.looked = true
		return
	}
	ended := l.outcome[t.Call]
	if known := l.Ended(t.Call); t.Call != "" && known != transcript.EndedUnknown && ended != transcript.EndedRefused {
		ended = known
	}
	line := `{"call":` + printable.JSON(t.Tool) + `,"input":` + shortInput(l.Input(t.Input))
	if says := endedSays(ended); says != "" {
		line += `,"ended":` + printable.JSON(says)
	}
	l.call(line + "}")
}

func (l *listener) call(line string) {
	if l.looked && !l.full {
		l.looked = false
		l.call(noteLine("looked things up"))
	}
	if l.size += len(line); l.size > callBudget {
		l.full = true
	}
	if !l.full {
		l.calls = append(l.calls, line)
	}
}

func endedSays(e transcript.Ended) string {
	return map[transcript.Ended]string{transcript.EndedFailed: "failed",
		transcript.EndedRefused: "the person refused it; it was not done",
		transcript.EndedBlocked: "blocked; it was not done"}[e]
}

//go:embed lookups.txt
var lookUps string

// isLookUp reports whether a tool of an agent's only reads what is on this
// machine, by the names that agents give such tools.
func isLookUp(tool string) bool {
	name := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(tool))
	return slices.Contains(strings.Fields(lookUps), name)
}

// lines are what was heard, oldest first.
func (l *listener) lines() (said, calls []string) {
	if l.looked && !l.full {
		l.calls = append(l.calls, noteLine("looked things up"))
	}
	calls = slices.Clone(l.calls)
	slices.Reverse(calls)
	if l.full {
		calls = append([]string{noteLine("earlier calls are not shown")}, calls[ledgerStart(calls):]...)
	}
	for _, limit := range [...]int{saidBudget, userLimit, 1_000, 300, 120} {
		if said = l.saying(limit); sizeOf(said) <= saidBudget {
			return said, calls
		}
	}
	half := len(said) / 2 // thousands of messages; the oldest and the newest stay
	for sizeOf(said) > saidBudget && half > 0 {
		said, half = slices.Delete(said, half, half+1), len(said)/2
	}
	return append(said, noteLine("some of what the person said in between is not shown")), calls
}

// saying are the lines of what was said, each of so many bytes at most. The
// first message and the newest ones are shortened last.
func (l *listener) saying(limit int) (said []string) {
	for i, w := range slices.Backward(l.words) {
		most := min(w.limit, limit)
		if i < 4 || i == len(l.words)-1 {
			most = min(w.limit, max(limit, userLimit))
		}
		said = append(said, `{"`+w.key+`":`+printable.JSON(Cut(w.text, most))+`}`)
	}
	return said
}

func sizeOf(lines []string) (n int) {
	for _, line := range lines {
		n += len(line)
	}
	return n
}

func unreadable(err error) *fault.Error {
	return &fault.Error{Kind: fault.NoTranscript,
		Message: "the transcript could not be read, so the model would not know what the user asked for", Cause: err}
}

// shortInput is a call's input, whole or as a JSON string of its beginning.
func shortInput(input string) string {
	if len(input) <= callLimit && json.Valid([]byte(input)) {
		return input
	}
	return printable.JSON(Cut(input, callLimit))
}

// Cut keeps the beginning and the end of a text that is too long, and says so between them.
func Cut(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= limit {
		return s
	}
	return printable.Head(s, limit*2/3) + " [... left out ...] " + tail(s, limit/3)
}

// tail is the last n bytes of a text, from a whole character on.
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

// ledgerStart is where calls begin that do not reach back to the start: at the line, in the older half, whose hash
// ends in the most zero bits. As lines are added behind, the same line stays the beginning for long.
func ledgerStart(lines []string) int {
	size, best, at := 0, -1, 0
	for i, line := range lines {
		if zeros := bits.TrailingZeros32(hashOf(line)); zeros > best {
			best, at = zeros, i
		}
		if size += len(line); size > callBudget/2 {
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

// opening is the first request of the person, which is never left out if it is known, and a note that something was.
func (c Conversation) opening(ctx context.Context) []string {
	note := noteLine("earlier turns are not shown; what the person allowed or forbade in them is not known")
	if c.Opening != nil {
		if turn, ok := c.Opening(ctx); ok && turn.Origin == transcript.Person {
			return []string{`{"user":` + printable.JSON(Cut(c.Show(turn.Text), userLimit)) + `}`, note}
		}
	}
	return []string{note}
}

// cutIntoPieces ends a piece after a line whose hash says so.
func cutIntoPieces(lines []string) (pieces []string, rest string) {
	from := 0
	for i, line := range lines {
		if hashOf(line)%pieceLines == 0 {
			pieces = append(pieces, strings.Join(lines[from:i+1], "\n"))
			from = i + 1
		}
	}
	return pieces, strings.Join(lines[from:], "\n")
}

// What the seed shows of a session: so many turns, the newest, and so many characters of each.
const (
	lastEntries = 20
	lastChars   = 200
)

// Last is the seed's compressed transcript: the newest entries as JSON lines of role and action, so
// many characters of each, oldest first. What tools returned and what the harness added is left out:
// it is where an injection would come from, and no action.
func (c Conversation) Last(ctx context.Context) (string, error) {
	var lines []string
	whole, err := c.each(ctx, func(turn transcript.Turn) (enough bool) {
		if line := c.entryLine(turn); line != "" {
			lines = append(lines, line)
		}
		return len(lines) == lastEntries
	})
	if err == nil && !whole && len(lines) == 0 {
		return "", unreadable(transcript.ErrEarlier)
	}
	if err != nil {
		return "", err
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n"), nil
}

// entryLine is one JSON line, "" for a turn that is not shown.
func (c Conversation) entryLine(t transcript.Turn) string {
	role := map[transcript.Origin]string{transcript.Person: "user", transcript.Agent: "assistant",
		transcript.OtherAgent: "other agent"}[t.Origin]
	if role == "" || t.Tool == "" && strings.TrimSpace(t.Text) == "" {
		return ""
	}
	action := t.Tool + " " + c.Input(t.Input)
	if t.Tool == "" {
		action = c.Show(t.Text)
	}
	return `{"role":` + printable.JSON(role) + `,"action":` + printable.JSON(head(action, lastChars)) + "}"
}

// head returns the first n characters.
func head(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
