package judge

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/transcript"
)

// Last is the seed's compressed transcript: the newest entries as JSON lines of role and action, so
// many characters of each, oldest first. What tools returned and what the harness added is left out:
// it is where an injection would come from, and no action.
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
		if line := c.entryLine(turn, chars); line != "" {
			lines = append(lines, line)
		}
		if len(lines) == entries {
			break
		}
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n"), nil
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
	return printable.JSON(line)
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
