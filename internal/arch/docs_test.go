package arch

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A promise names the tests that show it; each must be there.
func TestDocumentsNameRealTests(t *testing.T) {
	have := map[string]bool{}
	for _, f := range files(t) {
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && f.test {
				have[fn.Name.Name] = true
			}
		}
	}
	docs, err := filepath.Glob(root + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		doc = "docs/" + filepath.Base(doc)
		names := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z]+)`").FindAllSubmatch(read(t, doc), -1)
		if len(names) < 20 && (doc == "docs/threat-model.md" || doc == "docs/design.md") {
			t.Fatalf("%s: only %d tests are named", doc, len(names))
		}
		for _, n := range names {
			if !have[string(n[1])] {
				t.Errorf("%s names %s, which does not exist", doc, n[1])
			}
		}
	}
}

// Every direct dependency has a reason, and every reason a dependency.
func TestEveryDependencyHasAReason(t *testing.T) {
	direct, _, _ := strings.Cut(string(read(t, "go.mod")), ")")
	_, direct, _ = strings.Cut(direct, "require (")
	var modules []string
	for line := range strings.Lines(direct) {
		if name, _, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			modules = append(modules, name)
		}
	}
	if len(modules) < 5 {
		t.Fatalf("%d modules read", len(modules))
	}
	design := string(read(t, "docs/design.md"))
	for _, m := range modules {
		if !strings.Contains(design, "| "+m+" |") && !strings.Contains(design, "| "+m+" (") {
			t.Errorf("docs/design.md gives no reason for %s", m)
		}
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(root + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
