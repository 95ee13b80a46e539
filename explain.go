package nod

import (
	"context"

	"github.com/nodgate/nod/internal/printable"
)

// Step is one question of the flow in the package comment, or one fact of a command, and what was said of a call.
type Step struct {
	Layer    Layer  `json:"layer"`
	Question string `json:"question"`
	Said     string `json:"said"` // "" where it said nothing
}

// What the steps of a command's facts are called.
const stepEffect, stepOpen = "effect", "not resolved"

// Explain is Check without a model, a recorder and approvals. It tells the steps up to the one that settled the call,
// writes nothing down and uses up no approval.
func (g *Gate) Explain(ctx context.Context, c Call) (d Decision, steps []Step) {
	again := *g
	again.options.Recorder, again.options.Model, again.options.Approvals = nil, nil, nobody{}
	again.told = func(s Step) { steps = append(steps, s) }
	return again.Check(ctx, c), steps
}

// nobody approved anything.
type nobody struct{}

func (nobody) Approved(string) (string, error) { return "", nil }
func (nobody) LetRun(string) bool              { return false }

// objects tells an objection, and returns it.
func (r *rooms) objects(l Layer, question string, o objection) objection {
	if r.told != nil {
		r.told(Step{l, question, printable.Line(r.reason(o), reasonLimit)})
	}
	return o
}

// clears tells a clearance, and returns it.
func (r *rooms) clears(l Layer, question string, c clearance) clearance {
	if r.told != nil {
		r.told(Step{l, question, printable.Line(r.withheld.Reason(c.why), reasonLimit)})
	}
	return c
}

// reads tells what the command does as far as it is known, and what of it is not.
func (r *rooms) reads() {
	if r.told == nil {
		return
	}
	told := func(what, said string) {
		r.told(Step{LayerShell, what, printable.Line(r.withheld.Reason(said), reasonLimit)})
	}
	for _, e := range r.report.Effects {
		if said := doing(e); said != "" {
			told(stepEffect, said)
		}
	}
	for _, u := range r.report.Unknowns {
		told(stepOpen, u.What)
	}
}
