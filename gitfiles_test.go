package nod_test

import "testing"

// A repository's settings that may start something make its git not plain; the listed
// harmless keys do not.
func TestSettingsThatAreNotHarmless(t *testing.T) {
	for key, value := range map[string]string{"core.fsmonitor": "./fs.sh", "diff.external": "sh x",
		"filter.x.clean": "sh x"} {
		p := newProject(t)
		p.check(kept, "git status", "git diff", "git log -1")
		p.git("config", key, value)
		p.check(lost, "git status", "git diff")
	}
	p := newProject(t)
	for key, value := range map[string]string{"user.name": "a", "color.ui": "auto",
		"remote.origin.url":  "https://x.example/y",
		"branch.main.remote": "origin", "core.autocrlf": "false", "pull.rebase": "true"} {
		p.git("config", key, value)
	}
	p.check(kept, "git status", "git diff", "git log -1")
}
