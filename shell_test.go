package nod_test

import (
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/testworld"
)

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
