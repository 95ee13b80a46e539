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
	case "patch":
		p.patch(name == "pass", strings.Fields(what))
	case "auto":
		p.auto(name, what)
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
	case "twin": // of the same length and time as before
		info, err := os.Stat(p.at(name))
		p.must(err)
		p.after("file " + rest)
		p.must(os.Chtimes(p.at(name), info.ModTime(), info.ModTime()))
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

// patch holds what a patch of these edits comes to: -NAME deletes, +NAME writes, ~NAME changes, >NAME moves away.
func (p project) patch(allowed bool, edits []string) {
	c := nod.Call{Agent: "codex", Tool: "apply_patch", RawTool: "apply_patch", Input: []byte("{}"), Dir: p.dir,
		Roots: []string{p.dir}}
	for _, edit := range edits {
		kind, name := edit[0], edit[1:]
		c.Paths = append(c.Paths, name)
		c.Edits = append(c.Edits, nod.Edit{Path: name, Whole: kind != '~', Deletes: kind == '-', Moved: kind == '>'})
	}
	if d := p.gate().Check(p.t.Context(), c); (d.Verdict == nod.Allow) != allowed {
		p.t.Errorf("a patch %s: %v (%s)", edits, d.Verdict, d.Reason)
	}
}

// auto holds what becomes of an edit of a file where a judge of the host stands behind the hook.
func (p project) auto(want, edit string) {
	tool, name, _ := strings.Cut(edit, " ")
	call := nod.Call{Tool: tool, RawTool: tool, Paths: []string{p.at(name)},
		Edits: []nod.Edit{{Path: p.at(name), New: "x", Whole: tool == "file_write"}}}
	if why := p.inAuto(call); (why != "") != (want == "ask") {
		p.t.Errorf("%s: %q, want %s", edit, why, want)
	}
}

// at is a name in the project, or an absolute one.
func (p project) at(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.dir, name)
}
