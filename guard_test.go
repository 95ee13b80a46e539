package nod_test

import (
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

func guarded(t *testing.T, o nod.Options, c nod.Call, want bool) {
	t.Helper()
	o.Model = answering{} // a model that clears everything cannot lift the guard
	d := verdictOf(o, c)
	if got := d.Verdict == nod.Deny && d.Layer == nod.LayerGuard; got != want {
		t.Errorf("%s %v %s: %s by %s (%s)", c.Tool, c.Paths, c.Command, d.Verdict, d.Layer, d.Reason)
	}
}

func TestTooComplexOrMalformedIsDenied(t *testing.T) {
	o := options(nod.DefaultRules())
	o.Model = answering{}
	for name, command := range map[string]string{
		"parentheses": strings.Repeat("(", 160_000), "long": "echo " + strings.Repeat("x", 70_000), "NUL": "ls\x00",
		"CR": "ls\rrm -rf x", "nested": strings.Repeat("$(", 500) + "ls" + strings.Repeat(")", 500),
	} {
		if d := verdictOf(o, bash(command)); d.Verdict != nod.Deny || d.Layer != nod.LayerShell {
			t.Errorf("%s: %s by %s (%s)", name, d.Verdict, d.Layer, d.Reason)
		}
	}
}
