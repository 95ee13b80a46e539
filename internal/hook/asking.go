package hook

import (
	"context"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/session"
	"github.com/nodgate/nod/transcript"
)

// unasked is what an answer to another prompt may do on such a host.
const unasked = ", and an answer to that could let this call run unasked"

// asking returns what the gate calls before a person is asked: which other prompt may be open beside this one. nil
// where no answer to another prompt lets a call run, or where nobody is asked.
func (r *run) asking(e agent.Event, memory *session.Session) func() string {
	if e.Kind != agent.Decide || !e.Call.Interactive || !r.Adapter.Capabilities().PromptsAnswerOthers ||
		r.Places.State == "" {
		return nil
	}
	return func() string {
		open, err := memory.Ask(e.Call.ID, e.Call.RawTool)
		switch {
		case e.Child:
			return "a sub-agent makes this call, so another prompt may be open beside it" + unasked
		case err != nil || !memory.Remembers():
			return "nod cannot remember which other prompts are open" + unasked
		}
		if open = unanswered(e.Call, open); len(open) > 0 {
			return "the prompt for another call (" + printable.Line(open[0].Tool, 40) + ") may be open" + unasked
		}
		return ""
	}
}

// unanswered leaves out the calls whose outcome the conversation shows, as where a person said no: no hook
// is told of that. What the person said after a prompt was opened shows that the prompt is closed.
func unanswered(c nod.Call, open []session.Asked) []session.Asked {
	if len(open) == 0 || c.Transcript == nil {
		return open
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	for turn, err := range c.Transcript(ctx) {
		if err != nil || len(open) == 0 {
			return open
		}
		var still []session.Asked
		for _, a := range open {
			ended := turn.Origin == transcript.Tool && turn.Call != "" && turn.Call == a.Call
			if !ended && !(turn.Origin == transcript.Person && turn.Time.After(a.At)) {
				still = append(still, a)
			}
		}
		open = still
	}
	return open
}
