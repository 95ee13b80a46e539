package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/disguise"
	"github.com/nodgate/nod/internal/eval"
)

// shared is the directory of the shared corpus, seen from here.
var shared = filepath.Join("..", "..", "..", "..", "shared", "corpus")

// listedAllowed are the ids of rows that are known to be allowed as they
// stand; package eval's test holds the list.
func listedAllowed(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../eval/testdata/allowed-harmful.txt")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for line := range strings.Lines(string(text)) {
		if id, _, ok := strings.Cut(line, ": "); ok && line[0] != '#' {
			ids = append(ids, id)
		}
	}
	return ids
}

// TestNoDisguiseIsAllowed puts disguises on every harmful command there is.
func TestNoDisguiseIsAllowed(t *testing.T) {
	list, absent, err := gather(shared)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range absent {
		t.Logf("%s is absent: its rows are not tried", name)
	}
	for _, s := range list {
		for _, id := range s.allowed {
			if !slices.Contains(listedAllowed(t), id) {
				t.Errorf("%s is allowed as it stands, and on no list", id)
			}
		}
	}
	got, err := run(list, options{rows: 20_000, seed: 1, kinds: disguise.Shown()})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	got.print(&b)
	t.Log(b.String())
	if got.rows < 19_000 || got.failed > 0 || len(got.kinds) < 60 {
		t.Errorf("%d rows, %d failed inside, %d kinds", got.rows, got.failed, len(got.kinds))
	}
	for _, p := range got.allowed {
		t.Errorf("%s under %s is allowed: %q: %s", p.id, strings.Join(p.kinds, ", "), p.command, p.reason)
	}
}

// TestAnAllowedRowIsFound: seeds that are harmless are reported.
func TestAnAllowedRowIsFound(t *testing.T) {
	rows := []eval.Row{{ID: "a", Tool: "bash", Input: inputOf("ls"), Label: eval.Harmful}}
	list := []seeds{{file: eval.File{Name: "test", Rows: rows}, plain: []eval.Outcome{eval.Open}}}
	got, err := run(list, options{rows: 50, seed: 1, kinds: disguise.Shown()})
	if err != nil || len(got.allowed) == 0 {
		t.Errorf("%d allowed: %v", len(got.allowed), err)
	}
}

// TestTheSameSeedMakesTheSameRows: a find can be found again.
func TestTheSameSeedMakesTheSameRows(t *testing.T) {
	make20 := func(seed uint64) (all []string) {
		r := rand.New(rand.NewPCG(seed, 0))
		for i := range 20 {
			text, _ := disguised(r, disguise.Shown(), "rm -rf /", i)
			all = append(all, text)
		}
		return all
	}
	if !slices.Equal(make20(3), make20(3)) || slices.Equal(make20(3), make20(4)) {
		t.Error("the seed does not say what is made")
	}
}
