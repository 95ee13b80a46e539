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
