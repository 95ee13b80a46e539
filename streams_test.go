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
		"env -C /dev/stdin cat a", "cd /dev/stdin && cat a", "cat a.txt < src",
		"bash -c 'cat a' < conf", "cat /dev/stdin/c.txt < src", "diff /dev/stdin a.txt < src")
	p.check(kept, "cat /dev/stdin", "cat /dev/stdin < a.txt", "cat /dev/fd/3", "wc -l < a.txt",
		"ls -l /dev/fd/ /proc/self/fd", "cat /proc/self/status", "diff <(ls) <(ls src)", "echo x > /dev/stderr")
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
