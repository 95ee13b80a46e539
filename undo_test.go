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
func (p project) decide(root, command string) nod.Decision {
	return p.gate().Check(context.Background(), nod.Call{
		Agent: "test", Session: "s", Tool: "bash", RawTool: "Bash", Command: command, Dialect: nod.Bash, Dir: root,
		Roots: []string{root}, Environ: testworld.Environ(p.home), Interactive: true,
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
