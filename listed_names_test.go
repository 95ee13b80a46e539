package nod_test

import (
	"os"
	"testing"
)

// Names mean what they say in the directory in which they were printed, of git often
// the top of the repository.
func TestListedNamesOfAnotherDirectory(t *testing.T) {
	p := newProject(t)
	p.write(".env", "SHOP_KEY=x\n")
	p.write("src/cfg", "plain\n")
	p.git("add", "src/cfg")
	p.git("commit", "-q", "-m", "cfg")
	p.write("a.txt", "changed\n")
	p.must(os.Symlink(".env", p.dir+"/cfg"))
	p.must(os.Symlink("../.env", p.dir+"/src/a.txt"))
	p.check(lost, "git -C src ls-files | xargs cat", "for f in $(git -C src ls-files); do cat \"$f\"; done",
		"fd --base-directory src | xargs cat", "cd src; ls | while read -r f; do (cd ..; cat \"$f\"); done",
		"cd src; ls | xargs env -C .. cat", "ls | xargs -I{} env -C src cat {}", "cd src && cd ..; ls | xargs cat")
	p.write("conf/.env", "SHOP_KEY=x\n")
	p.git("add", "-f", "conf/.env")
	p.git("rm", "-q", "-f", "--cached", "conf/.env")
	p.check(kept, "git ls-files src | xargs cat", "git diff --name-only | xargs cat", "git -C . ls-files | xargs cat",
		"cd src && git ls-files | xargs cat", "(cd src && find . -name cfg | xargs cat)")
}

// A new branch that follows another one is written into git's settings.
func TestBranchesThatFollow(t *testing.T) {
	p := newProject(t)
	p.check(lost, "git branch x origin/main", "git switch -c nb -t", "git checkout -b nb --track")
	p.check(kept, "git branch x HEAD@{1}", "git branch x HEAD~1", "git branch -d x")
	p.git("config", "branch.x.description", "why")
	p.check(lost, "git branch -d x")
}

// A diff prints a secret that was changed or staged; what is committed is the
// repository's to show.
func TestDiffsOfSecrets(t *testing.T) {
	p := newProject(t)
	p.write(".npmrc", "//registry.npmjs.org/:_authToken=npm_abcdefghijklmnopqrstuvwxyz0123456789\n")
	p.write("conf/.env", "KEY=1\n")
	p.git("add", "-f", ".npmrc", "conf")
	p.check(lost, "git diff --cached", "git diff HEAD", "git diff --staged -- .")
	p.git("commit", "-q", "-m", "token")
	p.check(kept, "git show", "git log -p", "git diff", "git diff HEAD", "git diff --cached", "git show --stat",
		"git show HEAD:conf/.env")
	p.write("conf/.env", "KEY=2\n")
	p.check(lost, "git diff", "git diff HEAD", "git diff -U0 .")
	p.check(kept, "git diff --stat", "git diff --name-only", "git diff --cached")
}

// A search among names does not look into directories, whoever stands in its place.
func TestNamesThatASearchPicks(t *testing.T) {
	p := newProject(t)
	p.write("keep/.env", "KEY=1\n")
	p.git("add", "-f", "keep/.env")
	p.git("commit", "-qm", "x")
	p.check(lost, "git ls-files | grep e | xargs cat", "git ls-files keep | grep e | xargs cat",
		"find . | grep e | xargs cat")
	p.check(kept, "git ls-files | grep txt | xargs cat")
}
