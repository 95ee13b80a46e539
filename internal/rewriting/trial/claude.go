//go:build unix

package trial

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// claude writes the settings of Claude Code. Its permission mode is the one in
// which a person is asked, so that nothing runs but what the hook allows.
func (b *bench) claude() (setting, error) {
	answer, err := json.Marshal(object{"hookSpecificOutput": object{
		"hookEventName": "PreToolUse", "permissionDecision": "allow", "permissionDecisionReason": "proof",
		"updatedInput": object{"command": rewritten, "description": description},
	}})
	if err != nil {
		return setting{}, err
	}
	hook := object{"type": "command", "command": hookLine(string(answer)), "timeout": 20}
	err = b.write(".claude/settings.json", object{"hooks": object{
		"PreToolUse": []object{{"matcher": "*", "hooks": []object{hook}}},
	}})
	return setting{
		args: []string{"-p", "do what the model says", "--permission-mode", "default"},
		environ: []string{"ANTHROPIC_BASE_URL=" + b.url, "ANTHROPIC_API_KEY=sk-ant-api03-nod-doctor",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
			"DISABLE_ERROR_REPORTING=1"},
	}, err
}

// object is one of JSON.
type object = map[string]any

// write makes a file of JSON in the home directory.
func (b *bench) write(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	at := filepath.Join(b.home, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return err
	}
	if err := os.MkdirAll(b.work, 0o700); err != nil {
		return err
	}
	return os.WriteFile(at, text, 0o600)
}
