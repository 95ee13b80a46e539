package nod_test

import (
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/testworld"
)

// An allow rule that names a server's tool does not open the secret stores to it.
func TestServersToolsAndSecrets(t *testing.T) {
	p := withSecret(t)
	p.write("../.ssh/id_rsa", "KEY\n")
	rules := nod.DefaultRules()
	rule, err := nod.ParseRule(nod.ListAllow, "mcp__db", "")
	p.must(err)
	rules.Allow = []nod.Rule{rule}
	gate := nod.New(nod.Options{Rules: rules, Files: testworld.Disk(), Home: p.home})
	for input, allowed := range map[string]bool{
		`{"p":"` + p.home + `/.ssh/id_rsa"}`:        false,
		`{"u":"file://` + p.home + `/.ssh/id_rsa"}`: false,
		`{"p":[{"a":".env"}]}`:                      false,
		`{"p":"~/.ssh/id_rsa\n"}`:                   false,
		`{"q":"select 1","repo":"owner/name"}`:      true,
		`{"path":"a.txt"}`:                          true,
		`{"text":"see https://x.example/.env"}`:     true,
	} {
		d := gate.Check(t.Context(), nod.Call{Agent: "claude-code", Session: "s", Tool: "mcp__db__read",
			RawTool: "mcp__db__read",
			MCP: &nod.MCP{Server: "db", Tool: "read",
				Named: true}, Input: []byte(input), Dir: p.dir, Roots: []string{p.dir}})
		if (d.Verdict == nod.Allow) != allowed {
			t.Errorf("%s: %s (%s)", input, d.Verdict, d.Reason)
		}
	}
}
