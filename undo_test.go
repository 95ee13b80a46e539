package nod_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/testworld"
)

// project is a real repository on disk, made by git itself.
type project struct {
	t         *testing.T
	home, dir string
	rules     nod.Rules
}

func newProject(t *testing.T, initArgs ...string) project {
	t.Helper()
	testworld.Needs(t, "git")
	if testing.Short() {
		t.Skip("-short: one goroutine decides here; verify's stage tests runs this, without the race detector")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := project{t, base + "/home", base + "/home/shop", nod.DefaultRules()}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p.git(append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	p.git("config", "user.name", "x")
	p.git("config", "user.email", "x@x.example")
	p.write(".gitignore", "dist/\n/out\n*.log\n!keep.log\n")
	for _, name := range []string{"a.txt", "b.txt", "src/c.txt", "src/deep/d.txt"} {
		p.write(name, "this is "+name+"\n")
	}
	p.git("add", ".")
	p.git("commit", "-q", "-m", "one")
	return p
}

func (p project) git(args ...string) (printed string) {
	p.t.Helper()
	return p.gitIn(p.dir, args...)
}

func (p project) gitIn(dir string, args ...string) (printed string) {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = testworld.Started(p.home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (p project) write(name, content string) {
	p.t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.dir, name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p project) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// gate has no model.
func (p project) gate() *nod.Gate {
	return nod.New(nod.Options{Rules: p.rules, Files: testworld.Disk(), Home: p.home})
}

// decide asks a gate that has no model, so that what is open is denied or asked.
func (p project) decide(root, command string) nod.Decision { return p.decideIn(root, root, command) }

func (p project) decideIn(root, dir, command string) nod.Decision {
	gate := p.gate()
	return gate.Check(context.Background(), nod.Call{
		Agent: "test", Session: "s", Tool: "bash", RawTool: "Bash", Command: command, Dialect: nod.Bash, Dir: dir,
		Roots:   []string{root},
		Environ: testworld.Environ(p.home), Interactive: true,
	})
}

func (p project) check(allowed bool, commands ...string) {
	p.t.Helper()
	for _, command := range commands {
		d := p.decide(p.dir, command)
		if got := d.Verdict == nod.Allow; got != allowed {
			p.t.Errorf("%q: %v (%s), want allowed %v", command, d.Verdict, d.Reason, allowed)
		}
		if d.Err != nil && d.Err.Kind == fault.Internal {
			p.t.Errorf("%q: denied because nod failed inside: %v", command, d.Err)
		}
	}
}

const lost, kept = false, true

// A deletion is one by an edit tool too.
func TestAnEditThatDeletesIsJudgedAsRm(t *testing.T) {
	p := newProject(t)
	p.write("new.txt", "by hand\n")
	p.write("b.txt", "changed since\n")
	p.write("dist/x.js", "built\n")
	gate := p.gate()
	for name, want := range map[string]bool{"a.txt": kept, "src/c.txt": kept, "dist/x.js": kept, "new.txt": lost,
		"b.txt": lost, "none.txt": lost} {
		p.check(want, "rm "+name)
		d := gate.Check(context.Background(), nod.Call{Agent: "codex", Tool: "apply_patch", RawTool: "apply_patch",
			Dir: p.dir, Roots: []string{p.dir},
			Paths: []string{name}, Edits: []nod.Edit{{Path: name, Whole: true, Deletes: true}}})
		if got := d.Verdict == nod.Allow; got != want {
			t.Errorf("a patch that deletes %s: %v (%s)", name, d.Verdict, d.Reason)
		}
	}
}

func TestWhatGitDoesNotHaveIsLost(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(p project)
		lost []string
		kept []string
	}{
		{"changed to the same length and time", func(p project) {
			before, err := os.Stat(p.dir + "/a.txt")
			p.must(err)
			p.write("a.txt", "THIS is a.txt\n")
			p.must(os.Chtimes(p.dir+"/a.txt", before.ModTime(), before.ModTime()))
		}, []string{"rm a.txt"}, nil},
		{"in conflict", func(p project) {
			p.git("checkout", "-q", "-b", "other")
			p.write("a.txt", "other\n")
			p.git("commit", "-q", "-a", "-m", "other")
			p.git("checkout", "-q", "main")
			p.write("a.txt", "main\n")
			p.git("commit", "-q", "-a", "-m", "main")
			cmd := exec.Command("git", "merge", "other")
			cmd.Dir = p.dir
			_ = cmd.Run()
		}, []string{"rm a.txt"}, []string{"rm b.txt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			c.do(p)
			p.check(lost, c.lost...)
			p.check(kept, c.kept...)
		})
	}
}

// A patch that adds a file replaces one that is there.
func TestAPatchThatAddsOverAFile(t *testing.T) {
	p := newProject(t)
	p.write("notes.txt", "by hand\n")
	p.write("dist/app.js", "1\n")
	for _, row := range []struct {
		edits []nod.Edit
		want  bool
	}{
		{[]nod.Edit{{Path: "notes.txt", New: "x\n", Whole: true}}, lost},
		{[]nod.Edit{{Path: "a.txt", Whole: true, Moved: true}, {Path: "notes.txt", Whole: true}}, lost},
		{[]nod.Edit{{Path: "notes.txt", Old: "by", New: "x"}}, kept},
		{[]nod.Edit{{Path: "notes.txt", Whole: true, Moved: true}, {Path: "new.txt", Whole: true}}, kept},
		{[]nod.Edit{{Path: "new.txt", New: "x\n", Whole: true}}, kept},
		{[]nod.Edit{{Path: "a.txt", New: "x\n", Whole: true}}, kept}, // git has it
		{[]nod.Edit{{Path: "dist/app.js", New: "x\n", Whole: true}}, kept},
	} {
		c := nod.Call{Agent: "test", Tool: "apply_patch", RawTool: "apply_patch", Input: []byte("{}"), Dir: p.dir,
			Roots: []string{p.dir}, Edits: row.edits}
		for _, e := range row.edits {
			c.Paths = append(c.Paths, e.Path)
		}
		d := p.gate().Check(t.Context(), c)
		if (d.Verdict == nod.Allow) != row.want {
			t.Errorf("%+v: %s (%s)", row.edits, d.Verdict, d.Reason)
		}
	}
}
