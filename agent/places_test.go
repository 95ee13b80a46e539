package agent_test

import (
	"os"
	"path/filepath"
	"slices"
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
		{agent.Generic{Agent: "crush"}, `{"event":"PreToolUse","session_id":"s","cwd":"/u/w","tool_name":"bash",` +
			`"tool_input":{"command":"ls","working_dir":"/u/out"}}`, "/u/w", "/u/out"},
		{agent.Generic{Agent: "cursor"}, `{"hook_event_name":"beforeShellExecution","conversation_id":"s","command":"ls",` +
			`"cwd":"/u/out","workspace_roots":["/u/w"]}`, "/u/w", "/u/out"},
		{agent.Generic{Agent: "windsurf"}, `{"agent_action_name":"pre_run_command","trajectory_id":"s",` +
			`"tool_info":{"command_line":"ls","cwd":"/u/out"}}`, "/u/w", "/u/out"},
		{agent.Gemini{}, `{"hook_event_name":"BeforeTool","session_id":"s","cwd":"/u/w","tool_name":"run_shell_command",` +
			`"tool_input":{"command":"ls","dir_path":"/u/out"}}`, "/u/w", "/u/out"},
		{agent.Qwen{}, `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/u/w","permission_mode":"default",` +
			`"tool_name":"run_shell_command","tool_input":{"command":"ls","directory":"/u/out"}}`, "/u/w", "/u/out"},
		{agent.Antigravity{}, `{"conversationId":"s","workspacePaths":["/u/w","/u/v"],"toolCall":{"name":"run_command",` +
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
		e, err := agent.Codex{}.Decode([]byte(payload), []string{"PWD=/u/w"})
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

// A patch that Codex takes out of a command lies where that would run, and a shell is one
// of the system's.
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
		e, err := agent.Codex{}.Decode([]byte(`{"session_id":"s","turn_id":"t","transcript_path":"`+file+`","cwd":"`+dir+
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

// Pi leaves the sign for a mention out, and reads addresses of files.
func TestPiNames(t *testing.T) {
	for name, want := range map[string]nod.Call{
		"a.txt":                       {Tool: "file_write", Paths: []string{"a.txt"}},
		"@.pi/extensions/a.ts":        {Tool: "file_write", Paths: []string{".pi/extensions/a.ts"}},
		"@@a":                         {Tool: "file_write", Paths: []string{"@a"}},
		"file:///home/u/%2Ebashrc":    {Paths: []string{"file:///home/u/%2Ebashrc"}},
		"@file:///home/u/%2Ebashrc":   {Paths: []string{"file:///home/u/%2Ebashrc"}},
		"my\u00a0file\u3000and\u2009": {Tool: "file_write", Paths: []string{"my file and "}},
	} {
		payload := `{"hook":"tool_call","tool":"write","session":"s","call":"c","directory":"/u/w","args":{"path":"` + name +
			`","content":"x"}}`
		e, err := agent.Pi{}.Decode([]byte(payload), nil)
		got := nod.Call{Tool: e.Call.Tool, Paths: e.Call.Paths}
		if diff := cmp.Diff(want, got); err != nil || diff != "" || e.Call.Edits[0].Path != e.Call.Paths[0] {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

// Pi spells the name of a file that is not there otherwise.
func TestPiSpellsNamesOtherwise(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "it's"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]bool{"it's": false, "its": false, "it's not": true, "Shot 1 PM.png": true,
		"\u00e9.txt": true, "~/a": false, "~/it's": false, "~/it's not": true} {
		e, err := agent.Pi{}.Decode([]byte(`{"hook":"tool_call","tool":"read","session":"s","call":"c","directory":"`+dir+
			`","args":{"path":"`+name+`"}}`), []string{"HOME=" + dir})
		if err != nil {
			t.Fatal(err)
		}
		if e.Complete(&e); (e.Call.Rewritten != "") != other {
			t.Errorf("%s: %q", name, e.Call.Rewritten)
		}
	}
}

// Qwen takes what stands behind a backslash as it is.
func TestQwenEscapes(t *testing.T) {
	payload := `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/u/w","permission_mode":"default",` +
		`"tool_name":"write_file","tool_input":{"file_path":"/u/w/out\\ link/o","content":"x"}}`
	e, err := agent.Qwen{}.Decode([]byte(payload), nil)
	if diff := cmp.Diff([]string{`/u/w/out\ link/o`, "/u/w/out link/o"}, e.Call.Paths); err != nil || diff != "" ||
		len(e.Call.Edits) != 2 || e.Call.Edits[1].Path != "/u/w/out link/o" {
		t.Error(err, diff, e.Call.Edits)
	}
}

// What a backslash stands in front of may be a letter, too, which the host leaves alone.
func TestNamesWithBackslashes(t *testing.T) {
	payload := `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/u/w","permission_mode":"default",` +
		`"tool_name":"read_file","tool_input":{"file_path":"/u/a\\b\\ c"}}`
	e, err := agent.Qwen{}.Decode([]byte(payload), nil)
	if diff := cmp.Diff([]string{`/u/a\b\ c`, `/u/a\b c`, "/u/ab c"}, e.Call.Paths); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// Crush's search for a text names a place.
func TestCrushGrep(t *testing.T) {
	e, err := agent.Generic{Agent: "crush"}.Decode([]byte(`{"event":"PreToolUse","session_id":"s","cwd":"/u/w",`+
		`"tool_name":"grep","tool_input":{"pattern":"/x","path":"/u/.aws"}}`), nil)
	if diff := cmp.Diff([]string{"/u/.aws"}, e.Call.Paths); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// Claude Code reads a screenshot by either blank before AM.
func TestScreenshots(t *testing.T) {
	for name, want := range map[string][]string{
		"/u/w/a AM.png":      {"/u/w/a AM.png", "/u/w/a\u202fAM.png"},
		"/u/w/a\u202fPM.png": {"/u/w/a\u202fPM.png", "/u/w/a PM.png"},
		"/u/w/a AM.txt":      {"/u/w/a AM.txt"}, "/u/w/aAM.png": {"/u/w/aAM.png"},
	} {
		e, err := agent.ClaudeCode{}.Decode([]byte(`{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/u/w",`+
			`"tool_name":"Read","tool_input":{"file_path":"`+name+`"}}`), nil)
		if diff := cmp.Diff(want, e.Call.Paths); err != nil || diff != "" {
			t.Error(err, diff)
		}
	}
}

// Gemini decodes %2e and its kin, and looks for a file whose name ends as one that is
// not there.
func TestGeminiNames(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	given := map[string]string{"write_file": `"content":"x"`, "replace": `"old_string":"a","new_string":"b"`}
	decode := func(tool, name string) agent.Event {
		e, err := agent.Gemini{}.Decode([]byte(`{"hook_event_name":"BeforeTool","session_id":"s","cwd":"`+dir+`","tool_name":"`+
			tool+`","tool_input":{"file_path":"`+name+`",`+given[tool]+`}}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		e.Complete(&e)
		return e
	}
	for name, want := range map[string]string{"%2Eclaude/x": ".claude/x", "%252eenvrc": ".envrc",
		"x%25252f..%2f.envrc": "x/../.envrc", "@%2eenv": ".env", "a%zz%2": "a%zz%2",
		"sub/%2E%2E/x": "sub/../x"} {
		e := decode("write_file", name)
		if !slices.Contains(e.Call.Paths, want) || len(e.Call.Edits) != len(e.Call.Paths) {
			t.Errorf("%s: %q", name, e.Call.Paths)
		}
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
		`bash -c 'ls | head'`: false, `bash -c "ls | head"`: false, `bash x.sh`: false, `ls -c 'a' 'b'`: false, `bash`: false,
		`git commit -m "bash -c 'a' 'b'"`: false,
	}
	for command, want := range gemini {
		if got := decodeBash(t, agent.Gemini{}, "BeforeTool", command).Call.Rewritten != ""; got != want {
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
		if got := decodeBash(t, agent.Qwen{}, "PreToolUse", command).Call.Rewritten != ""; got != want {
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
		{agent.ClaudeCode{}, `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/u/w","permission_mode":"default",` +
			`"tool_name":"Grep","tool_input":{"pattern":"x","glob":"*.js,*.local *.{a,b} !c"}}`,
			[]string{"/u/w", "/u/w/*.js", "/u/w/*.local", "/u/w/*.{a,b}"}},
		{agent.Copilot{}, `{"sessionId":"s","cwd":"/u/w","toolName":"grep","toolArgs":{"pattern":"x","paths":"src .npmrc"}}`,
			[]string{"src .npmrc", "src", ".npmrc"}},
	} {
		e, err := row.adapter.Decode([]byte(row.payload), nil)
		if diff := cmp.Diff(row.want, e.Call.Paths); err != nil || diff != "" {
			t.Errorf("%s: %v %s", row.adapter.Name(), err, diff)
		}
	}
}
