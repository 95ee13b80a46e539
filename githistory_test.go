package nod_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/testworld"
)

// output is what a command of git prints, for rows that name an object.
func (p project) output(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = p.dir
	cmd.Env = testworld.Started(p.home)
	out, err := cmd.Output()
	p.must(err)
	return strings.TrimSpace(string(out))
}

// withHistory is a repository in which a secret came, changed and went: it is
// in the history alone. Commits one to five, newest last: plain, with .env, with
// another .env, without it, plain.
func withHistory(t *testing.T) project {
	p := newProject(t)
	p.write(".env", "SHOP_KEY=first\n")
	p.git("add", "-f", ".env")
	p.git("commit", "-q", "-m", "two")
	p.write(".env", "SHOP_KEY=second\n")
	p.git("commit", "-q", "-a", "-m", "three")
	p.git("tag", "-a", "-m", "t", "v3")
	p.git("rm", "-q", "--cached", ".env")
	p.git("commit", "-q", "-m", "four")
	p.write("a.txt", "five\n")
	p.git("commit", "-q", "-m", "five", "a.txt")
	return p
}

// What git prints of its history is looked up there: a secret that it would
// print is asked about, whatever else the history holds is not.
func TestSecretsOfTheHistory(t *testing.T) {
	for _, packed := range []bool{false, true} {
		p := withHistory(t)
		if packed {
			p.git("gc", "-q", "--aggressive")
		}
		blob, plain := p.output("rev-parse", "HEAD~2:.env"), p.output("rev-parse", "HEAD:a.txt")
		p.check(lost, "git show HEAD~1", "git show HEAD^", "git show main~3", "git show v3",
			"git show "+p.output("rev-parse", "HEAD~2"), "git show "+p.output("rev-parse", "--short", "HEAD~2"),
			"git show -U0 HEAD~1", "git show --stat -p HEAD~1", "git show HEAD HEAD~1", "git show HEAD~3..HEAD",
			"git show HEAD~2:.env", "git show v3:./.env",
			"git log -p", "git log --patch", "git log -p -3", "git log -p -n2", "git log -p --max-count=2",
			"git log -p HEAD~1", "git log --all -p", "git log -p HEAD~3..HEAD~2", "git log -u", "git log --cc",
			"git log -U1", "git log -p -- .",
			"git diff HEAD~2", "git diff HEAD~3 HEAD", "git diff HEAD~3..HEAD~2", "git diff HEAD~4...HEAD~2",
			"git diff ^HEAD~2", "git diff --cached ^v3", "git diff-index -p ^HEAD~2", "git diff ^v3 -- .",
			"git diff ^HEAD~2~0", "git diff ^nosuch ^v3",
			"git diff HEAD~2 --", "git diff HEAD~2 -- .", "git diff-tree -p HEAD~1", "git diff-tree -p HEAD~3 HEAD~2",
			"git diff-index -p HEAD~2",
			"git cat-file -p "+blob, "git cat-file blob "+blob, "git cat-file blob "+blob[:8], "git show "+blob,
			"git show "+blob[:7], "git diff "+blob+" "+plain,
			"git archive HEAD~2", "git archive v3 | tar tO", "git archive --format=zip HEAD~2 > out/x.zip",
			"git grep SHOP_KEY HEAD~2", "git grep -i shop HEAD~3", "git grep SHOP_KEY $(git rev-list --all)",
			"git rev-list --all | xargs git grep SHOP_KEY",
			"git rev-list --all | xargs git show", "git show $(git rev-list --all)",
			"git log -p $(git rev-parse HEAD)",
			"git reflog -p", "git log -g -p", "git whatchanged -p", "git format-patch --stdout HEAD~4",
			"git log -p @{1}", "git show @~1", "git cat-file -p $(git rev-parse HEAD~2:./.env)",
			"git log --full-diff -p a.txt", "git show 'HEAD^{/three}'", "git show 'HEAD@{1 hour ago}'",
			"git show main@{yesterday}", "git merge-tree HEAD~3 HEAD~2 HEAD", "git show :/three")
		p.check(kept, "git show", "git show HEAD", "git show HEAD~4", "git show --stat HEAD~1",
			"git show --name-only HEAD~2", "git show -s HEAD~1", "git show HEAD:a.txt", "git show HEAD~2:a.txt",
			"git log --oneline -- '**/a.txt'", "git show HEAD~1 -- a.txt", "git show HEAD~1 -- src",
			"git log", "git log --stat", "git log --oneline -20", "git log -p -1", "git log -1 -p", "git log -p -n 1",
			"git log -p -- a.txt", "git log -p HEAD~1..HEAD", "git log -p a.txt", "git log -S SHOP_KEY",
			"git log --all --oneline", "git log -p HEAD~4",
			"git diff", "git diff HEAD", "git diff --cached", "git diff HEAD~1", "git diff HEAD~1 HEAD",
			"git diff HEAD~1..HEAD", "git diff --stat HEAD~2", "git diff HEAD~2 -- a.txt", "git diff HEAD~1...HEAD",
			"git diff a.txt", "git diff -- src",
			"git cat-file -p "+plain, "git cat-file -t "+blob, "git cat-file -p HEAD", "git show "+plain,
			"git archive HEAD", "git grep SHOP_KEY HEAD", "git grep this HEAD~2", "git grep -l SHOP_KEY HEAD~2",
			"git stash list", "git reflog", "git status -v", "git diff-tree -p HEAD")
	}
}

// A tracked secret is printed where it differs.
func TestSecretsThatAreTracked(t *testing.T) {
	p := withHistory(t)
	p.git("add", "-f", ".env")
	p.check(lost, "git diff --cached", "git diff HEAD", "git status -v", "git commit --dry-run -v",
		"git diff --staged",
		"git diff-index -p HEAD")
	p.check(kept, "git diff", "git status", "git diff --cached --stat", "git diff --cached -- src")
	p.git("commit", "-q", "-m", "six")
	p.write("b.txt", "more\n")
	p.check(kept, "git diff", "git diff HEAD", "git diff --cached", "git stash list -p")
	p.check(lost, "git show", "git show HEAD", "git archive HEAD", "git grep SHOP_KEY HEAD", "git diff HEAD~1",
		"git cat-file -p "+p.output("rev-parse", "HEAD:.env"))
	p.write(".env", "SHOP_KEY=third\n")
	p.check(lost, "git diff", "git diff HEAD", "git diff .", "git status -vv", "git diff-files -p")
	p.check(kept, "git diff --cached", "git diff b.txt", "git diff --name-only")
	p.git("stash", "-q")
	p.check(lost, "git stash show -p", "git stash show -p stash@{0}", "git stash list -p", "git show stash@{0}",
		"git log -p --all -1", "git stash show -u -p 0")
	p.check(kept, "git diff", "git stash show", "git stash list")
	p.git("stash", "drop", "-q")
	p.write("b.txt", "more and more\n")
	p.git("stash", "-q")
	p.check(kept, "git stash show -p", "git stash list -p")
	p.git("stash", "drop", "-q")
	p.write("prod.env", "SHOP_KEY=x\n")
	p.git("stash", "-q", "-u")
	p.check(lost, "git stash show -p -u", "git stash show -p --include-untracked",
		"git stash show --only-untracked -p")
}

// Where objects cannot be read, a secret of the index counts.
func TestHistoryThatCannotBeRead(t *testing.T) {
	p := withHistory(t)
	p.must(os.WriteFile(p.dir+"/.git/HEAD", []byte("ref: refs/heads/.invalid\n"), 0o644))
	p.check(kept, "git show", "git log -p")
	p.git("add", "-f", ".env")
	p.check(lost, "git show", "git log -p")
}

// What the index has of a secret only by name is new in the working tree, and is
// printed; so is what an unchanged one lends to a copy.
func TestSecretsThatTheIndexOnlyNames(t *testing.T) {
	p := newProject(t)
	p.check(kept, "git diff", "git diff HEAD", "git log --oneline -- a.txt ; git diff")
	p.write("conf/.env", "KEY=x\n")
	p.git("add", "-fN", "conf/.env")
	p.check(lost, "git diff", "git diff HEAD", "git diff -R", "git diff-index -p HEAD", "git log -- a.txt ; git diff")
	for what, spoil := range map[string]func(p project){
		"a link": func(p project) { p.must(os.Symlink("x", p.dir+"/server.key")) },
		"a repository": func(p project) {
			p.must(os.Mkdir(p.dir+"/server.key", 0o755))
			p.git("-C", "server.key", "init", "-q")
			p.git("-C", "server.key", "-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "--allow-empty",
				"-m", "x")
		},
	} {
		p := newProject(t)
		spoil(p)
		p.git("add", "-f", "server.key")
		p.git("commit", "-qm", what)
		p.must(os.RemoveAll(p.dir + "/server.key"))
		p.check(kept, "git diff --stat", "git diff -- a.txt")
		p.write("server.key", "KEY\n")
		p.check(lost, "git diff", "git diff HEAD")
	}
	p.check(lost, "git show -C -C", "git diff --cached --find-copies-harder", "git log -p -1 -C -C",
		"cat .git/objects/*/*", "base64 .git/objects/00/11", "find .git/objects -type f | xargs cat", "tar cf - .git",
		"tar cf - .git | base64", "tail -c +3 .git/objects/aa/bb | gzip -dc", "cat .git/*/*/*")
	p.check(kept, "ls .git/objects", "du -sh .git", "find .git -name '*.pack'", "cat .git/HEAD", "wc -c .git/HEAD")
}

// Where .git is a file, in a linked working tree and a submodule, nothing is asked that
// would not be asked elsewhere, nor for settings that hold no login.
func TestNoPasswordsBesideGitsSettings(t *testing.T) {
	ordinary := []string{"grep -rn foo .", "rg foo", "git remote -v", "git config -l", "tar czf /tmp/x.tgz .",
		"git reflog", "git stash list", "find . -name '*.txt' | xargs cat", "git status", "git remote"}
	p := newProject(t)
	p.git("worktree", "add", "-q", "wt")
	p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", p.dir, "sub")
	p.git("commit", "-qm", "sub")
	p.check(kept, ordinary...)
	for _, tree := range []string{"wt", "sub"} {
		inner := p
		inner.dir += "/" + tree
		inner.check(kept, ordinary...)
	}
	p = newProject(t)
	p.git("config", "http.https://code.example/.extraheader", "")
	p.check(kept, ordinary...)
	p.git("config", "http.https://code.example/.extraheader", "Authorization: x")
	p.check(lost, "git config -l", "cat .git/config")
	for _, copied := range []string{".git/config~", ".git/config.bak", ".git/config.lock", "gd/config",
		"gd/logs/HEAD"} {
		p = newProject(t)
		p.write(copied, "url = https://dev:hunter2@code.example/x\n")
		p.check(lost, "cat "+copied, "grep -rn url "+copied, "cp "+copied+" x.txt", "git config -f "+copied+" -l")
	}
}
