package agent

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/nodgate/nod"
)

// A host's own sandbox or prompt is a fact where the person's settings say so
// and the repository's do not speak of it: then what nod knows nothing against
// is the host's, and what is grave is not.
func TestContainedByTheHostsSettings(t *testing.T) {
	const box = `{"sandbox":{"enabled":true,"failIfUnavailable":true}}`
	const noYolo = `{"security":{"disableYoloMode":true}}`
	type files map[string]string
	for name, row := range map[string]struct {
		adapter Adapter
		files   files
		input   string // of the call; "" is npm test
		silent  bool
	}{
		"claude: sandbox": {ClaudeCode{}, files{"home/.claude/settings.json": box}, "", true},
		"claude: may be missing": {ClaudeCode{}, files{"home/.claude/settings.json": `{"sandbox":{"enabled":true}}`},
			"", false},
		"claude: off": {ClaudeCode{},
			files{"home/.claude/settings.json": `{"sandbox":{"failIfUnavailable":true}}`}, "", false},
		"claude: files open": {ClaudeCode{},
			files{"home/.claude/settings.json": `{"sandbox":{"enabled":true,"failIfUnavailable":true,"filesystem":{"disabled":true}}}`}, "", false},
		"claude: nothing": {ClaudeCode{}, nil, "", false},
		"claude: broken":  {ClaudeCode{}, files{"home/.claude/settings.json": box + "}"}, "", false},
		"claude: the project says": {ClaudeCode{},
			files{"home/.claude/settings.json": box, "work/.claude/settings.json": `{"sandbox":{}}`}, "", false},
		"claude: locally": {ClaudeCode{},
			files{"home/.claude/settings.json": box, "work/.claude/settings.local.json": `{"sandbox":{}}`}, "", false},
		"claude: excluded": {ClaudeCode{},
			files{"home/.claude/settings.json": `{"sandbox":{"enabled":true,"failIfUnavailable":true,"excludedCommands":["npm *"]}}`}, "", false},
		"claude: leaves it": {ClaudeCode{}, files{"home/.claude/settings.json": box},
			`{"command":"npm test","dangerouslyDisableSandbox":true}`, false},
		"claude: loses work": {ClaudeCode{}, files{"home/.claude/settings.json": box},
			`{"command":"git push --force"}`, false},
		"gemini: no yolo": {Gemini{}, files{"home/.gemini/settings.json": noYolo}, "", true},
		"gemini: nothing": {Gemini{}, nil, "", false},
		"gemini: the project says": {Gemini{}, files{"home/.gemini/settings.json": noYolo,
			"work/.gemini/settings.json": `{"security":{"disableYoloMode":false}}`}, "", false},
		"gemini: its policies": {Gemini{}, files{"home/.gemini/settings.json": noYolo,
			"work/.gemini/policies/a.toml": ""}, "", false},
		"gemini: loses work": {Gemini{}, files{"home/.gemini/settings.json": noYolo},
			`{"command":"git push --force"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range row.files {
				file := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if row.input == "" {
				row.input = `{"command":"npm test"}`
			}
			payload := claudePayload("default", "Bash", row.input)
			if row.adapter.Name() == "gemini" {
				payload = `{"session_id":"s","cwd":"/work","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":` + row.input + `}`
			}
			home, work := filepath.Join(dir, "home"), filepath.Join(dir, "work")
			e, err := row.adapter.Decode([]byte(payload),
				[]string{"HOME=" + home, "CLAUDE_PROJECT_DIR=" + work, "GEMINI_PROJECT_DIR=" + work,
					"CLAUDE_CODE_ENTRYPOINT=sdk-cli"})
			if err != nil {
				t.Fatal(err)
			}
			e.Complete(&e)
			d := nod.New(nod.Options{Rules: nod.DefaultRules(), Home: home}).Check(t.Context(), e.Call)
			if said := row.adapter.Encode(e, d, Default, false).Said; (said == abstained) != row.silent {
				t.Errorf("the host is told %s, silence wanted: %v (%s)", said, row.silent, d.Reason)
			}
			if said := row.adapter.Encode(e, d, Replace, false).Said; said == abstained {
				t.Error("profile replace leaves it to the host")
			}
		})
	}
}

// What the turn's record says of Codex's sandbox.
func TestCodexTurns(t *testing.T) {
	for _, row := range []struct {
		payload        string
		confines, asks bool
	}{
		{`{"approval_policy":"on-request","sandbox_policy":{"type":"workspace-write"}}`, true, true},
		{`{"approval_policy":"never","sandbox_policy":{"type":"read-only"}}`, true, false},
		{`{"approval_policy":"never","sandbox_policy":{"type":"danger-full-access"}}`, false, false},
		{`{"approval_policy":"on-request","sandbox_policy":{"type":"workspace-write"},"permission_profile":{"type":"managed","file_system":{"type":"restricted"}}}`, true, true},
		{`{"sandbox_policy":{"type":"workspace-write"},"permission_profile":{"type":"disabled"}}`, false, false},
		{`{"sandbox_policy":{"type":"workspace-write"},"permission_profile":{"type":"managed","file_system":{"type":"unrestricted"}}}`, false, false},
		{`{"sandbox_policy":{"type":7}}`, false, false},
		{`{}`, false, false},
	} {
		file := filepath.Join(t.TempDir(), "rollout.jsonl")
		text := `{"type":"turn_context","payload":{"sandbox_policy":{"type":"read-only"},"approval_policy":"never"}}` +
			"\n" +
			`{"type":"turn_context","payload":` + row.payload + "}\n" +
			`{"type":"response_item","payload":{"type":"message","text":"\"turn_context\""}}` + "\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if turn := codexTurnOf(file); turn.confines != row.confines || turn.asks != row.asks {
			t.Errorf("%s: %+v", row.payload, turn)
		}
	}
	if turn := codexTurnOf("/nowhere"); turn != (codexTurn{}) {
		t.Errorf("no rollout: %+v", turn)
	}
}

// The approval of a plan would turn on yolo mode where nobody is there, and with it what
// nod leaves to Gemini CLI's own question.
func TestGeminiPlansWithoutYolo(t *testing.T) {
	for settings, open := range map[string]bool{`{"security":{"disableYoloMode":true}}`: true, `{}`: false} {
		home := t.TempDir()
		if err := errors.Join(os.Mkdir(filepath.Join(home, ".gemini"), 0o700),
			os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), []byte(settings), 0o600)); err != nil {
			t.Fatal(err)
		}
		e, err := Gemini{}.Decode([]byte(`{"session_id":"s","cwd":"/work","hook_event_name":"BeforeTool",`+
			`"tool_name":"exit_plan_mode","tool_input":{"plan_filename":"plan.md"}}`),
			[]string{"HOME=" + home, "GEMINI_PROJECT_DIR=" + home + "/work"})
		if err != nil {
			t.Fatal(err)
		}
		if e.Complete(&e); (e.Call.Unread != "") != open {
			t.Errorf("%s: %q", settings, e.Call.Unread)
		}
	}
}
