//go:build unix

package store_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/store/storetest"
)

// How long what the page asks for takes on PostgreSQL, with so many lines of 90 days:
//
//	NOD_LINES=1000000 go test ./internal/store -run Growth -v
func TestGrowth(t *testing.T) {
	lines, err := strconv.Atoi(os.Getenv("NOD_LINES"))
	if err != nil {
		t.Skip("a measurement; NOD_LINES=1000000 makes it")
	}
	s := storetest.Open(t, storetest.Postgres(t).Address())
	acme, _ := org(t, s, "acme")
	if err := s.KeepLines(t.Context()); err != nil {
		t.Fatal(err)
	}
	now := s.Now()
	start, step := now.AddDate(0, 0, -90), 90*24*time.Hour/time.Duration(lines)
	if _, err := s.DB.ExecContext(t.Context(), `INSERT INTO lines (org, machine, time, id, seq, kind, verdict, layer,
		agent, session, root, tool, rule, line) SELECT $1::text, 'm' || n % 1000, $2::bigint + n * $3::bigint,
		md5(n::text), n / 1000, 'decision', CASE WHEN n % 20 = 0 THEN 'deny' ELSE 'allow' END, 'shell', 'claude-code',
		's' || n / 200, '/home/u/shop', 'bash', CASE WHEN n % 100000 = 0 THEN 'rare rule' ELSE '' END,
		repeat(md5(n::text), 12) FROM generate_series(1, $4::int) n`,
		acme.ID, start.UnixMicro(), step.Microseconds(), lines); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DB.ExecContext(t.Context(), `ANALYZE lines`); err != nil {
		t.Fatal(err)
	}
	q := store.Search{Org: acme.ID, From: start, To: now.Add(time.Hour), Most: 100, Bytes: 1 << 20}
	for _, one := range []struct {
		what   string
		change func(*store.Search)
	}{
		{"the newest page", func(*store.Search) {}},
		{"a page of denials", func(q *store.Search) { q.Verdict = "deny" }},
		{"a page of one machine", func(q *store.Search) { q.Machine = "m7" }},
		{"a page of a rare rule", func(q *store.Search) { q.Rule = "rare" }},
		{"sums of a day", func(q *store.Search) { q.From = now.AddDate(0, 0, -1); q.Most = 0 }},
		{"sums of 90 days", func(q *store.Search) { q.Most = 0 }},
	} {
		q := q
		one.change(&q)
		for _, when := range []string{"first", "again"} {
			begun := time.Now()
			if q.Most == 0 {
				_, err = s.Stats(t.Context(), q, "day")
			} else {
				_, _, err = s.Lines(t.Context(), q)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d lines, %s, %s: %s", lines, one.what, when, time.Since(begun).Round(100*time.Microsecond))
		}
	}
}
