package e2e

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/llm/llmtest"
)

// opencodeDriven is opencode in `opencode run`, told to approve whatever it
// would ask about, so that what runs is nobody's to stop but nod's.
func opencodeDriven() driven {
	return driven{
		adapter: agent.Opencode{}, title: "opencode", version: opencodeVersion,
		program: opencodeProgram,
		prepare: func(m *machine, srv *llmtest.Server) (words, environ []string) {
			config, err := json.Marshal(map[string]any{
				"model": "scripted/claude-scripted", "autoupdate": false, "share": "disabled",
				"provider": map[string]any{"scripted": map[string]any{
					"npm": "@ai-sdk/openai-compatible", "options": map[string]any{"baseURL": srv.URL + "/v1",
						"apiKey": "none"},
					"models": map[string]any{"claude-scripted": map[string]any{"tool_call": true}},
				}},
				"mcp": map[string]any{"lab": map[string]any{"type": "local",
					"command": []string{must(programs()) + "/mcp", m.poked()}}},
			})
			if err != nil {
				m.t.Fatal(err)
			}
			m.write(filepath.Join(m.home, ".config", "opencode", "opencode.json"), string(config), 0o600)
			m.opencodeInstalled()
			return []string{opencodeProgram(m.t), "run", "--dangerously-skip-permissions", "do what the test wants"},
				[]string{
					"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
					"OPENCODE_DISABLE_LSP_DOWNLOAD=1"}
		},
		hooks: ".config/opencode/plugin/nod.js",
		short: []string{"limit = 55000", "limit = 2000"},
		shell: func(name, command string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "bash",
				Input: map[string]any{"command": command, "description": "a step of a test"}}
		},
		write: func(name, path, content string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "write", Input: map[string]any{"filePath": path, "content": content}}
		},
		mcp: func(name string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "lab_poke", Input: map[string]any{"x": "1"}}
		},
		child: func(name, task string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "task", Input: map[string]any{
				"description": "a child", "prompt": task, "subagent_type": "general"}}
		},
		granted: "allow",
		open:    map[string]string{silent: "no decision, so the host's own rules hold"},
	}
}

// opencodeInstalled keeps opencode from fetching, in each new home, a package
// for plugins written in TypeScript, which nod's is not: it does so where none
// is locked there. On a busy machine that takes minutes.
func (m *machine) opencodeInstalled() {
	m.t.Helper()
	dir := filepath.Join(m.home, ".config", "opencode")
	wants := `"dependencies":{"@opencode-ai/plugin":"` + opencodeVersion + `"}`
	m.write(filepath.Join(dir, "package.json"), "{"+wants+"}", 0o600)
	m.write(filepath.Join(dir, "package-lock.json"), `{"lockfileVersion":3,"packages":{"":{`+wants+`}}}`, 0o600)
	m.write(filepath.Join(dir, "node_modules", "README"), "", 0o600)
}

const opencodeVersion = "1.18.33"

func opencodeProgram(t *testing.T) string {
	return npmProgram(t, func(os, arch string) string {
		return filepath.Join("opencode-"+os+"-"+arch, "bin", "opencode")
	})
}
