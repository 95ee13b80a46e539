package e2e

import (
	"encoding/json"
	"path/filepath"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/llm/llmtest"
)

// claudeDriven is Claude Code in print mode, in the mode in which it lets the
// calls of these tests run by itself.
func claudeDriven() driven {
	return driven{
		adapter: agent.ClaudeCode{}, title: "Claude Code", version: claudeVersion,
		program: claudeProgram,
		inPath:  "claude",
		prepare: func(m *machine, srv *llmtest.Server) (words, environ []string) {
			servers, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"lab": map[string]any{
				"command": must(programs()) + "/mcp", "args": []string{m.poked()}}}})
			if err != nil {
				m.t.Fatal(err)
			}
			file := filepath.Join(m.dir, "mcp.json")
			m.write(file, string(servers), 0o600)
			return []string{claudeProgram(m.t), "-p", "do what the test wants", "--permission-mode", "acceptEdits",
				"--mcp-config", file}, claudeEnviron(srv)
		},
		hooks: ".claude/settings.json",
		short: []string{`"timeout": 60`, `"timeout": 2`},
		shell: llmtest.Bash,
		write: llmtest.Write,
		mcp: func(name string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "mcp__lab__poke", Input: map[string]any{"x": "1"}}
		},
		child: func(name, task string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "Agent", Input: map[string]any{
				"description": "a child", "prompt": task, "subagent_type": "general-purpose",
				"run_in_background": false}}
		},
		granted: "allow",
		// The guard script would close the last two, and open a larger hole:
		// TestNoLibraryOfTheProjectsBeforeTheHook.
		open: map[string]string{
			silent:                     "no decision, so the host's own rules hold",
			"is cut off in its answer": "Claude Code takes what is no object for text, also under onFailure. nod-hook writes its answer in one piece",
			"prints text":              "the same",
		},
	}
}
