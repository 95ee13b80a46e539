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
