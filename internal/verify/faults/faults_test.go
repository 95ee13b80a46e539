package main

import (
	"slices"
	"testing"
)

// A fault whose text is no longer in its file shows nothing.
func TestFaultsCanBePlanted(t *testing.T) {
	names := map[string]bool{}
	for _, f := range faults() {
		if text, err := changed("../../..", f); err != nil || len(text) == 0 {
			t.Errorf("%s: %v", f.name, err)
		}
		if names[f.name] || len(f.tests) == 0 || f.was == f.now {
			t.Errorf("%s: named twice, or it changes or tests nothing", f.name)
		}
		names[f.name] = true
	}
	if len(names) < 15 {
		t.Errorf("%d faults", len(names))
	}
}

func TestFailures(t *testing.T) {
	failed, built := failures([]byte(`
{"Action":"fail","Package":"p","Test":"TestA/b"}
{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p"}
`))
	if !built || !slices.Equal(failed, []string{"TestA/b"}) {
		t.Errorf("%q, built: %v", failed, built)
	}
	if _, built := failures([]byte(`{"Action":"build-fail","ImportPath":"p"}`)); built {
		t.Error("a package that cannot be built is not seen")
	}
}
