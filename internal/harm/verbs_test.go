package harm

import (
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// TestVerbsExamples: each line of the file fits its own examples.
func TestVerbsExamples(t *testing.T) {
	for line := range strings.Lines(verbs) {
		rule, examples, ok := strings.Cut(strings.TrimSpace(line), "=>")
		kind, _, _ := strings.Cut(rule, " ")
		if line[0] == '#' || !ok {
			continue
		}
		for example := range strings.SplitSeq(examples, "; ") {
			want := kind
			if kind != "lose" && kind != "show" {
				want = ""
			}
			if got := saidOf(strings.TrimSpace(example)); got != want {
				t.Errorf("%q: says %q, want %q", strings.TrimSpace(example), got, want)
			}
		}
	}
}

// saidOf is what the commands of a line say where no program is known.
func saidOf(line string) string {
	machine := place.New(place.Options{Files: view.NewMemory(false), Home: "/home/dev"})
	at := &place.Workspace{Machine: machine, Dir: "/home/dev/shop"}
	r := shell.Analyze(line, shell.Env{Dialect: shell.Bash, Dir: at.Dir, Home: "/home/dev", Files: machine.Files})
	l := Of(&place.Call{At: at, Report: &r, Command: line})
	for i := range r.Commands {
		if kind := (wording{l.Call}).says(i); kind != "" {
			return kind
		}
	}
	return ""
}
