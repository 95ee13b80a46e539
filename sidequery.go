package nod

import (
	"context"
	"fmt"
	"strings"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/printable"
)

const reasonLimit = 300 // bounds a reason before it reaches an agent, in runes

type question struct{ *trial } // layer 4: an open call that a model is asked about

// ask is the model's answer, or what stands in its place without a model. The table in
// docs/design.md, section 1, says what it answers for a call that is not settled.
func (q question) ask(ctx context.Context) Decision {
	if h := q.gate.options.History; h != nil {
		if why := h.Exhausted(); why != "" {
			d := q.unavailable(&fault.Error{Kind: fault.CostCeiling, Message: why}, "no model is asked: "+why)
			d.Notices = []string{"nod asked no model: " + printable.Line(why, reasonLimit)}
			return d
		}
	}
	if q.gate.options.Recorder != nil {
		if err := q.gate.options.Recorder.Begin(q.call, q.id); err != nil && !q.gate.options.UnrecordedRuns {
			return failed(LayerModel, unrecorded(err))
		}
	}
	answer, err := q.query(ctx)
	if err != nil {
		f := fault.Of(err)
		d := q.unavailable(f, "nod's model gave no answer: "+f.Message)
		said := "nod's model gave no answer (" + string(f.Kind) + "): " + printable.Line(f.Error(), reasonLimit)
		d.Notices = append([]string{said}, tamed(answer.Notices)...)
		return d
	}
	return q.modelSaid(answer)
}

// unavailable answers without a model's word, never with an allow.
func (q question) unavailable(f *fault.Error, why string) Decision {
	d := failed(LayerModel, f)
	d.Reason, d.Rule = why, q.ruled.soft
	if q.open.stands() {
		d.Reason = q.reasonOpen() + "; " + why
	}
	if q.ruled.soft.Text == "" && q.call.Interactive && !q.gate.options.DenyOnFailure {
		d.Verdict = Ask
	}
	return d
}

func (q question) modelSaid(c Classification) Decision {
	// Without the brackets of markup it cannot pose as the agent's harness.
	reason := printable.Line(strings.NewReplacer("<", " ", ">", " ").Replace(c.Reason), reasonLimit)
	switch {
	case strings.TrimSpace(reason) != "":
	case c.Quick:
		reason = "the model sees no rule against it"
	default:
		reason = "the model gave no reason"
	}
	d := Decision{
		Layer: LayerModel, Verdict: Allow, Reason: reason, Rule: q.ruled.soft,
		Classification: &c, Cost: c.Cost, Notices: tamed(c.Notices),
	}
	switch {
	case c.ShouldBlock:
		return q.blocked(d, c)
	// What the quick question blocked, or failed at, and the careful answer let pass: the careful answer decides about
	// what weighs little, a person about what weighs. Whose word names what is not compared by nod: the agent's own
	// description of a call would count as the person's.
	case c.Cleared && (q.secrets || q.loss.Weighs()):
		const minds = "the model was of two minds about something that weighs: "
		d.Verdict, d.Reason = Ask, printable.Line(minds+d.Reason, reasonLimit)
	}
	return d
}

// tamed makes notices of a model fit to be shown.
func tamed(notices []string) []string {
	var lines []string
	for _, n := range notices[:min(len(notices), 5)] {
		lines = append(lines, printable.Line(n, reasonLimit))
	}
	return lines
}

// query asks the model once, within the deadline, and takes nothing but an answer to this very call.
func (q question) query(ctx context.Context) (Classification, error) {
	ctx, cancel := context.WithTimeout(ctx, q.gate.options.Timeout)
	defer cancel()
	type result struct {
		answer Classification
		err    error
	}
	done, apart := make(chan result, 1), q.apart()
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
		why := fmt.Sprintf("no answer within %s", q.gate.options.Timeout)
		return Classification{}, &fault.Error{Kind: fault.TimedOut, Message: why, Cause: ctx.Err()}
	}
}

// apart is the question as it goes on by itself, when nobody waits for it any more: what it looks up is its own.
func (q question) apart() question {
	own := *q.trial
	own.rooms = q.gate.rooms(&q.call, q.at.Apart(), q.report)
	return question{&own}
}

func (q question) classify(ctx context.Context) (Classification, error) {
	p, err := q.prompt(ctx)
	if err != nil {
		return Classification{}, err
	}
	p.ID = q.id
	a, err := q.gate.options.Model.Classify(ctx, p)
	if err != nil {
		return Classification{Notices: a.Notices}, err
	}
	if a.Digest != p.Digest {
		return Classification{}, &fault.Error{Kind: fault.Malformed, Message: "the answer belongs to another call"}
	}
	return a, nil
}
