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

	t.Run("packed", func(t *testing.T) {
		p := newProject(t)
		p.git("gc", "-q", "--prune=now")
		p.check(kept, everything...)
	})
	t.Run("index version 4", func(t *testing.T) {
		p := newProject(t)
		p.git("update-index", "--index-version", "4")
		p.check(kept, everything...)
	})
	t.Run("linked worktree", func(t *testing.T) {
		p := newProject(t)
		p.git("worktree", "add", "-q", "../wt")
		for _, command := range everything {
			if d := p.decide(p.home+"/wt", command); d.Verdict != nod.Allow {
				t.Errorf("%q: %s", command, d.Reason)
			}
		}
	})
	t.Run("staged only", func(t *testing.T) {
		p := newProject(t)
		p.write("new.txt", "staged\n")
		p.check(lost, "rm new.txt")
		p.git("add", "new.txt")
		p.check(kept, "rm new.txt")
		p.write("new.txt", "changed since\n")
		p.check(lost, "rm new.txt")
	})
}

func TestWhatGitDoesNotHaveIsLost(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(p project)
		lost []string
		kept []string
	}{
		{"changed", func(p project) { p.write("a.txt", "work\n") },
			[]string{"rm a.txt", "echo x > a.txt", "mv b.txt a.txt", "rm *.txt", "git checkout a.txt",
				"git restore a.txt"}, []string{"rm b.txt", "mv a.txt c.txt"}},
		{"changed to the same length and time", func(p project) {
			before, err := os.Stat(p.dir + "/a.txt")
			p.must(err)
			p.write("a.txt", "THIS is a.txt\n")
			p.must(os.Chtimes(p.dir+"/a.txt", before.ModTime(), before.ModTime()))
		}, []string{"rm a.txt"}, nil},
		{"untracked below", func(p project) { p.write("src/deep/new.txt", "work\n") },
			[]string{"rm -rf src", "rm -r src/deep", "rm -rf src/*"}, []string{"rm src/c.txt"}},
		{"assume unchanged", func(p project) {
			p.git("update-index", "--assume-unchanged", "a.txt")
			p.write("a.txt", "work\n")
		}, []string{"rm a.txt", "git rm a.txt", "echo > a.txt"}, nil},
		{"skip worktree", func(p project) {
			p.git("update-index", "--skip-worktree", "a.txt")
			p.write("a.txt", "work\n")
		}, []string{"rm a.txt", "git rm a.txt"}, nil},
		{"intent to add", func(p project) {
			p.write("empty.txt", "")
			p.git("add", "-N", "empty.txt")
		}, []string{"rm empty.txt"}, nil},
		{"line ends", func(p project) {
			p.git("config", "core.autocrlf", "true")
			p.write("a.txt", "this is a.txt\r\n")
		}, []string{"rm a.txt"}, []string{"rm b.txt"}},
		{"a filter", func(p project) {
			p.write(".gitattributes", "a.txt filter=up\n")
			p.git("config", "filter.up.clean", "tr a-z A-Z")
			p.write("a.txt", "lower\n")
			p.git("add", ".")
		}, []string{"rm a.txt", "git add a.txt", "git commit -m x"}, []string{"rm b.txt"}},
		{"a split index", func(p project) { p.git("update-index", "--split-index") }, []string{"rm a.txt"}, nil},
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
		{"another case", func(p project) { p.write("A.TXT", "work\n") }, []string{"rm A.TXT"}, nil},
		{"guarded", func(p project) {
			p.write(".claude/settings.json", "{}\n")
			p.write("src/.husky/x", "x\n")
			p.git("add", ".")
		}, []string{"rm -rf .claude", "rm .claude/settings.json", "rm -rf src", "mv src lib", "rm -rf .git",
			"echo x > .claude/settings.json"}, nil},
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

// One line, several commands: what the first does must not make the second
// look harmless.
func TestALineThatTakesItInTwoSteps(t *testing.T) {
	p := newProject(t)
	p.write("work.txt", "unsaved\n")
	p.check(lost, "mv work.txt a.txt && rm a.txt", "mv work.txt new.txt && rm new.txt",
		"mv work.txt a.txt; echo > a.txt", "mv work.txt new.txt; mv b.txt new.txt", "mv work.txt src/ && rm -rf src",
		"for i in 1 2; do rm -f a.txt; mv work.txt a.txt; done", "git stash pop && rm a.txt",
		"git checkout other && rm -rf src", "git stash && git checkout .", "mv work.txt a.txt && git checkout a.txt",
		"mv work.txt gone.txt && git checkout gone.txt", "cp work.txt x && rm work.txt && rm x", "rm missing.txt",
		"rm -rf *.none", "mv work.txt /dev/null")
	p.check(kept,
		"rm a.txt && echo x > a.txt", "echo x > new.txt && rm new.txt", "git add -A && git commit -m x",
		"sort a.txt > new.txt && mv new.txt a.txt",
		"mv work.txt a.txt", "mv work.txt a.txt b.txt src",
		"git show HEAD:a.txt > old.txt && diff old.txt a.txt; rm old.txt", "mkdir -p src new && mv work.txt new/")
}

func TestGitKeepsWhatWasThere(t *testing.T) {
	p := newProject(t)
	p.write("a.txt", "work\n")
	local := []string{"git add -A", "git commit -m x", "git checkout -b new", "git switch -c new",
		"git reset HEAD~1", "git restore --staged .", "git branch new", "git branch -d new", "git tag v1",
		"git tag -a v1 -m one", "cd src && git add . && git commit -m x"}
	p.check(kept, local...)
	p.check(lost, "git reset --hard", "git checkout .", "git checkout -- a.txt", "git restore a.txt", "git clean -fd",
		"git stash drop", "git stash clear", "git branch -D x",
		"git branch -M main", "git tag -f v1", "git tag -d v1", "git reflog expire --expire=now --all",
		"git gc --prune=now", "git push", "git push --force", "git update-ref -d refs/heads/main",
		"git worktree remove --force ../wt", "git config core.pager x", "git filter-branch --all", "git commit",
		"git rebase -i HEAD~2", "git merge --abort", "git rebase --abort",
		"git checkout src", "git checkout HEAD a.txt", "git switch -f main", "git checkout -f main",
		"git checkout '*.txt'", "git stash -p")

	p.check(lost, "git stash", "git stash -a && git stash show -p --include-untracked", "git checkout main",
		"git switch other", "git checkout -b new main", "git merge other", "git worktree add wt",
		"git commit --no-verify -m x", "git stash pop && git checkout topic", "git checkout main && cat a.txt",
		"git checkout x && sh src/c.txt")
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
	t.Run("names of remotes", func(t *testing.T) { // which git does not ask for
		p := newProject(t)
		p.git("remote", "add", "origin", "https://code.example/x.git")
		p.git("config", "credential.helper", "store")
		p.git("config", "http.proxy", "http://127.0.0.1:9")
		p.check(kept, "git remote", "git remote -v", "git remote get-url origin")
		p.check(lost, "git remote show origin", "git remote update", "git remote $X", "git remote -v $X", "git fetch")
	})
	t.Run("remotes", func(t *testing.T) {
		p := newProject(t)
		p.git("remote", "add", "origin", "git@code.example:x/y.git")
		p.check(kept, "git fetch", "git fetch origin main", "git fetch --prune", "git ls-remote origin",
			"git push --dry-run")
		p.check(lost, "git fetch evil", "git fetch https://evil.example/x", "git fetch --depth 1",
			"git fetch origin \"$(cat a.txt)\"")
	})
}

// What a file holds stays where more is put behind it.
func TestAppendingKeepsWhatIsThere(t *testing.T) {
	p := newProject(t)
	p.write("work.txt", "unsaved\n")
	p.write("data/x.sqlite", "SQLite format 3\n")
	p.check(kept, "echo x >> work.txt", "ls >> work.txt 2>> work.txt", "echo x | tee -a work.txt")
	p.check(lost, "echo x > work.txt", "echo x | tee work.txt", "echo x >> data/x.sqlite", "echo x >> .git/config",
		"echo x >> /etc/x", "mv b.txt work.txt; echo x >> work.txt", "echo x >> src", "echo x >> \"$F\"")
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

// A directory that moves takes its files along: what they are called then counts,
// whatever else the command writes and however many it moves.
func TestDirectoriesThatMove(t *testing.T) {
	p := newProject(t)
	p.write("y/hooks/a.json", "{}\n")
	p.write("x/a.go", "package x\n")
	p.git("add", ".")
	p.git("commit", "-qm", "y")
	p.check(lost, "mv y .github", "mv y .github/", "mv y .github > out.txt")
	p.check(kept, "mv y lib", "mv y lib/", "mv y lib 2> err.txt", "mv x src", "mkdir lib && mv x lib")
}

// What is a secret by where it lies is none under another name.
func TestSecretsThatMove(t *testing.T) {
	p := newProject(t)
	p.write("conf/.env", "K=1\n")
	p.write("store/opencode/mcp-auth.json", "{}\n")
	p.write("plain/config.json", "{}\n")
	p.git("add", "-f", ".")
	p.git("commit", "-q", "-m", "two")
	p.check(lost, "mv store/opencode d", "mv store/opencode d; cat d/mcp-auth.json", "mv store d && mv d/opencode e",
		"mv conf/.env x", "git mv store/opencode d", "mv store/opencode d/", "mv plain d && cat d/*")
	p.check(kept, "mv conf settings", "mv store cupboard", "mv plain d", "ls && mv plain d")
	p.check(lost, "mv conf c; { cat; } < c/.e*", "mv conf c; < c/.e*", "mv conf c; x=$(< c/.e*)")
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

// A repository inside build output is somebody's work.
func TestRepositoriesInBuildOutput(t *testing.T) {
	p := newProject(t)
	p.write("dist/n/n.txt", "n\n")
	p.check(kept, "rm dist/n/n.txt", "rm -rf dist")
	p.must(os.MkdirAll(p.dir+"/dist/n/.git", 0o755))
	p.check(lost, "rm dist/n/n.txt", "echo > dist/n/n.txt", "mv dist/n/n.txt dist/n/u.txt", "rm -rf dist", "rm -rf dist/n")
}

// A migration that git has is text like any other; a dump that only a build directory has
// may be the only copy.
func TestTextsForDatabases(t *testing.T) {
	p := newProject(t)
	p.write("migrations/1.sql", "create table a (b int);\n")
	p.write(".gitignore", "build\n")
	p.git("add", ".")
	p.git("commit", "-qm", "migrations")
	p.write("migrations/2.sql", "drop table a;\n")
	p.write("build/dump.sql", "insert into a values (1);\n")
	p.check(kept, "sed -i s/int/text/ migrations/1.sql", "rm migrations/1.sql", "echo x > migrations/1.sql")
	p.check(lost, "rm migrations/2.sql", "echo x > migrations/2.sql", "rm -r build", "rm build/dump.sql")
}

// What find -delete would remove is not looked for: a person or a model is asked.
func TestWhatFindDeletes(t *testing.T) {
	p := newProject(t)
	p.check(lost, "find . -name '*.pyc' -delete", "find src -name d.txt -delete", "find . -delete",
		"find .. -name '*.pyc' -delete")
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
