package nod_test

import (
	"os"
	"testing"

	"github.com/nodgate/nod"
)

// What git prints of its own files, and of those that settings name, is a secret
// where these lead to one.
func TestGitsOwnFilesThatAreLinks(t *testing.T) {
	link := func(p project, name string) { p.must(os.Symlink(p.dir+"/.env", p.dir+"/"+name)) }
	for name, row := range map[string]struct {
		make func(p project)
		line string
	}{
		"a list of a rebase":     {func(p project) { link(p, ".git/rebase-merge/git-rebase-todo") }, "git status"},
		"bisect":                 {func(p project) { link(p, ".git/BISECT_START") }, "git status"},
		"sparse checkout":        {func(p project) { link(p, ".git/info/sparse-checkout") }, "git status"},
		"shallow":                {func(p project) { link(p, ".git/shallow") }, "git log"},
		"alternates":             {func(p project) { link(p, ".git/objects/info/alternates") }, "git log"},
		"a worktree's lock":      {func(p project) { link(p, ".git/worktrees/x/locked") }, "git worktree list -v"},
		"a remote's file":        {func(p project) { link(p, ".git/remotes/origin") }, "git remote -v"},
		"attributes":             {func(p project) { link(p, ".git/info/attributes") }, "git diff"},
		"the message of a merge": {func(p project) { link(p, ".git/MERGE_MSG") }, "git commit --no-edit"},
		"core.attributesFile":    {func(p project) { p.git("config", "core.attributesFile", ".env") }, "git diff"},
		"core.excludesFile": {func(p project) {
			p.git("config", "core.excludesFile",
				"x")
			link(p, "x")
		}, "git status"},
		"mailmap.file": {func(p project) { p.git("config", "mailmap.file", ".env") }, "git log"},
		"mailmap.blob": {func(p project) { p.git("config", "mailmap.blob", "HEAD:x") }, "git log"},
		"blame.ignoreRevsFile": {func(p project) {
			link(p, ".git-blame-ignore-revs")
			p.git("config", "blame.ignoreRevsFile", ".git-blame-ignore-revs")
		}, "git blame a.txt"},
		"blame.ignoreRevsFile of the person's": {func(p project) {
			p.must(os.WriteFile(p.home+"/.gitconfig", []byte("[blame]\n\tignoreRevsFile = .git-blame-ignore-revs\n"), 0o644))
			link(p, ".git-blame-ignore-revs")
		}, "git blame a.txt"},
		"a partial clone": {func(p project) {
			p.git("config", "remote.origin.url", "ext::sh -c x")
			p.git("config", "remote.origin.partialCloneFilter", "blob:none")
		}, "git log -p"},
	} {
		p := withSecret(t)
		for _, dir := range []string{"rebase-merge", "worktrees/x", "remotes"} {
			p.must(os.MkdirAll(p.dir+"/.git/"+dir, 0o755))
		}
		p.check(kept, row.line)
		row.make(p)
		if d := p.decide(p.dir, row.line); d.Verdict == nod.Allow {
			t.Errorf("%s: %q is allowed (%s)", name, row.line, d.Reason)
		}
	}
	p := withSecret(t)
	p.write("keep/.env", "KEY=kept\n")
	p.git("add", "-f", "keep/.env")
	p.git("commit", "-qm", "keep")
	p.check(lost, "git ls-files | xargs cat", "git ls-files keep | xargs cat")
	p.git("config", "core.attributesFile", "a.txt") // a file that git reads beside names no place
	p.check(lost, "git ls-files | xargs cat", "git ls-files keep | xargs cat")
	p.git("rm", "-q", "--cached", "keep/.env")
	p.must(os.RemoveAll(p.dir + "/keep"))
	p.must(os.Symlink(p.dir+"/a.txt", p.dir+"/.git/description2"))
	p.check(kept, "git status", "git log -1 -p -- a.txt")
	p.check(lost, "git restore --staged --pathspec-from-file=.env", "git add -n --pathspec-from-file=.env",
		"git reset --pathspec-from-file=.env", "git add -u --pathspec-from-file=.env")
}

// What git writes may lie elsewhere where a name in its directory is a link, or has a
// second name.
func TestGitWritesThroughLinks(t *testing.T) {
	writes := []string{"git commit --allow-empty -m x", "git add a.txt", "git branch fresh", "git tag fresh",
		"git checkout -b fresh", "git switch -c fresh", "git reset --soft HEAD"}
	for name, spoil := range map[string]func(p project){
		"a message":     func(p project) { p.must(os.Symlink(p.home+"/.bashrc", p.dir+"/.git/SQUASH")) },
		"a second name": func(p project) { p.must(os.Link(p.dir+"/a.txt", p.dir+"/.git/SQUASH")) },
		"a log": func(p project) {
			p.must(os.Symlink(p.home+"/.bashrc",
				p.dir+"/.git/logs/refs/heads/fresh"))
		},
		"a log's second name": func(p project) {
			p.must(os.Link(p.dir+"/a.txt",
				p.dir+"/.git/logs/refs/heads/fresh"))
		},
		"a directory of refs":   func(p project) { p.must(os.Symlink("../../hooks", p.dir+"/.git/refs/heads/x")) },
		"objects":               func(p project) { p.must(os.Symlink(p.home, p.dir+"/.git/objects/zz")) },
		"a directory of logs":   func(p project) { p.must(os.Symlink(p.home, p.dir+"/.git/logs/refs/remotes")) },
		"a directory for words": func(p project) { p.must(os.Symlink(p.home, p.dir+"/.git/info2")) },
	} {
		p := newProject(t)
		p.check(kept, writes...)
		spoil(p)
		for _, line := range writes {
			if d := p.decide(p.dir, line); d.Verdict == nod.Allow {
				t.Errorf("%s: %q is allowed (%s)", name, line, d.Reason)
			}
		}
	}
	p := newProject(t)
	p.must(os.RemoveAll(p.dir + "/.git/hooks"))
	p.must(os.Mkdir(p.dir+"/hooks", 0o755))
	p.must(os.Symlink("../hooks", p.dir+"/.git/hooks"))
	p.must(os.Link(p.dir+"/.git/index", p.dir+"/.git/objects/pack/x"))
	p.check(kept, writes...)
	p.check(kept, "git branch -m fresh")
	p.git("config", "branch.main.remote", "origin")
	p.check(lost, "git branch -m a b", "git branch -c a b", "git branch -m b", "git branch -M a")
}

// A repository inside another is gone into only where it is a submodule as git
// makes it.
func TestRepositoriesThatAreNoPlainSubmodules(t *testing.T) {
	inside := func(p project, dir string) {
		p.must(os.MkdirAll(p.dir+"/"+dir, 0o755))
		p.git("-C", dir, "init", "-q")
		p.write(dir+"/v.txt", "v\n")
		p.git("-C", dir, "add", "v.txt")
		p.git("-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "v")
	}
	absorbed := func(p project) string {
		inside(p, "sm")
		p.git("-c", "advice.addEmbeddedRepo=false", "add", "sm")
		p.must(os.MkdirAll(p.dir+"/.git/modules", 0o755))
		p.must(os.Rename(p.dir+"/sm/.git", p.dir+"/.git/modules/sm"))
		p.write("sm/.git", "gitdir: ../.git/modules/sm\n")
		p.git("commit", "-qm", "sm")
		return ".git/modules/sm"
	}
	lines := []string{"git status", "git diff", "git commit -am x"}
	for name, spoil := range map[string]func(p project, dir string){
		"settings": func(p project, dir string) {
			p.git("config", "-f", dir+"/config", "core.fsmonitor",
				"./x.sh")
		},
		"another one": func(p project, dir string) { p.write(dir+"/commondir", p.dir+"/elsewhere\n") },
		"a hook":      func(p project, dir string) { p.write(dir+"/hooks/post-index-change", "#!/bin/sh\n") },
		"a remote that promises": func(p project, dir string) {
			p.git("config", "-f", dir+"/config", "remote.origin.url", "ext::sh -c x")
			p.git("config", "-f", dir+"/config", "remote.origin.partialCloneFilter", "blob:none")
		},
		"a link": func(p project, dir string) {
			p.must(os.Remove(p.dir + "/sm/.git"))
			p.must(os.Symlink("../"+dir, p.dir+"/sm/.git"))
		},
	} {
		p := newProject(t)
		dir := absorbed(p)
		p.check(kept, lines...)
		spoil(p, dir)
		for _, line := range lines {
			if d := p.decide(p.dir, line); d.Verdict == nod.Allow {
				t.Errorf("%s: %q is allowed (%s)", name, line, d.Reason)
			}
		}
	}
	p := newProject(t)
	p.write("g2/HEAD", "ref: refs/heads/main\n")
	p.write(".git/commondir", p.dir+"/g2\n")
	p.check(lost, "git status", "git diff", "git commit --allow-empty -m x")
	p = newProject(t)
	inside(p, "nn")
	p.check(lost, "git reset && git status",
		"git restore --staged . && git status")
	p.check(kept, "git add a.txt", "git reset", "git status && git restore --staged a.txt")
}

// The repository's own alias is what git runs, not the person's of the same name,
// and it may stand for a subcommand that this git does not have.
func TestAliasesThatWin(t *testing.T) {
	p := newProject(t)
	p.write(p.home+"/.gitconfig", "[alias]\n\tst = status\n\tl5 = log -5\n")
	p.check(kept, "git st", "git l5")
	p.git("config", "alias.st", "!./evil")
	p.git("config", "alias.lfs", "!./evil")
	p.git("config", "alias.own", "log -1")
	p.check(lost, "git st", "git st -s", "git lfs ls-files", "git lfs status")
	p.check(kept, "git l5", "git own")
}

// What git keeps of earlier merges goes into any file that a list names.
func TestResolutionsThatGitReplays(t *testing.T) {
	p := newProject(t)
	p.write(".git/MERGE_RR", "0123\tCLAUDE.md\x00")
	p.check(lost, "git commit -am x", "git commit --allow-empty -m x", "git add a.txt", "git rerere diff")
	p.check(kept, "git status", "git diff", "git log -1")
}

// Where a rebase stops, git's own copy of the patch may be that of a secret.
func TestPatchesOfARebase(t *testing.T) {
	p := newProject(t)
	p.write(".git/rebase-merge/patch", "--- a/src/x.js\n+++ b/src/x.js\n+KEY\n")
	p.check(kept, "cat .git/rebase-merge/patch", "grep -rn KEY .", "cat .git/rebase-merge/*", "git status")
	p.write(".git/rebase-merge/patch", "--- a/.env\n+++ b/.env\n+KEY\n")
	p.check(lost, "cat .git/rebase-merge/patch", "cat .git/rebase-merge/*", "find . -name patch | xargs cat",
		"grep -rI KEY . --exclude=.env", "grep -r KEY --include=patch .", "head -5 .git/rebase-merge/patch",
		"cat .git/rr-cache/x/postimage")
	p.write(".git/COMMIT_EDITMSG", "x\n# ---\ndiff --git a/.env b/.env\n--- a/.env\n+++ b/.env\n+KEY2\n")
	p.check(lost, "cat .git/COMMIT_EDITMSG", "cp .git/COMMIT_EDITMSG x.txt", "grep -r KEY2 --include='*EDITMSG' .",
		"cat .git/lost-found/other/*")
	p.check(kept, "cat .git/rebase-merge/done", "ls .git/rebase-merge", "grep -rn vat .")
}

// Signatures are checked by a program that git starts and that writes at home.
func TestSignaturesStartAProgram(t *testing.T) {
	p := newProject(t)
	p.check(lost, "git log --show-signature", "git log --format=%G?", "git log --pretty=format:%h%+GS",
		"git verify-commit HEAD",
		"git tag -v v1", "env GH_REPO=example.org/a/b gh pr list")
	p.check(kept, "git log --format=%h", "git log --pretty='format:%an %s'")
	p.git("config", "pretty.x", "%G?")
	p.check(lost, "git log --pretty=x")
}

// A person's own filter that takes code from the directory is no program of theirs.
func TestOwnSettingsThatRunWhatLiesHere(t *testing.T) {
	for command, own := range map[string]bool{
		"python3 -m nbstripout": false, "make -s clean": false, "sh %f": false, "npx prettier %f": false, "node x.js": false,
		"python3 -c 'import helper'": false, "env A=b python3 -m x": false, "nice make x": false, "sh -c 'make x'": false, "f() { make; }; f": false, "PATH=bin:$PATH cat": false, "gmake": false, `ma\"\"ke`: false, "test -f x && sh x": false,

		"git-lfs clean -- %f": true, "/opt/bin/strip": true, "gpg -d": true, "less -R": true,
	} {
		p := newProject(t)
		p.must(os.WriteFile(p.home+"/.gitconfig", []byte("[filter \"f\"]\n\tclean = \""+command+"\"\n"), 0o600))
		want := lost
		if own {
			want = kept
		}
		p.check(want, "git add a.txt", "git status")
	}
	p := newProject(t)
	p.write("f.sh", "echo a\n")
	p.must(os.WriteFile(p.home+"/.gitconfig", []byte("[diff]\n\texternal = sh f.sh\n"), 0o600))
	p.check(lost, "git diff", "git status")
	for _, value := range []string{"lua f.sh", "vim -es '+so f.sh'", "pandoc -L f.sh", "BASH_ENV=$PWD/g bash -c cat", "LUA_INIT=@x lua -v"} {
		p.must(os.WriteFile(p.home+"/.gitconfig", []byte("[diff]\n\texternal = \""+value+"\"\n"), 0o600))
		p.check(lost, "git diff", "git -C src status")
	}
	p = newProject(t)
	p.must(os.WriteFile(p.home+"/.gitconfig", []byte("[filter \"lfs\"]\n\tprocess = git-lfs filter-process\n"), 0o600))
	p.check(kept, "git archive -o new.tar HEAD")
	p.write(".gitattributes", "*.bin filter=lfs\n")
	p.check(lost, "git archive -o new.tar HEAD")
	p.check(kept, "git add a.txt")
	p.git("config", "lfs.extension.foo.clean", "sh x")
	p.check(lost, "git add a.txt")
}
