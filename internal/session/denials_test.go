//go:build unix

package session

import (
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// The run ends with what passes, also by a person's word; a failure counts for nothing; and every process counts alike.
func TestDenials(t *testing.T) {
	dir := stateDir(t)
	for i, step := range []struct {
		judged   Judged
		said     string
		ran      bool
		row, all int
	}{
		{Blocked, "deny", false, 1, 1}, {Blocked, "deny", false, 2, 2}, {"", "deny", false, 2, 2},
		{Blocked, "ask", false, 3, 3},
		{Passed, "allow", true, 0, 3}, {Blocked, "deny", false, 1, 4}, {Blocked, "ask", true, 0, 5},
		{Blocked, "deny", false, 1, 6},
	} {
		s := open(t, dir, "s")
		call := string(rune('a' + i))
		note(t, s.Answer(Record{Call: call, Digest: call, Tool: "T", Said: step.said, Judged: step.judged,
			Why: "because"}))
		if step.ran {
			note(t, s.Outcome(Record{Call: call}))
		}
		if row, all := open(t, dir, "s").Denials(); row != step.row || all != step.all {
			t.Errorf("%d: %d in a row, %d in all; want %+v", i, row, all, step)
		}
	}
	var none *Session
	if row, all := none.Denials(); row != 0 || all != 0 {
		t.Error("nil counts")
	}
}

func TestDenialsAtOnce(t *testing.T) {
	dir := stateDir(t)
	var wg sync.WaitGroup
	for range 20 {
		s := open(t, dir, "s")
		wg.Go(func() {
			if err := s.Answer(Record{Judged: Blocked, Said: "deny"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if row, all := open(t, dir, "s").Denials(); row != 20 || all != 20 {
		t.Errorf("%d in a row, %d in all", row, all)
	}
}

func TestSpent(t *testing.T) {
	dir := stateDir(t)
	day := time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)
	spent := func(now time.Time, want float64) {
		t.Helper()
		if got, err := Spent(dir, now); err != nil || math.Abs(got-want) > 1e-9 {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
	}
	spent(day, 0)
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			if err := Spend(dir, day, 0.25); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, cost := range []float64{0, -1, math.Inf(1), math.NaN()} {
		if err := Spend(dir, day, cost); err != nil {
			t.Error(err)
		}
	}
	spent(day, 7.5)
	spent(day.In(time.FixedZone("", -9*3600)), 7.5)
	spent(day.Add(2*time.Hour), 0)

	// What cannot be read is no zero.
	name := filepath.Join(dir, spentDir, spentFile(day))
	if err := os.WriteFile(name, []byte("rubbish\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Spent(dir, day); err == nil {
		t.Errorf("rubbish is %v", got)
	}
}
