package index

import (
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
)

var (
	many = flag.Int("many", 0, "how many lines TestManyLines measures")
	keep = flag.String("keep", "", "where TestManyLines leaves its log, for nod stats --state and the like")
	root = flag.String("root", "/home/ada/shop", "a repository of that log")
)

// TestManyLines prints the figures of an index over a long log:
// go test ./internal/index -run TestManyLines -v -many 1000000
func TestManyLines(t *testing.T) {
	if *many == 0 {
		t.Skip("measures with -many 1000000 -v")
	}
	dir := cmp.Or(*keep, filepath.Join(t.TempDir(), "state"))
	size, err := writeLines(dir, *many, []string{*root, *root + "/web", *root + "/tools"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d lines, %d MB", *many, size>>20)
	x := opened(t, "nothing", dir)
	x = opened(t, "sidecars", dir)
	sidecars, _ := filepath.Glob(dir + "/index/*.idx")
	size = 0
	for _, name := range sidecars {
		if info, err := os.Stat(name); err == nil {
			size += info.Size()
		}
	}
	t.Logf("sidecars: %d files, %d MB", len(sidecars), size>>20)
	asks := Filter{Filter: audit.Filter{Verdicts: []nod.Verdict{nod.Ask}}}
	for name, do := range map[string]func(){
		"Rows, the newest 100":              func() { x.Rows(Filter{}, 0, 100) },
		"Rows, 100 questions in the middle": func() { x.Rows(asks, keyOf(len(x.segments)/2, 0), 100) },
		"Rows, a session that is not there": func() {
			x.Rows(Filter{Filter: audit.Filter{Session: "zzz"}}, 0, 100)
		},
		"Rows, a text that is not there, one call": func() { x.Rows(Filter{Text: "no such text"}, 0, 100) },
		"Sum by day":    func() { x.Sum(Filter{}, ByDay) },
		"Sum by agent":  func() { x.Sum(Filter{}, ByAgent) },
		"Refresh, idle": func() { x.Refresh(t.Context()) },
	} {
		begin := time.Now()
		do()
		t.Logf("%-42s %8.1f ms", name, time.Since(begin).Seconds()*1000)
	}
}

func opened(t *testing.T, with, dir string) *Index {
	begin := time.Now()
	x, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := x.Rows(Filter{}, 0, 50)
	first := time.Since(begin)
	if err != nil || len(rows) != 50 {
		t.Fatal(len(rows), err)
	}
	if err := x.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	took := time.Since(begin)
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	t.Logf("opened with %s: the newest 50 rows after %.0f ms, all %d after %.0f ms; %d MB of memory, %d bytes a line",
		with, first.Seconds()*1000, x.Len(), took.Seconds()*1000, m.HeapAlloc>>20, int(m.HeapAlloc)/x.Len())
	return x
}
