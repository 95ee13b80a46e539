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
		"grep -r --exclude-from=a.txt --include='*.ts' KEY .", "grep -r --exclude '*.log' --include='*.py' KEY .",
		"grep -r --ignore-case --exclude='*.log' --include='*.py' KEY .",
		"grep -r -e --include --exclude='*.log' --include='*.py' -e KEY .",
		"grep -r --exclude=\"$X\" --include='*.py' KEY .", "grep -rI --exclude-dir='.*' KEY .", "grep -rI --exclude-dir=.env KEY", "grep -rI --exclude-dir={.git,.env} KEY .",
		"grep -rn --include=*.* --include='*.py' KEY .", "grep -rn --include=.e* --include='*.py' KEY .",
		"rg -uuu --glob=.e* --glob='*.py' KEY", "rg -uuu -g .e* -g '*.py' KEY",
		"grep -rn --include=\"$X\" --include='*.py' KEY .", "rg -uuu -t$X -tpy KEY", "fdfind -uu -e $X -e py -x cat")
	p.check(kept, "grep -r --include='*.py' --ignore-case --exclude='*.log' KEY .", "grep -r --include='*.py' --exclude-dir=.git KEY .",
		"grep -r --exclude-dir=.git --include='*.py' KEY .", "grep -r --exclude-dir=conf KEY .",
		"grep -r --exclude='.env*' KEY .", "rg -uuu --glob='*.py' KEY")
}

// To dash, and to all in the locale C, ? and [!a] are one byte of a name.
func TestGlobsOfBytes(t *testing.T) {
	p := newProject(t)
	p.check(kept, "rm a?txt", "rm ?????")
	p.write("t\u00e9", "mine\n")
	p.check(lost, "rm t??", "rm t[!0-9][!0-9]", "rm t?", "rm t*", "rm ???", "mv t?? src", "find . -name 't??' -delete")
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
		"git add -A && git diff --cached --name-only | xargs cat",
		"git add src && git commit -m x && git ls-files | xargs cat")
}

// What zsh would call the program by, and what a shell heeds besides, is no variable of
// the program's.
func TestVariablesOfTheShell(t *testing.T) {
	p := newProject(t)
	p.check(lost, "ARGV0=sh ls a.txt", "export ARGV0=sh; ls a.txt", "ARGV0=rm cat a.txt", "STTY=raw ls", "MallocLogFile=a.txt ls")
	p.check(kept, "X=1 ls a.txt")
}

// A word that nobody knows may be the one that ends what find runs.
func TestWordsThatEndACommandOfFind(t *testing.T) {
	p := newProject(t)
	p.check(lost, "find src -exec echo $(cat l) {} \\;", "find src -exec echo \"$(cat l)\" -exec rm {} \\;",
		"find src -exec echo \"$(cat l)\" \"$(cat m)\" a \\;", "find src -exec echo {} \"$(cat l)\" -execdir rm {} \\;",
		"X=$(cat l); find src -exec echo $X {} +")
	p.check(kept, "find src -exec echo \"$(cat l)\" {} \\;", "find src -exec echo a\"$(cat l)\" -exec rm {} \\;",
		"find src -exec echo * {} \\;", "find src -exec echo \"$(cat l)\" \\; -exec wc -l {} +")
	p.write(";", "")
	p.check(lost, "find src -exec echo * {} \\;", "find src -exec echo ? {} \\;")
	p.check(kept, "find src -exec echo *.txt {} \\;")
}

// A pattern that counts as a whole word or line leaves out less.
func TestNamesThatAreLeftOut(t *testing.T) {
	p := newProject(t)
	p.write("conf/prod_secret.pem", "KEY=1\n")
	p.check(lost, "find conf -type f | grep -vw secret | xargs cat", "find conf -type f | grep -vx secret | xargs cat",
		"find conf -type f | grep --invert-match --line-regexp secret | xargs cat",
		"find conf -type f | grep -vF 'secret\\.p' | xargs cat", "find conf -type f | grep -v 'secret.pe' | xargs cat")
	p.check(kept, "find conf -type f | grep -v secret | xargs cat", "find conf -type f | grep -v 'secret\\.p' | xargs cat",
		"find conf -type f | grep -vF t.p | xargs cat")
}

// A word that nobody knows may be any option, also one that only reads.
func TestWordsThatMayBeOptionsThatRead(t *testing.T) {
	p := newProject(t)
	p.write(".env", "KEY=1\n")
	p.write("l", "-re.\n")
	p.check(lost, "grep \"$(echo -re.)\"", "grep \"$(cat l)\" a.txt", "x=$(cat l); grep \"$x\"",
		"while read x; do grep \"$x\" a.txt; done < l", "xargs -I{} grep {} a.txt < l", "for x in $(cat l); do grep \"$x\"; done",
		"du $(cat l)", "xargs du < l", "findmnt $(echo -F.env)", "pmap $(echo -NCLAUDE.md)", "lspci $(echo -Q)",
		"last $(cat l)", "systemctl status $(cat l)", "git status $(cat l)", "git ls-files $(cat l)", "pgrep $(cat l)")
	p.check(kept, "grep -- \"$(cat l)\" a.txt", "grep -e \"$(cat l)\" a.txt", "basename \"$(cat l)\"", "ls | xargs ls",
		"git ls-files src | xargs du")
}

// What is left out is left out of what stands behind that, and a name never ends in a slash.
func TestExcludesOfTar(t *testing.T) {
	p := newProject(t)
	p.write("conf/.env", "KEY=1\n")
	p.write("src/.env", "KEY=2\n")
	p.check(lost, "tar -c conf --exclude=.env", "tar cf x.tar conf --exclude .env | cat", "tar cf x.tar -C conf . --exclude=.env",
		"tar cf - --exclude=.env/ conf", "diff -r -x .env/ conf src", "diff -r conf src -x '*.env/'")
	p.check(kept, "tar -c --exclude=.env conf", "diff -r -x .env conf src", "diff -r conf src -x .env",
		"grep -r --exclude-dir=conf/ --exclude-dir=src/ KEY .")
}

// What a command is started without, and what goes on when it has ended.
func TestWrappersThatChangeMore(t *testing.T) {
	p := newProject(t)
	p.check(lost, "env -i bash -c 'tool'", "env - bash -c 'ls; tool'", "env -u PATH bash -c 'tool a | head'", "env -u HOME sh -c 'cat ~/x'",
		"env -i sh -c 'cat ~/x'", "env -u HOME sh -c 'cat \"$HOME/x\"'", "env -u HOME sh -c 'cd; cat a.txt'", "env -u \"$X\" ls", "setsid -f sleep 9", "setsid ls", "nohup setsid sleep 9",
		"env -u HOME git status", "env -i git add a.txt", "env - git commit -m x", "env -i bash -c 'git add a.txt'")
	p.check(kept, "env -u X ls", "env -u EDITOR bash -c 'ls'", "nohup ls")
}

// The name of a file is code where a program takes its first operand for code.
func TestNamesOfFilesThatAreCode(t *testing.T) {
	p := newProject(t)
	p.write("BEGIN{system(\"id\")}", "")
	p.check(lost, "awk *", "awk -- *", "awk B* a.txt", "sed *", "sed -n * a.txt", "jq *", "ls | xargs awk", "awk $(ls)",
		"sed -e * a.txt", "yq *", "for f in *; do awk \"$f\" a.txt; done", "date *", "sqlite3 :memory: *")
	p.write("bash", "")
	p.check(lost, "env *", "nice *", "nice -n 5 *", "timeout 3 *", "nohup *", "stdbuf -o0 *", "env -i *", "env X=1 *",
		"timeout 3 env *", "busybox *", "taskset 1 *", "find . -exec awk * {} +", "find . -exec * \\;", "watch *", "sh -c *")
	p.check(kept, "awk 1 *.txt", "nice cat *.txt", "sed -n p *.txt", "grep * a.txt")
}

func TestSettingsThatSign(t *testing.T) {
	p := newProject(t)
	p.git("config", "tag.gpgSign", "true")
	p.check(lost, "git tag -a v9 -m x", "git tag v9 -m x")
	p.check(kept, "git status", "git log -1", "git commit -am x")
	p.git("config", "log.showSignature", "true")
	p.check(lost, "git log -1", "git show")
	p = newProject(t)
	p.must(os.MkdirAll(p.dir+"/.git/objects/info/commit-graphs", 0o755))
	p.write(".env", "KEY=1\n")
	p.check(kept, "git log -1", "git --help")
	p.must(os.Symlink("../../../../.env", p.dir+"/.git/objects/info/commit-graphs/commit-graph-chain"))
	p.check(lost, "git log -1")
	p = newProject(t)
	p.write(".git/objects/info/alternates", p.dir+"/src\n")
	p.check(lost, "git log -1", "git count-objects -v")
}

// What find is told of names in front of an action narrows what it hands over.
func TestExpressionsOfFind(t *testing.T) {
	p := newProject(t)
	p.write("conf/.env", "KEY=1\n")
	p.check(lost, "find conf -type f -exec cat {} \\; -name '*.go'", "find conf -type f -print -name '*.go' | xargs cat",
		"find conf ! \\( -exec cat {} \\; -name z \\)", "find conf -name '*.go' -o -exec cat {} +",
		"find conf -exec grep KEY {} +", "find conf -name '.e*' | xargs cat", "find conf ! -name '*.md' -exec cat {} +")
	p.check(kept, "find conf -name '*.md' -exec cat {} +", "find . -maxdepth 1 -type f -exec cat {} +",
		"find conf -name '*.md' -type f -exec cat {} \\;",
		"find conf -name '*.go' -exec cat {} + -o -name '*.md' -exec cat {} +",
		"find conf -path conf/x -prune -o -name '*.go' -print | xargs cat",
		"find conf \\( -path conf/x -o -name dist \\) -prune -o -name '*.go' -exec cat {} +",
		"find . -not -path './node_modules/*' \\( -name '*.ts' -o -name '*.go' \\) | xargs grep -n KEY")
}
