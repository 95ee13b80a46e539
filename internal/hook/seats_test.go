package hook_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/nodgate/nod/agent"
)

// On a host whose first seat cannot grant, the second is answered although the
// first was; on one whose first can, what it said stands.
func TestTheSecondSeat(t *testing.T) {
	for _, row := range []struct {
		adapter   agent.Adapter
		asks, end string // what is answered at PermissionRequest to a read, and to a denial
	}{
		{agent.Host("codex"), "allow", "deny"},
		{agent.Host("claude-code"), "silence", "silence"},
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
