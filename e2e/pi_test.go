package e2e

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/llm/llmtest"
)

// piDriven is Pi in print mode. It asks nobody about anything, so what runs is
// nobody's to stop but nod's.
func piDriven() driven {
	return driven{
		adapter: agent.Pi{}, title: "Pi", version: "1.5.2",
		program: piProgram,
		prepare: func(m *machine, srv *llmtest.Server) (words, environ []string) {
			for name, content := range map[string]any{
				"models.json": map[string]any{"providers": map[string]any{"scripted": map[string]any{
					"baseUrl": srv.URL + "/v1", "apiKey": "none", "api": "openai-completions",
					"models": []any{map[string]any{"id": "claude-scripted"}}}}},
				"mcp.json": map[string]any{"mcpServers": map[string]any{"lab": map[string]any{
					"command": must(programs()) + "/mcp", "args": []string{m.poked()}, "exposure": "direct"}}},
			} {
				text, err := json.Marshal(content)
				if err != nil {
					m.t.Fatal(err)
				}
				m.write(filepath.Join(m.home, ".pi", "agent", name), string(text), 0o600)
			}
			return []string{piNode(m.t), piProgram(m.t), "-p", "--provider", "scripted", "--model", "claude-scripted",
					"do what the test wants"},
				[]string{"PI_OFFLINE=1", "PI_TELEMETRY=0"}
		},
		hooks: ".pi/agent/extensions/nod.js",
		short: []string{"limit = 55000", "limit = 2000"},
		shell: func(name, command string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "bash", Input: map[string]any{"command": command}}
		},
		write: func(name, path, content string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "write", Input: map[string]any{"path": path, "content": content}}
		},
		mcp: func(name string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "mcp__lab__poke", Input: map[string]any{"x": "1"}}
		},
		granted: "allow",
		open:    map[string]string{silent: "no decision, and Pi asks about nothing"},
	}
}

// piProgram is one file that holds what it needs but for jiti; piNode is what
// runs it.
func piProgram(t *testing.T) string {
	return npmProgram(t, func(_, _ string) string {
		return filepath.Join("@earendil-works", "pi-coding-agent", "dist", "bundle", "cli.js")
	})
}

func piNode(t *testing.T) string {
	return npmProgram(t, func(os, arch string) string {
		return filepath.Join("node-"+os+"-"+arch, "bin", "node")
	})
}
