//go:build unix

package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/store/storetest"
)

// came is a person whom an issuer names, with a role.
func came(t *testing.T, s *store.Store, org, subject string, role store.Role, team string) (p store.Person) {
	t.Helper()
	do(t, s, func(tx *store.Tx) (err error) {
		p, err = tx.Arrive(t.Context(), store.Person{Org: org, Issuer: "https://id.example", Subject: subject,
			Email: subject + "@x.example"})
		if err == nil && role != "" {
			err = tx.SetRole(t.Context(), store.Identity{Org: org, Name: "a test"}, p.ID, role, team)
		}
		return err
	})
	return p
}

func TestPeople(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		acme, shop := org(t, s, "acme")
		other, theirs := org(t, s, "other")
		ada := came(t, s, acme.ID, "ada", "", "")
		if ada.Role != "" || ada.May(store.Viewer) || ada.May("") {
			t.Error("somebody new may do something:", ada)
		}
		if again := came(t, s, acme.ID, "ada", store.Editor, shop.ID); again.ID != ada.ID {
			t.Error("the same person twice")
		}
		if same := came(t, s, other.ID, "ada", "", ""); same.ID == ada.ID {
			t.Error("one person in two organisations")
		}
		all, err := s.People(ctx, acme.ID)
		if ada = all[0]; err != nil || ada.Role != store.Editor || ada.Team != shop.ID ||
			!ada.May(store.Approver) || ada.May(store.Admin) {
			t.Error(ada, err)
		}
		for what, change := range map[string]func(tx *store.Tx) error{
			"a role that is none": func(tx *store.Tx) error {
				return tx.SetRole(ctx, ada.Identity(), ada.ID, "root", "")
			},
			"another's team": func(tx *store.Tx) error {
				return tx.SetRole(ctx, ada.Identity(), ada.ID, store.Admin, theirs.ID)
			},
			"by another organisation": func(tx *store.Tx) error {
				return tx.SetRole(ctx, store.Identity{Org: other.ID}, ada.ID, store.Admin, "")
			},
			"removed by another": func(tx *store.Tx) error {
				return tx.RemovePerson(ctx, store.Identity{Org: other.ID}, ada.ID)
			},
		} {
			if s.Tx(ctx, change) == nil {
				t.Error(what)
			}
		}
		do(t, s, func(tx *store.Tx) error { return tx.RemovePerson(ctx, ada.Identity(), ada.ID) })
		if back := came(t, s, acme.ID, "ada", "", ""); back.ID != ada.ID || back.Role != "" || back.Team != "" {
			t.Error("who was removed comes back with a role:", back)
		}
	})
}

func TestSessions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, now := t.Context(), time.UnixMilli(1e12)
		s.Now = func() time.Time { return now }
		acme, _ := org(t, s, "acme")
		ada := came(t, s, acme.ID, "ada", store.Viewer, "")
		begin := func() (text string) {
			do(t, s, func(tx *store.Tx) (err error) { text, err = tx.Begin(ctx, ada); return err })
			return text
		}
		holds := func(text string) bool {
			p, err := s.Session(ctx, store.Hash(text))
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				t.Fatal(err)
			}
			return err == nil && p.ID == ada.ID
		}
		one, two := begin(), begin()
		if _, err := s.Session(ctx, one); !holds(one) || !holds(two) || !errors.Is(err, store.ErrNotFound) {
			t.Error("sessions do not hold, or are kept as they are:", err)
		}
		if err := s.End(ctx, store.Hash(one)); err != nil || holds(one) || !holds(two) {
			t.Error("one session was ended:", err)
		}
		if now = now.Add(store.SessionTime); holds(two) {
			t.Error("a session holds for ever")
		}
		for what, end := range map[string]func(tx *store.Tx) error{
			"ended":   func(tx *store.Tx) error { return tx.EndSessions(ctx, ada.Identity(), ada.ID) },
			"removed": func(tx *store.Tx) error { return tx.RemovePerson(ctx, ada.Identity(), ada.ID) },
		} {
			came(t, s, acme.ID, "ada", store.Viewer, "")
			three, code := begin(), ""
			do(t, s, func(tx *store.Tx) (err error) {
				code, err = tx.MakeCode(ctx, store.Code{Org: acme.ID, Kind: store.PersonCode, Person: ada.ID,
					Expires: now.Add(time.Hour)})
				return err
			})
			if do(t, s, end); holds(three) {
				t.Error(what, "and the session holds")
			}
			if enter(ctx, s, code, store.PersonCode) == nil {
				t.Error(what, "and a link holds")
			}
		}
	})
}

func enter(ctx context.Context, s *store.Store, code, kind string) error {
	return s.Tx(ctx, func(tx *store.Tx) error { _, err := tx.Enter(ctx, code, kind, "root@x.example"); return err })
}

// The first admin comes by the newest set-up link, once; who arrived before is not in the way.
func TestTheFirstAdmin(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		acme, _ := org(t, s, "acme")
		came(t, s, acme.ID, "stranger", "", "")
		code := func() (text string) {
			do(t, s, func(tx *store.Tx) (err error) { text, err = tx.FirstCode(ctx, acme.ID); return err })
			return text
		}
		old, newest := code(), code()
		if enter(ctx, s, old, store.SetUpCode) == nil || enter(ctx, s, newest, store.PersonCode) == nil {
			t.Error("an old link, or one of another kind, makes an admin")
		}
		if err := enter(ctx, s, newest, store.SetUpCode); err != nil {
			t.Error(err)
		}
		if enter(ctx, s, newest, store.SetUpCode) == nil || code() != "" {
			t.Error("there are more admins by a link")
		}
		all, err := s.People(ctx, acme.ID)
		if err != nil || len(all) != 2 || all[0].Email != "root@x.example" || all[0].Role != store.Admin ||
			all[1].Role != "" {
			t.Error(all, err)
		}
	})
}
