package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
)

func decodeCommand(t *testing.T, name, command string) nod.Call {
	t.Helper()
	payload := map[string]string{
		"crush":     `{"event":"PreToolUse","session_id":"s","cwd":"/u/w","tool_name":"bash","tool_input":{"command":`,
		"openhands": `{"event_type":"PreToolUse","session_id":"s","working_dir":"/u/w","tool_name":"terminal","tool_input":{"command":`,
		"vscode": `{"hookEventName":"PreToolUse","sessionId":"s","tool_use_id":"t","cwd":"/u/w","tool_name":"run_in_terminal",` +
			`"tool_input":{"command":`,
	}[name]
	e, err := agent.Host(name).Decode([]byte(payload+string(marshal(t, command))+`}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	return e.Call
}

// What is typed at a prompt is more than its words.
func TestCommandsThatAreTyped(t *testing.T) {
	for command, want := range map[string]bool{
		"echo a # ; rm -rf src": true, "ls\nrm x": true, "ls\tx": true, "ls\rx": true, "echo a!b": true, "timeout 5 ls": true,
		`echo a \; rm -rf src`: true, "ls a*b": false, `git commit -m "x"`: false,
	} {
		for _, host := range []string{"vscode", "openhands"} {
			if got := decodeCommand(t, host, command).Rewritten != ""; got != want {
				t.Errorf("%s: %q: %v", host, command, got)
			}
		}
	}
}

// Which shell reads a command, and whether it is there for the next.
func TestShellsOfHosts(t *testing.T) {
	for name, want := range map[string]nod.Call{
		"crush": {Dialect: nod.Interp}, "openhands": {Keeps: true}, "vscode": {Keeps: true},
	} {
		if c := decodeCommand(t, name, "ls"); c.Dialect != want.Dialect || c.Keeps != want.Keeps {
			t.Errorf("%s: dialect %v, keeps %v", name, c.Dialect, c.Keeps)
		}
	}
}

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

// A shell with a name is where it was made, and a person may have changed the directory.
func TestShellsWithAName(t *testing.T) {
	for payload, denied := range map[string]bool{
		`"cwd":"/u/w","toolName":"bash","toolArgs":{"command":"ls","shellId":"k"}`:   false,
		`"cwd":"/u/w/d","toolName":"bash","toolArgs":{"command":"ls","shellId":"k"}`: true,
		`"cwd":"/u/w/d","toolName":"bash","toolArgs":{"command":"ls"}`:               false,
	} {
		e, err := agent.Host("copilot").Decode([]byte(`{"sessionId":"s",`+payload+`}`), []string{"COPILOT_PROJECT_DIR=/u/w"})
		if err != nil || (e.Call.Rewritten != "") != denied {
			t.Errorf("%s: %q %v", payload, e.Call.Rewritten, err)
		}
	}
}

// A host may take ~ for the home directory, also where a shell would not, and a shell that
// is kept may stay where a call had it start.
func TestDirectoriesBelowHome(t *testing.T) {
	for dir, denied := range map[string]bool{"~/.aws": true, "~": true, "~ada": true, "": false,
		"/u/w": false, "a": true, "/u/.aws": true, // the shell may stay there
	} {
		e, err := agent.Host("kiro").Decode([]byte(`{"hook_event_name":"preToolUse","cwd":"/u/w",`+
			`"tool_name":"execute_bash","tool_input":{"command":"cat credentials","cwd":"`+dir+`"}}`), nil)
		if err != nil || !e.Call.Keeps || (e.Call.Rewritten != "") != denied {
			t.Errorf("%s: %+v %v", dir, e.Call, err)
		}
	}
}

// Where nobody says where a command starts, its shell may be one that is kept.
func TestShellsOfWhichNobodySays(t *testing.T) {
	const cursor = `{"hook_event_name":"beforeShellExecution","conversation_id":"s","command":"cd x",` +
		`"workspace_roots":["/w"],"cwd":`
	const droid = `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"Execute",` +
		`"tool_input":{"command":"ls","fireAndForget":`
	for _, row := range []struct {
		host, payload   string
		keeps, outlives bool
	}{
		{"cursor", cursor + `""}`, true, false}, {"cursor", cursor + `"/w/x"}`, true, false},
		{"droid", droid + `false}}`, false, false}, {"droid", droid + `true}}`, false, true},
	} {
		e, err := agent.Host(row.host).Decode([]byte(row.payload), nil)
		if err != nil || e.Call.Keeps != row.keeps || e.Call.Outlives != row.outlives {
			t.Errorf("%s: keeps %v, outlives %v (%v)", row.payload, e.Call.Keeps, e.Call.Outlives, err)
		}
	}
}

// A word of a search is an option to the program that some hosts search with.
func TestSearchesForOptions(t *testing.T) {
	gemini := `{"hook_event_name":"BeforeTool","session_id":"s","cwd":"/u/w","tool_name":"grep_search","tool_input":`
	crush := `{"event":"PreToolUse","session_id":"s","cwd":"/u/w","tool_name":"grep","tool_input":`
	pi := `{"hook":"tool_call","tool":"grep","session":"s","call":"c","directory":"/u/w","args":`
	for _, row := range []struct {
		adapter agent.Adapter
		payload string
		denied  bool
	}{
		{agent.Host("gemini"), gemini + `{"pattern":"--open-files-in-pager=rm x","include_pattern":"a"}}`, true},
		{agent.Host("gemini"), gemini + `{"pattern":"-Osh"}}`, true}, {agent.Host("gemini"), gemini + `{"pattern":"[-]-open"}}`, false},
		{agent.Host("crush"), crush + `{"pattern":"--pre=sh","include":"x.txt"}}`, true},
		{agent.Host("crush"), crush + `{"pattern":"x","path":"src"}}`, false},
		{agent.Host("pi"), pi + `{"pattern":"--pre=sh"}}`, false}, // which puts -- before it
	} {
		e, err := row.adapter.Decode([]byte(row.payload), nil)
		if err != nil || (e.Call.Rewritten != "") != row.denied {
			t.Errorf("%s: %s: %q %v", row.adapter.Name(), row.payload, e.Call.Rewritten, err)
		}
	}
}

// A directory that is left again on the way is another one to some hosts.
func TestDirectoriesThatWind(t *testing.T) {
	for dir, denied := range map[string]bool{"d/..": true, "/u/w/d/../x": true, "./d/..": true, "../v": false,
		"/u/v": false,
		"..":   false, "sub": false, "a..b/c": false} {
		e, err := agent.Host("gemini").Decode([]byte(`{"hook_event_name":"BeforeTool","session_id":"s","cwd":"/u/w",`+
			`"tool_name":"run_shell_command","tool_input":{"command":"ls","dir_path":"`+dir+`"}}`), nil)
		if err != nil || (e.Call.Rewritten != "") != denied {
			t.Errorf("%s: %q %v", dir, e.Call.Rewritten, err)
		}
	}
}

// Some hosts do not end what they are told to start beside the session.
func TestCommandsThatOutliveTheSession(t *testing.T) {
	copilot := `{"sessionId":"s","cwd":"/u/w","toolName":"bash","toolArgs":{"command":"sleep 9"`
	gemini := `{"hook_event_name":"BeforeTool","session_id":"s","cwd":"/u/w","tool_name":"run_shell_command",` +
		`"tool_input":{"command":"sleep 9"`
	qwen := strings.Replace(gemini, "BeforeTool", "PreToolUse", 1)
	crush := `{"event":"PreToolUse","session_id":"s","cwd":"/u/w","tool_name":"bash","tool_input":{"command":"sleep 9"`
	for _, row := range []struct {
		adapter agent.Adapter
		payload string
		want    bool
	}{
		{agent.Host("copilot"), copilot + `,"mode":"async","detach":true}}`, true}, {agent.Host("copilot"), copilot + `,"mode":"async"}}`, false},
		{agent.Host("gemini"), gemini + `,"is_background":true}}`, true}, {agent.Host("gemini"), gemini + `,"is_background":false}}`, false},
		{agent.Host("qwen"), qwen + `,"is_background":true}}`, true}, {agent.Host("qwen"), qwen + `,"is_background":false}}`, false},
		{agent.Host("crush"), crush + `,"run_in_background":true}}`, true},
		{agent.Host("qwen"), strings.Replace(qwen, `run_shell_command","tool_input":{`, `tool_call","tool_input":{"name":`+
			`"run_shell_command","arguments":{`, 1) + `,"is_background":true}}}`, true},
	} {
		e, err := row.adapter.Decode([]byte(row.payload), nil)
		if err != nil || e.Call.Outlives != row.want {
			t.Errorf("%s: %v %v", row.payload, e.Call.Outlives, err)
		}
	}
}

// An item that is no text names a file, which Codex reads by itself. A message may go to another session.
func TestArgumentsThatReachFurther(t *testing.T) {
	codex := `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/u/w","tool_name":"send_input","tool_input":` +
		`{"target":"a","items":[{"type":"text","text":"look"},%s]}}`
	for _, item := range []string{`{"type":"local_image","path":"/u/.ssh/id"}`, `{"type":"text","text":"a","path":"/u/w"}`,
		`{"type":"skill","name":"a","path":"/u/w/.envrc"}`, `{"path":"/u/w/.envrc"}`} {
		e, err := agent.Host("codex").Decode(fmt.Appendf(nil, codex, item), []string{"PWD=/u/w"})
		if err != nil || e.Call.Unread == "" {
			t.Errorf("%s: %q, %v", item, e.Call.Unread, err)
		}
	}
	claude := `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/u/w","tool_name":"SendMessage","tool_input":` +
		`{"to":%q,"message":"go"}}`
	for to, own := range map[string]bool{"main": true, "a0123456789abcdef": true, "aTest_a-b-0123456789abcdef": true,
		"reviewer": false, "bridge:x": false, "session_01abcdefghijkmnopqrstuvwx": false, "a/0123456789abcdef": false,
		"b0123456789abcdef": false, "a0123456789abcdeF": false, "0123456789abcdef": false,
	} {
		e, err := agent.Host("claude-code").Decode(fmt.Appendf(nil, claude, to), []string{"PWD=/u/w"})
		if err != nil || (e.Call.Unread == "") != own {
			t.Errorf("%s: %s, %v", to, e.Call.Unread, err)
		}
	}
}

// So may a message on Qwen Code, and the id of a task of Gemini CLI names a file.
func TestIdsThatReachFurther(t *testing.T) {
	qwen := `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/u/w","tool_name":"send_message","tool_input":{%s}}`
	gemini := `{"hook_event_name":"BeforeTool","session_id":"s","cwd":"/u/w","tool_name":"tracker_get_task","tool_input":{%s}}`
	for _, row := range []struct {
		adapter       agent.Adapter
		payload, args string
		open          bool
	}{
		{agent.Host("qwen"), qwen, `"task_id":"t1","message":"go"`, false}, {agent.Host("qwen"), qwen, `"to":"peer","message":"go"`, true},
		{agent.Host("gemini"), gemini, `"id":"a1b2c3"`, false}, {agent.Host("gemini"), gemini, `"id":"../../x"`, true},
		{agent.Host("gemini"), gemini, `"id":"\u002e\u002e"`, true}, {agent.Host("gemini"), gemini, `"id":"a","dependencies":["/x"]`, true},
		{agent.Host("codex"), strings.Replace(qwen, "send_message", "somebodys", 1), `"items":"any"`, false},
	} {
		e, err := row.adapter.Decode(fmt.Appendf(nil, row.payload, row.args), []string{"PWD=/u/w"})
		if err != nil || (e.Call.Unread != "") != row.open {
			t.Errorf("%s: %q, %v", row.args, e.Call.Unread, err)
		}
	}
}
