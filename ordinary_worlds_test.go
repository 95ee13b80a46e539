package nod_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

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

// What this machine serves may be read, with a reason that is true, but not its secrets
// and not what rules something.
func TestLoopback(t *testing.T) {
	for command, want := range map[string]nod.Verdict{
		"curl -s http://localhost:3000/api/items":                               nod.Allow,
		"curl -s http://localhost:8001/api/v1/namespaces/default/secrets":       nod.Ask,
		"curl http://localhost:3000/admin/delete":                               nod.Ask,
		"curl http://127.0.0.1:9222/json":                                       nod.Ask,
		"curl -s 'http://[::1]:3000/api/v1/namespaces/default/secrets?limit=1'": nod.Ask,
	} {
		c := bash(command)
		c.Interactive = true
		d := verdictOf(options(nod.DefaultRules()), c)
		if d.Verdict != want || strings.Contains(d.Reason, "list") || !strings.Contains(d.Reason, "this machine") {
			t.Errorf("%s: %s (%s)", command, d.Verdict, d.Reason)
		}
	}
}
