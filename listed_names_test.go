package nod_test

import (
	"os"
	"testing"
)

// Names that git prints of its history may be those of secrets that it has no more.
func TestListedNamesThatAreOld(t *testing.T) {
	p := withHistory(t)
	p.check(lost, "git diff --name-only HEAD~3 HEAD | xargs cat", "git diff --name-only HEAD~3 | xargs cat",
		"git diff --name-only HEAD~3..HEAD | xargs grep KEY", "cat $(git diff --name-only HEAD~3)",
		"for f in $(git diff --name-only HEAD~3); do cat \"$f\"; done",
		"git diff --name-only HEAD~3 | while read -r f; do cat \"$f\"; done",
		"git diff --name-only HEAD~3 -- . | head -1 | xargs cat", "git ls-files --with-tree=HEAD~2 | xargs cat")
	p.check(kept, "git ls-files | xargs cat", "git diff --name-only | xargs cat", "cat $(git ls-files)",
		"git diff --name-only HEAD~3 | xargs ls", "git diff --name-only HEAD~3 -- a.txt")
	p = newProject(t)
	p.write("b.txt", "b\n")
	p.git("add", "b.txt")
	p.git("commit", "-q", "-m", "b")
	p.write(".env", "SHOP_KEY=x\n")
	p.check(kept, "git diff --name-only HEAD~1 | xargs cat", "git diff --name-only HEAD~1..HEAD | xargs grep -n KEY",
		"git diff --cached --name-only | xargs cat")
	p.git("add", "-f", ".env")
	p.git("commit", "-q", "-m", "env")
	p.git("rm", "-q", "--cached", ".env")
	p.check(lost, "git diff --cached --name-only | xargs cat", "git diff --staged --name-only | xargs head")
}

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

// A file of settings with a token is a secret in what git has, too.
func TestLoginsThatAreTracked(t *testing.T) {
	p := newProject(t)
	p.write(".npmrc", "//registry.npmjs.org/:_authToken=npm_abcdefghijklmnopqrstuvwxyz0123456789\n")
	p.write("pkg/.yarnrc.yml", "nodeLinker: node-modules\n")
	p.git("add", "-f", ".npmrc", "pkg")
	p.check(lost, "git diff --cached", "git diff HEAD", "git diff-index -p HEAD", "git commit -v -m x")
	p.git("commit", "-q", "-m", "token")
	p.check(lost, "git show", "git log -p", "git diff-tree -p HEAD", "git show HEAD:.npmrc", "git archive HEAD")
	p.check(kept, "git diff", "git show --stat", "git log -p -- pkg", "git log --oneline")
	p.write(".npmrc", "save-exact=true\n")
	p.check(lost, "git diff", "git diff-files -p")
	p.git("commit", "-q", "-a", "-m", "plain")
	p.write("pkg/.yarnrc.yml", "nodeLinker: pnp\n")
	p.check(kept, "git diff", "git show --stat", "git log -p -- pkg")
	p.check(lost, "git show", "git log -p", "git diff HEAD~1")
}

// The value of key=value may be what a loop goes over.
func TestPairsOverGlobs(t *testing.T) {
	p := newProject(t)
	p.write("config/s.pem", "KEY\n")
	p.check(lost, `for f in config/*; do dd if="$f"; done`, `for f in */*; do dd if=$f status=none; done`,
		"dd if=config/s.pem", "echo 'cat a.txt' | fakeroot", "ts x .env")
	p.check(kept, "dd if=a.txt")
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

// A name that is spelled out and printed is taken apart by what reads it.
func TestPrintedNamesThatFallApart(t *testing.T) {
	p := newProject(t)
	p.write(".gitignore", ".env\n")
	p.write(".env", "KEY=1\n")
	p.must(os.Symlink(".env", p.dir+"/lnk"))
	p.write("lnk foo", "ok\n")
	p.write(`"lnk"`, "ok\n")
	p.write("a foo", "ok\n")
	p.git("add", ".")
	p.check(lost, "grep -l ok 'lnk foo' | xargs cat", "find 'lnk foo' -type f | xargs cat", "cat $(grep -l ok 'lnk foo')",
		"for f in $(grep -l ok 'lnk foo'); do cat $f; done", `grep -l ok '"lnk"' | xargs cat`)
	p.check(kept, "grep -l ok 'a foo' | xargs cat", "cat 'lnk foo'", "git ls-files src | xargs wc -l")
}
