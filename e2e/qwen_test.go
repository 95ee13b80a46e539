package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/llm/llmtest"
)

// qwenDriven is Qwen Code in print mode, in the mode in which it asks about
// nothing: in the others it refuses by itself, before any hook, what it would
// ask about. What a hook grants there is in TestQwenGrants.
func qwenDriven() driven {
	return driven{
		adapter: agent.Qwen{}, title: "Qwen Code", version: "0.24.4",
		program: qwenProgram,
		prepare: func(m *machine, srv *llmtest.Server) (words, environ []string) {
			return append(m.qwen(), "-p", "do what the test wants", "--approval-mode", "yolo"), qwenEnviron(srv)
		},
		hooks: ".qwen/settings.json",
		short: []string{`"timeout": 60000`, `"timeout": 5000`, "KILL 55", "KILL 2"},
		shell: func(name, command string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "run_shell_command",
				Input: map[string]any{"command": command, "description": "a step of a test", "is_background": false}}
		},
		write: func(name, path, content string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "write_file",
				Input: map[string]any{"file_path": path, "content": content}}
		},
		mcp: func(name string) llmtest.Call { // as the host's model calls a tool that it was not shown
			return llmtest.Call{Name: name, Tool: "tool_call",
				Input: map[string]any{"name": "mcp__lab__poke", "arguments": map[string]any{"x": "1"}}}
		},
		child: func(name, task string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "agent", Input: map[string]any{
				"description": "a child", "prompt": task, "subagent_type": "general-purpose",
				"run_in_background": false}}
		},
		granted: "abstained",
		open:    map[string]string{silent: "no decision, so the host's own rules hold"},
	}
}

func qwenProgram(t *testing.T) string {
	return npmProgram(t, func(string, string) string {
		return filepath.Join("@qwen-code", "qwen-code", "cli-entry.js")
	})
}

// qwen writes the settings and returns the program's words.
func (m *machine) qwen() []string {
	m.setting(filepath.Join(m.home, ".qwen", "settings.json"), map[string]any{
		"mcpServers": m.labServer(),
		"security":   map[string]any{"auth": map[string]any{"selectedType": "openai"}},
	})
	return []string{"node", qwenProgram(m.t)}
}

func qwenEnviron(srv *llmtest.Server) []string {
	return []string{"OPENAI_API_KEY=none", "OPENAI_BASE_URL=" + srv.URL + "/v1", "OPENAI_MODEL=scripted",
		"QWEN_CODE_SUPPRESS_YOLO_WARNING=1"}
}

func readIfThere(file string) ([]byte, error) {
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return raw, err
}

// In the mode in which Qwen Code asks, over its stream of JSON, whose other end
// must answer what it asks: what nod allows is not asked about, what nod
// denies neither, and what nod would ask about is asked.
func TestQwenGrants(t *testing.T) {
	d := qwenDriven()
	d.program(t)
	t.Parallel()
	m := d.ready(t, ruleSettings, llmtest.Script{Steps: []llmtest.Step{
		{Calls: []llmtest.Call{d.shell("allowed", "touch allowed")}},
		{Calls: []llmtest.Call{d.shell("denied", "touch forbidden")}},
		{Calls: []llmtest.Call{d.shell("asked", "./opaque asked")}},
	}})
	m.installed(false)
	asked := m.stream("deny")
	for _, row := range []struct {
		name, file string
		ran        bool
	}{{"allowed", "allowed", true}, {"denied", "forbidden", false}, {"asked", "asked", false}} {
		told := m.told(t, row.name)
		if exists(filepath.Join(m.work, row.file)) != row.ran {
			t.Errorf("%s ran: %v, want %v; the model was told %q", row.name, !row.ran, row.ran, told)
		}
	}
	if told := m.told(t, "denied"); !strings.Contains(told, "hard_deny") {
		t.Errorf("the model was told %q", told)
	}
	if len(asked) != 1 || !strings.Contains(asked[0], "./opaque asked") {
		t.Errorf("the person was asked about %q", asked)
	}
	if found := m.decided("touch allowed"); len(found) == 0 || found[0].Answered != "allow" {
		t.Errorf("nod's log: %+v", found)
	}
}

// What nod cannot tell at PreToolUse: a prompt has no name by which the call
// that it was about could be known again, and nothing says that a person has
// denied it. So nod asks again there.
func TestQwenPromptHasNoName(t *testing.T) {
	deep(t, "what a host cannot tell")
	for _, row := range []struct {
		answer string
		events []string
	}{
		{"allow", []string{"PermissionRequest", "PreToolUse", "PostToolUse", "PermissionRequest", "PreToolUse",
			"PostToolUse"}},
		{"deny", []string{"PermissionRequest", "PermissionRequest"}},
	} {
		t.Run(row.answer, func(t *testing.T) {
			d := qwenDriven()
			d.program(t)
			t.Parallel()
			m := d.ready(t, ruleSettings, llmtest.Script{Steps: []llmtest.Step{
				{Calls: []llmtest.Call{d.shell("one", "./opaque same"), d.shell("two", "./opaque same")}},
			}})
			m.installed(false)
			hook, seen := filepath.Join(m.bin, "nod-hook"), filepath.Join(m.dir, "seen")
			m.remove(hook)
			m.machine.write(hook, "#!/bin/sh\ncat >> '"+seen+"'\necho >> '"+seen+"'\n", 0o755)
			if asked := m.stream(row.answer); len(asked) != 2 {
				t.Errorf("the person was asked about %q", asked)
			}
			var events []string
			for line := range strings.Lines(m.read(seen)) {
				var e struct {
					Event string `json:"hook_event_name"`
					Use   string `json:"tool_use_id"`
					Call  string `json:"tool_call_id"`
				}
				if err := json.Unmarshal([]byte(line), &e); err != nil {
					t.Fatal(err)
				}
				events = append(events, e.Event)
				if named := e.Use+e.Call != ""; named == (e.Event == "PermissionRequest") {
					t.Errorf("%s names its call: %v", e.Event, named)
				}
			}
			if !slices.Equal(events, row.events) {
				t.Errorf("the hooks were shown %q, want %q", events, row.events)
			}
		})
	}
}

// stream lets Qwen Code do one prompt over its stream of JSON, gives one answer
// to whatever it asks, and returns what that was.
func (d *driving) stream(answer string) (asked []string) {
	d.t.Helper()
	slots <- struct{}{}
	defer func() { <-slots }()
	ctx := hang.Context(d.t)
	words := append(d.qwen(), "--input-format", "stream-json", "--output-format", "stream-json", "--approval-mode",
		"default")
	cmd := d.command(ctx, words[0], words[1:]...)
	cmd.Env = append(cmd.Env, qwenEnviron(d.srv)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		d.t.Fatal(err)
	}
	send := func(v any) {
		if err := json.NewEncoder(in).Encode(v); err != nil {
			d.t.Logf("qwen: %v", err)
		}
	}
	// Without this it waits for a person of its own and asks nobody here.
	send(map[string]any{"type": "control_request", "request_id": "1",
		"request": map[string]any{"subtype": "initialize"}})
	send(map[string]any{"type": "user", "session_id": "s", "parent_tool_use_id": nil,
		"message": map[string]any{"role": "user", "content": "do what the test wants"}})
	for dec := json.NewDecoder(out); ; {
		var line struct {
			Type      string
			RequestID string `json:"request_id"`
			Request   json.RawMessage
		}
		if err := dec.Decode(&line); err != nil {
			break
		}
		switch line.Type {
		case "control_request":
			if bytes.Contains(line.Request, []byte("can_use_tool")) {
				asked = append(asked, string(line.Request))
			}
			send(map[string]any{"type": "control_response",
				"response": map[string]any{"subtype": "success", "request_id": line.RequestID,
					"response": map[string]any{"behavior": answer, "message": "nobody wants this"}}})
		case "result":
			in.Close()
		}
	}
	if err := cmd.Wait(); ctx.Err() != nil {
		d.t.Fatalf("qwen: %v\n%s", err, stderr.String())
	}
	return asked
}
