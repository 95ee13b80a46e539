package agent_test

import (
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
)

func TestReturnedText(t *testing.T) {
	for _, row := range []struct{ returned, want string }{
		{``, ""},
		{`"plain\ntext"`, "plain\ntext"},
		{`{"stdout":"a","stderr":"b","n":1}`, "a\nb"},
		{`{"file":{"content" : "x\u0041\"y"},"parts":[{"type":"text","text":"z"}]}`, "xA\"y\ntext\nz"},
		{`[null,true,1]`, ""},
	} {
		if got := (agent.Event{Returned: []byte(row.returned)}).ReturnedText(); got != row.want {
			t.Errorf("%s: %q, want %q", row.returned, got, row.want)
		}
	}
}

// TestEveryAgentsResultIsRead: each captured outcome carries what was returned.
func TestEveryAgentsResultIsRead(t *testing.T) {
	for name, payload := range map[string]string{
		"claude-code": `{"session_id":"s","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":{"stdout":"seen"}}`,
		"codex":       `{"session_id":"s","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":"seen"}`,
		"copilot":     `{"sessionId":"s","cwd":"/w","toolName":"bash","toolArgs":{"command":"ls"},"toolResult":{"textResultForLlm":"seen"}}`,
		"gemini":      `{"session_id":"s","cwd":"/w","hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{"command":"ls"},"tool_response":{"llmContent":"seen"}}`,
		"qwen":        `{"session_id":"s","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"run_shell_command","tool_input":{"command":"ls"},"tool_response":{"output":"seen"}}`,
	} {
		a, _ := agent.ByName(name)
		e, err := a.Decode([]byte(payload), nil)
		if err != nil || e.ReturnedText() != "seen" {
			t.Errorf("%s: %q, %v", name, e.ReturnedText(), err)
		}
		warned := string(agent.Warn(a, e, "it is <b>data</b>").Stdout)
		if told := strings.Contains(warned,
			`"additionalContext":"it is data"`); told != (a.Capabilities().HearsAfter != agent.Deaf) {
			t.Errorf("%s is warned with %q", name, warned)
		}
	}
}
