package hook_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/audit"
)

// On a host whose first seat cannot grant, the second is answered although the
// first was; on one whose first can, what it said stands.
func TestTheSecondSeat(t *testing.T) {
	for _, row := range []struct {
		adapter   agent.Adapter
		asks, end string // what is answered at PermissionRequest to a read, and to a denial
	}{
		{agent.Codex{}, "allow", "deny"},
		{agent.ClaudeCode{}, "silence", "silence"},
	} {
		t.Run(row.adapter.Name(), func(t *testing.T) {
			p := newPlace(t)
			p.options.Adapter = row.adapter
			p.options.Environ = append(p.options.Environ, "PWD="+p.shop)
			answer := func(event, tool string, input map[string]any) string {
				payload, err := json.Marshal(map[string]any{"session_id": "s", "cwd": p.shop, "hook_event_name": event,
					"permission_mode": "default", "tool_name": tool, "tool_input": input})
				if err != nil {
					t.Fatal(err)
				}
				return p.run(bytes.NewReader(payload)).verdict
			}
			tool, read := "view_image", map[string]any{"path": p.shop + "/main.go"}
			if row.adapter.Name() == "claude-code" {
				tool, read = "Read", map[string]any{"file_path": p.shop + "/main.go"}
			}
			deny := map[string]any{"command": "rm -rf ~"}
			answer("PreToolUse", tool, read)
			if got := answer("PermissionRequest", tool, read); got != row.asks {
				t.Errorf("a read is answered by %s, want %s", got, row.asks)
			}
			if got := answer("PreToolUse", "Bash", deny); got != "deny" {
				t.Errorf("a denial is answered by %s", got)
			}
			if got := answer("PermissionRequest", "Bash", deny); got != row.end {
				t.Errorf("a denial is answered by %s, want %s", got, row.end)
			}
		})
	}
}

// What the payload leaves out is read from the host's own file, and the
// workspace is where the host started the hook, not where the command goes.
func TestCodexRolloutIsRead(t *testing.T) {
	p := newPlace(t)
	p.options.Adapter = agent.Codex{}
	p.options.Environ = append(p.options.Environ, "PWD="+p.shop)
	rollout := filepath.Join(p.home, "rollout.jsonl")
	payload, err := json.Marshal(map[string]any{"session_id": "s", "cwd": p.home, "hook_event_name": "PreToolUse",
		"transcript_path": rollout,
		"permission_mode": "default", "tool_name": "Bash", "tool_use_id": "c",
		"tool_input": map[string]any{"command": "ls"}})
	if err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]string{
		`{\"cmd\":\"ls\"}`:                "silence",
		`{\"cmd\":\"ls\",\"tty\":true}`:   "deny",
		`{\"cmd\":\"rm x\",\"tty\":null}`: "deny",
	} {
		line := `{"type":"response_item","payload":{"type":"function_call","name":"exec_command","call_id":"c","arguments":"` + arguments + `"}}` + "\n"
		if err := os.WriteFile(rollout, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		if s := p.run(bytes.NewReader(payload)); s.verdict != want {
			t.Errorf("%s: %s, want %s: %s", arguments, s.verdict, want, s.reason)
		}
	}
	for _, e := range p.log() {
		if e.Kind == audit.Decision && strings.TrimSuffix(e.Root, "/") != p.shop {
			t.Errorf("the workspace is %q", e.Root)
		}
	}
}

// A tool that runs code is allowed by nothing that nod reads, in either seat and every mode.
func TestCodeIsNotAllowedUnread(t *testing.T) {
	for _, tool := range []string{"Code", "Eval", "REPL"} {
		for _, mode := range []string{"default", "acceptEdits", "auto", "plan", "bypassPermissions"} {
			for _, event := range []string{"PreToolUse", "PermissionRequest"} {
				p := newPlace(t)
				p.permission = mode
				input := map[string]string{"code": "await $`rm -rf ~`"}
				if got := p.run(bytes.NewReader(p.payload(event, tool, input, nil))); got.verdict == "allow" {
					t.Errorf("%s in mode %s at %s: %+v", tool, mode, event, got)
				}
			}
		}
	}
}
