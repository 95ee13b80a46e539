package nod_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/testworld"
)

// inAuto says how the hook answers in a mode in which the host's own judge stands
// behind it: "" where it leaves the call to that judge or allows it, else why not.
func (p project) inAuto(call nod.Call) string {
	gate := nod.New(nod.Options{Rules: nod.DefaultRules(), Files: testworld.Disk(), Home: p.home})
	call.Agent, call.Session, call.Dialect, call.Dir = "claude-code", "s", nod.Bash, p.dir
	call.Roots, call.Interactive, call.HostJudges = []string{p.dir}, true, true
	call.Environ = testworld.Environ(p.home)
	d := gate.Check(context.Background(), call)
	if d.Verdict == nod.Allow || d.Deferrable {
		return ""
	}
	return d.Reason
}

func bashCall(line string) nod.Call {
	return nod.Call{Tool: "bash", RawTool: "Bash", Command: line}
}

// TestKnownLossIsKnownInEveryMode: what a line plainly says to lose, to publish or to print is put to
// the person where a judge of the host decides the rest, and its harmless twin is not.
func TestKnownLossIsKnownInEveryMode(t *testing.T) {
	p := newProject(t)
	p.write("untracked.txt", "work\n")
	p.write("a.txt", "changed\n")
	p.write("app.db", "data\n")
	p.write("wt/a.txt", "other\n")
	p.write("wt/sub/x", "other\n")
	p.write("sub/x", "work\n")
	p.write(p.home+"/other/x", "work\n")
	p.write(".npmrc", "registry=https://r.example/\n//r.example/:_authToken=x\n")
	p.git("branch", "other")
	p.write(".env", "COMPOSE_FILE=x.yml\n")
	text, err := os.ReadFile("testdata/autoloss.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line, words, _ := strings.Cut(strings.TrimSpace(line), "  => ")
		kind, command, _ := strings.Cut(line, " ")
		if kind == "" || kind == "#" {
			continue
		}
		why := p.inAuto(bashCall(command))
		if asked := why != ""; asked != (kind == "ask") || !strings.Contains(why, words) {
			t.Errorf("%q: asked %v (%s), want %s", command, asked, why, kind)
		}
	}
}
