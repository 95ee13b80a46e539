package nod

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// reasonLimit bounds a reason before it reaches an agent, in runes.
const reasonLimit = 300

// answerOpen answers what is left open: by what a person approved, else by the
// line to type instead, else it is layer 4.
func (t *trial) answerOpen(ctx context.Context) Decision {
	return t.unlessApproved(func() Decision { return t.insteadOr(ctx) })
}

// unlessApproved answers by what a person approved, else as otherwise says.
func (t *trial) unlessApproved(otherwise func() Decision) Decision {
	d, notice, ok := t.approved()
	if ok {
		return d
	}
	if d = otherwise(); d.Verdict != Allow && t.gate.approvals != nil {
		d.Approvable = t.approvable()
		if d.Deferrable {
			d.Lasting = t.lasting()
		}
	}
	if notice != "" {
		d.Notices = append(d.Notices, notice)
	}
	return d
}

// sideQuery is layer 4. What it answers without a settled call is the table in
// docs/design.md, section 1.
func (t *trial) sideQuery(ctx context.Context) Decision {
	if t.gate.model == nil {
		return t.withoutModel()
	}
	if f := t.exhausted(); f != nil {
		d := t.unavailable(f, "no model is asked: "+f.Message)
		d.Notices = []string{"nod asked no model: " + printable.Line(f.Message, reasonLimit)}
		return d
	}
	if t.gate.recorder != nil {
		if err := t.gate.recorder.Begin(t.call, t.id); err != nil && !t.gate.lenient {
			return t.failed(LayerModel, &fault.Error{Kind: fault.LogFailed, Message: "this decision could not be recorded, and the settings demand that it is", Cause: err})
		}
	}
	answer, err := t.query(ctx)
	t.lap(LayerModel)
	if err != nil {
		return t.modelFailed(fault.Of(err), answer.Notices)
	}
	return t.modelSaid(answer)
}

// withoutModel answers where no model is configured. The reason is what is open;
// that there is no model stands in the failure, and is no news at each call.
func (t *trial) withoutModel() Decision {
	d := Decision{ID: t.id, Verdict: Ask, Layer: LayerNone, Rule: t.soft, Reason: cmp.Or(t.withheld.Reason(t.open), "no model is configured"),
		Err: &fault.Error{Kind: fault.NoModel, Message: "no model is configured; to have one asked, write [model] provider and key_file into the settings: nod help settings"}}
	if d.Deferrable = t.deferrable(); t.soft.Text != "" && !t.call.HostJudges {
		d.Verdict = Deny
	}
	return d
}

// modelFailed answers where the model did not.
func (t *trial) modelFailed(f *fault.Error, notices []string) Decision {
	d := t.unavailable(f, "the classifier failed: "+f.Message)
	d.Notices = append([]string{"nod's classifier failed (" + string(f.Kind) + "): " + printable.Line(f.Error(), reasonLimit)}, tamed(notices)...)
	return d
}

// unavailable answers without a model's word, never with an allow.
func (t *trial) unavailable(f *fault.Error, why string) Decision {
	d := t.failed(LayerModel, f)
	d.Reason, d.Rule = t.unsure(why), t.soft
	if t.soft.Text == "" && t.call.Interactive && !t.gate.denyFail {
		d.Verdict = Ask
	}
	return d
}

// unsure joins why the call is open with why nobody settled it.
func (t *trial) unsure(why string) string {
	if t.open == "" {
		return why
	}
	return t.withheld.Reason(t.open) + "; " + why
}

func (t *trial) modelSaid(a answered) Decision {
	c := a.Classification
	reason := printable.Line(stripTags(c.Reason), reasonLimit)
	switch {
	case strings.TrimSpace(reason) != "":
	case c.Quick:
		reason = "the model sees no rule against it"
	default:
		reason = "the model gave no reason"
	}
	d := Decision{ID: t.id, Layer: LayerModel, Verdict: Allow, Reason: reason, Rule: t.soft, Classification: &c, Cost: c.Cost, Notices: tamed(c.Notices)}
	switch {
	case c.ShouldBlock:
		return t.blocked(d, a)
	case c.Cleared:
		return t.cleared(d, a)
	}
	return d
}

// cleared completes what the quick answer blocked and the careful one let pass:
// both answered, and the careful one weighed what the person said. It decides
// about what the person named, and about what weighs little. Put to a person is
// what nothing brings back, and what no word of theirs speaks of. Where nobody
// can be asked, only an answer that cites the words in which the person named
// the call decides about what weighs.
func (t *trial) cleared(d Decision, a answered) Decision {
	if !t.weighty() || cites(a.Reason+" "+a.Thinking, a.consent, t.call) {
		return d
	}
	if t.call.Interactive && speaksOf(a.consent, t.call) && !t.irreversible() {
		return d
	}
	const minds = "the model was of two minds about something that weighs, and cites no words in which the person named it: "
	d.Verdict, d.Reason = Ask, printable.Line(minds+d.Reason, reasonLimit)
	return d
}

// irreversible reports whether the call does what nothing brings back, as far as
// its effects tell.
func (t *trial) irreversible() bool {
	return slices.ContainsFunc(t.report.Effects, func(e shell.Effect) bool {
		switch e.Kind {
		case shell.Delete:
			return !e.Moved && e.Place != shell.Temporary && t.loss.DeleteHarm(e) != ""
		case shell.Write:
			return e.Place == shell.Device
		case shell.Exhaust:
			return true
		}
		return false
	})
}

// weighty reports whether the call may do what cannot be undone, leaves the
// machine, touches credentials or changes what the agent may do: by what it
// does, not by the tool that does it. What is not known may.
func (t *trial) weighty() bool {
	switch {
	case t.secrets, len(t.report.Unknowns) > 0:
		return true
	case t.call.URL != "":
		return false // a page is read
	case t.call.MCP != nil:
		return !looksUp(t.call.MCP.Tool)
	case t.call.Command == "":
		return t.call.Tool != "web_search"
	}
	return slices.ContainsFunc(t.report.Effects, t.weighs)
}

func (t *trial) weighs(e shell.Effect) bool {
	switch e.Kind {
	case shell.Read, shell.Fetch:
		return false
	case shell.Write:
		return e.Place != shell.Workspace && e.Place != shell.Temporary && e.Place != shell.Null
	case shell.Run:
		return e.Target == "" || shipsOut(e.Words) ||
			e.Command >= 0 && e.Command < len(t.report.Commands) && shipsOut(t.report.Commands[e.Command].Source)
	}
	return true
}

// shipsOut reports whether project code is run under a name that says that it
// changes what others use.
func shipsOut(words string) bool {
	return slices.ContainsFunc(wordsOf(words), func(w string) bool {
		switch w {
		case "deploy", "deployment", "release", "publish", "ship", "rollout", "promote", "prod", "production", "staging", "live", "apply", "migrate", "migration", "upload", "sync", "push", "destroy", "teardown":
			return true
		}
		return false
	})
}

// looksUp reports whether the name of an MCP tool says that it only reads.
func looksUp(tool string) bool {
	words := wordsOf(tool)
	reads := func(w string) bool {
		return slices.Contains([]string{"get", "list", "search", "read", "find", "fetch", "lookup", "describe", "show", "resolve", "docs", "status"}, w)
	}
	writes := func(w string) bool {
		return slices.Contains([]string{"create", "update", "delete", "remove", "send", "write", "post", "put", "set", "add", "run", "exec", "execute", "push", "merge", "edit", "upload", "move", "replace", "comment"}, w)
	}
	return slices.ContainsFunc(words, reads) && !slices.ContainsFunc(words, writes)
}

// tamed makes notices of a model fit to be shown.
func tamed(notices []string) []string {
	var lines []string
	for _, n := range notices[:min(len(notices), 5)] {
		lines = append(lines, printable.Line(n, reasonLimit))
	}
	return lines
}

// query asks the model once, within the deadline, and takes nothing but an
// answer to this very call.
func (t *trial) query(ctx context.Context) (answered, error) {
	ctx, cancel := context.WithTimeout(ctx, t.gate.timeout)
	defer cancel()
	type result struct {
		answer answered
		err    error
	}
	done, apart := make(chan result, 1), t.apart()
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = &fault.Error{Kind: fault.Internal, Message: "the classifier failed inside", Cause: fmt.Errorf("%v\n%s", p, debug.Stack())}
			}
			done <- r
		}()
		r.answer, r.err = apart.classify(ctx)
	}()
	select {
	case r := <-done:
		return r.answer, r.err
	case <-ctx.Done():
		return answered{}, &fault.Error{Kind: fault.TimedOut, Message: fmt.Sprintf("no answer within %s", t.gate.timeout), Cause: ctx.Err()}
	}
}

// apart is a trial that goes on by itself, when nobody waits for it any more:
// what it looks up is its own.
func (t *trial) apart() *trial {
	own := *t
	own.at = t.at.Apart()
	own.bound, own.spent = slices.Clip(t.bound), maps.Clone(t.spent)
	own.setRooms()
	return &own
}

// answered is what a model said, and what of the call is known by then.
type answered struct {
	Classification
	effects string // see [trial.effectKey]
	before  string // why the same was denied before; then no model was asked
	consent string // the words that a consent may stand in
}

func (t *trial) classify(ctx context.Context) (answered, error) {
	p, consent, err := t.prompt(ctx)
	if err != nil {
		return answered{}, err
	}
	p.ID = t.id
	effects, content := t.effectKey(p, consent)
	a := answered{effects: effects, consent: consent}
	if a.before = t.deniedBefore(effects, content); a.before != "" {
		a.ShouldBlock = true
		return a, nil
	}
	a.Classification, err = t.gate.model.Classify(ctx, p)
	if err != nil {
		return answered{Classification: Classification{Notices: a.Notices}}, err
	}
	if a.Digest != p.Digest {
		return answered{}, &fault.Error{Kind: fault.Malformed, Message: "the answer belongs to another call"}
	}
	return a, nil
}

// stripTags takes markup out of a model's reason, so that it cannot pose as
// the agent's harness.
func stripTags(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "")
	}
	for {
		open := strings.IndexByte(s, '<')
		if open < 0 {
			return s
		}
		end := strings.IndexByte(s[open:], '>')
		if end < 0 {
			return s[:open]
		}
		s = s[:open] + s[open+end+1:]
	}
}
