package nod_test

import (
	"os"
	"testing"
)

// A pattern of an ignore file that nod does not read leaves nothing out.
func TestIgnorePatterns(t *testing.T) {
	for pattern, takes := range map[string]bool{
		"*.py[cod]": true, `\#x`: true, "a/**/b": true, "[!a]*": true, "/**": false, "[.]env": false, "**/.env": false,
		"*.log": true, ".en[v]": false, ".e[a-z]v": false, ".e[!a]v": true, "conf/**": true, "!*.txt": true,
		".env\n!.e[!a]v": true, "/.env": false, ".env/": true, "**": false, "a/**\n.env": false, `\.env`: true,
	} {
		p := newProject(t)
		p.write(".gitignore", pattern+"\n")
		p.write(".env", "KEY=1\n")
		want := kept
		if takes {
			want = lost
		}
		p.check(want, "git add .; git diff --staged", "git add -N . && git diff")
	}
}

// What a search leaves out by one option another brings back, or does not mean.
func TestOptionsThatNarrowASearch(t *testing.T) {
	p := newProject(t)
	p.write("conf/.env", "KEY=1\n")
	p.check(lost, "grep -r --exclude='*.log' --include='*.py' KEY .",
		"grep -r --exclude-dir=.git --exclude='*.lock' --include='*.ts' KEY .",
		"grep -r --exclude-from=a.txt --include='*.ts' KEY .", "grep -rn --include=.e* --include='*.py' KEY .",
		"rg -uuu --glob=.e* --glob='*.py' KEY", "rg -uuu -g .e* -g '*.py' KEY", "rg -uuu -t$X -tpy KEY",
		"fdfind -uu -e $X -e py -x cat")
	p.check(kept, "grep -r --include='*.py' --ignore-case --exclude='*.log' KEY .", "grep -r --include='*.py' --exclude-dir=.git KEY .",
		"grep -r --exclude-dir=.git --include='*.py' KEY .", "grep -r --exclude-dir=conf KEY .",
		"grep -r --exclude='.env*' KEY .", "rg -uuu --glob='*.py' KEY")
}

// To dash, and to all in the locale C, ? and [!a] are one byte of a name.
func TestGlobsOfBytes(t *testing.T) {
	p := newProject(t)
	p.check(kept, "rm a?txt", "rm ?????")
	p.write("t\u00e9", "mine\n")
	p.check(lost, "rm t??", "rm t[!0-9][!0-9]", "rm t?", "find . -name 't??' -delete")
	p.check(kept, "rm a????")
}

// What the line puts into git's index is listed behind that.
func TestListsOfWhatTheLineAdds(t *testing.T) {
	p := newProject(t)
	p.write(".gitignore", ".env\n")
	p.write(".env", "KEY=1\n")
	p.check(kept, "git ls-files | xargs cat", "git ls-files '*.txt' | xargs cat")
	p.check(kept, "git add -A && git ls-files | xargs cat", "git add -A && git grep KEY")
	p.must(os.Symlink("../.env", p.dir+"/src/lk.py"))
	p.check(lost, "git add -A && git ls-files '*.py' | xargs cat", "git add -A && cat $(git ls-files src)",
		"git add -A && for f in $(git ls-files src); do cat $f; done",
		"git add -A && git diff --cached --name-only | xargs cat")
}

// A pattern that counts as a whole word or line leaves out less.
func TestNamesThatAreLeftOut(t *testing.T) {
	p := newProject(t)
	p.write("conf/prod_secret.pem", "KEY=1\n")
	p.check(lost, "find conf -type f | grep -vw secret | xargs cat",
		"find conf -type f | grep -vx secret | xargs cat",
		"find conf -type f | grep --invert-match --line-regexp secret | xargs cat")
	p.check(kept, "find conf -type f | grep -v secret | xargs cat", "find conf -type f | grep -v 'secret\\.p' | xargs cat",
		"find conf -type f | grep -vF t.p | xargs cat")
}

// A word that nobody knows may be any option, also one that only reads.
func TestWordsThatMayBeOptionsThatRead(t *testing.T) {
	p := newProject(t)
	p.write(".env", "KEY=1\n")
	p.write("l", "-re.\n")
	p.check(lost, "grep \"$(echo -re.)\"", "while read x; do grep \"$x\" a.txt; done < l", "findmnt $(echo -F.env)",
		"systemctl status $(cat l)", "git status $(cat l)", "git ls-files $(cat l)")
	p.check(kept, "grep -- \"$(cat l)\" a.txt", "grep -e \"$(cat l)\" a.txt", "basename \"$(cat l)\"",
		"ls | xargs ls", "git ls-files src | xargs du")
}

// What is left out is left out of what stands behind that, and a name never ends in a slash.
func TestExcludesOfTar(t *testing.T) {
	p := newProject(t)
	p.write("conf/.env", "KEY=1\n")
	p.write("src/.env", "KEY=2\n")
	p.check(lost, "tar cf - --exclude=.env/ conf", "diff -r -x .env/ conf src", "diff -r conf src -x '*.env/'")
	p.check(kept, "tar -c --exclude=.env conf", "diff -r -x .env conf src", "diff -r conf src -x .env",
		"grep -r --exclude-dir=conf/ --exclude-dir=src/ KEY .")
}

// What a command is started without, and what goes on when it has ended.
func TestWrappersThatChangeMore(t *testing.T) {
	p := newProject(t)
	p.check(lost, "env -i bash -c 'tool'", "env - bash -c 'ls; tool'", "env -u PATH bash -c 'tool a | head'",
		"env -u HOME sh -c 'cat ~/x'", "env -i sh -c 'cat ~/x'", "env -u \"$X\" ls", "setsid -f sleep 9")
	p.check(kept, "nohup ls")
}

// The name of a file is code where a program takes its first operand for code.
func TestNamesOfFilesThatAreCode(t *testing.T) {
	p := newProject(t)
	p.write("BEGIN{system(\"id\")}", "")
	p.check(lost, "awk *", "awk B* a.txt", "ls | xargs awk", "awk $(ls)", "for f in *; do awk \"$f\" a.txt; done")
	p.write("bash", "")
	p.check(lost, "env -i *", "env X=1 *", "busybox *", "find . -exec * \\;")
	p.check(kept, "awk 1 *.txt", "nice cat *.txt", "sed -n p *.txt", "grep * a.txt")
}

// What find is told of names in front of an action narrows what it hands over.
func TestExpressionsOfFind(t *testing.T) {
	p := newProject(t)
	p.write("conf/.env", "KEY=1\n")
	p.check(lost, "find conf -type f -exec cat {} \\; -name '*.go'",
		"find conf -type f -print -name '*.go' | xargs cat", "find conf ! \\( -exec cat {} \\; -name z \\)",
		"find conf -name '.e*' | xargs cat")
	p.check(kept, "find conf -name '*.md' -exec cat {} +", "find . -maxdepth 1 -type f -exec cat {} +",
		"find conf -name '*.md' -type f -exec cat {} \\;",
		"find conf -name '*.go' -exec cat {} + -o -name '*.md' -exec cat {} +",
		"find conf -path conf/x -prune -o -name '*.go' -print | xargs cat",
		"find conf \\( -path conf/x -o -name dist \\) -prune -o -name '*.go' -exec cat {} +",
		"find . -not -path './node_modules/*' \\( -name '*.ts' -o -name '*.go' \\) | xargs grep -n KEY")
}
