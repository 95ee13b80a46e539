package shell

import (
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/view"
)

func gitWorld(config string) *view.Memory {
	m := world()
	return m.File(testRepo+"/.git/config", config, 0o644)
}

// A repository's settings are on the list of what starts nothing, or git is not plain.
func TestGitSettings(t *testing.T) {
	for config, plain := range map[string]bool{
		"[core]\n\tbare = false\n": true, "[core]\n\tfsmonitor = true\n": true,
		"[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n": true, "[core]\n\tworktree = ..\n": true,
		"[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n": true, "[http]\n\tsslVerify = false\n": true,
		"[core]\n\tfsmonitor = ./x\n": false, "[core] fsmonitor = id": false, "[CORE]\n\tFsMonitor=id\n": false,
		"[core]\n\tpager = id\n": false, "[include]\n\tpath = ../x\n": false, "[diff \"x\"]\n\ttextconv = id\n": false,
		"[includeIf \"gitdir:/\"]\n\tpath = ../x\n": false, "[filter \"x\"]\n\tclean = id\n": false,
		"\ufeff[core]\n\tfsmonitor = tools/x\n": false, "[core]\nfsmonitor = \\\ntools/x\n": false,
		"[a][core] fsmonitor = tools/x\n": false, "[core]\n# a \\\nfsmonitor = tools/x\n": false,
		"[core]\n\tname = \"]\"\n[core] fsmonitor = \"./x ]\"\n": false, "[core]\n\tworktree = /home/u\n": false,
		"[core]\n\tlogAllRefUpdates = false\n": false, "[remote \"o\"]\n\tpromisor = true\n": false,
		"[remote \"o\"]\n\turl = ext::id\n": false, "[remote \"o\"]\n\tfetch = +refs/heads/*:refs/heads/*\n": false,
		"[branch \"main\"]\n\tremote = https://evil.example/x\n": false, "[gc]\n\treflogExpire = now\n": false,
		"[hook \"x\"]\n\tevent = pre-commit\n\tcommand = ./x\n": false, "[stash]\n\tshowPatch\n": false,
	} {
		for _, command := range []string{"git status", "git log -p", "git stash list", "go list ./..."} {
			if r := Analyze(command, testEnv(gitWorld(config))); (len(r.Unknowns) == 0) != plain {
				t.Errorf("%q, %s: plain is %v: %s %+v", config, command, !plain, brief(r), r.Unknowns)
			}
		}
	}
	person := world().File(testHome+"/.gitconfig", "[diff]\n\texternal = x\n[core]\n\tpager = delta\n", 0o644)
	facts(t, testEnv(person), []string{"git log", "nothing"})
}

// What the settings say decides where git fetches, and which hooks it starts.
func TestGitConfigurationDecides(t *testing.T) {
	const remote = "[remote \"origin\"]\n\turl = https://code.example/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
	const hooks, second = "[core]\n\thooksPath = tools\n", "[remote \"b\"]\n\turl = ../b\n"
	for _, c := range []struct{ config, command, want string }{
		{remote, "git fetch", "fetch https://code.example/x.git declared; write .git kept"},
		{remote + "[url \"https://evil.example/\"]\n\tinsteadOf = https://code.example/\n", "git fetch",
			"fetch a remote; write .git kept"},
		{remote + second, "git fetch", "fetch a remote; write .git kept"},
		{remote + second, "git fetch origin", "fetch https://code.example/x.git declared; write .git kept"},
		{remote + second, "git fetch b", "fetch a remote; write .git kept"},
		{"[remote \"origin\"]\n\turl = -oProxyCommand=x:y\n", "git fetch", "fetch a remote; write .git kept"},
		{"[remote \"origin\"]\n\turl = https://u:p@code.example/x\n", "git fetch", "fetch a remote; write .git kept"},
		{"", "git fetch", "fetch a remote; write .git kept"},
		{hooks, "git commit -m x", "run hooks; write .git kept"},
		{hooks, "git log", "nothing"},
	} {
		facts(t, testEnv(gitWorld(c.config)), []string{c.command, c.want})
	}
}

func TestGitElsewhere(t *testing.T) {
	m := world()
	m.File(testRepo+"/sub/HEAD", "", 0o644).Dir(testRepo+"/sub/objects", 0o755).Dir(testRepo+"/sub/refs", 0o755)
	m.File(testRepo+"/.git/hooks/post-index-change", "#!/usr/bin/python3\n", 0o755)
	m.File(testRepo+"/.git/hooks/pre-commit", "#!/usr/bin/python3\n", 0o755)
	m.File(testRepo+"/.git/hooks/pre-push", "", 0o644)
	m.File(testHome+"/.gitconfig", "[core]\n\tpager = delta\n[alias]\n\tst = status\n", 0o644)
	facts(t, testEnv(m), []string{
		"git -C sub log", "unknown",
		"cd sub && git status", "unknown",
		"git log", "nothing",
		"git status", "run .git/hooks/post-index-change",
		"git st", "run .git/hooks/post-index-change; unknown",
		"git commit -m x", "write .git kept; run .git/hooks/post-index-change; run .git/hooks/pre-commit",
		"git push", "remote origin",
		"cd \"$X\" && git log", "unknown",
		"git --git-dir=/tmp/x log", "unknown",
		"mkdir x && cd x && git log", "write x",
	})
}

func TestGitSecretSettings(t *testing.T) {
	printing := []string{
		"git config --list", "git config -l", "git config -lz", "git config list", "git config --get-regexp x",
		"git config --get remote.origin.url",
		"git config get remote.origin.url", "git config remote.origin.url", "git config --get-urlmatch http x",
		"git var -l", "git remote -v", "git remote --verbose",
		"git remote get-url origin", "git remote show -n origin", "git ls-remote --get-url",
		"git config --default user.name http.extraheader", "git -C src remote -v",
	}
	quiet := []string{"git config user.name", "git config --get user.email", "git config get user.name",
		"git status", "git log -1"}
	for config, secret := range map[string]bool{
		"[http]\n\textraheader = AUTHORIZATION: basic x\n":                                   true,
		"[http \"https://github.com/\"]\n\textraHeader = x\n":                                true,
		"[remote \"origin\"]\n\turl = https://u:p@x.y/z\n":                                   true,
		"[remote \"origin\"]\n\turl = https://ghp_0123456789abcdefghij@x.y/z\n":              true,
		"[url \"https://oauth2:t@x.y/\"]\n\tinsteadOf = https://x.y/\n":                      true,
		"[remote \"origin\"]\n\turl = https://x.y/z@v:1\n":                                   false,
		"[remote \"origin\"]\n\turl = ssh://git@x.y:22/z\n[branch \"a\"]\n\tmerge = a:b@c\n": false,
		"[remote \"origin\"]\n\turl = git@x.y:z\n":                                           false,
	} {
		env := testEnv(gitWorld(config))
		for _, command := range printing {
			if got := strings.Contains(brief(Analyze(command, env)), "secret git settings"); got != secret {
				t.Errorf("%s with %q: secret %v", command, config, got)
			}
		}
		for _, command := range quiet {
			if got := brief(Analyze(command, env)); strings.Contains(got, "secret") || strings.Contains(got,
				"unknown") {
				t.Errorf("%s with %q: %s", command, config, got)
			}
		}
	}
	m := world().File(testHome+"/.gitconfig", "[http]\n\textraheader = x\n", 0o644)
	facts(t, testEnv(m), []string{"git config -l", "secret git settings"})
}
