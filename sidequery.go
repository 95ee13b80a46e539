package nod

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/printable"
)

// reasonLimit bounds a reason before it reaches an agent, in runes.
const reasonLimit = 300

// ask is layer 4: the model's word, and what stands in its place where there is none. What
// it answers without a settled call is the table in docs/design.md, section 1.
func (t *trial) ask(ctx context.Context) Decision {
	if f := t.exhausted(); f != nil {
		d := t.unavailable(f, "no model is asked: "+f.Message)
		d.Notices = []string{"nod asked no model: " + printable.Line(f.Message, reasonLimit)}
		return d
	}
	if t.gate.options.Recorder != nil {
		if err := t.gate.options.Recorder.Begin(t.call, t.id); err != nil && !t.gate.options.UnrecordedRuns {
			return failed(LayerModel, unrecorded(err))
		}
	}
	answer, err := t.query(ctx)
	t.lap(LayerModel)
	if err != nil {
		return t.modelFailed(fault.Of(err), answer.Notices)
	}
	return t.modelSaid(answer)
}

// modelFailed answers where the model did not.
func (t *trial) modelFailed(f *fault.Error, notices []string) Decision {
	d := t.unavailable(f, "nod's model gave no answer: "+f.Message)
	said := "nod's model gave no answer (" + string(f.Kind) + "): " + printable.Line(f.Error(), reasonLimit)
	d.Notices = append([]string{said}, tamed(notices)...)
	return d
}

// unavailable answers without a model's word, never with an allow.
func (t *trial) unavailable(f *fault.Error, why string) Decision {
	d := failed(LayerModel, f)
	d.Reason, d.Rule = t.unsure(why), t.ruled.soft
	if t.ruled.soft.Text == "" && t.call.Interactive && !t.gate.options.DenyOnFailure {
		d.Verdict = Ask
	}
	return d
}

// unsure joins why the call is open with why nobody settled it.
func (t *trial) unsure(why string) string {
	if !t.open.stands() {
		return why
	}
	return t.reasonOpen() + "; " + why
}

func (t *trial) modelSaid(c Classification) Decision {
	reason := printable.Line(stripTags(c.Reason), reasonLimit)
	switch {
	case strings.TrimSpace(reason) != "":
	case c.Quick:
		reason = "the model sees no rule against it"
	default:
		reason = "the model gave no reason"
	}
	d := Decision{
		Layer: LayerModel, Verdict: Allow, Reason: reason, Rule: t.ruled.soft,
		Classification: &c, Cost: c.Cost, Notices: tamed(c.Notices),
	}
	switch {
	case c.ShouldBlock:
		return t.blocked(d, c)
	case c.Cleared:
		return t.cleared(d)
	}
	return d
}

// cleared completes what the quick question blocked, or failed at, and the careful
// answer let pass. The careful answer decides about what weighs little; a person
// decides about what weighs. Whose word names what is not compared by nod: the agent's
// own description of a call would count as the person's.
func (t *trial) cleared(d Decision) Decision {
	if !t.weighs() {
		return d
	}
	const minds = "the model was of two minds about something that weighs: "
	d.Verdict, d.Reason = Ask, printable.Line(minds+d.Reason, reasonLimit)
	return d
}

// weighs reports whether the call touches credentials or may do what weighs.
func (t *trial) weighs() bool { return t.secrets || t.loss.Weighs() }

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
func (t *trial) query(ctx context.Context) (Classification, error) {
	ctx, cancel := context.WithTimeout(ctx, t.gate.options.Timeout)
	defer cancel()
	type result struct {
		answer Classification
		err    error
	}
	done, apart := make(chan result, 1), t.apart()
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = panicked("the classifier failed inside", p)
			}
			done <- r
		}()
		r.answer, r.err = apart.classify(ctx)
	}()
	select {
	case r := <-done:
		return r.answer, r.err
	case <-ctx.Done():
		why := fmt.Sprintf("no answer within %s", t.gate.options.Timeout)
		return Classification{}, &fault.Error{Kind: fault.TimedOut, Message: why, Cause: ctx.Err()}
	}
}

// apart is the question as it goes on by itself, when nobody waits for it any more:
// what it looks up is its own.
func (t *trial) apart() *trial {
	own := *t
	own.rooms = t.gate.rooms(t.call, t.at.Apart(), t.report)
	return &own
}

func (t *trial) classify(ctx context.Context) (Classification, error) {
	p, err := t.prompt(ctx)
	if err != nil {
		return Classification{}, err
	}
	p.ID = t.id
	a, err := t.gate.options.Model.Classify(ctx, p)
	if err != nil {
		return Classification{Notices: a.Notices}, err
	}
	if a.Digest != p.Digest {
		return Classification{}, &fault.Error{Kind: fault.Malformed, Message: "the answer belongs to another call"}
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
