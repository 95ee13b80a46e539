package nod_test

import (
	"testing"

	"github.com/nodgate/nod"
)

// Which modules are asked for over the network, and of whom, stands in go.mod: what looks
// them up is open once the session, or the line itself, has changed that.
func TestModulesThatTheSessionNamed(t *testing.T) {
	files := newWorld(false).File("/usr/bin/go", "", 0o755).
		File(shop+"/go.mod", "module x\n\nreplace y => ./tools/y\n", 0o644).File(shop+"/go.sum", "", 0o644).
		File(shop+"/tools/y/go.mod", "module y\n", 0o644).File(shop+"/x.mod", "module x\n", 0o644)
	lookups := []string{"go list ./...", "go list -m all", "go list -m -u all", "go mod graph", "go mod why x",
		"go mod verify", "go doc x", "cd src && go list ./...", "go -C src list ./..."}
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
		{shop + "/src/go.mod", []string{"cd src && go list -m all", "go -C src list -m all"}, nod.Ask},
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
