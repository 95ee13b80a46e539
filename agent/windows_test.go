package agent

import (
	"slices"
	"testing"

	"github.com/nodgate/nod"
)

// What a payload and the environment say on Windows is held as Git Bash writes it.
func TestPayloadsOnWindows(t *testing.T) {
	p := Host("claude-code").profile()
	p.windows = true
	e, err := p.decode([]byte(`{"session_id":"s","cwd":"C:\\Shop","permission_mode":"default","hook_event_name":"PreToolUse",`+
		`"tool_name":"Write","tool_use_id":"t","tool_input":{"file_path":"D:\\x\\a.txt","content":"x"}}`),
		[]string{`Path=C:\bin;"D:\a b";\\host\x;;C:\PROGRA~1\x`, `USERPROFILE=C:\Users\me`, "HOME=/tmp"})
	if err != nil || e.Call.Dir != "/c/Shop" || !slices.Equal(e.Call.Paths, []string{"/d/x/a.txt"}) ||
		e.Call.Edits[0].Path != "/d/x/a.txt" || variable(e.Call.Environ, "PATH") != "/c/bin:/d/a b:?:?" ||
		e.Call.Environ[len(e.Call.Environ)-1] != "HOME=/c/Users/me" {
		t.Errorf("%v %+v", err, e.Call)
	}
	for dir, name := range map[string]string{`C:Shop`: "drive-relative", `Shop`: "relative"} {
		if _, err := p.decode([]byte(`{"session_id":"s","cwd":"`+dir+`","hook_event_name":"PreToolUse","tool_name":"Bash",`+
			`"tool_use_id":"t","tool_input":{"command":"ls"}}`), nil); err == nil {
			t.Errorf("a %s directory is taken", name)
		}
	}
	if got := otherShell(`C:\Windows\PowerShell.EXE`); got != nod.PowerShell || otherShell("/bin/fish") != nod.Unread {
		t.Error(got)
	}
}
