package arch

import (
	"go/ast"
	"os"
	"regexp"
	"testing"
)

// A promise of the threat model names the tests that show it; each must be
// there.
func TestTheThreatModelNamesRealTests(t *testing.T) {
	text, err := os.ReadFile(root + "/docs/threat-model.md")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, f := range files(t) {
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && f.test {
				have[fn.Name.Name] = true
			}
		}
	}
	names := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z]+)`").FindAllSubmatch(text, -1)
	if len(names) < 20 {
		t.Fatalf("only %d tests are named", len(names))
	}
	for _, n := range names {
		if !have[string(n[1])] {
			t.Errorf("docs/threat-model.md names %s, which does not exist", n[1])
		}
	}
}
