package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
)

// An argument that nod does not know may say where or how a command runs.
func TestFurtherArguments(t *testing.T) {
	claude := `{"hook_event_name":"%s","session_id":"s","cwd":"/u/w","tool_name":"%s","tool_input":{"command":"ls"%%s}}`
	shim := `{"hook":"%s","tool":"bash","session":"s","call":"c","directory":"/u/w","args":{"command":"ls"%%s}}`
	payloads := map[string]string{
		"claude-code": fmt.Sprintf(claude, "PreToolUse", "Bash"), "codex": fmt.Sprintf(claude, "PreToolUse", "Bash"),
		"copilot":  `{"sessionId":"s","cwd":"/u/w","toolName":"bash","toolArgs":{"command":"ls"%s}}`,
		"gemini":   fmt.Sprintf(claude, "BeforeTool", "run_shell_command"),
		"qwen":     fmt.Sprintf(claude, "PreToolUse", "run_shell_command"),
		"opencode": fmt.Sprintf(shim, "tool.execute.before"), "pi": fmt.Sprintf(shim, "tool_call"),
		"antigravity": `{"toolCall":{"name":"run_command","args":{"CommandLine":"ls","Cwd":"/u/w"%s}},` +
			`"conversationId":"c","workspacePaths":["/u/w"]}`,
		"crush": `{"event":"PreToolUse","session_id":"s","cwd":"/u/w","tool_name":"bash","tool_input":{"command":"ls"%s}}`,
		"cursor": `{"hook_event_name":"preToolUse","conversation_id":"s","workspace_roots":["/u/w"],"tool_name":"Shell",` +
			`"tool_input":{"command":"ls"%s},"cwd":"/u/w"}`,
		"droid": fmt.Sprintf(claude, "PreToolUse", "Execute"),
		"goose": `{"event":"PreToolUse","session_id":"s","tool_name":"developer__shell","tool_input":{"command":"ls"%s},` +
			`"working_dir":"/u/w"}`,
		"grok": `{"toolName":"bash","toolInput":{"command":"ls"%s},"cwd":"/u/w","sessionId":"s"}`,
		"kiro": `{"hook_event_name":"preToolUse","cwd":"/u/w","tool_name":"execute_bash","tool_input":{"command":"ls"%s}}`,
		"openhands": `{"event_type":"PreToolUse","tool_name":"terminal","tool_input":{"command":"ls"%s},"session_id":"s",` +
			`"working_dir":"/u/w"}`,
		"vscode": `{"hookEventName":"PreToolUse","sessionId":"s","cwd":"/u/w","tool_name":"run_in_terminal",` +
			`"tool_input":{"command":"ls"%s},"tool_use_id":"t"}`,
		"windsurf": `{"agent_action_name":"pre_run_command","trajectory_id":"s",` +
			`"tool_info":{"command_line":"ls","cwd":"/u/w"%s}}`,
	}
	for _, a := range agent.All() {
		for further, denied := range map[string]bool{
			"": false, `,"description":"list","timeout":5`: false, `,"place":""`: false, `,"places":[],"there":null`: false,
			`,"path":"~/.aws"`: true, `,"work_dir":"/"`: true, `,"env":{"PATH":"."}`: true, `,"elevated":true`: true,
			`,"machine":1`: true, `,"args":["-l"]`: true,
		} {
			e, err := a.Decode(fmt.Appendf(nil, payloads[a.Name()], further), []string{"PWD=/u/w"})
			if err != nil || e.Call.Command != "ls" || (e.Call.Rewritten != "") != denied {
				t.Errorf("%s with %s: %q, %v", a.Name(), further, e.Call.Rewritten, err)
			}
		}
	}
}

// So may an argument of a tool for files, unless it is a number, true or false.
func TestFurtherArgumentsOfFiles(t *testing.T) {
	claude := `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/u/w","tool_name":"`
	goose := `{"event":"PreToolUse","session_id":"s","working_dir":"/u/w","tool_name":"developer__text_editor","tool_input":` +
		`{"command":"str_replace","path":"/u/w/a","old_str":"a","new_str":"b"`
	pi := `{"hook":"tool_call","tool":"edit","session":"s","call":"c","directory":"/u/w","args":` +
		`{"path":"/u/w/a","edits":[]`
	for _, row := range []struct {
		adapter agent.Adapter
		payload string
	}{
		{agent.Host("claude-code"), claude + `Read","tool_input":{"file_path":"/u/w/a","offset":1`},
		{agent.Host("claude-code"), claude + `Write","tool_input":{"file_path":"/u/w/a","content":"x"`},
		{agent.Host("claude-code"), claude + `Grep","tool_input":{"pattern":"x","glob":"*.go","output_mode":"content","-A":1`},
		{agent.Host("goose"), goose}, {agent.Host("pi"), pi},
		{agent.Host("qwen"), claude + `grep_search","tool_input":{"pattern":"x","glob":"*.go"`},
		{agent.Host("gemini"), strings.Replace(claude, "PreToolUse", "BeforeTool", 1) + `glob","tool_input":{"pattern":"x"`},
		{agent.Host("copilot"), `{"sessionId":"s","cwd":"/u/w","toolName":"grep","toolArgs":{"pattern":"x","glob":"*.go"`},
		{agent.Host("claude-code"), claude + `SendMessage","tool_input":{"to":"main","message":{"type":"x"}`},
		{agent.Host("codex"), claude + `spawn_agent","tool_input":{"items":[{"type":"text","text":"go"}],"agent_type":"worker"`},
	} {
		for further, open := range map[string]bool{"": false, `,"most":3,"deep":true,"none":""`: false,
			`,"_host":"laptop"`: true, `,"diff":"--- a/.envrc"`: true, `,"places":["/"]`: true, `,"at":{"x":1}`: true,
		} {
			e, err := row.adapter.Decode([]byte(row.payload+further+"}}"), []string{"PWD=/u/w"})
			if err != nil || (e.Call.Unread != "") != open {
				t.Errorf("%s%s: %q, %v", row.payload, further, e.Call.Unread, err)
			}
		}
	}
}
