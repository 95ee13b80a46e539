package nod_test

import "testing"

// A key of the repository's settings that is not among the harmless ones may have git
// read another file or start a program.
func TestSettingsOfTheRepository(t *testing.T) {
	for key, row := range map[string]struct{ value, line string }{
		"core.attributesFile":  {".env", "git diff"},
		"core.excludesFile":    {".env", "git status"},
		"mailmap.file":         {".env", "git log"},
		"mailmap.blob":         {"HEAD:x", "git log"},
		"blame.ignoreRevsFile": {".env", "git blame a.txt"},
		"tag.gpgSign":          {"true", "git tag -a v9 -m x"},
		"alias.status":         {"!./evil", "git status"},
		"remote.origin.url":    {"ext::sh -c x", "git fetch"},
		"pretty.x":             {"%G?", "git log --pretty=x"},
	} {
		p := withSecret(t)
		if key != "remote.origin.url" && key != "pretty.x" {
			p.check(kept, row.line)
		}
		p.git("config", key, row.value)
		p.check(lost, row.line)
	}
	p := withSecret(t)
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
