package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/figures.md")

// TestNumbersOfTheDocs runs every `go run ./lab/eval` that docs/figures.md shows with its output, from the repository's
// root, and compares. With -update it rewrites them.
func TestNumbersOfTheDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: left to the stage tests of lab/verify")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(root, "docs/figures.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fresh, commands, absent := rerun(t, root, string(text))
	if commands < 4 {
		t.Fatalf("docs/figures.md shows %d commands with their output", commands)
	}
	if *update {
		if err := os.WriteFile(name, []byte(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(text), fresh); diff != "" {
		t.Errorf("run: go test ./lab/eval -run TestNumbersOfTheDocs -update\ndocs/figures.md -, what eval prints +\n%s", diff)
	}
	if absent > 0 {
		t.Skipf("../shared/corpus is absent: %d of %d commands of docs/figures.md were not checked", absent, commands)
	}
}

// rerun puts what the commands print now below each "$ go run ./lab/eval" of the text. Output ends at an empty line or
// at the end of the block. Where a file that a command names is absent, the old output stays.
func rerun(t *testing.T, root, text string) (fresh string, commands, absent int) {
	t.Helper()
	var b strings.Builder
	old := false
	for line := range strings.Lines(text) {
		args, is := strings.CutPrefix(line, "$ go run ./lab/eval ")
		switch {
		case is:
			commands++
			b.WriteString(line)
			old = present(root, strings.Fields(args))
			if old {
				b.WriteString(output(t, root, strings.Fields(args)))
			} else {
				absent++
			}
		case old && line != "\n" && !strings.HasPrefix(line, "```"):
		default:
			old = false
			b.WriteString(line)
		}
	}
	return b.String(), commands, absent
}

// present reports whether the data of others that the arguments name is there.
func present(root string, args []string) bool {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "../shared/") {
			continue
		}
		if _, err := os.Stat(filepath.Join(root, arg)); err != nil {
			return false
		}
	}
	return true
}

func output(t *testing.T, root string, args []string) string {
	t.Helper()
	for i, arg := range args {
		if strings.Contains(arg, ".jsonl") || strings.HasSuffix(arg, ".txt") {
			args[i] = filepath.Join(root, arg)
		}
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), args, &out, &errs); code != 0 || errs.Len() > 0 {
		t.Fatalf("eval %s: exit %d, %s", strings.Join(args, " "), code, errs.String())
	}
	return out.String()
}
