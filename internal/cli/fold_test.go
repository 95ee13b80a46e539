package cli

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestFold(t *testing.T) {
	for _, row := range []struct{ line, want string }{
		{"short", "short"},
		{"a line that is longer than the terminal is wide", "a line that is longer than the\nterminal is wide"},
		{"  ok    deny  rm -rf / is denied, with a reason",
			"  ok    deny  rm -rf / is\n              denied, with a\n              reason"},
		{"              -> start codex and trust it there",
			"              -> start codex\n                 and trust it\n                 there"},
		{"https://example.com/a/word/that/is/longer/than/all", "https://example.com/a/word/that/is/longer/than/all"},
		{"\x1b[32mallow\x1b[0m  shell  it changes it", "\x1b[32mallow\x1b[0m  shell  it changes it"},
	} {
		if diff := cmp.Diff(row.want, fold(row.line, 30)); diff != "" {
			t.Error(diff)
		}
	}
}

// A question is shown before it is answered, and only what people read is folded.
func TestFolded(t *testing.T) {
	long := strings.Repeat("word ", 30)
	for _, row := range []struct {
		args   []string
		folded bool
	}{{nil, true}, {[]string{"--json"}, false}, {[]string{"--dry-run"}, false}} {
		var out strings.Builder
		p := (&Process{Stdout: &out, Terminal: true, Width: 60}).folded(row.args)
		fmt.Fprintf(p.Stdout, "%s\nGo ahead? ", long)
		if !strings.HasSuffix(out.String(), "\nGo ahead? ") || (strings.Count(out.String(), "\n") > 1) != row.folded {
			t.Errorf("%v: %q", row.args, out.String())
		}
	}
}

// FuzzFold: no word is lost, and what is broken fits unless a word does not.
func FuzzFold(f *testing.F) {
	f.Add("  ok    deny  rm -rf / is denied, with a reason")
	f.Fuzz(func(t *testing.T, line string) {
		if !utf8.ValidString(line) || strings.ContainsAny(line, "\n\x1b") {
			t.Skip("not one line of text")
		}
		got := fold(line, 40)
		if diff := cmp.Diff(strings.Fields(line), strings.Fields(got)); diff != "" {
			t.Errorf("%q: %s", got, diff)
		}
	})
}
