package nod_test

import (
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/testworld"
)

// With --git-dir alone, git's working tree is wherever it starts.
func TestAnotherWorkingTree(t *testing.T) {
	p := newProject(t)
	p.must(os.MkdirAll(p.home+"/.ssh", 0o700))
	p.must(os.WriteFile(p.home+"/.ssh/id_rsa", []byte("KEY\n"), 0o600))
	p.check(lost, "git -C ~/.ssh --git-dir="+p.dir+"/.git add .", "cd src && git --git-dir=../.git add .",
		"git -C src --git-dir="+p.dir+"/.git diff",
	)
	p.check(kept, "git -C src status", "git -C . add a.txt")
}

// What ripgrep takes for a comment or for nothing leaves nothing out.
func TestGlobsThatSayNothing(t *testing.T) {
	p := newProject(t)
	p.write("conf/.env", "KEY=1\n")
	p.check(lost, "rg -uuu KEY -g '' .", "rg -uuu KEY -g ' ' .", "rg -uuu KEY -g '#a' .")
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
	p.check(lost, "grep KEY conf", "grep KEY conf/", "grep KEY *", "find src -name '*.go' conf -exec cat {} +",
		"find src -name 'x' -delete ../..", "find src -depth 1")
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
