package nod_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/testworld"
)

// A project with an ignored .env, which holds SHOP_KEY and nothing of vat.
func withSecret(t *testing.T) project {
	p := newProject(t)
	p.write(".gitignore", "dist/\n.env\n*.log\n")
	p.write("src/price.go", "vat\n")
	p.write("docs/a.md", "vat SHOP\n")
	p.git("add", ".")
	p.git("commit", "-q", "-m", "two")
	p.write(".env", "SHOP_KEY=abcdef\n")
	p.write("node_modules/x/server.pem", "vat SHOP_KEY\n")
	return p
}

// The lists, by the end of a path and below any home.
func TestStoresOfSecrets(t *testing.T) {
	p := newProject(t)
	text, err := os.ReadFile("testdata/stores.txt") // what is secret, a blank line, and what is not
	p.must(err)
	secret, public, _ := strings.Cut(string(text), "\n\n")
	for _, name := range strings.Fields(secret) {
		for _, line := range []string{"cat " + name, "head -3 < " + name, "grep x " + name} {
			if d := p.decide(p.dir, line); d.Verdict == nod.Allow {
				t.Errorf("%s: allowed", line)
			}
		}
		if d := p.gate().Check(t.Context(),
			nod.Call{Agent: "claude-code", Tool: "read_file", RawTool: "Read", Dir: p.dir, Roots: []string{p.dir},
				Paths: []string{name}}); d.Verdict == nod.Allow {
			t.Errorf("Read %s: allowed", name)
		}
	}
	for _, name := range strings.Fields(public) {
		if d := p.decide(p.dir, "cat "+name); d.Verdict != nod.Allow {
			t.Errorf("cat %s: %s", name, d.Reason)
		}
	}
}

// What is too much to look through is asked about: more names than a glob is looked at.
func TestMoreThanIsLookedThrough(t *testing.T) {
	p := withSecret(t)
	p.must(os.MkdirAll(p.dir+"/many", 0o755))
	for i := range 10_050 {
		p.must(os.WriteFile(fmt.Sprintf("%s/many/f%05d.ts", p.dir, i), nil, 0o644))
	}
	p.must(os.Symlink("../.env", p.dir+"/many/zz"))
	p.check(lost, "cat many/*", "head -n 1 many/*", "cat many/* | tail -2")
	p.check(kept, "cat many/f00001*", "ls many/*")
	for i := range 10_050 {
		p.must(os.WriteFile(fmt.Sprintf("%s/many/g%05d.ts", p.dir, i), nil, 0o644))
	}
	p.check(lost, "cat many/*", "cat **/*.ts") // more than are listed at all
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
