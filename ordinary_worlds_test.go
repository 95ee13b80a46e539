package nod_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// What is too much to look through is asked about: more names than a glob is
// looked at.
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

// Which modules are asked for over the network, and of whom, stands in go.mod: what looks
// them up is open once the session, or the line itself, has changed that.
func TestModulesThatTheSessionNamed(t *testing.T) {
	files := newWorld(false).File("/usr/bin/go", "", 0o755).
		File(shop+"/go.mod", "module x\n\nreplace y => ./tools/y\n", 0o644).File(shop+"/go.sum", "", 0o644).
		File(shop+"/tools/y/go.mod", "module y\n", 0o644).File(shop+"/x.mod", "module x\n", 0o644)
	lookups := []string{"go list ./...", "go list -m all", "go list -m -u all", "go mod graph", "go mod why x",
		"go mod verify", "go doc x", "cd src && go list ./..."}
	for _, row := range []struct {
		wrote    string
		commands []string
		want     nod.Verdict
	}{
		{"", lookups, nod.Allow},
		{shop + "/main.go", lookups, nod.Allow},
		{shop + "/go.mod", lookups, nod.Ask},
		{shop + "/go.sum", lookups, nod.Ask},
		{shop + "/go.work", lookups, nod.Ask},
		{"/home/dev/go.work", lookups, nod.Ask},
		{shop + "/src/go.mod", []string{"cd src && go list -m all"}, nod.Ask},
		{"", []string{"go -C src list ./...", "go list -modfile=x.mod -m all"}, nod.Ask},
		{shop + "/tools/y/go.mod", lookups, nod.Ask},
		{shop + "/x.mod", []string{"go list -modfile=x.mod -m all"}, nod.Ask},
		{"", []string{"echo 'require e.example/x v0.0.1' >> go.mod && go list -m all",
			"cp x.mod go.mod; go mod graph"}, nod.Ask},
		{shop + "/go.mod", []string{"go version", "go env GOROOT"}, nod.Allow},
	} {
		for _, command := range row.commands {
			o := options(nod.DefaultRules())
			o.Files, o.Memory = files, witness{wrote: []string{row.wrote}}
			c := bash(command)
			c.Interactive = true
			if d := verdictOf(o, c); d.Verdict != row.want {
				t.Errorf("wrote %q, %s: %s (%s)", row.wrote, command, d.Verdict, d.Reason)
			}
		}
	}
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
