//go:build unix

package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/store/storetest"
)

// written are so many lines of a log, from a number on, each linked to the one before.
func written(at time.Time, from, count int) (list []store.Line) {
	id := func(n int) string { return fmt.Sprintf("%032x", n) }
	for n := from; n < from+count; n++ {
		l := store.Line{ID: id(n), Prev: id(n - 1), Time: at.Add(time.Duration(n) * time.Millisecond), Kind: "decision",
			Verdict: []string{"allow", "deny"}[n%2], Layer: "shell", Agent: "codex", Rule: fmt.Sprintf("go_%d%%", n)}
		l.Text = fmt.Sprintf(`{"v":1,"prev":%q,"reason":%q}`, l.Prev, strings.Repeat("why ", 100))
		list = append(list, l)
	}
	return list
}

// ship ships a batch as machine m.
func ship(t testing.TB, s *store.Store, org, m string, batch []store.Line) (done store.Shipped) {
	t.Helper()
	done, err := s.Ship(t.Context(), org, m, batch)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func all(org string, now time.Time) store.Search {
	return store.Search{Org: org, From: now.AddDate(-10, 0, 0), To: now.AddDate(10, 0, 0), Most: 1000, Bytes: 1 << 20}
}

// A batch counts once, whole or in part, and what does not continue a machine's chain is an event.
func TestLinesAndTheirChain(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme, _ := org(t, s, "acme")
		now := s.Now()
		torn, loose := written(now, 21, 3), written(now, 24, 4)
		torn[1] = store.Line{ID: torn[1].ID, Kind: string(audit.Unread), Time: torn[0].Time}
		loose[1].Loose, loose[2].Prev = true, loose[0].ID // a writer was stopped with the lock, another went on
		for _, step := range []struct {
			what  string
			batch []store.Line
			want  store.Shipped
		}{
			{"the first", written(now, 1, 10), store.Shipped{New: 10}},
			{"it again", written(now, 1, 10), store.Shipped{}},
			{"older ones", written(now, 3, 3), store.Shipped{}},
			{"some of them again", written(now, 5, 16), store.Shipped{New: 10}},
			{"a torn line", torn, store.Shipped{New: 3}},
			{"a writer without the lock", loose, store.Shipped{New: 4}},
			{"after a cut", written(now, 30, 5), store.Shipped{New: 5, Gap: written(now, 30, 1)[0].ID}},
			{"after the cut", written(now, 35, 5), store.Shipped{New: 5}},
			{"what was cut", written(now, 28, 2), store.Shipped{New: 2, Gap: written(now, 28, 1)[0].ID}},
		} {
			if got := ship(t, s, acme.ID, "m1", step.batch); got != step.want {
				t.Errorf("%s: %+v", step.what, got)
			}
		}
		events, err := s.Events(t.Context(), acme.ID, "", 10)
		if err != nil || len(events) != 2 || events[1].What != "log broken" || events[1].About != "m1" {
			t.Error(events, err)
		}
		if got := ship(t, s, acme.ID, "m2", written(now, 7, 3)); got.New != 3 || got.Gap != "" {
			t.Errorf("another machine with the same lines: %+v", got)
		}
		heads, err := s.Heads(t.Context())
		if err != nil || len(heads) != 2 || heads[1].Lines != 3 || heads[0].Lines != 39 || heads[0].Gaps != 2 {
			t.Error(heads, err)
		}
		do(t, s, func(tx *store.Tx) error { return tx.Signed(t.Context(), heads[0]) })
		if left, _ := s.Heads(t.Context()); len(left) != 1 {
			t.Error(left)
		}
	})
}

// Pages hold each line once, newest first, whatever is searched for; another organisation sees none.
func TestSearch(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme, shop := org(t, s, "acme")
		other, _ := org(t, s, "other")
		now := s.Now()
		var m store.Machine
		do(t, s, func(tx *store.Tx) (err error) {
			m, _, err = tx.Join(t.Context(), acme.ID, shop.ID, "box", []string{"ship"})
			return err
		})
		ship(t, s, acme.ID, m.ID, written(now, 1, 25))
		ship(t, s, acme.ID, "elsewhere", written(now, 1, 25))
		for _, row := range []struct {
			what  string
			q     store.Search
			lines int
		}{
			{"all", store.Search{}, 50},
			{"a machine", store.Search{Machine: m.ID}, 25},
			{"a team", store.Search{Team: shop.ID}, 25},
			{"a verdict and an agent", store.Search{Verdict: "deny", Agent: "codex"}, 26},
			{"a rule, letter by letter", store.Search{Rule: "o_7%"}, 2},
			{"no such rule", store.Search{Rule: "o%7"}, 0},
			{"SQL", store.Search{Machine: "' OR '1'='1", Rule: "'; DROP TABLE lines; --"}, 0},
			{"another organisation", store.Search{Org: other.ID}, 0},
		} {
			q, seen := row.q, []string{}
			if q.From, q.To, q.Most, q.Bytes = now, now.Add(time.Hour), 7, 1<<20; q.Org == "" {
				q.Org = acme.ID
			}
			for more := true; more; more = q.Before != "" {
				page, next, err := s.Lines(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range page {
					seen = append(seen, fmt.Sprint(l.Time.UnixMicro(), l.Machine, l.ID))
				}
				q.Before = next
			}
			slices.Reverse(seen)
			if !slices.IsSorted(seen) || len(slices.Compact(seen)) != row.lines {
				t.Errorf("%s: %d lines", row.what, len(seen))
			}
		}
		for by, want := range map[string]int{"day": 2, "agent": 2, "machine": 4, "team": 4, "layer": 2} {
			got, err := s.Stats(t.Context(), all(acme.ID, now), by)
			if err != nil || len(got) != want || got[0].Count+got[len(got)-1].Count > 50 {
				t.Errorf("by %s: %v, %v", by, got, err)
			}
		}
	})
}

// Old lines go where their organisation says so, by whole days where all do, and those of others stay.
func TestRetention(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme, _ := org(t, s, "acme")
		other, _ := org(t, s, "other")
		now := s.Now()
		days := func(o store.Org, n int) {
			do(t, s, func(tx *store.Tx) error {
				return tx.SetOrg(t.Context(), o.ID, store.OrgSettings{RetentionDays: n})
			})
		}
		ship(t, s, acme.ID, "m", written(now.AddDate(0, 0, -5), 1, 10)) // before there is a partition
		var servers sync.WaitGroup
		for range 3 { // at once
			servers.Go(func() {
				if err := s.KeepLines(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
		servers.Wait()
		ship(t, s, acme.ID, "m", written(now, 11, 10))
		ship(t, s, other.ID, "m", written(now.AddDate(0, 0, -5), 1, 10))
		ship(t, s, other.ID, "m", written(now.AddDate(-5, 0, 0), 11, 10)) // a wrong clock
		for _, step := range []struct{ acme, other, left, others int }{{0, 0, 20, 20}, {2, 0, 10, 20}, {2, 9, 10, 10},
			{2, 2, 10, 0}} {
			days(acme, step.acme)
			days(other, step.other)
			err := s.KeepLines(t.Context())
			left, _, err2 := s.Lines(t.Context(), all(acme.ID, now))
			others, _, err3 := s.Lines(t.Context(), all(other.ID, now))
			if err = errors.Join(err, err2, err3); err != nil || len(left) != step.left || len(others) != step.others {
				t.Errorf("%+v: %d and %d lines, %v", step, len(left), len(others), err)
			}
		}
		var wait int
		if err := s.DB.QueryRow(`SELECT count(*) FROM outbox`).Scan(&wait); err != nil || wait != 1 {
			t.Errorf("%d wait to be sent, %v", wait, err)
		}
		if s.Postgres {
			var partitions int
			_ = s.DB.QueryRow(`SELECT count(*) FROM pg_inherits WHERE inhparent = 'lines'::regclass`).Scan(&partitions)
			if partitions != 1+1+2+7 { // the odd ones, today, what is kept, what comes
				t.Errorf("%d partitions", partitions)
			}
		}
	})
}

// One of many answers at once counts, on two servers too, and none that does not fit.
func TestOneAnswerCounts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		acme, shop := org(t, s, "acme")
		other, _ := org(t, s, "other")
		ctx, now := t.Context(), s.Now()
		ask := func(ids ...string) (n int) {
			var list []store.Question
			for _, id := range ids {
				left := map[bool]time.Duration{true: -time.Second, false: time.Hour}[id == "late"]
				list = append(list, store.Question{ID: id, Team: shop.ID, Name: "n", Key: "k1", Text: []byte("{}"),
					Scopes: "once", Asked: now, Ends: now.Add(left)})
			}
			do(t, s, func(tx *store.Tx) error {
				fresh, err := tx.Ask(ctx, acme.ID, "m1", list)
				n = len(fresh)
				return err
			})
			return n
		}
		if first, again := ask("q1", "late", "q2"), ask("q1", "late"); first != 3 || again != 0 {
			t.Error(first, again)
		}
		good := store.Question{ID: "q1", Org: acme.ID, Key: "k1", Yes: true, Scope: "once", Who: "ada"}
		answer := func(q store.Question, team string) error {
			return s.Tx(ctx, func(tx *store.Tx) error { return tx.Answer(ctx, q, team) })
		}
		for want, change := range map[error]func(q *store.Question) string{
			store.ErrFits:     func(q *store.Question) string { q.Key = "k2"; return "" },
			store.ErrLate:     func(q *store.Question) string { q.ID = "late"; return "" },
			store.ErrNotFound: func(q *store.Question) string { q.Org = other.ID; return "" },
		} {
			q := good
			if team := change(&q); !errors.Is(answer(q, team), want) {
				t.Errorf("%v: it counts", want)
			}
		}
		if err := answer(good, "another team"); !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
		var counted atomic.Int32
		var at sync.WaitGroup
		for i := range 16 {
			at.Go(func() {
				q := good
				q.Yes, q.Who = i%2 == 0, fmt.Sprint(i)
				if err := answer(q, shop.ID); err == nil {
					counted.Add(1)
				} else if !errors.Is(err, store.ErrAnswered) {
					t.Error(err)
				}
			})
		}
		at.Wait()
		got, err := s.Answers(ctx, acme.ID, "m1")
		events, _ := s.Events(ctx, acme.ID, "", 10)
		if err != nil || counted.Load() != 1 || len(got) != 1 || len(events) != 1 || events[0].Who != got[0].Who {
			t.Fatal(counted.Load(), got, events, err)
		}
		ask()
		left, err := s.Answers(ctx, acme.ID, "m1")
		if waiting, _ := s.Waiting(ctx, acme.ID, ""); err != nil || len(left)+len(waiting) > 0 {
			t.Error(left, waiting, err)
		}
	})
}
