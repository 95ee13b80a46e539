package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
)

// Where a call runs may be an argument; where the agent is never follows from one.
func TestArgumentsDoNotMoveTheStart(t *testing.T) {
	for _, row := range []struct {
		adapter   agent.Adapter
		payload   string
		start, at string
	}{
		{agent.Host("crush"), `{"event":"PreToolUse","session_id":"s","cwd":"/u/w","tool_name":"bash",` +
			`"tool_input":{"command":"ls","working_dir":"/u/out"}}`, "/u/w", "/u/out"},
		{agent.Host("cursor"), `{"hook_event_name":"beforeShellExecution","conversation_id":"s","command":"ls",` +
			`"cwd":"/u/out","workspace_roots":["/u/w"]}`, "/u/w", "/u/out"},
		{agent.Host("windsurf"), `{"agent_action_name":"pre_run_command","trajectory_id":"s",` +
			`"tool_info":{"command_line":"ls","cwd":"/u/out"}}`, "/u/w", "/u/out"},
		{agent.Host("gemini"), `{"hook_event_name":"BeforeTool","session_id":"s","cwd":"/u/w","tool_name":"run_shell_command",` +
			`"tool_input":{"command":"ls","dir_path":"/u/out"}}`, "/u/w", "/u/out"},
		{agent.Host("qwen"), `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/u/w","permission_mode":"default",` +
			`"tool_name":"run_shell_command","tool_input":{"command":"ls","directory":"/u/out"}}`, "/u/w", "/u/out"},
		{agent.Host("antigravity"), `{"conversationId":"s","workspacePaths":["/u/w","/u/v"],"toolCall":{"name":"run_command",` +
			`"args":{"CommandLine":"ls","Cwd":"/u/out"}}}`, "/u/w", "/u/out"},
	} {
		e, err := row.adapter.Decode([]byte(row.payload), []string{"PWD=/u/w"})
		if err != nil || e.Start != row.start || e.Call.Dir != row.at {
			t.Errorf("%s: starts in %q, runs in %q (%v)", row.adapter.Name(), e.Start, e.Call.Dir, err)
		}
	}
}

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

// What a host adds or takes away may turn quotes inside out.
func TestCommandsThatHostsRewrite(t *testing.T) {
	gemini := map[string]bool{
		`bash -c 'echo a' ' ; rm x.log ; ' 'b'`: true, `sh -c 'echo a' 'b; rm x #'`: true, `bash -c "echo a" " ; rm x ; " "b"`: true,
		`bash -c cd ../out && echo EVIL > o.txt`: true, `/bin/BASH  -c cat .env`: true, `bash -c 'a' && rm x`: true,
		`bash -c "echo \$HOME"`: true, `bash -c "ls $X"`: true, " zsh -c 'a'\\''b'": true,
		`bash -c 'ls | head'`: true, `bash x.sh`: false, `ls -c 'a' 'b'`: false, `bash`: false,
		`git commit -m "bash -c 'a' 'b'"`: false,
	}
	for command, want := range gemini {
		if got := decodeBash(t, agent.Host("gemini"), "BeforeTool", command).Call.Rewritten != ""; got != want {
			t.Errorf("gemini: %s: %v", command, got)
		}
	}
	qwen := map[string]bool{
		`git commit -m "a"`: false, `git add . && git commit -m 'a b' -m "c"`: false, `git commit --message="a"; ls`: false,
		`git status`: false, `git commit -am x`: false, `echo "it's" && git status`: false,
		"ls # ; git commit -m\u00a0\"b\" o\" ; rm x #": true,
		`ls src # ; git commit -m "b" o" ; rm -rf x #`: true, `git commit --allow-empty -m x" -m "y"../out/o.txt`: true,
		`g\it com''mit -m "b" o"`: true, `git commit -m "a \" b"`: true, `git commit -m x\" -m "y"`: true, `git commit -m 'a'\''b'`: true,
		"cat <<EOF\ngit commit -m \"b\"\nEOF": true, `git commit -m "$(cat x)"`: true, `gh pr create --body "a" # --body "b" c"`: true,
		`echo "git commit -m " x -m "y; ls"`: true, `gh pr create --title "a" --body "b"`: false,
	}
	for command, want := range qwen {
		if got := decodeBash(t, agent.Host("qwen"), "PreToolUse", command).Call.Rewritten != ""; got != want {
			t.Errorf("qwen: %s: %v", command, got)
		}
	}
}

func decodeBash(t *testing.T, adapter agent.Adapter, event, command string) agent.Event {
	t.Helper()
	e, err := adapter.Decode([]byte(`{"hook_event_name":"`+event+`","session_id":"s","cwd":"/u/w","permission_mode":"default",`+
		`"tool_name":"run_shell_command","tool_input":{"command":`+string(marshal(t, command))+`}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// One argument may be several places or globs.
func TestSeveralPlacesInOneArgument(t *testing.T) {
	for _, row := range []struct {
		adapter agent.Adapter
		payload string
		want    []string
	}{
		{agent.Host("claude-code"), `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/u/w","permission_mode":"default",` +
			`"tool_name":"Grep","tool_input":{"pattern":"x","glob":"*.js,*.local *.{a,b} !c"}}`,
			[]string{"/u/w", "/u/w/*.js", "/u/w/*.local", "/u/w/*.{a,b}"}},
		{agent.Host("copilot"), `{"sessionId":"s","cwd":"/u/w","toolName":"grep","toolArgs":{"pattern":"x","paths":"src .npmrc"}}`,
			[]string{"src .npmrc", "src", ".npmrc"}},
	} {
		e, err := row.adapter.Decode([]byte(row.payload), nil)
		if diff := cmp.Diff(row.want, e.Call.Paths); err != nil || diff != "" {
			t.Errorf("%s: %v %s", row.adapter.Name(), err, diff)
		}
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
