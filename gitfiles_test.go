package nod_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// What the settings of git start or take attributes from is guarded as hooks are.
func TestWhatGitsSettingsStart(t *testing.T) {
	p := newProject(t)
	for key, value := range map[string]string{"core.fsmonitor": "scripts/fs.sh", "core.pager": "scripts/pager.sh -x",
		"diff.x.textconv": "sh scripts/text.sh", "core.attributesFile": "conf/attrs",
		"gpg.program": p.dir + "/scripts/gpg.sh",
		"pager.log":   "scripts/log.sh", "core.editor": "'scripts'/ed.sh", "remote.x.uploadpack": "scripts/up.sh",
		"init.templateDir": "conf/template", "credential.helper": "!./scripts/helper.sh"} {
		p.git("config", key, value)
		name, _, _ := strings.Cut(strings.TrimPrefix(value[strings.LastIndexAny(value, "!")+1:], "sh "), " ")
		name = strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(name, p.dir+"/"), "./"), "'", "")
		if strings.HasPrefix(value, "conf/template") {
			name += "/hooks/pre-commit"
		}
		p.check(lost, "echo x > "+name) // not there yet
		p.write(name, "x\n")
		p.check(lost, "echo x >> "+name)
	}
	for i, text := range []string{"[core]\n\tfsmonitor = too\\\nls/%d.sh\n", "[core]\n\tpager = tools/%d.sh#c\n",
		"[core]\n\teditor = \"tools/%d.sh\\t\"\n", "[filter \"x\"]\n\tclean = \"$PWD/tools/%d.sh\"\n",
		"[filter \"x\"]\n\tsmudge = $(git rev-parse --show-toplevel)/tools/%d.sh\n",
		"[core]\n\thooksPath = \"too\"\"ls/%d.sh\"\n", "[include]\n\tpath = \"../to\"\"ols/%d.sh\"\n",
		"[difftool \"a\"]\n\tpath = tools/%d.sh\n", "[remote \"o\"]\n\turl = ext::tools/%d.sh\n",
		"[sendemail]\n\tccCmd = tools/%d.sh\n"} {
		p.write(".git/config", "[core]\n\tbare = false\n"+fmt.Sprintf(text, i))
		p.check(lost, fmt.Sprintf("echo x > tools/%d.sh", i))
		p.check(kept, fmt.Sprintf("echo x > tools/%d.txt", i))
	}
	for _, own := range []string{"/proc/self/cwd/own/h", "/proc/self/root" + p.dir + "/own/h"} {
		p.write(".git/config", "[core]\n\thooksPath = "+own+"\n")
		p.check(lost, "echo x > own/h/pre-commit", "mkdir -p own && ln -s ../scripts own/h")
	}
	p.must(os.MkdirAll(p.dir+"/pg", 0o755))
	for setting, file := range map[string]string{"editor = awk -fconf/p.awk": "conf/p.awk",
		"pager = python3 pg": "pg/__main__.py", "editor = node tools/ed": "tools/ed.js",
		"pager = cd pg && ./less": "pg/less", "pager = PATH=pg:$PATH pgr": "pg/pgr", "editor = node pg": "pg/index.js",
		"hooksPath = %(prefix)/.." + p.dir + "/hk": "hk/pre-commit", "editor = python3 -m pg.tc": "pg/tc.py",
		"pager = node srv": "srv.js"} {
		p.write(".git/config", "[core]\n\t"+setting+"\n")
		p.check(lost, "echo x > "+file)
		p.check(kept, "echo x > pg/other.txt")
	}
	p.write(".git/config", "[diff \"x\"]\n\ttextconv = node srv\n")
	p.write("pg/index.js", "x\n")
	p.check(lost, "mv pg srv", "ln -s pg srv")
	p.write(".git/config", "[core]\n\thooksPath = /proc/self/cwd\n")
	p.check(lost, "echo x > pre-commit")
	p.write(".git/config", "[core]\n\thooksPath = own/h\n")
	p.git("worktree", "add", "-q", "wt")
	p.git("init", "-q", "inner")
	p.write("inner/.git/config", "[core]\n\thooksPath = deep/h\n")
	p.check(lost, "echo x > wt/own/h/pre-commit", "ln -s ../scripts wt/own", "echo x > inner/deep/h/pre-commit")
	p.check(kept, "echo x > deep/h/pre-commit", "echo x > inner/other/pre-commit")
	p.write("scripts/other.sh", "x\n")
	p.git("config", "branch.main.remote", "scripts")
	p.check(kept, "echo x >> scripts/other.sh")
}

// An object whose file was damaged brings nothing back.
func TestDamagedObjects(t *testing.T) {
	p := newProject(t)
	p.check(kept, "rm a.txt")
	id := strings.TrimSpace(p.git("rev-parse", ":a.txt"))
	file := p.dir + "/.git/objects/" + id[:2] + "/" + id[2:]
	data, err := os.ReadFile(file)
	p.must(err)
	p.must(os.Remove(file))
	p.must(os.WriteFile(file, data[:len(data)-3], 0o644))
	p.check(lost, "rm a.txt", "echo x > a.txt")
	p.must(os.WriteFile(file, []byte("garbage"), 0o644))
	p.check(lost, "rm a.txt")
}

// A number of commits is counted over those that touch what is asked for.
func TestCommitsThatDoNotCount(t *testing.T) {
	p := newProject(t)
	p.write("conf/.env", "KEY=1\n")
	p.git("add", "-f", "conf")
	p.git("commit", "-qm", "secret")
	for range 3 {
		p.git("commit", "-q", "--allow-empty", "-m", "empty")
	}
	p.git("tag", "-a", "-m", "m", "t")
	p.write("src/c.txt", "new\n")
	p.git("commit", "-qam", "last")
	p.check(lost, "git show -1 t -- .", "git show -n1 t -- '*'", "git show --max-count=1 t -- conf",
		"git show -1 HEAD~1 -- ':!src'", "git log -p -1 -- ':(exclude)src/c.txt'", "git log -p -1 HEAD~1 -- ':!src'",
		"git whatchanged -p -2")
	p.check(kept, "git log -p -1", "git show", "git show --stat", "git log -p -1 -- src/c.txt")
}

// A tracked file may be a secret's second name, and a link may lie where git has a
// directory.
// git grep reads the index where it is told to.
func TestSearchesOfTheIndex(t *testing.T) {
	p := withSecret(t)
	p.git("add", "-f", ".env")
	p.git("commit", "-qm", "env")
	p.must(os.Remove(p.dir + "/.env"))
	p.check(lost, "git grep --cached KEY", "git grep KEY", "git grep -n 'K.Y'")
	p.check(kept, "git grep --cached vat", "git grep vat", "git grep -l KEY")
}

func TestTrackedNamesThatLeadToSecrets(t *testing.T) {
	p := withSecret(t)
	p.write("d/work_key", "x\n")
	p.git("add", "d")
	p.git("commit", "-qm", "d")
	p.check(kept, "git diff", "git grep vat", "git ls-files | xargs cat", "git commit --dry-run -av")
	p.write(p.home+"/.ssh/work_key", "KEY\n")
	p.must(os.RemoveAll(p.dir + "/d"))
	p.must(os.Symlink(p.home+"/.ssh", p.dir+"/d"))
	p.check(lost, "git grep KEY", "git grep -n 'K.Y'", "git ls-files | xargs cat")
	p.must(os.Remove(p.dir + "/d"))
	p.must(os.Remove(p.dir + "/a.txt"))
	p.must(os.Link(p.dir+"/.env", p.dir+"/a.txt"))
	p.check(lost, "git diff", "git diff HEAD", "git diff-index -p HEAD", "git status -vv", "git commit --dry-run -av")
}

// An index with directories in it does not say what lies in them.
func TestSparseIndex(t *testing.T) {
	p := newProject(t)
	p.write("deep/in/.env", "KEY=1\n")
	p.write("deep/in/x", "x\n")
	p.git("add", "-f", "deep")
	p.git("commit", "-qm", "deep")
	p.git("sparse-checkout", "set", "--cone", "--sparse-index")
	p.check(lost, "git grep --cached KEY", "git diff --cached", "git diff")
	p.check(kept, "git log --oneline", "git branch")
	p.check(lost, "git commit -am x", "git add -u", "git commit -m x")
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

// Commits that no branch leads to are shown by walks of the reflog, and by --all where
// another working tree stands on them.
func TestCommitsThatNoBranchLeadsTo(t *testing.T) {
	p := newProject(t)
	p.check(kept, "git log -g --oneline", "git reflog", "git log -p --all")
	p.write("new/.env", "KEY\n")
	p.git("add", "-f", "new")
	p.git("commit", "-qm", "by mistake")
	p.git("branch", "gone")
	p.git("reset", "-q", "--hard", "HEAD~1")
	p.check(kept, "git log -g --oneline", "git reflog", "git log -g --stat")
	p.check(lost, "git log -p -g", "git log -g -p -2", "git log --walk-reflogs -p", "git reflog -p",
		"git reflog show -p",
		"git log --reflog -p", "git show --reflog", "git rev-list --reflog | git diff-tree --stdin -p",
		"git log -g -U1")
	p.git("worktree", "add", "-q", "--detach", p.home+"/wt", "gone")
	p.git("branch", "-qD", "gone")
	p.check(lost, "git log -p --all", "git log -p worktrees/wt/HEAD", "git show worktrees/wt/HEAD")
}
