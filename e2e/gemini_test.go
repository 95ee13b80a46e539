package e2e

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/llm/llmtest"
)

// geminiDriven is the Gemini CLI in print mode, in the mode in which it asks
// about nothing: no hook can grant there, and where its policy asks and nobody
// is there it does not even offer a tool.
func geminiDriven() driven {
	return driven{
		adapter: agent.Gemini{}, title: "Gemini CLI", version: "0.61.0",
		program: geminiProgram,
		prepare: func(m *machine, srv *llmtest.Server) (words, environ []string) {
			m.setting(filepath.Join(m.home, ".gemini", "settings.json"), map[string]any{
				"mcpServers": m.labServer(),
				"security":   map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}},
			})
			return []string{"node", geminiProgram(m.t), "-p", "do what the test wants", "-m", "gemini-2.5-flash",
					"--yolo", "--skip-trust",
					"--include-directories", m.dir}, // else it refuses by itself what lies outside
				[]string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=" + srv.URL, "GEMINI_TELEMETRY_ENABLED=false"}
		},
		hooks: ".gemini/settings.json",
		short: []string{`"timeout": 60000`, `"timeout": 5000`, "KILL 55", "KILL 2"},
		shell: func(name, command string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "run_shell_command",
				Input: map[string]any{"command": command, "description": "a step of a test"}}
		},
		write: func(name, path, content string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "write_file",
				Input: map[string]any{"file_path": path, "content": content}}
		},
		mcp: func(name string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "mcp_lab_poke", Input: map[string]any{"x": "1"}}
		},
		child: func(name, task string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "invoke_agent",
				Input: map[string]any{"agent_name": "generalist", "prompt": task}}
		},
		granted: "abstained",
		open:    map[string]string{silent: "no decision, so the host's own rules hold"},
	}
}

func geminiProgram(t *testing.T) string {
	return npmProgram(t, func(string, string) string {
		return filepath.Join("@google", "gemini-cli", "bundle", "gemini.js")
	})
}

// labServer is the MCP server "lab" as the settings of Gemini CLI and Qwen
// Code name it.
func (m *machine) labServer() map[string]any {
	return map[string]any{"lab": map[string]any{"command": must(programs()) + "/mcp", "args": []string{m.poked()}}}
}

// setting puts keys into a settings file beside those that it has.
func (m *machine) setting(file string, keys map[string]any) {
	m.t.Helper()
	all := map[string]any{}
	if raw, err := readIfThere(file); err != nil {
		m.t.Fatal(err)
	} else if raw != nil {
		if err := json.Unmarshal(raw, &all); err != nil {
			m.t.Fatalf("%s: %v", file, err)
		}
	}
	for k, v := range keys {
		all[k] = v
	}
	raw, err := json.Marshal(all)
	if err != nil {
		m.t.Fatal(err)
	}
	m.write(file, string(raw), 0o600)
}
