package arch

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the diagram of doc.go into docs/design.md")

// The flow is drawn once, in the package comment of doc.go. What a reader meets
// in docs/design.md is that diagram to the letter.
func TestTheDiagramOfTheDocs(t *testing.T) {
	const name = "docs/design.md"
	diagram, text := diagramOf(t, string(read(t, "doc.go"))), string(read(t, name))
	before, rest, found := strings.Cut(text, "```\ntool call\n")
	_, after, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatalf("%s has no block that begins with \"tool call\"", name)
	}
	want := before + "```\n" + diagram + "```\n" + after
	if *update && text != want {
		if err := os.WriteFile(filepath.Join(root, name), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != want {
		t.Errorf("%s draws another flow than doc.go; run: go test ./internal/arch -run Diagram -update", name)
	}
}

// diagramOf is the diagram in doc.go without its comment signs.
func diagramOf(t *testing.T, source string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(source) {
		line, is := strings.CutPrefix(line, "//\t")
		switch {
		case line == "tool call\n", is && b.Len() > 0:
			b.WriteString(line)
		case b.Len() > 0:
			if strings.Count(b.String(), "->") < 8 {
				t.Fatalf("doc.go: the diagram was not read whole:\n%s", b.String())
			}
			return b.String()
		}
	}
	t.Fatal("doc.go has no diagram")
	return ""
}

// A link of a document leads to a file that is there.
func TestLinksOfReadmeAndDocs(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)
	links := 0
	for _, name := range documents(t) {
		for _, m := range link.FindAllSubmatch(read(t, name), -1) {
			links++
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(name), string(m[1]))); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
	}
	if links < 40 {
		t.Errorf("only %d links read", links)
	}
}

// Each document is in the reading order of docs/README.md.
func TestTheReadingOrderOfTheDocs(t *testing.T) {
	order := string(read(t, "docs/README.md"))
	for _, name := range documents(t) {
		short, below := strings.CutPrefix(name, "docs/")
		if below && short != "README.md" && !strings.Contains(order, "]("+short+")") {
			t.Errorf("docs/README.md does not name %s", short)
		}
	}
}

// The README is a front door: what is longer belongs into docs.
func TestTheReadmeIsShort(t *testing.T) {
	if n := strings.Count(string(read(t, "README.md")), "\n"); n > 80 {
		t.Errorf("README.md has %d lines", n)
	}
}

// documents lists the Markdown files of the root and of docs.
func documents(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			rel, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, filepath.ToSlash(rel))
		}
	}
	if len(names) < 15 {
		t.Fatalf("%d documents found", len(names))
	}
	return names
}
