package nod_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nodgate/nod"
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
	case "ask", "pass":
		p.check(verb == "pass", rest)
	case "allow":
		p.rules.Allow = append(slices.Clip(p.rules.Allow), rule(p.t, nod.ListAllow, rest))
	case "at":
		verb, command, _ := strings.Cut(what, " ")
		if d := p.decide(filepath.Join(p.dir, name), command); (d.Verdict == nod.Allow) != (verb == "pass") {
			p.t.Errorf("%s: %v (%s)", op, d.Verdict, d.Reason)
		}
	case "git":
		p.git(strings.Fields(rest)...)
	case "file":
		text, err := strconv.Unquote(what)
		p.must(err)
		p.write(name, text)
	case "dir":
		p.must(os.MkdirAll(p.at(name), 0o755))
	case "link":
		p.must(os.Symlink(name, p.at(what)))
	case "hard":
		p.must(os.Link(p.at(name), p.at(what)))
	case "move":
		p.must(os.Rename(p.at(name), p.at(what)))
	case "mode":
		mode, err := strconv.ParseUint(name, 8, 32)
		p.must(errors.Join(err, os.Chmod(p.at(what), os.FileMode(mode))))
	case "long":
		text, err := strconv.Unquote(what)
		p.must(err)
		p.write(name, strings.Repeat(text, 11_000))
	case "many":
		below, to, _ := strings.Cut(what, " ")
		for i := range 65 {
			p.must(os.MkdirAll(fmt.Sprintf("%s/%s/%d", p.dir, to, i), 0o755))
			p.must(os.Symlink(fmt.Sprintf("../%s/%d", to, i), fmt.Sprintf("%s/%s/a%d", p.dir, below, i)))
		}
	case "remove":
		p.must(os.RemoveAll(p.at(name)))
	default:
		p.t.Fatalf("nobody knows %q", op)
	}
	return p
}

// at is a name in the project, or an absolute one.
func (p project) at(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.dir, name)
}
