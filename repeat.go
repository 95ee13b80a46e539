package nod

import (
	"fmt"
	"slices"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/identity"
	"github.com/nodgate/nod/internal/judge"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// History is what the model decided in a session before, and what that has
// cost. It can turn a denial into a question for a person, or keep a model from
// being asked; it never lets a call run. It is safe for concurrent use.
type History interface {
	// Denials counts what the model blocked: in a row up to now, and in all.
	Denials() (row, all int)
	// Exhausted says which ceiling of cost is reached; "" is none.
	Exhausted() string
}

const (
	// rowLimit and allLimit are how many denials of the model's in a row, and
	// in all, call a person: the model or the agent is on a wrong track.
	rowLimit = 3
	allLimit = 20
)

func (q question) exhausted() *fault.Error {
	if q.gate.options.History == nil {
		return nil
	}
	if why := q.gate.options.History.Exhausted(); why != "" {
		return &fault.Error{Kind: fault.CostCeiling, Message: why}
	}
	return nil
}

// blocked completes what the model blocked. Many of them call a person, where
// there is one.
func (q question) blocked(d Decision, c Classification) Decision {
	d.Verdict, d.Blocked, d.Basis = Deny, true, d.Reason
	switch why := q.repeated(c); {
	case why != "" && q.call.Interactive:
		d.Verdict, d.Reason = Ask, printable.Line(why+"; the last: "+d.Reason, reasonLimit)
	case why != "":
		d.Reason = printable.Line(why+", and nobody can be asked: stop and tell the person; the last: "+d.Reason,
			reasonLimit)
	case q.gate.options.AskOnBlock && q.call.Interactive:
		d.Verdict, d.Reason = Ask, printable.Line("the model would block this: "+d.Reason, reasonLimit)
	}
	return d
}

// repeated says that the model blocks too often, this call included.
func (q question) repeated(c Classification) string {
	if q.gate.options.History == nil || c.Remembered {
		return "" // no model was asked
	}
	row, all := q.gate.options.History.Denials()
	switch row, all = row+1, all+1; {
	case row >= rowLimit:
		return fmt.Sprintf("the model has blocked %d calls in a row", row)
	case all >= allLimit:
		return fmt.Sprintf("the model has blocked %d calls of this session", all)
	}
	return ""
}

// memoryKey names the call and all that its answer may depend on: the session,
// the rules and the wording of the questions, what the call would do and
// where, the facts, the files that were read for them, and what the person has
// said so far. What the agent called before is not part of it, nor what was
// blocked, which this very call may have been: the answer to it would be
// forgotten with that. Nor are words that only describe the call, nor how a
// command is spaced and quoted where that means nothing.
func (q question) memoryKey(p Prompt, facts judge.Facts, consent string) string {
	h := identity.NewKey("verdict")
	c := q.call
	facts.Open, facts.Session = identity.Unspaced(facts.Open), append(q.taint.History(), q.letRun()...)
	facts.Unknowns = slices.Clone(facts.Unknowns)
	for i, what := range facts.Unknowns {
		facts.Unknowns[i] = identity.Unspaced(what)
	}
	h.Add(c.Agent, c.Session, p.System, p.Quick, p.Careful, fmt.Sprint(q.gate.options.Profile))
	h.Add(c.Tool, c.RawTool, judge.Line(facts), consent)
	h.Add(q.at.Roots...)
	h.Add(q.at.PathDirs()...)
	q.identity.AddCall(h)
	for _, e := range q.report.Read {
		h.Add(e.Path, e.SHA256)
	}
	for _, e := range q.ruled.bound {
		h.Add(e.Path, e.SHA256)
	}
	for _, d := range q.report.Definitions {
		h.Add(d.Path, d.SHA256)
	}
	return h.Sum()
}

// harmsNothing reports whether an answer that lets the call run may be given
// again: all that it does can be undone. Code that nod has not read may do
// anything, and another thing the next time.
func (q question) harmsNothing() bool {
	return !q.weighs() && !slices.ContainsFunc(q.report.Effects, func(e shell.Effect) bool {
		return e.Kind == shell.Run && !q.runsBound(e) ||
			e.Kind == shell.Write && e.Place != shell.Null && q.loss.WriteHarm(e) != ""
	})
}

// runsBound reports whether what a command runs is project code whose
// definitions were all read: their hashes are part of the key, so that the
// answer is given again while they stay what they were.
func (q question) runsBound(e shell.Effect) bool {
	bound := false
	for _, d := range q.report.Definitions {
		if q.report.Within(e.Command, d.Command) || q.report.Within(d.Command, e.Command) {
			if d.SHA256 == "" || d.SHA256 == shell.Absent || q.taint.Origin(shell.DefinitionFile(d.Path)) != "" {
				return false
			}
			bound = true
		}
	}
	return bound
}
