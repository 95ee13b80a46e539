package nod

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// transcriptText is the seed's compressed transcript: JSON lines of role and
// action, oldest first. What tools returned and what the harness added is
// left out: it is where an injection would come from, and no action.
func (t *trial) transcriptText(ctx context.Context, c Call) (string, error) {
	p := t.gate.profile
	if c.Transcript == nil {
		return "", nil
	}
	var lines []string
	for turn, err := range c.Transcript(ctx) {
		if isMissing(err) && len(lines) == 0 {
			return "", nil // the host keeps none, or has not written it yet
		}
		if errors.Is(err, ErrEarlier) && len(lines) > 0 {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return "", unreadable(err)
		}
		if line := t.entryLine(turn, orDefault(p.Chars, 200)); line != "" {
			lines = append(lines, line)
		}
		if len(lines) == orDefault(p.Entries, 20) {
			break
		}
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n"), nil
}

func orDefault(n, standard int) int {
	if n <= 0 {
		return standard
	}
	return n
}

// entryLine is one JSON line, "" for a turn that is not shown.
func (r *trial) entryLine(t Turn, chars int) string {
	line := struct {
		Role   string `json:"role"`
		Action string `json:"action"`
	}{Role: role(t.Origin)}
	switch {
	case line.Role == "":
		return ""
	case t.Tool != "":
		line.Action = head(t.Tool+" "+r.shownInput(t.Input), chars)
	case strings.TrimSpace(t.Text) == "":
		return ""
	default:
		line.Action = head(r.gate.shown(t.Text), chars)
	}
	return jsonLine(line)
}

func role(o Origin) string {
	switch o {
	case OriginPerson:
		return "user"
	case OriginAgent:
		return "assistant"
	case OriginOtherAgent:
		return "other agent"
	}
	return ""
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

// appendRandomHex tells decisions of one microsecond apart. It guards nothing,
// so the runtime's generator, seeded at start, will do.
func appendRandomHex(b []byte) []byte { return strconv.AppendUint(b, rand.Uint64()>>16|1<<47, 16) }

// conversation lets a transcript be read more than once, though its source is
// asked once: what was read is kept, and a reading that goes further goes on
// where the one before stopped. It is not safe for concurrent use. The zero
// value has read nothing.
type conversation struct {
	kept []entry
	next func() (Turn, error, bool)
	stop func()
}

// entry is one item of a transcript.
type entry struct {
	turn Turn
	err  error
}

// over returns the transcript, as often as it is asked for.
func (v *conversation) over(source func(context.Context) iter.Seq2[Turn, error]) func(context.Context) iter.Seq2[Turn, error] {
	return func(ctx context.Context) iter.Seq2[Turn, error] {
		if v.next == nil {
			v.next, v.stop = iter.Pull2(source(ctx))
		}
		return v.all
	}
}

func (v *conversation) all(yield func(Turn, error) bool) {
	for i := 0; ; i++ {
		if i == len(v.kept) {
			turn, err, ok := v.next()
			if !ok {
				return
			}
			v.kept = append(v.kept, entry{turn, err})
		}
		if !yield(v.kept[i].turn, v.kept[i].err) {
			return
		}
	}
}

func (v *conversation) close() {
	if v.stop != nil {
		v.stop()
	}
}
