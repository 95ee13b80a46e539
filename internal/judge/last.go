package judge

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"github.com/nodgate/nod/transcript"
)

// Last is the seed's compressed transcript: the newest entries as JSON lines of
// role and action, so many characters of each, oldest first. What tools returned
// and what the harness added is left out: it is where an injection would come
// from, and no action.
func (c Conversation) Last(ctx context.Context, entries, chars int) (string, error) {
	if c.Transcript == nil {
		return "", nil
	}
	var lines []string
	for turn, err := range c.Transcript(ctx) {
		if errors.Is(err, fs.ErrNotExist) && len(lines) == 0 {
			return "", nil // the host keeps none, or has not written it yet
		}
		if errors.Is(err, transcript.ErrEarlier) && len(lines) > 0 {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return "", unreadable(err)
		}
		if line := c.entryLine(turn, orDefault(chars, 200)); line != "" {
			lines = append(lines, line)
		}
		if len(lines) == orDefault(entries, 20) {
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
func (c Conversation) entryLine(t transcript.Turn, chars int) string {
	line := struct {
		Role   string `json:"role"`
		Action string `json:"action"`
	}{Role: role(t.Origin)}
	switch {
	case line.Role == "":
		return ""
	case t.Tool != "":
		line.Action = head(t.Tool+" "+c.Input(t.Input), chars)
	case strings.TrimSpace(t.Text) == "":
		return ""
	default:
		line.Action = head(c.Show(t.Text), chars)
	}
	return Line(line)
}

func role(o transcript.Origin) string {
	switch o {
	case transcript.Person:
		return "user"
	case transcript.Agent:
		return "assistant"
	case transcript.OtherAgent:
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

// reread lets a transcript be read more than once, though its source is
// asked once: what was read is kept, and a reading that goes further goes on
// where the one before stopped. It is not safe for concurrent use. The zero
// value has read nothing.
type reread struct {
	kept []entry
	next func() (transcript.Turn, error, bool)
	stop func()
}

// entry is one item of a transcript.
type entry struct {
	turn transcript.Turn
	err  error
}

// Twice is a conversation whose transcript may be read more than once. stop ends
// the reading.
func (c Conversation) Twice() (again Conversation, stop func()) {
	if c.Transcript == nil {
		return c, func() {}
	}
	read := &reread{}
	c.Transcript = read.over(c.Transcript)
	return c, read.close
}

// turnsOf reads a transcript from its start.
type turnsOf = func(context.Context) iter.Seq2[transcript.Turn, error]

// over returns the transcript, as often as it is asked for.
func (v *reread) over(source turnsOf) turnsOf {
	return func(ctx context.Context) iter.Seq2[transcript.Turn, error] {
		if v.next == nil {
			v.next, v.stop = iter.Pull2(source(ctx))
		}
		return v.all
	}
}

func (v *reread) all(yield func(transcript.Turn, error) bool) {
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

func (v *reread) close() {
	if v.stop != nil {
		v.stop()
	}
}
