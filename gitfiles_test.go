package nod_test

import "testing"

// A repository's settings that may start something make its git not plain; the listed
// harmless keys do not.
func TestSettingsThatAreNotHarmless(t *testing.T) {
	for key, value := range map[string]string{"core.fsmonitor": "./fs.sh", "core.pager": "sh x",
		"diff.external": "sh x", "filter.x.clean": "sh x", "include.path": "../team.gitconfig"} {
		p := newProject(t)
		p.check(kept, "git status", "git diff", "git log -1")
		p.git("config", key, value)
		p.check(lost, "git status", "git diff")
	}
	p := newProject(t)
	p.git("config", "core.sshCommand", "sh x")
	p.check(kept, "git status")
	p.check(lost, "git fetch", "git push")
	p = newProject(t)
	for key, value := range map[string]string{"user.name": "a", "color.ui": "auto",
		"remote.origin.url":  "https://x.example/y",
		"branch.main.remote": "origin", "core.autocrlf": "false", "pull.rebase": "true"} {
		p.git("config", key, value)
	}
	p.check(kept, "git status", "git diff", "git log -1")
}
