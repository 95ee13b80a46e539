package agent_test

import (
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
)

func TestPiDecodes(t *testing.T) {
	loom := "/home/ada/loom"
	decodeAll(t, agent.Host("pi"), nil, map[string]seen{
		"shell.json":   {Kind: agent.Decide, Tool: "bash", Command: "ls -la"},
		"write.json":   {Kind: agent.Decide, Tool: "file_write", Paths: []string{"new.txt"}},
		"edit.json":    {Kind: agent.Decide, Tool: "file_edit", Paths: []string{loom + "/weave.go"}},
		"read.json":    {Kind: agent.Decide, Tool: "read_file", Paths: []string{loom + "/weave.go"}},
		"find.json":    {Kind: agent.Decide, Tool: "glob", Paths: []string{loom, loom + "/**/*.go"}},
		"grep.json":    {Kind: agent.Decide, Tool: "grep", Paths: []string{loom, loom + "/*.go"}},
		"ls.json":      {Kind: agent.Decide, Tool: "glob", Paths: []string{"src"}},
		"mcp.json":     {Kind: agent.Decide, Tool: "mcp", MCP: &nod.MCP{Server: "loom", Tool: "poke"}},
		"unknown.json": {Kind: agent.Decide},
		"outcome.json": {Kind: agent.Outcome, Tool: "bash", Command: "ls -la"},
	})
}

// Pi asks a person where there is one.
func TestPiAsks(t *testing.T) {
	for person, want := range map[string]string{"true": "ask", "false": "deny"} {
		e, err := agent.Host("pi").Decode([]byte(
			`{"hook":"tool_call","session":"s","call":"c","directory":"/w","tool":"bash","args":{"command":"x"},"interactive":`+person+`}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		if a := agent.Host("pi").Encode(e, nod.Decision{Verdict: nod.Ask}, agent.Replace, false); a.Said != want {
			t.Errorf("%s: said %s, want %s", person, a.Said, want)
		}
	}
}
