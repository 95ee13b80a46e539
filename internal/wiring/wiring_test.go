package wiring_test

import (
	"testing"

	"github.com/nodgate/nod/internal/wiring"
)

// What an edit adds is what counts; what cannot be read silences by a mention.
func TestSilenced(t *testing.T) {
	const claude, codex = "/h/.claude/settings.json", "/h/.codex/config.toml"
	for _, row := range []struct {
		real, before, after string
		want                bool
	}{
		{claude, `{}`, `{"disableAllHooks": true}`, true},
		{claude, `{"disableAllHooks": true}`, `{"disableAllHooks": true, "model": "x"}`, false},
		{claude, `{"disableAllHooks": false}`, `{"disableAllHooks": "yes"}`, true},
		{claude, `{}`, `{"disableAllHooks": false}`, false},
		{claude, `{}`, `{'disable\x41llHooks': 1}`, true},
		{claude, `{}`, `{"a": {"env": {"LD_PRELOAD": "x"}}}`, true},
		{codex, "", "[features]\nhooks = false\n", true},
		{codex, "", "[linter]\nhooks = false\n", false},
		{codex, "", "hooks = false\nnot TOML", true},
	} {
		if got := wiring.Silenced(row.real, row.before, row.after); got != row.want {
			t.Errorf("%s -> %s: %v", row.before, row.after, got)
		}
	}
}

// An entry counts with all that stands in it, and what stands beside it does not.
func TestLines(t *testing.T) {
	const own = `{"hooks": [{"command": "/opt/nod-hook x"}]}`
	at := func(more, entries string) string {
		return wiring.Lines("s.json", []byte(`{`+more+`"hooks": {"PreToolUse": [`+entries+`]}}`))
	}
	for _, row := range []struct {
		more, entries string
		same          bool
	}{
		{`"model": "x", // mine` + "\n", own, true},
		{"", `{"hooks": []}, ` + own, true},
		{"", own + ", " + own, false},
		{"", `{"matcher": "Bash", "hooks": [{"command": "/opt/nod-hook x"}]}`, false},
		{`"hooks": {}, `, own, false},
	} {
		if got := at(row.more, row.entries) == at("", own); got != row.same {
			t.Errorf("%s%s: %v", row.more, row.entries, got)
		}
	}
}

func TestUnescape(t *testing.T) {
	for text, want := range map[string]string{`\u0048\x41\101` + "\\\n": "HAA", `\n\u00e9\`: `\n\u00e9\`,
		`\U00000041`: "A"} {
		if got := wiring.Unescape(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
