package nod_test

import (
	"os"
	"strings"
	"testing"
)

// A merge that has stopped is kept nowhere but in git's own directory.
func TestAMergeThatHasStopped(t *testing.T) {
	p := newProject(t)
	p.check(kept, "git reset", "git reset -q", "git checkout -b n", "git switch -c n")
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG", "MERGE_MSG"} {
		p.write(".git/"+name, strings.Repeat("0", 40)+"\n")
		p.check(lost, "git reset", "git reset HEAD", "git checkout -b n", "git switch -c n")
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

// A line that asks again and again whether a secret holds something spells it out.
func TestGuesses(t *testing.T) {
	p := newProject(t)
	p.write("conf/server.pem", "KEY=abc\n")
	p.check(lost, `for p in KEY=a KEY=b KEY=c; do grep -rq "^$p" conf && echo "$p"; done`,
		`for c in a b c d; do grep -rl "KEY=$c" . | sed "s/^/$c /"; done`,
		`p=KEY=; for i in 1 2 3; do for c in a b c; do grep -rq "^$p$c" conf && p=$p$c && break; done; done; echo $p`,
		`for c in a b c; do rg -q "KEY=$c" conf && echo $c; done`, `while read c; do grep -rl "KEY=$c" .; done < b.txt`)
	p.git("add", "-f", "conf/server.pem")
	p.git("commit", "-q", "-m", "key")
	p.check(lost, `for c in a b c; do git log -S "KEY=$c" --oneline; done`, `git log -G "$x" --format=%h`,
		`for c in a b c; do git diff --quiet -S"KEY=$c" HEAD~1 || echo $c; done`,
		`for c in a b c; do git grep -q "KEY=$c" && echo $c; done`, `for c in a b c; do git grep -l "KEY=$c" HEAD; done`,
		`while read c; do git log -S "KEY=$c" --oneline; done < b.txt`)
	p.check(kept, "git log -S price --oneline", "git log -G 'a.*b' --format=%h", "git grep -l KEY", "git log --oneline")
	p.git("reset", "-q", "--hard", "HEAD~1")
	p.write("conf/server.pem", "KEY=abc\n")
	p.check(kept, "grep -rl KEY .", "grep -rc KEY conf")
}

// A name that read is given in quotes, or by a variable, is the name of a variable too.
func TestNamesThatReadIsGiven(t *testing.T) {
	p := newProject(t)
	p.write("notes", "mine\n")
	for _, name := range []string{`"f"`, `'f'`, `$'f'`, `f""`, `{f,g}`, `$x`, `"$x"`, `${x}`} {
		p.check(lost, "f=a.txt; x=f; read "+name+" <<< notes; rm $f", "f=a.txt; x=f; read -r "+name+" <<< .env; cat $f",
			"f=ls; x=f; while read "+name+"; do env $f a; break; done < a.txt")
	}
}

// What falls apart at blanks may be an option behind the first of them.
func TestWordsThatFallApart(t *testing.T) {
	p := newProject(t)
	p.write("list", "x -delete\n")
	p.check(lost, "find ./$(cat list)", `x="src -delete"; find ./$x`, "read x < list; find ./$x",
		"ls | while read x; do find ./$x; done", `for x in "src -delete"; do find ./$x; done`, "git branch a$(cat list)",
		"git reset HEA$(cat list)", "rg --files ./$(cat list)", "git tag v$(cat list)", "find $PWD/$(cat list)")
	p.check(kept, `x="src -delete"; find "./$x"`,
		`git tag "v$(cat list)"`)
}

// The list of what git leaves out is no place where it looks.
func TestListsThatLeaveOut(t *testing.T) {
	p := newProject(t)
	p.write(".env", "KEY=1\n")
	p.write("empty", "")
	p.check(lost, "git ls-files -o -X empty | xargs cat", "git ls-files -o --exclude-from=.gitignore . | xargs cat",
		"git ls-files --others --exclude-from=empty | xargs head -1", "cat $(git ls-files -o -X empty)")
	p.check(kept, "git ls-files | xargs cat", "git ls-files src | xargs cat", "grep -l this a.txt | xargs cat")
}

// What picks among names picks out of what it is fed, which may be a text of the line, and
// may print other words than those.
func TestFiltersOfNames(t *testing.T) {
	p := newProject(t)
	p.write(".env", "KEY=1\n")
	p.check(lost, "cat $(sort <<< .env)", "sort <<< .env | xargs cat", "head -1 <<E | xargs cat\n.env\nE\n",
		"for i in $(uniq <<< .env); do cat $i; done", "tail -n +1 <<< .env | while read -r f; do cat \"$f\"; done",
		"cat $(grep . <<< .env)", "sort -u <<< .env | head -1 | xargs cat",
		`ls | bash -c 'sort <<< .e"n"v' | xargs cat`, `ls | sh -c 'head -1 <<< .e"n"v' | xargs cat`)
	p.check(kept, "git ls-files | sort | head -3 | xargs cat", "git ls-files | grep txt | xargs head -1")
	p.must(os.Symlink(".env", p.dir+"/5"))
	p.must(os.Symlink(".env", p.dir+"/+5"))
	p.check(lost, "git ls-files | grep -c . | xargs cat", "cat $(git ls-files | grep --count .)",
		"git ls-files | head -v | xargs cat", "git ls-files | tail -v | xargs cat")
	p.check(kept, "git ls-files | grep -c .")
}

// An upload to a file of this machine writes it.
func TestUploadsToFiles(t *testing.T) {
	p := newProject(t)
	p.write("notes", "mine\n")
	p.check(lost, "curl -T a.txt file://"+p.dir+"/notes", "curl file://"+p.dir+"/notes -T a.txt",
		"curl --url file://"+p.dir+"/notes --upload-file a.txt", "curl -a -T a.txt file://"+p.home+"/.bashrc")
	p.check(kept, "curl file://"+p.dir+"/a.txt")
}
