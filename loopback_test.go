package nod_test

import (
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

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
