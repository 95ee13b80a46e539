package server

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/history"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/view"
)

// replayed says what a draft would change, by the calls of a log. Fields are only ever added.
type replayed struct {
	Version int            `json:"v"`
	Missed  int            `json:"missed"` // calls that were not logged whole
	Before  history.Counts `json:"before"` // by the policy that holds
	After   history.Counts `json:"after"`
	Changed []changedRow   `json:"changed"` // the first of them
	More    int            `json:"more"`    // how many others changed
}

type changedRow struct {
	ID     string      `json:"id"`
	Time   time.Time   `json:"time"`
	Tool   string      `json:"tool"`
	Input  string      `json:"input"`
	Before nod.Verdict `json:"before"`
	After  nod.Verdict `json:"after"`
	Reason string      `json:"reason"`
}

const mostChanged = 100

// replay judges the calls of a log under two policies: without the machines' files, their users' rules and a model, so
// that what differs is the policies' doing. A document for repositories is taken to hold for all calls.
func replay(ctx context.Context, before, after []team.Document, log iter.Seq2[audit.Entry, error]) (replayed, error) {
	out := replayed{Version: 1, Changed: []changedRow{}}
	was, err := policyGate(before)
	if err != nil {
		return out, err
	}
	is, err := policyGate(after)
	if err != nil {
		return out, err
	}
	for e, err := range log {
		switch {
		case err != nil || ctx.Err() != nil:
			return out, errors.Join(err, ctx.Err())
		case e.Kind != audit.Decision:
		case e.InputBytes > 0 || len(e.Input) == 0:
			out.Missed++
		default:
			q := request{Agent: e.Agent, Tool: e.Tool, RawTool: e.RawTool, Input: e.Input, Dir: e.Dir,
				Roots: []string{e.Root}, Interactive: true}
			out.add(e, was.Check(ctx, q.call()), is.Check(ctx, q.call()))
		}
	}
	return out, nil
}

func (r *replayed) add(e audit.Entry, was, is nod.Decision) {
	r.Before.Add(was.Verdict)
	r.After.Add(is.Verdict)
	if was.Verdict == is.Verdict {
		return
	}
	if len(r.Changed) == mostChanged {
		r.More++
		return
	}
	r.Changed = append(r.Changed, changedRow{e.ID, e.Time, printable.Line(e.RawTool, 60),
		printable.Line(string(e.Input), 300), was.Verdict, is.Verdict, printable.Line(is.Reason, 300)})
}

// nowhere are the places of a machine that has nothing but a policy.
func nowhere() config.Places {
	return config.Places{Home: "/home/nobody", Files: view.NewMemory(false)}
}

func policyGate(documents []team.Document) (*nod.Gate, error) {
	settings, err := config.Load(nowhere().WithPolicy(documents))
	if err != nil {
		return nil, err
	}
	return nod.New(nod.Options{Rules: settings.Rules, Files: unseen{}, Memory: forgetful{}}), nil
}
