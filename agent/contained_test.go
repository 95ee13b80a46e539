package agent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/nodgate/nod"
)

// Claude Code's sandbox is a fact where the person's settings say so and nobody else
// speaks of it: then what nod knows nothing against is the host's, and what is grave is not.
func TestContainedByTheHostsSettings(t *testing.T) {
	const box, code = `{"sandbox":{"enabled":true,"failIfUnavailable":true}}`, `{"command":"npm test"}`
	for name, row := range map[string]struct {
		own, file, text, input string
		silent                 bool
	}{
		"sandbox":          {box, "", "", code, true},
		"broken":           {box + "}", "", "", code, false},
		"the project says": {box, "settings.json", `{"sandbox":{}}`, code, false},
		"with an escape":   {box, "settings.json", `{"\u0073andbox":{"enabled":false}}`, code, false},
		"locally":          {box, "settings.local.json", `{"sandbox":{}}`, code, false},
		"leaves it":        {box, "", "", `{"command":"npm test","dangerouslyDisableSandbox":true}`, false},
		"loses work":       {box, "", "", `{"command":"git push --force"}`, false},
	} {
		files := map[string]string{"home/.claude/settings.json": row.own}
		if row.file != "" {
			files["work/.claude/"+row.file] = row.text
		}
		dir := HostFiles(t, files)
		home := filepath.Join(dir, "home")
		e := completed(t, row.input, "Bash", "default", home, filepath.Join(dir, "work"))
		d := nod.New(nod.Options{Rules: nod.DefaultRules(), Home: home}).Check(t.Context(), e.Call)
		if said := Host("claude-code").Encode(e, d, Default, false).Said; (said == abstained) != row.silent {
			t.Errorf("%s: the host is told %s (%s)", name, said, d.Reason)
		}
	}
}

// What the turn's record says of Codex's sandbox.
func TestCodexTurns(t *testing.T) {
	turnOf := func(file string) codexTurn { turn, _ := readRollout(file, "", ""); return turn }
	for _, row := range []struct {
		payload        string
		confines, asks bool
	}{
		{`{"approval_policy":"on-request","sandbox_policy":{"type":"workspace-write"}}`, true, true},
		{`{"approval_policy":"never","sandbox_policy":{"type":"danger-full-access"}}`, false, false},
		{`{"approval_policy":"on-request","sandbox_policy":{"type":"workspace-write"},"permission_profile":{"type":"managed","file_system":{"type":"restricted"}}}`, true, true},
		{`{"sandbox_policy":{"type":"workspace-write"},"permission_profile":{"type":"managed","file_system":{"type":"unrestricted"}}}`, false, false},
		{`{"sandbox_policy":{"type":7}}`, false, false},
	} {
		file := filepath.Join(t.TempDir(), "rollout.jsonl")
		text := `{"type":"turn_context","payload":{"sandbox_policy":{"type":"read-only"},"approval_policy":"never"}}` +
			"\n" +
			`{"type":"turn_context","payload":` + row.payload + "}\n" +
			`{"type":"response_item","payload":{"type":"message","text":"\"turn_context\""}}` + "\n"
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		if turn := turnOf(file); turn.confines != row.confines || turn.asks != row.asks {
			t.Errorf("%s: %+v", row.payload, turn)
		}
	}
	if turn := turnOf("/nowhere"); turn != (codexTurn{}) {
		t.Errorf("no rollout: %+v", turn)
	}
}

// A rule of the person's that may let a call run leaves it to the host where nobody is
// there; what is known against a call is not left to it, nor what other rules name.
func TestGrantedWhereNobodyIsThere(t *testing.T) {
	for _, row := range []struct {
		allow, tool, input, mode string
		silent                   bool
	}{
		{"mcp__files__create_issue", "mcp__files__create_issue", `{}`, "default", true},
		{"mcp__files", "mcp__files__create_issue", `{}`, "acceptEdits", true},
		{"mcp__files__get_*", "mcp__files__create_issue", `{}`, "default", false},
		{"mcp__files", "mcp__files__create_issue", `{}`, "bypassPermissions", false},
		{"Bash(npm test)", "Bash", `{"command":"npm test"}`, "default", true},
		{"Bash(git push:*)", "Bash", `{"command":"git push --force"}`, "default", false},
		{"Write", "Write", `{"file_path":"/etc/x","content":"x"}`, "default", false},
		{`x"]}}} [`, "mcp__files__create_issue", `{}`, "default", false},
	} {
		dir := HostFiles(t, map[string]string{"home/.claude/settings.json": `{"permissions":{"allow":["` + row.allow + `"]}}`})
		home, work := filepath.Join(dir, "home"), filepath.Join(dir, "work")
		e := completed(t, row.input, row.tool, row.mode, home, work)
		d := nod.New(nod.Options{Rules: nod.DefaultRules(), Home: home}).Check(t.Context(), e.Call)
		if said := Host("claude-code").Encode(e, d, Default, false).Said; (said == abstained) != row.silent {
			t.Errorf("%s, %s %s: %s (%s)", row.allow, row.tool, row.input, said, d.Reason)
		}
	}
}

// HostFiles writes files below a new directory and returns it.
func HostFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func completed(t *testing.T, input, tool, mode, home, work string) Event {
	t.Helper()
	payload, err := json.Marshal(map[string]any{"session_id": "s", "cwd": work, "permission_mode": mode,
		"transcript_path": home + "/.claude/projects/-work/s.jsonl", "hook_event_name": "PreToolUse",
		"tool_name": tool, "tool_input": json.RawMessage(input), "tool_use_id": "t1"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := Host("claude-code").Decode(payload, []string{"HOME=" + home, "CLAUDE_PROJECT_DIR=" + work,
		"CLAUDE_CODE_ENTRYPOINT=sdk-cli", "PATH=/nowhere"})
	if err != nil {
		t.Fatal(err)
	}
	e.Complete(&e)
	e.Call.Roots = []string{work}
	return e
}
