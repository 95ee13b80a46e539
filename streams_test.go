package nod_test

import (
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/testworld"
)

// What stands for an open file may be a directory, below which a name goes on.
func TestDirectoriesThatAreOpen(t *testing.T) {
	p := newProject(t)
	p.write("conf/.env", "KEY=1\n")
	p.must(os.Symlink("/dev/stdin", p.dir+"/lk"))
	p.check(lost, "cat /dev/stdin/environ < /proc/self", "cat /dev/stdin/environ", "cat /dev/fd/0/environ",
		"cat /proc/self/fd/0/environ", "cat /proc/thread-self/fd/0/environ", "cat /dev/stdin/../environ", "cat /dev/fd/3/a",
		"cat /dev//stdin/a", "cat /dev/./stdin/a", "cat /dev/../dev/stdin/a", "cat /dev/stdout/a", "cat lk/environ",
		"grep -r '' /dev/stdin/", "grep -r '' /dev/stdin", "grep -r '' lk", "tar cf - -C /dev/stdin . | base64",
		"git -C /dev/stdin status", "env -C /dev/stdin cat a", "cd /dev/stdin && cat a", "cat a.txt < src",
		"bash -c 'cat a' < conf", "cat /dev/stdin/c.txt < src", "diff /dev/stdin a.txt < src")
	p.check(kept, "cat /dev/stdin", "cat /dev/stdin < a.txt", "cat /dev/fd/3", "wc -l < a.txt",
		"ls -l /dev/fd/ /proc/self/fd", "cat /proc/self/status", "cat lk", "diff <(ls) <(ls src)", "echo x > /dev/stderr")
}

// A shell goes up from the name of its directory that it inherits.
func TestTheInheritedNameOfADirectory(t *testing.T) {
	p := newProject(t)
	p.must(os.Symlink(p.dir+"/src", p.home+"/link"))
	gate := p.gate()
	ask := func(command string, environ ...string) nod.Verdict {
		environ = append(environ, testworld.Environ(p.home)...)
		return gate.Check(t.Context(), nod.Call{Agent: "test", Tool: "bash", Command: command, Dir: p.dir + "/src",
			Roots: []string{p.dir}, Environ: environ, Dialect: nod.Bash, Interactive: true}).Verdict
	}
	up := []string{"cd .. && rm a.txt", "cd .. && echo x > new", "(cd .. && touch new)", "cd $PWD/.. && touch new",
		"cd -L .. && touch new", "cd ../src && touch new", "cd deep/../.. && touch new"}
	for _, command := range up {
		if v := ask(command, "PWD="+p.home+"/link"); v == nod.Allow {
			t.Errorf("%s: %s", command, v)
		}
	}
	for _, pwd := range []string{p.dir + "/src", p.home, "/none", ""} {
		if v := ask("cd .. && rm a.txt", "PWD="+pwd); v != nod.Allow {
			t.Errorf("with PWD=%s: %s", pwd, v)
		}
	}
	if v := ask("cd deep && cat d.txt", "PWD="+p.home+"/link"); v != nod.Allow {
		t.Error(v)
	}
}

// With --git-dir alone, git's working tree is wherever it starts.
func TestAnotherWorkingTree(t *testing.T) {
	p := newProject(t)
	p.must(os.MkdirAll(p.home+"/.ssh", 0o700))
	p.must(os.WriteFile(p.home+"/.ssh/id_rsa", []byte("KEY\n"), 0o600))
	p.check(lost, "git -C ~/.ssh --git-dir="+p.dir+"/.git add .", "cd src && git --git-dir=../.git add .",
		"git -C src --git-dir="+p.dir+"/.git diff", "git --git-dir=.git -C src status", "git -C .git --git-dir=. add config",
		"git --git-dir .git --work-tree . status")
	p.check(kept, "git -C src status", "git -C . add a.txt")
}

// A branch that goes takes its reflog along.
func TestBranchesThatGo(t *testing.T) {
	p := newProject(t)
	p.git("branch", "at-head")
	p.git("checkout", "-q", "-b", "topic")
	p.write("t.txt", "1\n")
	p.git("add", ".")
	p.git("commit", "-q", "-m", "two")
	p.git("commit", "-q", "--amend", "-m", "three")
	p.git("checkout", "-q", "main")
	p.git("merge", "-q", "topic")
	p.check(kept, "git branch -d at-head", "git branch -d topic") // HEAD's reflog has what was amended
	p.git("branch", "-f", "at-head", "topic")
	p.git("branch", "-f", "at-head", "HEAD~1")
	p.check(kept, "git branch -d at-head")
	head := p.dir + "/.git/logs/HEAD"
	text, err := os.ReadFile(head)
	p.must(err)
	var kept0 []string // as if another working tree had made the commits
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, "two") && !strings.Contains(line, "amend") {
			kept0 = append(kept0, line)
		}
	}
	p.must(os.WriteFile(head, []byte(strings.Join(kept0, "")), 0o644))
	p.check(lost, "git branch -d topic", "git branch -d \"$X\"")
	p.write(".git/logs/refs/heads/gone", "")
	p.check(lost, "git branch -m topic gone", "git branch -c gone", "git -c gc.auto=1 commit -am x")
	p.check(kept, "git branch -m topic other", "git -c gc.auto=0 commit -am x")
	p.git("config", "branch.other.remote", ".")
	p.check(lost, "git branch -d other", "git branch -d at-head")
}

// What ripgrep takes for a comment or for nothing leaves nothing out.
func TestGlobsThatSayNothing(t *testing.T) {
	p := newProject(t)
	p.write("conf/.env", "KEY=1\n")
	p.check(lost, "rg -uuu KEY -g '' .", "rg -uuu KEY -g ' ' .", "rg -uuu KEY -g '#a' .", "rg -uuu KEY --iglob '' .")
	p.check(kept, "rg -uuu KEY -g '*.py' .", "rg -uuu KEY -g '' -g '*.py' .")
}

// A link among the files of a kind is read, and a line of it printed where it is wrong.
func TestLinksAmongFilesThatAreFormatted(t *testing.T) {
	p := newProject(t)
	p.write(".env", "KEY=1\n")
	p.check(kept, "terraform fmt -check", "terraform fmt -check -recursive")
	p.must(os.Symlink(".env", p.dir+"/main.tf"))
	p.check(lost, "terraform fmt -check", "terraform fmt -check -recursive", "terraform fmt -write=false")
}

// Claude Code puts functions of its own in the place of grep and find: ugrep, which looks
// into a directory that it is named, and bfs, to which a place may stand anywhere.
func TestFunctionsInThePlaceOfPrograms(t *testing.T) {
	p := newProject(t)
	p.write("conf/.env", "KEY=1\n")
	p.write("conf/deep/.env", "DEEP=1\n")
	p.check(lost, "grep KEY conf", "grep KEY conf/", "grep KEY *", "grep -n KEY a.txt conf", "grep . conf", "cd conf && grep KEY .",
		"grep -ry zzzz .", "grep -rZ KYE .", "grep -r KEY --include='conf/' .", "find src -name '*.go' conf -exec cat {} +", "find src -name 'x' -delete ../..",
		"find src -depth 1")
	p.check(kept, "grep KEY src", "grep DEEP conf", "grep zzzz conf", "grep KEY src/*", "grep -n this a.txt b.txt",
		"find conf | xargs grep zzzz", "find -O3 src -name '*.go'", "find src conf -name '*.go'")
}

// What has a second name may be a secret by that, and no byte of it is shown to a model.
func TestSecretsByASecondName(t *testing.T) {
	p := newProject(t)
	p.write(".env", "KEY=marked-secret\n")
	p.write("run.sh", "frobnicate plain-script\n")
	p.must(os.Link(p.dir+"/.env", p.dir+"/hard.sh"))
	gate := nod.New(nod.Options{Rules: nod.DefaultRules(), Files: testworld.Disk(), Home: p.home,
		Profile: nod.Profile{Ledger: true, Stages: 2}})
	shown := func(command string) string {
		q, err := gate.Prompt(t.Context(), nod.Call{Agent: "test", Tool: "bash", Command: command, Dir: p.dir,
			Roots: []string{p.dir}, Environ: testworld.Environ(p.home),
			Dialect: nod.Bash})
		p.must(err)
		return q.User
	}
	if text := shown("bash run.sh"); !strings.Contains(text, "plain-script") {
		t.Errorf("a script is not shown:\n%s", text)
	}
	for _, command := range []string{"bash hard.sh", "sh hard.sh", "make -f hard.sh", ". ./hard.sh && frobnicate"} {
		if text := shown(command); strings.Contains(text, "marked-secret") {
			t.Errorf("%s:\n%s", command, text)
		}
	}
}

// A host writes to what its own variable names, and a bare interpreter runs anything.
func TestNamesOfHostsAndInterpreters(t *testing.T) {
	p := newProject(t)
	p.check(lost, "_bgpids_file=a.txt", "export _bgpids_file=a.txt; pwd", "for _bgpids_file in a.txt; do pwd; done",
		"read _bgpids_file < a.txt", "bash -c '_bgpids_file=a.txt'")
	for _, text := range []string{"php *", "lua *", "Rscript *", "gdb *"} {
		if _, err := nod.ParseRule(nod.ListAllow, text, "test"); err == nil {
			t.Errorf("%s: taken", text)
		}
	}
}

// A device is written to, not replaced.
func TestDevicesThemselves(t *testing.T) {
	p := newProject(t)
	p.must(os.Symlink("/dev/null", p.dir+"/nl"))
	p.check(lost, "chmod 000 /dev/null", "chmod 000 nl", "mv -f a.txt /dev/null", "cp --remove-destination a.txt /dev/null",
		"ln -sf a.txt /dev/null", "install -m 777 a.txt /dev/null", "chmod 777 /dev/stdout")
	p.check(kept, "cat a.txt > /dev/null", "cat a.txt | tee /dev/null", "dd if=a.txt of=/dev/null", "cp /dev/null new.txt")
}

// What is put behind the file that it is read from has no end.
func TestFilesThatFeedThemselves(t *testing.T) {
	p := newProject(t)
	p.check(lost, "sed p a.txt >> a.txt", "tee -a a.txt < a.txt", "cat a.txt | tee -a a.txt", "cat a.txt | sed p | tee -a a.txt",
		"tr a b < a.txt >> a.txt", "awk 1 *.txt >> a.txt", "{ awk 1 a.txt; } >> a.txt",
		"find . -name '*.txt' | xargs awk 1 >> a.txt", "(cat a.txt) >> a.txt", "shuf -r a.txt > new")
	p.check(kept, "cat a.txt >> new", "echo x >> a.txt; cat a.txt", "cat b.txt | tee -a a.txt", "cat src/* >> new", "shuf -n 1 a.txt > new")
}

// Claude Code brings its own rg, where PATH has none.
func TestTheHostBringsRipgrep(t *testing.T) {
	c := bash("rg -n x src")
	c.Environ = []string{"PATH=/nowhere", "HOME=" + home}
	if d := verdictOf(options(nod.DefaultRules()), of(nod.ClaudeCode, c)); d.Verdict != nod.Allow {
		t.Errorf("%s (%s)", d.Verdict, d.Reason)
	}
	if d := verdictOf(options(nod.DefaultRules()), of("codex", c)); d.Verdict == nod.Allow {
		t.Errorf("without a host that brings it: %s", d.Reason)
	}
}
