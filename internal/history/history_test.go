package history

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/view"
)

// home is a home directory with one session of each agent that is read, begun in work.
func home(t *testing.T) (dir, work string) {
	t.Helper()
	dir = t.TempDir()
	work = filepath.Join(dir, "work")
	archive, err := txtar.ParseFile("testdata/home.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		name, text := filepath.Join(dir, f.Name), string(f.Data)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "@", work)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, work
}

func unset(string) string { return "" }

// TestCallsOfEveryAgent: what the agents' own readers find, as their hooks would be told.
func TestCallsOfEveryAgent(t *testing.T) {
	dir, work := home(t)
	files, problems := Find(dir, unset)
	if len(problems) > 0 || len(files) != len(Agents()) {
		t.Fatalf("%v, %v", files, problems)
	}
	want := map[string][]string{"claude-code": {"rm -rf ~", "ls -la"}, "codex": {"rm -rf /", "git status"},
		"copilot": {"ls -la"}, "gemini": {"ls"}, "qwen": {"ls"}}
	for _, f := range files {
		var got []string
		for c, err := range f.calls(t.Context()) {
			if err != nil {
				t.Errorf("%s: %v", f.Agent, err)
				break
			}
			e, err := f.event(c, f.root(), nil)
			if err != nil || e.Kind != agent.Decide || e.Call.Tool != "bash" || e.Call.Dir != work {
				t.Errorf("%s: the hook reads %v %+v", f.Agent, err, e.Call)
			}
			got = append(got, e.Call.Command)
		}
		if diff := cmp.Diff(want[f.Agent], got); diff != "" {
			t.Errorf("%s: %s", f.Agent, diff)
		}
	}
}

// TestRead: the calls are counted once, by agent and verdict; where the directory is gone nothing is judged.
func TestRead(t *testing.T) {
	dir, work := home(t)
	files, _ := Find(dir, unset)
	files = append(files, files[0]) // resumed
	o := Options{Gate: func(root string, files view.Files) (*nod.Gate, error) {
		if root != work {
			t.Errorf("judged in %s", root)
		}
		return nod.New(nod.Options{Rules: nod.DefaultRules(), Files: files, Home: dir}), nil
	}}
	r, err := Read(t.Context(), files, o)
	if err != nil || r.Calls != 7 || r.Denied != 2 || len(r.DeniedFor) == 0 || len(r.Agents) != 5 ||
		len(r.Problems) > 0 {
		t.Errorf("%v %+v", err, r)
	}
	if r.First.Hour() != 12 || r.Last.Day() != 22 {
		t.Errorf("%s to %s", r.First, r.Last)
	}
	if err := os.RemoveAll(work); err != nil {
		t.Fatal(err)
	}
	if r, err = Read(t.Context(), files, o); err != nil || r.Calls != 0 || r.Unjudged[Gone] != 7 {
		t.Errorf("gone: %v %+v", err, r)
	}
}

// TestClass: reasons that differ in what they speak of are one.
func TestClass(t *testing.T) {
	for reason, want := range map[string]string{
		"this runs code that nod has not read: npm test": "this runs code that nod has not read",
		"it writes /w/a, outside":                        "it writes ... outside",
	} {
		if got := Class(reason); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if !slices.IsSorted(Agents()) {
		t.Error("the agents are in no order")
	}
}
