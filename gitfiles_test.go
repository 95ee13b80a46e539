package nod_test

import (
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// What git prints of its own files, and of those that settings name, is a secret
// where these lead to one.
func TestGitsOwnFilesThatAreLinks(t *testing.T) {
	link := func(p project, name string) { p.must(os.Symlink(p.dir+"/.env", p.dir+"/"+name)) }
	hard := func(p project, name string) { p.must(os.Link(p.dir+"/.env", p.dir+"/"+name)) }
	for name, row := range map[string]struct {
		make func(p project)
		line string
	}{
		"a list of a rebase":     {func(p project) { link(p, ".git/rebase-merge/git-rebase-todo") }, "git status"},
		"its second name":        {func(p project) { hard(p, ".git/rebase-merge/git-rebase-todo") }, "git status"},
		"bisect":                 {func(p project) { link(p, ".git/BISECT_START") }, "git status"},
		"sparse checkout":        {func(p project) { link(p, ".git/info/sparse-checkout") }, "git status"},
		"shallow":                {func(p project) { link(p, ".git/shallow") }, "git log"},
		"alternates":             {func(p project) { link(p, ".git/objects/info/alternates") }, "git log"},
		"packed refs":            {func(p project) { hard(p, ".git/packed-refs") }, "git branch"},
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
	p.git("config", "core.attributesFile", "a.txt")
	p.must(os.Symlink(p.dir+"/a.txt", p.dir+"/.git/description2"))
	p.check(kept, "git status", "git log -p")
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
	p.check(lost, "git branch -m a b", "git branch -c a b")
}

// A setting has git log follow a file to the name that it had, and an option has it
// leave out the paths that it is given.
func TestLogThatWidens(t *testing.T) {
	p := newProject(t)
	p.check(kept, "git log -p a.txt")
	p.check(lost, "git log --merge -p -- a.txt")
	p.git("config", "log.follow", "true")
	p.check(lost, "git log -p a.txt", "git log -p -- a.txt")
	p.check(kept, "git diff a.txt")
}

// What the settings of git start or take attributes from is guarded as hooks are.
func TestWhatGitsSettingsStart(t *testing.T) {
	p := newProject(t)
	for key, value := range map[string]string{"core.fsmonitor": "scripts/fs.sh", "core.pager": "scripts/pager.sh -x",
		"diff.x.textconv": "sh scripts/text.sh", "core.attributesFile": "conf/attrs",
		"gpg.program":      p.dir + "/scripts/gpg.sh",
		"init.templateDir": "conf/template", "credential.helper": "!./scripts/helper.sh"} {
		p.git("config", key, value)
		name, _, _ := strings.Cut(strings.TrimPrefix(value[strings.LastIndexAny(value, "!")+1:], "sh "), " ")
		name = strings.TrimPrefix(strings.TrimPrefix(name, p.dir+"/"), "./")
		if strings.HasPrefix(value, "conf/template") {
			name += "/hooks/pre-commit"
		}
		p.write(name, "x\n")
		p.check(lost, "echo x >> "+name)
	}
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
