package commands

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the indexes of the large files")

// headings says where the lines under each heading begin, the first where one
// stands twice.
func headings(text string) map[string]int {
	found := map[string]int{}
	at := 0
	for line := range strings.Lines(text) {
		at += len(line)
		if line[0] != '[' {
			continue
		}
		for _, name := range strings.Split(strings.Trim(line, "[]\n"), "][") {
			if _, ok := found[name]; !ok {
				found[name] = at
			}
		}
	}
	return found
}

// TestIndexes holds that the index of a large file finds every heading where
// the file has it, and no other, and that large files have one. With -update
// it writes them.
func TestIndexes(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".txt")
		data, err := os.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		text, index := large(name)
		if text == "" {
			if len(data) > 8<<10 {
				t.Errorf("%s has %d bytes and no index", name, len(data))
			}
			continue
		}
		want := headings(string(data))
		var b strings.Builder
		for _, heading := range slices.Sorted(maps.Keys(want)) {
			fmt.Fprintf(&b, "%s\t%d\n", heading, want[heading])
		}
		if *update {
			if err := os.WriteFile(name+".index", []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(b.String(), index); diff != "" {
			t.Errorf("%s.index is out of date (go test ./internal/shell/commands -update):\n%.400s", name, diff)
		}
		x := IndexOf(name)
		for heading, at := range want {
			if got, ok := x.Body(heading); !ok || got != at {
				t.Errorf("%s: [%s] is at %d, not %d (%v)", name, heading, at, got, ok)
			}
			for _, other := range []string{heading + "x", heading[:len(heading)-1], "\x01" + heading} {
				_, listed := want[other]
				if _, ok := x.Body(other); ok != listed {
					t.Errorf("%s: [%s] found: %v", name, other, ok)
				}
			}
		}
	}
}
