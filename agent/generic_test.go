package agent_test

import (
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
)

func TestGenericDecodes(t *testing.T) {
	loom := "/home/ada/loom"
	shell := seen{Kind: agent.Decide, Tool: "bash", Command: "ls -la"}
	written := seen{Kind: agent.Decide, Tool: "file_write", Paths: []string{loom + "/new.txt"}}
	changed := seen{Kind: agent.Decide, Tool: "file_edit", Paths: []string{loom + "/weave.go"}}
	viewed := seen{Kind: agent.Decide, Tool: "read_file", Paths: []string{loom + "/weave.go"}}
	poked := seen{Kind: agent.Decide, Tool: "mcp", MCP: &nod.MCP{Server: "loom", Tool: "poke"}}
	unknown := seen{Kind: agent.Decide}
	outcome := seen{Kind: agent.Outcome, Tool: "bash", Command: "ls -la"}
	files := map[string]map[string]seen{
		"antigravity": {"elsewhere.json": shell, "shell.json": shell, "unknown.json": unknown, "view.json": viewed,
			"grep.json": {Kind: agent.Decide, Tool: "grep", Paths: []string{loom + "/src"}},
			"list.json": {Kind: agent.Decide, Tool: "glob", Paths: []string{loom}}, "replace.json": changed,
			"write.json": written},
		"crush": {"shell.json": shell, "write.json": written, "view.json": viewed, "mcp.json": poked,
			"glob.json":  {Kind: agent.Decide, Tool: "glob", Paths: []string{loom, loom + "/**/*.go"}},
			"fetch.json": {Kind: agent.Decide, Tool: "web_fetch", URL: "https://example.com/"},
			"agent.json": {Kind: agent.Decide, Tool: "unseen_agent"}},
		"cursor": {"tool.json": shell, "shell.json": shell, "read.json": viewed, "write.json": unknown,
			"mcp.json": {Kind: agent.Decide, Tool: "mcp", MCP: &nod.MCP{Server: "loom-server", Tool: "poke"}}},
		"droid": {"shell.json": shell, "camel.json": shell, "create.json": written, "read.json": viewed,
			"edit.json": unknown, "mcp.json": poked},
		"goose": {"shell.json": shell, "create.json": written, "mcp.json": poked, "outcome.json": outcome},
		"grok":  {"shell.json": shell, "unknown.json": unknown},
		"kiro": {"shell.json": shell, "create.json": written, "replace.json": changed, "read.json": unknown,
			"mcp.json": poked},
		"openhands": {"shell.json": shell, "view.json": viewed, "typed.json": unknown, "undo.json": unknown},
		"vscode":    {"shell.json": shell, "edit.json": unknown},
		"windsurf": {"shell.json": shell, "write.json": changed, "read.json": viewed,
			"mcp.json": {Kind: agent.Decide, Tool: "mcp", MCP: &nod.MCP{Server: "loom", Tool: "poke", Named: true}}},
	}
	for _, a := range agent.All() {
		if want := files[a.Name()]; strings.HasPrefix(a.Capabilities().Tried, "read: ") {
			t.Run(a.Name(), func(t *testing.T) { decodeAll(t, a, []string{"PWD=" + loom}, want) })
		}
	}
}

// A name that is no row blocks everything.
func TestGenericWithoutARow(t *testing.T) {
	g := agent.Host("nobody")
	if e, err := g.Decode([]byte(
		`{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"Bash","tool_input":{"command":"ls"}}`), nil); err == nil {
		t.Errorf("read as %+v", e)
	}
	if a := g.Encode(agent.Event{Kind: agent.Decide}, nod.Decision{Verdict: nod.Ask}, agent.Replace,
		false); a.Said != "deny" {
		t.Errorf("said %s", a.Said)
	}
}

// Two spellings of one key are one too many.
func TestGenericSpellings(t *testing.T) {
	_, err := agent.Host("droid").Decode(
		[]byte(`{"hook_event_name":"PreToolUse","sessionId":"s","session_id":"s","cwd":"/w","tool_name":"Execute","tool_input":{"command":"ls"}}`), nil)
	if err == nil {
		t.Error("taken")
	}
}

// A directory that nobody names is none.
func TestGenericDirectory(t *testing.T) {
	for name, payload := range map[string]string{
		"cursor":   `{"hook_event_name":"beforeShellExecution","conversation_id":"s","command":"ls","cwd":"","workspace_roots":[]}`,
		"windsurf": `{"agent_action_name":"pre_run_command","trajectory_id":"s","tool_info":{"command_line":"ls"}}`,
		"goose":    `{"event":"PreToolUse","session_id":"s","tool_name":"developer__shell","tool_input":{"command":"ls"},"working_dir":"here"}`,
	} {
		if e, err := agent.Host(name).Decode([]byte(payload), nil); err == nil {
			t.Errorf("%s: read in %q", name, e.Call.Dir)
		}
	}
}
