package e2e

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/llm/llmtest"
)

// copilotDriven is the GitHub Copilot CLI in print mode with a model of one's
// own, which needs no account. Where nod is silent it would ask, and so deny.
func copilotDriven() driven {
	return driven{
		adapter: agent.Copilot{}, title: "GitHub Copilot CLI", version: "1.0.102",
		program: copilotProgram,
		prepare: func(m *machine, srv *llmtest.Server) (words, environ []string) {
			servers, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"lab": map[string]any{
				"type": "local", "command": must(programs()) + "/mcp", "args": []string{m.poked()},
				"tools": []string{"*"}}}})
			if err != nil {
				m.t.Fatal(err)
			}
			m.write(filepath.Join(m.home, ".copilot", "mcp-config.json"), string(servers), 0o600)
			return []string{copilotProgram(m.t), "-p", "do what the test wants", "--allow-all-tools"}, []string{
				"COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_BASE_URL=" + srv.URL + "/v1",
				"COPILOT_PROVIDER_API_KEY=none",
				"COPILOT_MODEL=claude-scripted", "COPILOT_OFFLINE=true"}
		},
		hooks: ".copilot/hooks/nod.json",
		short: []string{`"timeoutSec": 60`, `"timeoutSec": 5`, "KILL 55", "KILL 2"},
		shell: func(name, command string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "bash",
				Input: map[string]any{"command": command, "description": "a step of a test"}}
		},
		write: func(name, path, content string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "create", Input: map[string]any{"path": path, "file_text": content}}
		},
		mcp: func(name string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "lab-poke", Input: map[string]any{"x": "1"}}
		},
		child: func(name, task string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "task", Input: map[string]any{
				"agent_type": "general-purpose", "prompt": task, "description": "a child", "name": "kid",
				"mode": "sync"}}
		},
		granted: "allow",
		open:    map[string]string{silent: "no decision, so the host's own rules hold"},
	}
}

func copilotProgram(t *testing.T) string {
	return npmProgram(t, func(os, arch string) string {
		return filepath.Join("@github", "copilot-"+os+"-"+arch, "copilot")
	})
}
