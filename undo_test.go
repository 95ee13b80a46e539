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
	p := project{t, base + "/home", base + "/home/shop"}
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

// gate has no model and the default rules.
func (p project) gate() *nod.Gate {
	return nod.New(nod.Options{Rules: nod.DefaultRules(), Files: testworld.Disk(), Home: p.home})
}

// decide asks a gate that has no model, so that what is open is denied or
// asked.
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

func TestWhatGitHasCanBeUndone(t *testing.T) {
	p := newProject(t)
	everything := []string{"rm a.txt", "rm -rf src", "echo x > a.txt", "cat a.txt > b.txt", "sed -i s/a/b/ a.txt",
		"mv a.txt b.txt", "cp a.txt b.txt",
		"rm a.txt src/c.txt", "rm src/*.txt", "git rm -q a.txt", "echo x | tee a.txt", "truncate -s 0 a.txt"}
	p.check(kept, everything...)

	t.Run("linked worktree", func(t *testing.T) {
		p := newProject(t)
		p.git("worktree", "add", "-q", "../wt")
		for _, command := range everything {
			if d := p.decide(p.home+"/wt", command); d.Verdict != nod.Allow {
				t.Errorf("%q: %s", command, d.Reason)
			}
		}
	})
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
		{"a filter", func(p project) {
			p.write(".gitattributes", "a.txt filter=up\n")
			p.git("config", "filter.up.clean", "tr a-z A-Z")
			p.write("a.txt", "lower\n")
			p.git("add", ".")
		}, []string{"rm a.txt", "git add a.txt", "git commit -m x"}, []string{"rm b.txt"}},
		{"a damaged index", func(p project) {
			p.must(os.WriteFile(p.dir+"/.git/index", []byte("DIRC\x00\x00\x00\x02\xff\xff\xff\xff"), 0o644))
		}, []string{"rm a.txt"}, nil},
		{"a hard link", func(p project) { p.must(os.Link(p.dir+"/a.txt", p.home+"/other")) },
			[]string{"rm a.txt", "echo > a.txt", "mv a.txt c.txt"}, nil},
		{"a link", func(p project) {
			p.must(os.Symlink("a.txt", p.dir+"/link"))
			p.must(os.Symlink(p.home, p.dir+"/away"))
			p.git("add", "link")
		}, []string{"rm link", "mv link c.txt", "mv b.txt link", "rm -rf away", "rm -rf away/"}, nil},
		{"a nested repository", func(p project) {
			p.write("src/lib/x.txt", "x\n")
			p.gitIn(p.dir+"/src/lib", "init", "-q")
		}, []string{"rm -rf src", "rm src/lib/x.txt", "git -C src/lib add -A"}, []string{"rm src/c.txt"}},
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

func TestBuildOutputCanBeMadeAgain(t *testing.T) {
	p := newProject(t)
	for _, name := range []string{"dist/app.js", "dist/assets/x.css", "out/a", "src/out/a", "build/app.js",
		"debug.log"} {
		p.write(name, "made\n")
	}
	p.check(kept, "rm -rf dist/assets", "rm dist/app.js", "echo x > dist/app.js", "rm -rf out", "rm -rf dist out")
	p.check(lost, "rm -rf build", "rm debug.log",
		"rm -rf src/out") // not ignored, no build directory, ignored at the top only

	p.write("work.txt", "unsaved\n") // where it might be deleted next
	p.check(kept, "mv a.txt dist/a.txt", "mv dist/app.js dist/b.js", "mv work.txt src/")
	p.must(os.Remove(p.dir + "/work.txt"))
	p.write("notes/one.txt", "unsaved\n")
	p.check(lost, "mv notes src/dist", "mkdir q; mv notes q/dist", "mv -T notes src/dist")
	p.check(kept, "mv notes src/others")
	p.must(os.RemoveAll(p.dir + "/notes"))

	p.write(".gitignore", "dist/\n/out\n*.log\nbuild/\n")
	p.check(lost, "rm -rf build") // the working tree's ignore file is nobody's word
	p.git("add", ".gitignore")
	p.check(kept, "rm -rf build")

	p.write("dist/.gitignore", "x\n")
	p.check(kept, "rm -rf build")
	for name, why := range map[string]string{"build/.env": "a secret", "build/local.sqlite": "a database",
		"build/deploy.key": "a key", "build/sub/.git/HEAD": "a repository"} {
		p.write(name, "x\n")
		if d := p.decide(p.dir, "rm -rf build"); d.Verdict == nod.Allow {
			t.Errorf("with %s in it: %s", why, d.Reason)
		}
		p.must(os.RemoveAll(p.dir + "/build/sub"))
		p.must(os.RemoveAll(filepath.Join(p.dir, name)))
	}
	p.must(os.Symlink(p.home, p.dir+"/build/link"))
	p.check(lost, "rm -rf build")
	p.must(os.Remove(p.dir + "/build/link"))
	p.git("add", "-f", "build/app.js")
	p.write("build/app.js", "changed\n")
	p.check(lost, "rm -rf build") // some of it is tracked
}

func TestGitKeepsWhatWasThere(t *testing.T) {
	t.Run("elsewhere", func(t *testing.T) {
		p := newProject(t)
		other := p.home + "/other"
		p.must(os.MkdirAll(other, 0o755))
		p.gitIn(other, "init", "-q")
		p.check(lost, "git -C ../other add -A", "cd ../other && git commit -m x",
			"git --git-dir=../other/.git commit -m x")
		p.gitIn(p.home, "init", "-q") // a repository of the home directory is not the workspace's
		p.must(os.RemoveAll(p.dir + "/.git"))
		p.check(lost, "git add -A", "git commit -m x")
	})
	t.Run("a subdirectory is the workspace", func(t *testing.T) {
		p := newProject(t)
		if d := p.decide(p.dir+"/src", "git add -A && git commit -m x"); d.Verdict != nod.Allow {
			t.Error(d.Reason)
		}
	})
	for _, c := range []struct {
		name string
		do   func(p project)
		lost string
	}{
		{"a hook", func(p project) {
			p.write(".git/hooks/pre-commit", "#!/bin/sh\nrm -rf src/new\n")
			p.write("src/new/a", "unsaved\n")
			p.must(os.Chmod(p.dir+"/.git/hooks/pre-commit", 0o755))
		}, "git commit -m x"},
		{"a hook that is a link",
			func(p project) { p.must(os.Symlink("/bin/true", p.dir+"/.git/hooks/post-checkout")) },
			"git checkout -b new"},
		{"husky", func(p project) {
			p.git("config", "core.hooksPath", ".husky/_")
			p.write(".husky/_/commit-msg", "#!/bin/sh\n. ./h\n")
			p.must(os.Chmod(p.dir+"/.husky/_/commit-msg", 0o755))
		}, "git commit -m x"},
		{"hooks that the line makes", func(p project) { p.git("config", "core.hooksPath", "tools") },
			"cp a.txt tools/pre-commit; git commit -m x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			c.do(p)
			p.check(lost, c.lost)
		})
	}
}

// The names of the samples that git init leaves are no hooks.
func TestSampleHooksAreNone(t *testing.T) {
	p := newProject(t)
	p.write(".git/hooks/pre-commit.sample", "#!/bin/sh\n")
	p.must(os.Chmod(p.dir+"/.git/hooks/pre-commit.sample", 0o755))
	p.check(kept, "git commit -m x")
}

// Among what a build makes may lie what a person wrote.
func TestHandwrittenInBuildOutput(t *testing.T) {
	for name, want := range map[string]bool{
		"app.js": kept, "index.html": kept, "a/b.css": kept, "README.md": kept, "notes.html": kept, "notes.txt": lost,
		"TODO": lost, "a/draft.md": lost, "offer.docx": lost, "model.ipynb": lost, "x.psd": lost, "data.sqlite": lost,
		"fix.patch": lost,
	} {
		p := newProject(t)
		p.write("dist/app.js", "1\n")
		p.write("dist/"+name, "x\n")
		p.check(want, "rm -rf dist", "rm -r dist/", "rm -r dist/*", "rm dist/"+name)
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

func TestAModeIsEasilyPutBack(t *testing.T) {
	p := newProject(t)
	p.write("run.sh", "ls\n")
	p.write("src/.env", "KEY=x\n")
	p.write("shop.db", "x\n")
	p.must(os.Link(p.dir+"/run.sh", p.home+"/second"))
	p.write("own.sh", "ls\n")
	p.check(kept, "chmod +x own.sh", "chmod 644 own.sh a.txt", "chmod u+w $PWD/own.sh")
	p.check(lost, "chmod +x run.sh", "chmod 644 src/.env", "chmod -R +x src", "chmod 666 shop.db", "chmod +x ../x",
		"chmod +x .git/hooks/pre-commit",
		"echo own.sh | xargs chmod +x", "chown x own.sh", "chattr +i own.sh", "chmod +x $F",
		"chmod --reference=a.txt .git/config")
}

func TestInstalledPackagesAreInstalledAgain(t *testing.T) {
	p := newProject(t)
	p.write("ui/node_modules/x/index.js", "x\n")
	p.write("ui/package.json", "{}\n")
	p.check(lost, "rm -rf ui/node_modules")
	p.write(".gitignore", "node_modules/\n")
	p.git("commit", "-qam", "two")
	p.check(lost, "rm -rf ui/node_modules")
	p.write("ui/package-lock.json", "{}\n")
	p.check(kept, "rm -rf ui/node_modules", "cd ui && rm -rf node_modules", "rm -fr ./ui/node_modules/")
	p.check(lost, "rm -rf ui/node_modules/x", "rm ui/node_modules/x/index.js", "rm -rf ui/node_modules ui/package.json",
		"mv src/c.txt ui/node_modules && rm -rf ui/node_modules",
		"echo x > ui/node_modules/x/index.js", "find ui -name node_modules -exec rm -rf {} +")
	p.must(os.Rename(p.dir+"/ui/node_modules", p.home+"/elsewhere"))
	p.must(os.Symlink(p.home+"/elsewhere", p.dir+"/ui/node_modules"))
	p.check(lost, "rm -rf ui/node_modules/", "rm -rf ui/node_modules/*")
}
