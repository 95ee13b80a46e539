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
	have := functions(t)
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
			if !have["test "+string(n[1])] {
				t.Errorf("%s names %s, which does not exist", doc, n[1])
			}
		}
	}
}

// functions are all functions, as "FILE NAME" or "FILE RECEIVER.NAME", and all tests, as "test NAME".
func functions(t *testing.T) map[string]bool {
	have := map[string]bool{}
	for _, f := range files(t) {
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			switch {
			case ok && fn.Recv != nil:
				have[f.name+" "+receiver(fn)+"."+fn.Name.Name] = true
			case ok && f.test:
				have["test "+fn.Name.Name] = true
			case ok:
				have[f.name+" "+fn.Name.Name] = true
			}
		}
	}
	return have
}

// The chain of a call names functions that are there, in the files that it says.
func TestTheChainOfACall(t *testing.T) {
	have := functions(t)
	_, chain, _ := strings.Cut(string(read(t, "docs/life-of-a-call.md")), "```\n")
	named := 0
	for line := range strings.Lines(chain) {
		calls, _, _ := strings.Cut(line, "#")
		file, functions, _ := strings.Cut(calls, " ")
		for _, name := range strings.FieldsFunc(functions,
			func(r rune) bool { return r == ',' || r == ' ' || r == '\n' }) {
			if named++; !have[file+" "+name] {
				t.Errorf("%s has no function %s", file, name)
			}
		}
	}
	if named < 50 {
		t.Errorf("only %d functions are named", named)
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
		if !strings.Contains(design, "\n- "+m+": ") && !strings.Contains(design, "\n- "+m+" (") {
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
