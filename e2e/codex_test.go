package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/llm/llmtest"
)

// codexDriven is the Codex CLI in `codex exec`, without its sandbox, so that
// what runs is nobody's to stop but nod's.
func codexDriven() driven {
	return driven{
		adapter: agent.Codex{}, title: "Codex CLI", version: "0.169.0",
		program: codexProgram,
		prepare: func(m *machine, srv *llmtest.Server) (words, environ []string) {
			m.write(filepath.Join(m.home, ".codex", "config.toml"), codexConfig(m, srv.URL)+m.trusted, 0o600)
			return []string{codexProgram(m.t), "exec", "-s", "danger-full-access", "do what the test wants"},
				[]string{"SCRIPTED_KEY=none"}
		},
		consent: func(m *machine) { m.trusted = codexConsent(m) },
		hooks:   ".codex/hooks.json",
		short:   []string{`"timeout": 60`, `"timeout": 5`, "KILL 55", "KILL 2"},
		shell: func(name, command string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "exec_command", Input: map[string]any{"cmd": command}}
		},
		write: func(name, path, content string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "exec_command", Input: map[string]any{
				"cmd": "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: " + path + "\n+" + content +
					"*** End Patch\nEOF"}}
		},
		mcp: func(name string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "poke", Namespace: "mcp__lab", Input: map[string]any{"x": "1"}}
		},
		child: func(name, task string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "spawn_agent", Namespace: "multi_agent_v1",
				Input: map[string]any{"message": task}}
		},
		wait: []llmtest.Call{{Name: "wait", Tool: "exec_command",
			Input: map[string]any{"cmd": "sleep 20", "yield_time_ms": 25000}}},
		granted: "abstained",
		open:    map[string]string{silent: "no decision, so the host's own rules hold"},
	}
}

func codexProgram(t *testing.T) string {
	return npmProgram(t, func(os, arch string) string {
		triple := map[string]string{"linux/x64": "x86_64-unknown-linux-musl",
			"linux/arm64": "aarch64-unknown-linux-musl",
			"darwin/x64":  "x86_64-apple-darwin", "darwin/arm64": "aarch64-apple-darwin"}[runtime.GOOS+"/"+arch]
		return filepath.Join("@openai", "codex-"+os+"-"+arch, "vendor", triple, "bin", "codex")
	})
}

// codexConfig is Codex's settings. Where /tmp may be written, its sandbox leaves
// .git, .codex and .agents there.
func codexConfig(m *machine, url string) string {
	return fmt.Sprintf(`model = "gpt-scripted"
model_provider = "scripted"
[sandbox_workspace_write]
exclude_slash_tmp = true
[model_providers.scripted]
name = "scripted"
base_url = %q
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[mcp_servers.lab]
command = %q
args = [%q]
`, url+"/v1", must(programs())+"/mcp", m.poked())
}

// codexConsent is the person's: it asks Codex itself for the hooks that wait to
// be trusted, as /hooks shows them, and returns the settings by which they are.
func codexConsent(m *machine) (settings string) {
	m.t.Helper()
	cmd := m.command(m.t.Context(), codexProgram(m.t), "app-server")
	cmd.Env = append(cmd.Env, "SCRIPTED_KEY=none")
	in, err := cmd.StdinPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		m.t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	timer := time.AfterFunc(hang.Limit(), func() { cmd.Process.Kill() })
	defer timer.Stop()
	fmt.Fprintln(in, `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"e2e","version":"1"}}}`)
	fmt.Fprintln(in, `{"method":"initialized"}`)
	fmt.Fprintf(in, `{"id":2,"method":"hooks/list","params":{"cwds":[%q]}}`+"\n", m.work)
	for _, h := range codexHooks(m.t, out) {
		if h.TrustStatus != "untrusted" {
			m.t.Fatalf("a hook of nod's is %q before anyone has seen it", h.TrustStatus)
		}
		settings += fmt.Sprintf("[hooks.state.%q]\ntrusted_hash = %q\n", h.Key, h.CurrentHash)
	}
	return settings
}

type codexHook struct{ Key, CurrentHash, TrustStatus string }

func codexHooks(t *testing.T, out io.Reader) []codexHook {
	t.Helper()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m struct {
			ID     int
			Result struct{ Data []struct{ Hooks []codexHook } }
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID != 2 {
			continue
		}
		if len(m.Result.Data) != 1 || len(m.Result.Data[0].Hooks) != 3 {
			t.Fatalf("hooks/list: %s", lines.Bytes())
		}
		return m.Result.Data[0].Hooks
	}
	t.Fatal("codex app-server did not list its hooks")
	return nil
}
