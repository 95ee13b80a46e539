package agent_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
)

// codexEvent decodes a shell command of Codex.
func codexEvent(t *testing.T, command, event, mode, rollout string) agent.Event {
	t.Helper()
	payload := marshal(t, map[string]any{
		"session_id": "s", "turn_id": "t", "transcript_path": rollout, "cwd": "/home/ada/loom",
		"hook_event_name": event,
		"model":           "m", "permission_mode": mode, "tool_name": "Bash",
		"tool_input":  map[string]any{"command": command},
		"tool_use_id": "call_1"})
	e, err := agent.Host("codex").Decode(payload, []string{"PWD=/home/ada/loom"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// What the hook is not told stands in the rollout; where it does not, the strictest holds.
func TestCodexCompletes(t *testing.T) {
	call := func(id, cmd, more string) string {
		args := string(marshal(t, `{"cmd":`+string(marshal(t, cmd))+more+`}`))
		return `{"timestamp":"2026-11-20T10:00:00Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":` + args + `,"call_id":"` + id + `"}}` + "\n"
	}
	const noise = `{"timestamp":"2026-11-20T10:00:00Z","type":"event_msg","payload":{"type":"token_count"}}` + "\n"
	for _, row := range []struct {
		name, event, mode, rollout string
		unseen, follows            bool
		dialect                    nod.Dialect
	}{
		{"plain", "PreToolUse", "default", call("call_1", "ls", "") + noise, false, false, nod.Unstated},
		{"tty", "PreToolUse", "default", call("call_1", "ls", `,"tty":true`), true, false, nod.Unstated},
		{"tty of an older call", "PreToolUse", "default",
			call("call_0", "ls", `,"tty":true`) + call("call_1", "ls", ""), false, false, nod.Unstated},
		{"escalated", "PreToolUse", "default", call("call_1", "ls", `,"sandbox_permissions":"require_escalated"`),
			false, true, nod.Unstated},
		{"escalated, never asked", "PreToolUse", "bypassPermissions",
			call("call_1", "ls", `,"sandbox_permissions":"require_escalated"`), false, false, nod.Unstated},
		{"another shell", "PreToolUse", "default", call("call_1", "ls", `,"shell":"/opt/pwsh"`), false, false,
			nod.PowerShell},
		{"no such call", "PreToolUse", "default", call("call_2", "ls", ""), true, false, nod.Unstated},
		{"a twin", "PreToolUse", "default", call("call_1", "ls", `,"tty":false,"TTY":true`), true, false, nod.Unstated},
		{"torn", "PreToolUse", "default", call("call_1", "ls", "")[:120], true, false, nod.Unstated},
		{"asked", "PermissionRequest", "default", call("call_9", "ls", ""), false, true, nod.Unstated},
		{"asked, once with a terminal", "PermissionRequest", "default",
			call("call_8", "ls", `,"tty":true`) + call("call_9", "ls", ""), true, true, nod.Unstated},
	} {
		t.Run(row.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "rollout.jsonl")
			if err := os.WriteFile(file, []byte(noise+row.rollout), 0o600); err != nil {
				t.Fatal(err)
			}
			e := codexEvent(t, "ls", row.event, row.mode, file)
			if row.event == "PermissionRequest" {
				e.Call.ID = "" // that event has none
			}
			if !e.Call.StdinUnseen {
				t.Error("not at its strictest before it is completed")
			}
			e.Complete(&e)
			if e.Call.StdinUnseen != row.unseen || e.PromptFollows != row.follows || e.Call.Dialect != row.dialect {
				t.Errorf("unseen %v, follows %v, dialect %v", e.Call.StdinUnseen, e.PromptFollows, e.Call.Dialect)
			}
		})
	}
}
