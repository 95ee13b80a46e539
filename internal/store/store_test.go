//go:build unix

package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/store/storetest"
)

// do runs a transaction that must succeed.
func do(t *testing.T, s *store.Store, step func(tx *store.Tx) error) {
	t.Helper()
	if err := s.Tx(t.Context(), step); err != nil {
		t.Fatal(err)
	}
}

// org makes an organisation with a team.
func org(t *testing.T, s *store.Store, name string) (o store.Org, team store.Team) {
	t.Helper()
	do(t, s, func(tx *store.Tx) (err error) {
		if o, err = tx.MakeOrg(t.Context(), name); err == nil {
			team, err = tx.MakeTeam(t.Context(), o.ID, "shop")
		}
		return err
	})
	return o, team
}

func TestAccounts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		acme, shop := org(t, s, "acme")
		other, _ := org(t, s, "other")
		want := store.OrgSettings{RetentionDays: 30, NoInputs: true, TwoPeople: true, Webhook: "https://x.example/"}
		do(t, s, func(tx *store.Tx) error { return tx.SetOrg(ctx, acme.ID, want) })
		if got, err := s.Org(ctx, acme.ID); err != nil || got.Settings != want || got.Name != "acme" {
			t.Error(got, err)
		}
		if got, err := s.Teams(ctx, acme.ID); err != nil || !cmp.Equal(got, []store.Team{shop}) {
			t.Error(got, err)
		}
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := s.Org(gone, acme.ID); err == nil || errors.Is(err, store.ErrNotFound) {
			t.Error("a database that does not answer has no such organisation:", err)
		}
		var text string
		do(t, s, func(tx *store.Tx) (err error) {
			text, err = tx.MakeToken(ctx, store.Token{Org: acme.ID, Name: "ci", Scopes: []string{"check", "read"}})
			return err
		})
		if got, err := s.Token(ctx, store.Hash(text)); err != nil || got.Org != acme.ID || len(got.Scopes) != 2 {
			t.Error(got, err)
		}
		if _, err := s.Token(ctx, text); !errors.Is(err, store.ErrNotFound) {
			t.Error("the token itself is kept:", err)
		}
		err := s.Tx(ctx, func(tx *store.Tx) error { return tx.RevokeToken(ctx, other.ID, "ci") })
		if !errors.Is(err, store.ErrNotFound) {
			t.Error("another organisation revokes:", err)
		}
		do(t, s, func(tx *store.Tx) error { return tx.RevokeToken(ctx, acme.ID, "ci") })
		if _, err := s.Token(ctx, store.Hash(text)); !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
	})
}

func TestAMachineJoinsOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		acme, shop := org(t, s, "acme")
		var code string
		do(t, s, func(tx *store.Tx) (err error) {
			code, err = tx.MakeCode(ctx, store.Code{Org: acme.ID, Kind: store.MachineCode, Team: shop.ID,
				Expires: s.Now().Add(time.Hour)})
			return err
		})
		if err := s.Tx(ctx, func(tx *store.Tx) error {
			_, err := tx.UseCode(ctx, code, store.SetUpCode)
			return err
		}); !errors.Is(err, store.ErrNotFound) {
			t.Error("a code of another kind:", err)
		}
		var wg sync.WaitGroup
		tokens := make(chan string, 20)
		for i := range cap(tokens) {
			wg.Go(func() {
				var token string
				if s.Tx(ctx, func(tx *store.Tx) error {
					c, err := tx.UseCode(ctx, code, store.MachineCode)
					if err == nil {
						_, token, err = tx.Join(ctx, c.Org, c.Team, fmt.Sprint("box", i), []string{"ship"})
					}
					return err
				}) == nil {
					tokens <- token
				}
			})
		}
		wg.Wait()
		if len(tokens) != 1 {
			t.Fatalf("%d machines joined by one code", len(tokens))
		}
		got, err := s.Token(ctx, store.Hash(<-tokens))
		if err != nil || got.Team != shop.ID || got.Machine == "" {
			t.Fatal(got, err)
		}
		report := store.Report{Version: "0.2", Policy: 7, Heard: time.UnixMilli(1e12).UTC(), Doctor: "fine"}
		if err := s.Seen(ctx, acme.ID, got.Machine, report); err != nil {
			t.Error(err)
		}
		list, err := s.Machines(ctx, acme.ID, "", 10)
		if err != nil || len(list) != 1 || !cmp.Equal(list[0].Report, report) || list[0].Seen.IsZero() {
			t.Error(list, err)
		}
		do(t, s, func(tx *store.Tx) error { return tx.Leave(ctx, acme.ID, got.Machine) })
		if list, err := s.Tokens(ctx, acme.ID); err != nil || len(list) != 0 {
			t.Error(list, err)
		}
	})
}

// Only its user reads the database, also one that an older nod-serve made for everybody.
func TestADatabaseIsPrivate(t *testing.T) {
	for name, old := range map[string]bool{"new": false, "old": true} {
		file := filepath.Join(t.TempDir(), name)
		if old {
			if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Chmod(file, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		s := storetest.Open(t, "sqlite:"+file)
		org(t, s, "acme")
		for _, one := range []string{file, file + "-wal", file + "-shm"} {
			if info, err := os.Stat(one); err != nil || info.Mode() != 0o600 {
				t.Errorf("%s: %v %v", one, info, err)
			}
		}
	}
}

func TestACodeEnds(t *testing.T) {
	now := time.UnixMilli(1e12).UTC()
	s, err := store.Open(t.Context(), storetest.SQLite(t), store.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	acme, _ := org(t, s, "acme")
	var code string
	do(t, s, func(tx *store.Tx) (err error) {
		code, err = tx.MakeCode(t.Context(), store.Code{Org: acme.ID, Kind: "setup", Expires: now.Add(time.Hour)})
		return err
	})
	now = now.Add(time.Hour)
	if err := s.Tx(t.Context(), func(tx *store.Tx) error {
		_, err := tx.UseCode(t.Context(), code, "setup")
		return err
	}); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
}

func TestEvents(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme, _ := org(t, s, "acme")
		other, _ := org(t, s, "other")
		for i := range 5 {
			do(t, s, func(tx *store.Tx) error {
				return tx.Audit(t.Context(), store.Event{Org: acme.ID, Who: "ada", What: fmt.Sprint(i)})
			})
		}
		fails := errors.New("it fails")
		if err := s.Tx(t.Context(), func(tx *store.Tx) error {
			return errors.Join(tx.Audit(t.Context(), store.Event{Org: acme.ID, What: "never"}), fails)
		}); !errors.Is(err, fails) {
			t.Error(err)
		}
		first, err := s.Events(t.Context(), acme.ID, "", 3)
		if err != nil || len(first) != 3 || first[0].What != "4" {
			t.Fatal(first, err)
		}
		rest, err := s.Events(t.Context(), acme.ID, first[2].ID, 3)
		what := cmpopts.IgnoreFields(store.Event{}, "ID", "Org", "At", "Who")
		if err != nil || !cmp.Equal(rest, []store.Event{{What: "1"}, {What: "0"}}, what) {
			t.Error(rest, err)
		}
		if none, err := s.Events(t.Context(), other.ID, "", 3); err != nil || none != nil {
			t.Error("another organisation reads:", none, err)
		}
	})
}

// Two servers on one database hear of each other, also after the database was away.
func TestServersHearOfEachOther(t *testing.T) {
	c := storetest.Postgres(t)
	here, there := storetest.Open(t, c.Address()), storetest.Open(t, c.Address())
	hang.Until(t, "it hears", here.Hears)
	changed, stop := here.Changed("policy x")
	defer stop()
	notify := func() {
		do(t, there, func(tx *store.Tx) error { return tx.Notify(t.Context(), "policy x") })
	}
	for len(changed) > 0 { // that it hears is a change too
		<-changed
	}
	notify()
	hang.Receive(t, "a notification", changed)
	c.Kill()
	hang.Until(t, "it is deaf", func() bool { return !here.Hears() })
	c.Start()
	hang.Receive(t, "a wake-up after the database was away", changed)
	hang.Until(t, "it hears again", here.Hears)
	for len(changed) > 0 {
		<-changed
	}
	hang.Until(t, "a transaction", func() bool {
		return there.Tx(t.Context(), func(tx *store.Tx) error { return tx.Notify(t.Context(), "policy x") }) == nil
	})
	hang.Receive(t, "a notification", changed)
}

// Two servers that start at once on an empty database both come up.
func TestServersStartAtOnce(t *testing.T) {
	c := storetest.Postgres(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := store.Open(t.Context(), c.Address(), store.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			_ = s.Close()
		})
	}
	wg.Wait()
}

// A backup that is put back has everything.
func TestBackup(t *testing.T) {
	file := t.TempDir() + "/backup.db"
	s := storetest.Open(t, storetest.SQLite(t))
	acme, _ := org(t, s, "acme")
	if err := s.Backup(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), file); err == nil {
		t.Error("a backup is written over")
	}
	if got, err := storetest.Open(t, "sqlite:"+file).Org(t.Context(), acme.ID); err != nil || got.Name != "acme" {
		t.Error(got, err)
	}
	t.Run("postgres", func(t *testing.T) {
		from, to := storetest.Postgres(t), storetest.Postgres(t)
		acme, _ := org(t, storetest.Open(t, from.Address()), "acme")
		to.Run(from.Run("", "pg_dump"), "psql", "-q", "-v", "ON_ERROR_STOP=1")
		if got, err := storetest.Open(t, to.Address()).Org(t.Context(), acme.ID); err != nil || got.Name != "acme" {
			t.Error(got, err)
		}
	})
}
