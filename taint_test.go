package nod_test

import (
	"slices"
	"testing"

	"github.com/nodgate/nod"
)

// witness is a session that wrote some files.
type witness struct {
	taint string
	wrote []string
}

func (witness) Standing(nod.Evidence) nod.Standing { return nod.Accepted }
func (w witness) Taint() string                    { return w.taint }
func (w witness) History() []string                { return []string{"an earlier call touched a secret store"} }
func (witness) Blocked() []string                  { return nil }
func edited(name string) nod.Call {
	return nod.Call{Tool: "file_edit", RawTool: "Edit", Dir: shop, Roots: []string{shop},
		Paths: []string{shop + "/" + name}, Interactive: true}
}

func (w witness) Origin(name string) string {
	if slices.Contains(w.wrote, name) {
		return "downloaded"
	}
	return ""
}

// TestTaint: what a taint takes back goes to the model; the plain work of an
// agent stays as it is, and without a taint nothing changes.
func TestTaint(t *testing.T) {
	for _, row := range []struct {
		name    string
		call    nod.Call
		tainted nod.Verdict // what becomes of it, without a model
	}{
		{"reading", bash("cat README.md"), nod.Allow},
		{"git", bash("git status"), nod.Allow},
		{"an edit of a source", edited("src/app.js"), nod.Allow},
		{"an edit of a build file", edited("Makefile"), nod.Ask},
		{"an edit of CI", edited(".github/workflows/ci.yml"), nod.Ask},
		{"an edit of a script", edited("scripts/new.sh"), nod.Ask},
		{"a new source by the shell", bash("echo x > src/new.js"), nod.Allow},
		{"a new script by the shell", bash("echo x > new.sh"), nod.Ask},
		{"a fetch from the list", bash("curl -s https://docs.example.org/a?b=c"), nod.Ask},
		{"project code that is as it was", bash("npm test"), nod.Allow},
	} {
		for _, taint := range []string{"", "a result of Bash orders the reader"} {
			o := options(ruled(nod.ListAllow, "npm test"))
			o.Rules.Hosts = append(o.Rules.Hosts, "docs.example.org")
			o.Memory = witness{taint: taint}
			want := nod.Allow
			if taint != "" {
				want = row.tainted
			}
			if d := verdictOf(o, row.call); d.Verdict != want {
				t.Errorf("%s, taint %q: %s (%s), want %s", row.name, taint, d.Verdict, d.Reason, want)
			}
		}
	}
}

// TestTaintedProjectCode: a rule does not clear what a tainted session wrote,
// also if that content was let run before.
func TestTaintedProjectCode(t *testing.T) {
	o := options(ruled(nod.ListAllow, "npm test"))
	o.Files = newWorld(false).File(shop+"/package.json", `{"scripts":{"test":"vitest run"}}`, 0o644)
	for _, row := range []struct {
		memory nod.Memory
		want   nod.Verdict
	}{
		{nil, nod.Allow},
		{witness{wrote: []string{shop + "/package.json"}}, nod.Allow},
		{witness{taint: "x"}, nod.Allow},
		{witness{taint: "x", wrote: []string{shop + "/package.json"}}, nod.Ask},
	} {
		o.Memory = row.memory
		if d := verdictOf(o, bash("npm test")); d.Verdict != row.want {
			t.Errorf("%+v: %s (%s)", row.memory, d.Verdict, d.Reason)
		}
	}
}
