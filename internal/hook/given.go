package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/approval"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/keep"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/session"
	"github.com/nodgate/nod/internal/view"
	"github.com/nodgate/nod/transcript"
)

// approvals is what a person approved, as the gate asks about it.
type approvals struct {
	*session.Session // what the person let run
	run              *run
	by               approval.Caller
	root             string // the workspace's, real
	// silent says that an allow would not be said, so that no approval is used up.
	silent bool
}

// approvals is what the gate is told: nil for a run that keeps no state, and where the settings switch approvals off.
func (r *run) approvals(e agent.Event, s config.Settings, memory *session.Session, root string) nod.Approvals {
	if r.Places.State == "" || !s.Approvals {
		return nil
	}
	return approvals{
		run: r, Session: memory, silent: s.Mode == config.Observe || e.Plan || e.Unproven,
		root: r.workspace(root),
		by: approval.Caller{Agent: e.Call.Agent, Session: e.Call.Session, Call: e.Call.ID,
			Prompt: e.Kind == agent.Prompt},
	}
}

// workspace is the real path of a session's root; "" for a root that holds the home directory.
func (r *run) workspace(root string) string {
	real, err := view.Resolve(r.Files, root)
	home, homeErr := view.Resolve(r.Files, r.Places.Home)
	if err != nil || homeErr != nil || view.Within(r.Files, real, home) {
		return ""
	}
	return real
}

// Approved implements nod.Approvals. Without a file it reads nothing.
func (a approvals) Approved(key string) (how string, err error) {
	state := a.run.Places.State
	if y := a.run.yes; y != nil && y.key == key && !a.silent {
		return y.how, nil
	}
	if a.silent || !approval.Kept(state) {
		return "", nil
	}
	if real, err := view.Resolve(a.run.Files, state); err != nil ||
		a.root != "" && view.Within(a.run.Files, a.root, real) {
		return "", errors.New("nod's state directory lies in the workspace, where an agent may write")
	}
	found, ok, err := approval.Use(state, key, a.by, a.run.Now())
	if !ok {
		return "", err
	}
	return string(found.Scope) + " (" + found.ID + ")", nil
}

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

// history is the session's memory as the gate asks it about layer 4.
type history struct {
	*session.Session // what it denied
	run              *run
	settings         config.ModelSettings
}

// history is what the gate is told; nil for a run that keeps no state.
func (r *run) history(s config.Settings, memory *session.Session) nod.History {
	if r.Places.State == "" {
		return nil
	}
	return history{memory, r, s.Model}
}

// Exhausted implements nod.History. A sum that is not known counts as having reached its ceiling.
func (h history) Exhausted() string {
	if most := h.settings.MaxCostSession; most > 0 {
		if !h.Remembers() {
			return "what this session has cost is not known, and [model] max_cost_session sets a ceiling"
		}
		if sum := h.Cost(); sum >= most {
			return fmt.Sprintf("this session has cost $%.4f, and [model] max_cost_session is $%.2f", sum, most)
		}
	}
	if most := h.settings.MaxCostDay; most > 0 {
		sum, err := session.Spent(h.run.Places.State, h.run.Now())
		if err != nil {
			return "what today has cost cannot be read, and [model] max_cost_day sets a ceiling: " +
				printable.Line(err.Error(), 100)
		}
		if sum >= most {
			return fmt.Sprintf("today's sessions have cost $%.4f, and [model] max_cost_day is $%.2f (days are UTC)",
				sum, most)
		}
	}
	return ""
}

// unpriced warns where a ceiling does not count an answer.
func unpriced(s config.ModelSettings, d nod.Decision) []string {
	c := d.Classification
	if s.MaxCostSession == 0 && s.MaxCostDay == 0 || c == nil || c.Cost > 0 {
		return nil
	}
	if c.Usage.In == 0 {
		return []string{"the provider of the model " + printable.Line(c.Model, 60) +
			" did not say how many tokens it counted, so no ceiling counts this answer"}
	}
	return []string{"the price of the model " + printable.Line(c.Model, 60) +
		" is not known, so no ceiling counts it; add a [[price]]"}
}

// keeper keeps what a call takes away in nod's store, for nod undo. Without a store it
// only says that it would: where nothing is about to run.
type keeper struct{ store *keep.Store }

// Keep implements nod.Keeper.
func (k keeper) Keep(id string, c nod.Call, files []string, commits []nod.KeptCommit) error {
	if k.store == nil {
		return nil
	}
	words := cmp.Or(c.Command, strings.Join(append([]string{c.RawTool}, c.Paths...), " "))
	call := keep.Call{ID: id, Agent: c.Agent, Session: c.Session, Tool: c.Tool, Words: audit.MaskText(words),
		Dir: c.Dir}
	for _, one := range commits {
		call.Objects = append(call.Objects, keep.Object(one))
	}
	return k.store.Keep(call, files)
}

// keeper is what keeps for the calls of a run: those that are about to run under nod's answer.
func (r *run) keeper(acts bool) nod.Keeper {
	switch {
	case r.Keeper != nil:
		return r.Keeper
	case r.Places.State == "":
		return nil
	case !acts:
		return keeper{}
	}
	return keeper{keep.Open(keep.Dir(r.Places.State), keep.Options{Now: r.Now})}
}
