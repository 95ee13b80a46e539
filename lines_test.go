package nod_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestLinesInAProject: testdata/lines.txt has lines and the projects in which they are
// allowed, or not. The file says how it is read.
func TestLinesInAProject(t *testing.T) {
	text, err := os.ReadFile("testdata/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(string(text), "\n\n") {
		about, ops, _ := strings.Cut(strings.TrimSpace(part), "\n")
		if strings.HasPrefix(ops, "#") { // the head of the file
			continue
		}
		t.Run(strings.TrimPrefix(about, "# "), func(t *testing.T) {
			p := newProject(t)
			for op := range strings.SplitSeq(ops, "\n") {
				p = p.after(op)
			}
		})
	}
}

// after is the project when one line of the file was done.
func (p project) after(op string) project {
	verb, rest, _ := strings.Cut(op, " ")
	rest = strings.NewReplacer("@DIR", p.dir, "@HOME", p.home).Replace(rest)
	name, what, _ := strings.Cut(rest, " ")
	switch verb {
	case "secret":
		return withSecret(p.t)
	case "ask":
		p.check(lost, rest)
	case "pass":
		p.check(kept, rest)
	case "git":
		p.git(strings.Fields(rest)...)
	case "file":
		text, err := strconv.Unquote(what)
		p.must(err)
		p.write(name, text)
	case "dir":
		p.must(os.MkdirAll(p.dir+"/"+name, 0o755))
	case "link":
		p.must(os.Symlink(name, p.dir+"/"+what))
	case "remove":
		p.must(os.RemoveAll(p.dir + "/" + name))
	default:
		p.t.Fatalf("nobody knows %q", op)
	}
	return p
}
