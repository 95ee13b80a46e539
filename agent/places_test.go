package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
)

// Codex says in the rollout where a command runs, and in the payload perhaps not.
func TestCodexWorkdir(t *testing.T) {
	const turn = `{"type":"turn_context","payload":{"cwd":"/u/w","approval_policy":"on-request"}}` + "\n"
	call := func(workdir string) string {
		return `{"type":"response_item","payload":{"type":"function_call","name":"exec_command","call_id":"c",` +
			`"arguments":"{\"cmd\":\"ls\"` + workdir + `}"}}` + "\n"
	}
	for _, row := range []struct{ rollout, event, want string }{
		{turn + call(""), "PreToolUse", "/u/w"},
		{turn + call(`,\"workdir\":\"/u/.aws\"`), "PreToolUse", "/u/.aws"},
		{turn + call(`,\"workdir\":\"sub\"`), "PreToolUse", "/u/w/sub"},
		{call(`,\"workdir\":\"sub\"`), "PreToolUse", "/u/w/sub"},
		{turn + call(`,\"workdir\":\"/u/a\"`) + call(`,\"workdir\":\"/u/b\"`), "PermissionRequest", ""},
	} {
		file := filepath.Join(t.TempDir(), "rollout.jsonl")
		if err := os.WriteFile(file, []byte(row.rollout), 0o600); err != nil {
			t.Fatal(err)
		}
		payload := `{"session_id":"s","turn_id":"t","transcript_path":"` + file + `","cwd":"/u/w","model":"m",` +
			`"permission_mode":"default","hook_event_name":"` + row.event + `","tool_name":"Bash",` +
			`"tool_input":{"command":"ls"},"tool_use_id":"c"}`
		e, err := agent.Host("codex").Decode([]byte(payload), []string{"PWD=/u/w"})
		if err != nil {
			t.Fatal(err)
		}
		if row.event == "PermissionRequest" {
			e.Call.ID = "" // that event has none
		}
		if e.Complete(&e); e.Call.Dir != row.want || e.Start != "/u/w" {
			t.Errorf("%s: runs in %q, want %q; starts in %q", row.rollout, e.Call.Dir, row.want, e.Start)
		}
	}
}

// A patch that Codex takes out of a command lies where that would run, and a shell is one of the system's.
func TestCodexCallsInTheRollout(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"bash", "rollout.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	complete := func(command, more string) agent.Event {
		args := string(marshal(t, `{"cmd":`+string(marshal(t, command))+more+`}`))
		text := `{"type":"response_item","payload":{"type":"function_call","name":"exec_command","call_id":"c","arguments":` +
			args + `}}` + "\n"
		file := filepath.Join(dir, "rollout.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		e, err := agent.Host("codex").Decode([]byte(`{"session_id":"s","turn_id":"t","transcript_path":"`+file+`","cwd":"`+dir+
			`","model":"m","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash",`+
			`"tool_input":{"command":`+string(marshal(t, command))+`},"tool_use_id":"c"}`), []string{"PWD=" + dir})
		if err != nil || e.Complete == nil {
			t.Fatal(err)
		}
		e.Complete(&e)
		return e
	}
	const patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF"
	if e := complete(patch, `,"workdir":"/u/.codex"`); e.Call.Tool != "apply_patch" || e.Call.Dir != "/u/.codex" {
		t.Errorf("%s in %s", e.Call.Tool, e.Call.Dir)
	}
	for shell, reads := range map[string]bool{"/bin/bash": true, "/usr/bin/zsh": true, "sh": true, "bash": false,
		"./bash": false, "/tmp/bash": false, "scripts/sh": false, "/usr/bin/fish": false} {
		if e := complete("ls", `,"shell":"`+shell+`"`); (e.Call.Dialect == nod.Unstated) != reads {
			t.Errorf("%s: %v", shell, e.Call.Dialect)
		}
	}
}

// Gemini looks for a file whose name ends as one that is not there.
func TestGeminiNames(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	given := map[string]string{"write_file": `"content":"x"`, "replace": `"old_string":"a","new_string":"b"`}
	decode := func(tool, name string) agent.Event {
		e, err := agent.Host("gemini").Decode([]byte(`{"hook_event_name":"BeforeTool","session_id":"s","cwd":"`+dir+`","tool_name":"`+
			tool+`","tool_input":{"file_path":"`+name+`",`+given[tool]+`}}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		e.Complete(&e)
		return e
	}
	for name, unproven := range map[string]bool{"a.txt": false, dir + "/a.txt": false, "ude/settings.json": true} {
		if e := decode("replace", name); (e.Call.Rewritten != "") != unproven {
			t.Errorf("%s: %q", name, e.Call.Rewritten)
		}
	}
	if decode("write_file", "new.txt").Call.Rewritten != "" {
		t.Error("a new file is written where its name says")
	}
}

// Signs in a name that a host decodes or leaves out: such a call is denied.
func TestNamesThatHostsReadOtherwise(t *testing.T) {
	shaped := `{"hook_event_name":"%s","session_id":"s","cwd":"/u/w","permission_mode":"default","tool_name":"%s",` +
		`"tool_input":{"%s":%s%s}}`
	pi := `{"hook":"tool_call","tool":"write","session":"s","call":"c","directory":"/u/w","args":{"path":%s,"content":"x"}}`
	for name, hosts := range map[string]string{"a.txt": "", "src/@types/a%": "gemini", "@.pi/x.ts": "gemini pi",
		"file:///home/u/%2Ebashrc": "gemini pi", "my\u00a0file": "pi", "%2Eclaude/x": "gemini", "@%2eenv": "gemini pi",
		`out\ link`: "gemini qwen", `~\.ssh\id`: "gemini qwen", "~/a b": ""} {
		quoted := string(marshal(t, name))
		for host, payload := range map[string]string{
			"gemini":  fmt.Sprintf(shaped, "BeforeTool", "write_file", "file_path", quoted, `,"content":"x"`),
			"gemini ": fmt.Sprintf(shaped, "BeforeTool", "list_directory", "dir_path", quoted, ""),
			"qwen":    fmt.Sprintf(shaped, "PreToolUse", "write_file", "file_path", quoted, `,"content":"x"`),
			"qwen ":   fmt.Sprintf(shaped, "PreToolUse", "list_directory", "path", quoted, ""),
			"pi":      fmt.Sprintf(pi, quoted),
		} {
			a, _ := agent.ByName(strings.TrimSpace(host))
			e, err := a.Decode([]byte(payload), nil)
			if denied := strings.Contains(hosts, a.Name()); err != nil || (e.Call.Rewritten != "") != denied {
				t.Errorf("%s, %s: %q %v", host, name, e.Call.Rewritten, err)
			}
		}
	}
}
