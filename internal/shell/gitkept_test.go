package shell

import (
	"strings"
	"testing"
)

// What the configuration says decides whether git keeps what it overwrites,
// where it fetches, and what else it starts.
func TestGitConfigurationDecides(t *testing.T) {
	const remote = "[remote \"origin\"]\n\turl = https://code.example/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
	for _, c := range []struct{ config, command, want string }{
		{remote, "git fetch", "fetch https://code.example/x.git declared; write .git kept"},
		{remote + "\tmirror = true\n", "git fetch", "fetch origin; write .git"},
		{strings.Replace(remote, "refs/remotes/origin", "refs/heads", 1), "git fetch",
			"fetch https://code.example/x.git declared; write .git"},
		{remote + "[url \"https://evil.example/\"]\n\tinsteadOf = https://code.example/\n", "git fetch",
			"fetch origin; write .git kept"},
		{remote + "[http]\n\tsslVerify = false\n", "git fetch", "fetch origin; write .git kept"},
		{remote + "[branch \"main\"]\n\tremote = https://evil.example/x\n", "git fetch",
			"fetch origin; write .git kept"},
		{remote + "[branch \"main\"]\n\tremote = origin\n", "git fetch",
			"fetch https://code.example/x.git declared; write .git kept"},
		{remote + "[branch \"main\"]\n\tpushRemote = git@evil.example:x\n", "git push -n", "fetch origin"},
		{remote + "[remote]\n\tpushDefault = /elsewhere\n", "git push -n", "fetch origin"},
		{remote + "[remote]\n\tpushDefault = origin\n", "git push -n", "fetch https://code.example/x.git declared"},
		{remote + "[gc]\n\trecentObjectsHook = ./x\n", "git commit -m x", "run ./x; write .git kept; unknown"},
		{remote + "[remote \"b\"]\n\turl = ../b\n", "git fetch", "fetch origin; write .git kept"},
		{remote + "[remote \"b\"]\n\turl = ../b\n", "git fetch origin",
			"fetch https://code.example/x.git declared; write .git kept"},
		{remote + "[remote \"b\"]\n\turl = ../b\n", "git fetch b", "fetch b; write .git kept"},
		{"[remote \"origin\"]\n\turl = ext::sh -c x\n", "git fetch",
			"fetch origin; run ext::sh -c x; write .git kept; unknown"},
		{"[remote \"origin\"]\n\turl = -oProxyCommand=x:y\n", "git fetch", "fetch origin; write .git kept"},
		{"[remote \"origin\"]\n\turl = file:///x\n", "git fetch", "fetch origin; write .git kept"},
		{"[remote \"origin\"]\n\turl = https://u:p@code.example/x\n", "git fetch", "fetch origin; write .git kept"},
		{"[remote \"origin\"]\n\turl = ssh://git@code.example:22/x\n", "git ls-remote",
			"fetch ssh://git@code.example:22/x declared"},
		{"", "git fetch", "fetch origin; write .git kept"},
		{"[core]\n\tlogAllRefUpdates = false\n", "git reset --soft HEAD~1", "write .git"},
		{"[core]\n\tworktree = /home/u\n", "git checkout main", "unknown; write .; write .git"},
		{"[core]\n\tworktree = /home/u\n", "git diff", "unknown"},
		{"[core]\n\tworktree = ..\n", "git diff", "nothing"},
		{"[stash]\n\tshowPatch\n", "git stash show", "unknown"},
		{"[stash]\n\tshowIncludeUntracked = true\n", "git stash list", "nothing"},
		{"[submodule]\n\trecurse = true\n", "git grep x", "read . tree; unknown"},
		{"\ufeff[core]\n\tfsmonitor = tools/x\n", "git status", "run tools/x; unknown"},
		{"[core]\n# a \\\nfsmonitor = tools/x\n", "git status", "run tools/x; unknown"},
		{"[a][core] fsmonitor = tools/x\n", "git status", "run tools/x; unknown"},
		{"[core]\nfsmonitor = \\\ntools/x\n", "git status", "run tools/x; unknown"},
		{"[gc]\n\treflogExpire = now\n", "git commit -m x", "write .git"},
		{"[core]\n\thooksPath = %(prefix)/x\n", "git commit -m x", "run hooks; write .git kept"},
		{"[core]\n\thooksPath = tools\n", "git commit -m x", "write .git kept"},
		{"[core]\n\thooksPath = tools\n", "git checkout main", "run hooks; write .; write .git kept"},
		{"[core]\n\thooksPath = tools\n", "git merge x && git commit -m x",
			"run hooks; write .; write .git kept; unknown"},
		{"[core]\n\thooksPath = tools\n", "cp a tools/pre-commit; git commit -m x",
			"read a; run hooks; run pre-commit; write .git kept; write tools/pre-commit; unknown"},
		{"[hook \"x\"]\n\tevent = pre-commit\n\tcommand = ./x\n", "git commit -m x",
			"run ./x; write .git kept; unknown"},
		{"[core]\n\tname = \"]\"\n[core] fsmonitor = \"./x ]\"\n", "git status", "run \"./x ]\"; unknown"},
		{"[format]\n\tsignatureFile = .env\n", "git format-patch -1 --stdout", "run .env; unknown"},
		{"[core]\n\tfsmonitor = ./x\n", "go list ./...", "fetch proxy.golang.org declared; run ./x; unknown"},
		{"[merge \"m\"]\n\tdriver = ./x\n", "git stash pop", "run ./x; write .; write .git kept; unknown"},
		{"[merge \"m\"]\n\tdriver = ./x\n", "git stash list", "nothing"},
		{remote + "[fetch]\n\tbundleURI = https://evil.example/x\n", "git fetch", "fetch origin; write .git kept"},
		{remote + "\tpromisor = true\n", "git log -p", "nothing"},
		{remote + "\tpromisor = true\n\tuploadpack = ./x\n", "git log -p", "unknown"},
		{remote + "\tpromisor = true\n[core]\n\tsshCommand = ./x\n", "git status", "unknown"},
		{strings.Replace(remote, "https://", "ext::", 1) + "\tpromisor = true\n", "git diff", "unknown"},
		{"[extensions]\n\tpartialClone = o\n[remote \"o\"]\n\turl = ../x\n", "git show HEAD", "unknown"},
		{"[filter \"f\"]\n\tclean = ./x\n", "git add a", "read a; run ./x; write .git kept; unknown"},
		{"[commit]\n\tgpgSign = true\n", "git commit -m x", "run true; unknown; write .git kept"},
		{"[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = ./x\n", "git commit -m x",
			"run ./x; run true; write .git kept; unknown"},
	} {
		if got := sorted(brief(Analyze(c.command, testEnv(gitWorld(c.config))))); got != sorted(c.want) {
			t.Errorf("%s\n%swant %s\ngot  %s", c.command, c.config, sorted(c.want), got)
		}
	}
}

// A line that ran elsewhere says nothing about what is kept here.
func TestNothingIsKeptElsewhere(t *testing.T) {
	for _, command := range []string{"ssh host git commit -m x", "docker exec c git fetch", "ssh host gh pr list"} {
		for _, e := range Analyze(command, testEnv(world())).Effects {
			if e.Kept || e.Declared != "" {
				t.Errorf("%s: %+v", command, e)
			}
		}
	}
}
