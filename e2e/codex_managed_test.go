package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/llm/llmtest"
)

// At the managed level Codex asks nobody whether they trust nod's hooks, and
// neither a project nor a person's own settings silence them, as they do where
// the feature is not required (the last two rows).
func TestCodexManaged(t *testing.T) {
	deep(t, "the managed level")
	const off = "[features]\nhooks = false\n"
	for _, row := range []struct {
		name, user, project, sub string
		unpinned, silenced       bool
	}{
		{name: "as installed"},
		{name: "the person's settings", user: off},
		{name: "the person's settings, old name", user: "[features]\ncodex_hooks = false\n"},
		{name: "the hook itself",
			user: "[hooks.state.\"/etc/codex/requirements.toml:pre_tool_use:0:0\"]\nenabled = false\n"},
		{name: "a trusted project", project: off},
		{name: "a trusted project, old name", project: "[features]\ncodex_hooks = false\n"},
		{name: "a trusted project's own hooks",
			project: "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"exit 0\"\n"},
		{name: "the person's settings, not required", user: off, unpinned: true, silenced: true},
		{name: "a trusted project, not required", project: off, unpinned: true, silenced: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := codexDriven()
			d.program(t)
			t.Parallel()
			m := d.ready(t, ruleSettings, llmtest.Script{Steps: []llmtest.Step{
				{Calls: []llmtest.Call{d.shell("allowed", "touch allowed")}},
				{Calls: []llmtest.Call{d.shell("denied", "touch forbidden")}},
			}})
			m.ownEtcOf("codex")
			policy := filepath.Join(m.dir, "etc", "codex", "requirements.toml")
			m.machine.write(policy, "# ours\n", 0o644)
			m.installFor("codex", "managed")
			if row.unpinned {
				text := m.read(policy)
				m.machine.write(policy, strings.Replace(text, "[features]\nhooks = true\n", "", 1), 0o644)
			}
			m.trusted = row.user
			if row.project != "" {
				m.machine.write(filepath.Join(m.work, ".codex", "config.toml"), row.project, 0o644)
				m.trust("codex", m.work)
			}
			m.run()
			if told := m.told(t, "allowed"); !exists(filepath.Join(m.work, "allowed")) {
				t.Errorf("what nod allows did not run: %q", told)
			}
			told := m.told(t, "denied")
			if ran := exists(filepath.Join(m.work, "forbidden")); ran != row.silenced || strings.Contains(told,
				"hard_deny") == row.silenced {
				t.Errorf("what nod denies ran: %v, want %v; the model was told %q", ran, row.silenced, told)
			}
		})
	}
}

func (m *machine) read(path string) string {
	m.t.Helper()
	text, err := readIfThere(path)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(text)
}
