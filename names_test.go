package nod_test

import (
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// A directory whose name has the signs of a pattern is no pattern: Next.js calls
// directories app/[slug].
func TestDirectoriesThatLookLikePatterns(t *testing.T) {
	p := withSecret(t)
	for _, dir := range []string{"app/[slug]", "app/[slug]/q", "app/[[id]]", `app/a\b`, "app/[a-z]", "app/[...all]"} {
		p.write(dir+"/key.pem", "KEY\n")
		p.write(dir+"/plain.txt", "x\n")
		p.write(dir+"/mine.dat", "mine\n")
		p.must(os.Symlink(p.dir+"/.env", p.dir+"/"+dir+"/n.txt"))
	}
	p.write("app/s/plain.txt", "x\n") // what the name matches as a pattern
	p.write("app/s/mine.dat", "x\n")
	p.git("add", "app/s")
	p.git("commit", "-qm", "s")
	ask := func(dir, line string) nod.Decision { return p.decideIn(p.dir, p.dir+"/"+dir, line) }
	for _, dir := range []string{"app/[slug]", "app/[slug]/q", "app/[[id]]", `app/a\b`, "app/[a-z]", "app/[...all]"} {
		for _, line := range []string{"cat *", "cat n*", "cat k*", "grep KEY *", "head -1 *.pem", "rm *.dat",
			"rm -rf m*",
			"truncate -s 0 m*", "sed -i s/mine/x/ *.dat"} {
			if d := ask(dir, line); d.Verdict == nod.Allow {
				t.Errorf("in %s: %q is allowed (%s)", dir, line, d.Reason)
			}
			if d := p.decide(p.dir, "cd '"+dir+"' && "+line); d.Verdict == nod.Allow {
				t.Errorf("behind cd %s: %q is allowed (%s)", dir, line, d.Reason)
			}
		}
		for _, line := range []string{"cat p*", "cat plain.*", "ls *"} {
			if d := ask(dir, line); d.Verdict != nod.Allow {
				t.Errorf("in %s: %q: %s (%s)", dir, line, d.Verdict, d.Reason)
			}
		}
	}
	if d := ask("app/s", "rm *.dat"); d.Verdict != nod.Allow {
		t.Errorf("in app/s: %s (%s)", d.Verdict, d.Reason)
	}
}

// Shells differ in what a pattern matches: what it matches in any of them counts.
func TestPatternsOfAnyShell(t *testing.T) {
	p := withSecret(t)
	p.write("sub/x/y/key.pem", "KEY\n")
	p.write("sub/x/plain.md", "x\n")
	p.must(os.Symlink("../../.env", p.dir+"/sub/x/z.md"))
	p.write("../.ssh/work", "KEY\n")
	p.write("../key.pem", "KEY\n")
	p.must(os.Mkdir(p.dir+"/e", 0o755))
	p.must(os.Symlink("../../.ssh", p.dir+"/e/ss"))
	p.must(os.Symlink(".env", p.dir+"/qn.txt"))
	p.write("docs/n.txt", "x\n")
	p.check(lost, "cat **/*.md", "cat **/z.md", "head -3 ./**/*.md", "for f in **/*.md; do cat \"$f\"; done",
		"cat */**/*", "rm -f [^a-t]*", "tar cf - --anchored --exclude=key.pem sub | tar xOf -")
	p.check(kept, "cat docs/**/*.txt", "cat docs/**", "cat docs/[^m]*", "ls .*", "cat docs/*.txt", "ls **/*.md")
}

// A glob beside a value that nobody knows is one word or many.
func TestGlobsBesideUnknownValues(t *testing.T) {
	p := newProject(t)
	p.write("-lk", "x\n")
	p.check(lost, `grep -v -e l"$e"*`, `grep -h -e ."$e"*`, `git log --author "$e"-[!n]*`, `git grep -e "$e"-[!nr-]*`,
		`git commit -m "$e"*.txt`, `head -n "$e"* a.txt`, `grep -e *"$e" a.txt`, `sort -k "${e}"? a.txt`,
		`grep -e [a]"$(date)"* a.txt`)
	p.check(kept, `ls "$e"/*.txt`, `grep -e "$e" a.txt`, `git commit -m "$e.txt"`)
}

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

// A word that nobody knows may be any option, also one that only reads.
func TestWordsThatMayBeOptionsThatRead(t *testing.T) {
	p := newProject(t)
	p.write(".env", "KEY=1\n")
	p.write("l", "-re.\n")
	p.check(lost, "grep \"$(echo -re.)\"", "while read x; do grep \"$x\" a.txt; done < l", "findmnt $(echo -F.env)",
		"systemctl status $(cat l)", "git status $(cat l)", "git ls-files $(cat l)")
	p.check(kept, "grep -- \"$(cat l)\" a.txt", "grep -e \"$(cat l)\" a.txt", "basename \"$(cat l)\"")
}

// What is left out is left out of what stands behind that, and a name never ends in a slash.
func TestExcludesOfTar(t *testing.T) {
	p := newProject(t)
	p.write("conf/.env", "KEY=1\n")
	p.write("src/.env", "KEY=2\n")
	p.check(lost, "tar cf - --exclude=.env/ conf", "diff -r -x .env/ conf src", "diff -r conf src -x '*.env/'")
	p.check(kept, "diff -r -x .env conf src", "diff -r conf src -x .env",
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
	p.check(kept, "nice cat *.txt", "grep * a.txt")
}

// What rg and fd leave out because it is hidden or ignored they read where it is named,
// by the line or by the command that hands it over.
func TestIgnoredPlacesThatAreNamed(t *testing.T) {
	p := newProject(t)
	p.write("dist/x/server.pem", "KEY=1\n")
	p.check(lost, "rg . dist", "rg KEY dist/x", "cd dist && rg . x", "rg . "+p.dir+"/dist",
		"for d in dist src; do rg . $d; done", "fdfind . dist -x cat",
	)
	p.check(kept, "rg . src", "rg .", "rg KEY .", "rg . src a.txt")
	p = newProject(t)
	p.write("src/.env", "KEY=1\n")
	p.check(lost, "fdfind -uu . src -x rg .", "fdfind -H -X rg .")
}

// A merge that has stopped is kept nowhere but in git's own directory.
func TestAMergeThatHasStopped(t *testing.T) {
	p := newProject(t)
	p.check(kept, "git reset", "git reset -q", "git checkout -b n")
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG", "MERGE_MSG"} {
		p.write(".git/"+name, strings.Repeat("0", 40)+"\n")
		p.check(lost, "git reset", "git reset HEAD", "git checkout -b n")
		p.check(kept, "git status", "git diff")
		p.must(os.Remove(p.dir + "/.git/" + name))
	}
}

// A bare repository has its settings and hooks where files of the workspace lie.
func TestABareRepository(t *testing.T) {
	newProject(t).check(lost, "git init --bare q", "git init --bare q; cp a.txt q/hooks/post-receive",
		"mkdir -p q/hooks && cp a.txt q/hooks/post-receive && git init --bare q")
}

// A private key may lie in a file that is called like a certificate, or like no other key.
func TestKeysUnderPublicNames(t *testing.T) {
	p := newProject(t)
	for _, name := range []string{"cert.pem", "fullchain.pem", "ca.crt", "id_deploy", "src/id_ci"} {
		p.write(name, "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n")
		p.check(kept, "cat "+name, "head -1 "+name)
		p.write(name, "-----BEGIN RSA PRIVATE KEY-----\nx\n")
		p.check(lost, "cat "+name, "head -1 "+name, "base64 "+name)
	}
	p.must(os.MkdirAll(p.dir+"/id_service/ca.pem", 0o755))
	p.write("cacert.pem", strings.Repeat("-----BEGIN CERTIFICATE-----\n", 11_000))
	p.check(kept, "ls id_service", "ls id_service/ca.pem", "head -1 cacert.pem", "grep -rn foo .")
	for _, name := range []string{"id_rsa_old", "id_ed25519_work", ".token", "x/.bash_history", "server.key.old",
		"tls.key.txt", ".bash_history.1"} {
		p.write(name, "x\n")
		p.check(lost, "cat "+name)
	}
	p.write("id_rsa_old.pub", "x\n")
	p.check(kept, "cat id_rsa_old.pub")
}

// An upload to a file of this machine writes it.
func TestUploadsToFiles(t *testing.T) {
	p := newProject(t)
	p.write("notes", "mine\n")
	p.check(lost, "curl -T a.txt file://"+p.dir+"/notes", "curl file://"+p.dir+"/notes -T a.txt",
		"curl --url file://"+p.dir+"/notes --upload-file a.txt", "curl -a -T a.txt file://"+p.home+"/.bashrc")
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
	p.check(kept, "git show", "git log -p", "git diff", "git diff HEAD", "git diff --cached", "git show --stat")
	p.write("conf/.env", "KEY=2\n")
	p.check(lost, "git diff", "git diff HEAD", "git diff -U0 .", "git diff --stat -p", "git diff --name-only --patch",
		"git diff --shortstat -U3", "git diff-files -p", "git diff-index -p HEAD", "git status -vv")
	p.check(kept, "git diff --stat", "git diff --name-only", "git diff --cached", "git status -v", "git diff --stat -w")
}
