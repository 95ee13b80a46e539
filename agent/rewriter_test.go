package agent_test

import (
	"path/filepath"
	"testing"

	"github.com/nodgate/nod/agent"
)

// A host is handed another command only where it would run that, and no prompt about it may
// follow; internal/hook has what rules of a person's keep back.
func TestMayRewrite(t *testing.T) {
	home := t.TempDir()
	codex := `{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"c",` +
		`"tool_input":{"command":"x"},"permission_mode":`
	copilot := `{"sessionId":"s","timestamp":1,"cwd":"/w","toolName":"bash","toolArgs":{"command":"x"`
	gemini := `{"session_id":"s","cwd":"/w","hook_event_name":"BeforeTool","tool_name":"run_shell_command",` +
		`"tool_input":{"command":"x"`
	runs := func(version string) []string {
		return []string{"COPILOT_CLI_BINARY_VERSION=1.0.102", "COPILOT_CLI_RESOLVED_DIST_DIR=" + filepath.Join(home, version)}
	}
	for _, row := range []struct {
		adapter agent.Host
		payload string
		environ []string
		want    bool
	}{
		{agent.Host("codex"), codex + `"bypassPermissions"}`, nil, true},
		{agent.Host("codex"), codex + `"default"}`, nil, false},
		{agent.Host("codex"), codex + `"plan"}`, nil, false},
		{agent.Host("copilot"), copilot + `}}`, runs("1.0.102"), true},
		{agent.Host("copilot"), copilot + `}}`, runs("1.0.103"), false},
		{agent.Host("copilot"), copilot + `}}`, nil, false},
		{agent.Host("copilot"), copilot + `,"detach":true}}`, runs("1.0.102"), false},
		{agent.Host("copilot"), copilot + `},"toolResult":{}}`, runs("1.0.102"), false},
		{agent.Host("gemini"), gemini + `}}`, nil, true},
		{agent.Host("gemini"), gemini + `,"is_background":true}}`, nil, false},
		{agent.Host("gemini"), gemini + `}}`, []string{"GEMINI_CLI_HOME=/x"}, false},
	} {
		e, err := row.adapter.Decode([]byte(row.payload), append(row.environ, "HOME="+home, "PWD=/w"))
		if err != nil {
			t.Fatal(err)
		}
		if e.Complete != nil {
			e.Complete(&e)
		}
		if got := row.adapter.MayRewrite(e); got != row.want {
			t.Errorf("%s %s %v: %v, want %v", row.adapter.Name(), row.payload, row.environ, got, row.want)
		}
	}
}
