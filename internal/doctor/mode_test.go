package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hosts"
)

// The mode that is tried is that in which Claude Code starts for this person:
// the file that counts most says so, and without any it is auto.
func TestTheModeThatThePersonHas(t *testing.T) {
	home := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e := examination{Options: Options{Home: home, Dir: filepath.Join(home, "shop"), Root: filepath.Join(home, "root")},
		row: hosts.ByName("claude-code"), adapter: agent.Host("claude-code")}
	for _, step := range []struct{ file, text, want string }{
		{"x", "", "auto"},
		{".claude/settings.json", `{"permissions":{"allow":[]}}`, "auto"},
		{".claude/settings.json", `{"permissions":{"defaultMode":"plan"}}`, "plan"},
		{"shop/.claude/settings.json", `{"permissions":{"defaultMode":"acceptEdits"}}`, "acceptEdits"},
		{"shop/.claude/settings.local.json", `{"permissions":{"defaultMode":"default"}}`, "default"},
		{"shop/.claude/settings.local.json", `{"permissions":{"defaultMode":`, "acceptEdits"}, // broken: passed over
	} {
		write(step.file, step.text)
		if got := e.modeOf(); got != step.want {
			t.Errorf("with %s %s: %s, want %s", step.file, step.text, got, step.want)
		}
	}
	if other := (&examination{row: hosts.ByName("codex")}).modeOf(); other != "default" {
		t.Errorf("codex: %+v", other)
	}
}

// In auto mode an allow has to be said, and reinforce and plan mode say why it is not.
func TestAnAllowInTheModeThatIsTried(t *testing.T) {
	work := t.TempDir()
	e := examination{adapter: agent.Host("claude-code"), row: hosts.ByName("claude-code")}
	for _, row := range []struct {
		mode, want string
		profile    config.Profile
	}{
		{"auto", "", ""}, {"default", "", ""}, {"auto", "never allows", config.Reinforce}, {"plan", "plan mode", ""},
	} {
		_, event, ok := payload(e.adapter, "PreToolUse", nil, filepath.Join(work, "dir"), harmless, row.mode)
		if !ok || event.Mode != row.mode {
			t.Fatalf("%s: %v %q", row.mode, ok, event.Mode)
		}
		if got := e.quiet(event, config.Settings{Profile: row.profile}); (got == "") != (row.want == "") ||
			!strings.Contains(got, row.want) {
			t.Errorf("%s, profile %q: %q, want %q", row.mode, row.profile, got, row.want)
		}
	}
}
