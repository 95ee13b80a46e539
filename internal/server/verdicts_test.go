//go:build unix

package server

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/team/client"
)

// counting is a model that says the same each time, and counts how often.
type counting struct {
	blocks bool
	asked  int
	fails  error
}

func (m *counting) Classify(_ context.Context, p nod.Prompt) (nod.Classification, error) {
	m.asked++
	return nod.Classification{Digest: p.Digest, ShouldBlock: m.blocks, Reason: "it pushes\x1b[31m", Model: "m1"},
		m.fails
}

// machine makes a member of a team, and what it asks a model by.
func (w *world) machine(org, teamID, name string, m nod.Model) client.Shared {
	w.Helper()
	var token string
	err := w.db.Tx(w.Context(), func(tx *store.Tx) (err error) {
		_, token, err = tx.Join(w.Context(), org, teamID, name, machineScopes())
		return err
	})
	c, wrong := client.New(team.Member{Server: w.at, Token: token})
	if err = errors.Join(err, wrong); err != nil {
		w.Fatal(err)
	}
	return client.Shared{Client: c, Name: "anthropic m1", Model: m}
}

// What a model said to one machine holds for another of its team that asks the very same, and for nobody else.
func TestATeamSharesVerdicts(t *testing.T) {
	w := newWorld(t, nil)
	var other store.Team
	if err := w.db.Tx(t.Context(), func(tx *store.Tx) (err error) {
		other, err = tx.MakeTeam(t.Context(), w.org, "other")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	teams, err := w.db.Teams(t.Context(), w.org)
	if err != nil {
		t.Fatal(err)
	}
	first, second, third := &counting{}, &counting{blocks: true}, &counting{}
	a, b := w.machine(w.org, teams[0].ID, "a", first), w.machine(w.org, teams[0].ID, "b", second)
	c := w.machine(w.org, other.ID, "c", third)
	p := nod.Prompt{ID: "1", Digest: "d1", System: "rules", User: "git push", CacheKey: "x"}
	ask := func(s client.Shared, p nod.Prompt) nod.Classification {
		t.Helper()
		got, err := s.Classify(t.Context(), p)
		if err != nil || got.Digest != p.Digest {
			t.Fatal(got, err)
		}
		return got
	}
	ask(a, p)
	p.ID, p.Digest, p.CacheKey = "2", "d2", "y"
	if got := ask(b, p); got.ShouldBlock || second.asked != 0 || strings.ContainsRune(got.Reason, '\x1b') ||
		!strings.HasPrefix(got.Reason, "said before in this team: it pushes") {
		t.Errorf("%+v, asked %d times", got, second.asked)
	}
	if ask(c, p); third.asked != 1 {
		t.Error("another team's verdict counts")
	}
	for _, change := range []func(*nod.Prompt){
		func(p *nod.Prompt) { p.User += " --force" },
		func(p *nod.Prompt) { p.System += " and more" },
		func(p *nod.Prompt) { p.Ledger = []string{"the person said: push"} },
	} {
		again, before := p, second.asked
		change(&again)
		if got := ask(b, again); !got.ShouldBlock || second.asked != before+1 {
			t.Errorf("%+v: the verdict of another question counts", again)
		}
	}
	again := b
	again.Name = "anthropic m2"
	if ask(again, p); second.asked != 4 {
		t.Error("another model's verdict counts")
	}
	first.fails = errors.New("it fails")
	if _, err := a.Classify(t.Context(), nod.Prompt{Digest: "d3"}); err == nil {
		t.Error("a failure is no verdict")
	}
	w.db.Close()
	if ask(b, p); second.asked != 5 {
		t.Error("without the server the model is not asked")
	}
}
