package nod_test

import (
	"os"
	"strings"
	"testing"
)

// What rg and fd leave out because it is hidden or ignored they read where it is named,
// by the line or by the command that hands it over.
func TestIgnoredPlacesThatAreNamed(t *testing.T) {
	p := newProject(t)
	p.write("dist/x/server.pem", "KEY=1\n")
	p.check(lost, "rg . dist", "rg KEY dist/x", "cd dist && rg . x", "rg . "+p.dir+"/dist", "rg -. . dist",
		"for d in dist src; do rg . $d; done", "fdfind . dist -x cat", "fdfind --base-directory dist -x cat",
		"find . -type d -exec rg . {} +", "find dist -exec rg . {} +")
	p.check(kept, "rg . src", "rg .", "rg KEY .", "rg . src a.txt", "fdfind . src -x cat")
	p = newProject(t)
	p.write("src/.env", "KEY=1\n")
	p.check(lost, "find src -exec rg . {} +", "find . -type f -exec rg KEY {} \\;", "fdfind -uu . src -x rg .",
		"fdfind -H -X rg .")
	p.check(kept, "find src -name '*.txt' -exec rg . {} +", "fdfind txt src -x rg .")
}

// What fd's own list at home takes out of what is hidden, it finds.
func TestHiddenFilesThatAreFound(t *testing.T) {
	p := newProject(t)
	p.write("h/.env", "KEY=1\n")
	p.write("h/e.txt", "x\n")
	p.check(kept, "fdfind . h -X cat", "rg -t md . h")
	p.must(os.MkdirAll(p.home+"/.config/fd", 0o755))
	p.must(os.WriteFile(p.home+"/.config/fd/ignore", []byte("!.env\n"), 0o644))
	p.check(lost, "fdfind . h -X cat", "fdfind . h | xargs cat")
	p.check(lost, "cp -S .o a.txt b.txt", "mv --suffix=.o a.txt b.txt", "ln -f -S .o a.txt b.txt")
}

// Braces that are no placeholder of fd's leave what it finds to stand behind the words.
func TestBracesThatAreNoPlaceholder(t *testing.T) {
	p := newProject(t)
	p.write("conf/server.pem", "KEY=1\n")
	p.write("notes", "mine\n")
	p.check(lost, `fdfind -x awk "{print}"`, `fdfind -x sed -n "{p}"`, `fdfind -x jq -R "{a:.}"`,
		`fdfind -x grep -E 'K{1}'`, `fdfind . .. -x sed -i "{s/o/m/}"`, `fdfind notes -x tee "{a}"`,
		`fdfind -x cat {.}.pem`, `fdfind -x awk "{{print}}"`)
	p.check(kept, `fdfind txt src -x awk "{print}" {}`, `fdfind txt src -x head -1`)
}

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
