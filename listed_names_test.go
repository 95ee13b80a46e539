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
	p.check(lost, "git -C src ls-files | xargs cat", "cat $(git -C src ls-files)",
		"for f in $(git -C src ls-files); do cat \"$f\"; done", "cd src && git diff --name-only | xargs cat",
		"cd src && git ls-files --full-name | xargs cat", "(cd src && find . -type f) | xargs cat",
		"(cd src && git ls-files) | xargs cat", "(cd src && ls) | xargs cat", "(cd src && rg --files) | xargs cat",
		"fd --base-directory src | xargs cat", "cat $(cd src && git ls-files)",
		"cd src; ls | while read -r f; do (cd ..; cat \"$f\"); done",
		"cd src; for f in $(ls); do (cd ..; cat \"$f\"); done",
		"for f in $(git ls-files); do (cd src; cat \"$f\"); done", "cd src; ls | xargs env -C .. cat",
		"ls | xargs -I{} env -C src cat {}", "git diff --name-only | while read -r f; do (cd src; cat \"$f\"); done",
		"cd nodir; ls | xargs cat", "cd nodir; find . -type f | xargs cat",
		"test -d nodir && cd nodir; find . -type f | xargs cat", "cd src && cd ..; ls | xargs cat",
		"if [ -f src/x ]; then cd src; fi; find . -type f | xargs grep -h KEY",
		"grep -q zzz a.txt && cd src; for f in $(find . -type f); do cat \"$f\"; done")
	p.write("conf/.env", "SHOP_KEY=x\n")
	p.git("add", "-f", "conf/.env")
	p.check(lost, "cd src; git ls-files .. | xargs cat", "cd src && git ls-files .. | xargs cat",
		"cd src && git ls-files :/ | xargs cat", "cd src && git ls-files ../conf | xargs cat")
	p.git("rm", "-q", "-f", "--cached", "conf/.env")
	p.check(kept, "git ls-files src | xargs cat", "git diff --name-only | xargs cat", "git -C . ls-files | xargs cat",
		"cd src && git ls-files | xargs cat", "(cd src && find . -name cfg | xargs cat)")
}

// A new branch that starts at what another one follows follows it too, which is written
// into git's settings.
func TestBranchesThatFollow(t *testing.T) {
	p := newProject(t)
	p.check(lost, "git branch x @{u}", "git branch x main@{upstream}", "git branch x '@{push}'", "git branch x HEAD@{U}",
		"git branch x origin/main", "git switch -c nb -t", "git checkout -b nb --track")
	p.check(kept, "git branch x", "git branch x HEAD@{1}", "git branch x HEAD~1", "git switch -c nb",
		"git checkout -b nb")
	p.must(os.WriteFile(p.home+"/.gitconfig", []byte("[branch]\n\tautoSetupMerge = always\n"), 0o644))
	p.check(lost, "git branch x", "git switch -c nb", "git checkout -b nb")
	p.check(kept, "git branch", "git branch -d x", "git branch --list")
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
	p.check(lost, "git diff --cached", "git diff HEAD", "git diff --staged -- .", "git show HEAD:conf/.env")
	p.git("commit", "-q", "-m", "token")
	p.check(kept, "git show", "git log -p", "git diff", "git diff HEAD", "git diff --cached", "git show --stat")
	p.check(lost, "git show HEAD:conf/.env")
	p.write("conf/.env", "KEY=2\n")
	p.check(lost, "git diff", "git diff HEAD", "git diff -U0 .")
	p.check(kept, "git diff --stat", "git diff --name-only", "git diff --cached")
}

// The value of key=value may be what a loop goes over.
func TestPairsOverGlobs(t *testing.T) {
	p := newProject(t)
	p.write("config/s.pem", "KEY\n")
	p.check(lost, `for f in config/*; do dd if="$f"; done`, `for f in */*; do dd if=$f status=none; done`,
		"dd if=config/s.pem", "echo 'cat a.txt' | fakeroot", "ts x .env")
	p.check(kept, `for f in src/*.txt; do dd if="$f" status=none; done`, "dd if=a.txt")
}

// A search among names does not look into directories, whoever stands in its place.
func TestNamesThatASearchPicks(t *testing.T) {
	p := newProject(t)
	p.write("keep/.env", "KEY=1\n")
	p.git("add", "-f", "keep/.env")
	p.git("commit", "-qm", "x")
	p.check(lost, "git ls-files | grep e | xargs cat", "git ls-files keep | grep e | xargs cat", "find . | grep e | xargs cat",
		"find keep -type f | grep -e k | xargs cat", "cat $(git ls-files | grep k)")
	p.check(kept, "git ls-files | grep txt | xargs cat")
}
