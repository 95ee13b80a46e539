package server

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/history"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/store"
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

// replayDraft says what a draft would change.
func (s *Server) replayDraft(w http.ResponseWriter, r *http.Request, v *visit) {
	var out replayed
	d, err := s.o.Store.Draft(r.Context(), v.who.Org, r.PathValue("id"))
	if err == nil {
		out, err = s.tried(r.Context(), v.who.Org, d)
	}
	s.reply(w, out, err)
}

// tried lays a draft over the newest calls that machines have shipped.
func (s *Server) tried(ctx context.Context, org string, d store.Draft) (replayed, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	now, err := s.o.Store.Policies(ctx, org, 0, 1)
	if err != nil {
		return replayed{}, err
	}
	last := append(now, store.Policy{})[0].Documents
	return replay(ctx, concerned(last, d), concerned(d.Applied(last), d), s.shared(ctx, org, d.Document.Team))
}

// concerned are the documents that hold where a draft would: of those for a team, its own, and no other repositories'.
func concerned(all []store.PolicyDocument, d store.Draft) (list []team.Document) {
	for _, one := range all {
		if one.Name == d.Document.Name || one.For == team.ForOrg || one.Team != "" && one.Team == d.Document.Team {
			list = append(list, one.Document)
		}
	}
	return list
}

// mostReplayed is how many lines are read for one replay.
const mostReplayed = 20_000

// shared are the newest lines of a team's machines, "" for all teams'. What cannot be read is no call.
func (s *Server) shared(ctx context.Context, org, of string) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		q := store.Search{Org: org, Team: of, To: s.o.Now().Add(time.Hour), Most: maxPage, Bytes: pageBytes}
		for read := 0; read < mostReplayed; {
			page, next, err := s.o.Store.Lines(ctx, q)
			for _, one := range page {
				l, _, _ := audit.Decode([]byte(one.Text))
				if !yield(l.Entry, nil) {
					return
				}
			}
			if read += len(page); err != nil || next == "" {
				if err != nil {
					yield(audit.Entry{}, err)
				}
				return
			}
			q.Before = next
		}
	}
}
