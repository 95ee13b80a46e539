package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/llm/llmtest"
)

// TestSilencers shows which settings keep an installed nod from being asked
// about a call that it denies. What nod doctor names rests on it.
func TestSilencers(t *testing.T) {
	deep(t, "hostile repositories")
	for _, d := range allDriven() {
		t.Run(d.adapter.Name(), func(t *testing.T) {
			d.program(t)
			t.Parallel()
			for _, row := range silencing()[d.adapter.Name()] {
				t.Run(row.name, func(t *testing.T) { d.testSilencer(t, row) })
			}
		})
	}
}

// silencer is a setting in a file below the machine's directory, which holds
// home and work.
type silencer struct {
	name, file, text string
	// add appends to the file that the installation left.
	add bool
	// into is what the text takes the place of.
	into string
	// sub has the agent work in a directory below the workspace.
	sub bool
	// trusted has the person trust the workspace, where the agent asks.
	trusted  bool
	silences bool
}

func silencing() map[string][]silencer {
	return map[string][]silencer{
		"claude-code": {
			{name: "none", file: "work/.claude/settings.json", text: `{}`},
			{name: "project", file: "work/.claude/settings.json", text: `{"disableAllHooks": true}`, silences: true},
			{name: "project, local", file: "work/.claude/settings.local.json", text: `{"disableAllHooks": true}`,
				silences: true},
			{name: "project, in other letters", file: "work/.claude/settings.json",
				text: `{"disable\u0041llHook\u0073" : true}`, silences: true},
			{name: "parent", file: "work/.claude/settings.json", text: `{"disableAllHooks": true}`, sub: true},
			{name: "environment", file: "work/.claude/settings.json",
				text: `{"env": {"NOD_MODE": "off", "XDG_CONFIG_HOME": "/nonexistent", "HOME": "/nonexistent"}}`},
			{name: "managed only, in a project", file: "work/.claude/settings.json",
				text: `{"allowManagedHooksOnly": true}`},
		},
		"codex": {
			{name: "none", file: "work/.codex/config.toml", text: "model_verbosity = \"low\"\n"},
			{name: "user", file: "home/.codex/config.toml", text: "[features]\nhooks = false\n", add: true,
				silences: true},
			{name: "the hook itself", text: "enabled = false\ntrusted_hash", into: "trusted_hash", add: true,
				silences: true},
			{name: "user, old name", file: "home/.codex/config.toml", text: "[features]\ncodex_hooks = false\n",
				add: true, silences: true},
			{name: "project", file: "work/.codex/config.toml", text: "[features]\nhooks = false\n"},
			{name: "trusted project", file: "work/.codex/config.toml", text: "[features]\nhooks = false\n",
				trusted: true, silences: true},
			{name: "trusted project, old name", file: "work/.codex/config.toml",
				text: "[features]\ncodex_hooks = false\n", trusted: true, silences: true},
			{name: "trusted project, in other letters", file: "work/.codex/config.toml",
				text: "[\"feat\\u0075res\"]\n\"h\\u006Foks\"\t=\tfalse # x\n", trusted: true, silences: true},
			{name: "trusted project, in one line", file: "work/.codex/config.toml", text: "features . 'hooks'=false\n",
				trusted: true, silences: true},
			{name: "trusted project, over several lines", file: "work/.codex/config.toml",
				text: "features = {\n  \"\\x68ooks\" = false,\n}\n", trusted: true, silences: true},
			{name: "trusted project's parent", file: "work/.codex/config.toml", text: "[features]\nhooks = false\n",
				trusted: true, sub: true, silences: true},
		},
		"gemini": {
			{name: "none", file: "work/.gemini/settings.json", text: `{}`},
			{name: "user", file: "home/.gemini/settings.json", text: `"hooksConfig": {"enabled": false}, "hooks":`,
				into: `"hooks":`, silences: true},
			{name: "project, not trusted", file: "work/.gemini/settings.json",
				text: `{"hooksConfig": {"enabled": false}}`},
			{name: "project", file: "work/.gemini/settings.json", text: `{"hooksConfig": {"enabled": false}}`,
				trusted: true, silences: true},
			{name: "parent", file: "work/.gemini/settings.json", text: `{"hooksConfig": {"enabled": false}}`,
				trusted: true, sub: true},
		},
		"qwen": {
			{name: "none", file: "work/.qwen/settings.json", text: `{}`},
			{name: "project", file: "work/.qwen/settings.json", text: `{"disableAllHooks": true}`, silences: true},
			{name: "parent", file: "work/.qwen/settings.json", text: `{"disableAllHooks": true}`, sub: true},
		},
		"copilot": {
			{name: "none", file: "work/.github/hooks/other.json", text: `{"version": 1, "hooks": {}}`, trusted: true},
			{name: "another file of the user's", file: "home/.copilot/hooks/other.json",
				text: `{"version": 1, "disableAllHooks": true, "hooks": {}}`},
			{name: "the user's settings", file: "home/.copilot/settings.json", text: `{"disableAllHooks": true}`},
			{name: "the project's hooks", file: "work/.github/hooks/other.json",
				text: `{"version": 1, "disableAllHooks": true, "hooks": {}}`, trusted: true},
			{name: "project, not trusted", file: "work/.github/copilot/settings.json",
				text: `{"disableAllHooks": true}`},
			{name: "project", file: "work/.github/copilot/settings.json", text: `{"disableAllHooks": true}`,
				trusted: true, silences: true},
			{name: "project, local", file: "work/.github/copilot/settings.local.json",
				text: `{"disableAllHooks": true}`, trusted: true, silences: true},
			{name: "project, Claude's", file: "work/.claude/settings.json", text: `{"disableAllHooks": true}`,
				trusted: true, silences: true},
			{name: "project, Claude's local", file: "work/.claude/settings.local.json",
				text: `{"disableAllHooks": true}`, trusted: true, silences: true},
			{name: "parent, Claude's", file: "work/.claude/settings.json", text: `{"disableAllHooks": true}`,
				trusted: true, sub: true, silences: true},
			{name: "nod's own file", file: "home/.copilot/hooks/nod.json",
				text: `"version": 1, "disableAllHooks": true`, into: `"version": 1`, silences: true},
			{name: "parent", file: "work/.github/copilot/settings.json", text: `{"disableAllHooks": true}`,
				trusted: true, sub: true, silences: true},
		},
	}
}

// trust is what a person does where the agent asks whether they trust a
// directory.
func (m *machine) trust(agent, dir string) {
	m.t.Helper()
	switch agent {
	case "codex":
		m.trusted += fmt.Sprintf("[projects.%q]\ntrust_level = \"trusted\"\n", dir)
	case "copilot":
		m.write(filepath.Join(m.home, ".copilot", "config.json"),
			fmt.Sprintf(`{"trusted_folders": [%q], "trustedFolders": [%q]}`, dir, dir), 0o600)
	case "gemini":
		m.write(filepath.Join(m.home, ".gemini", "trustedFolders.json"), fmt.Sprintf(`{%q: "TRUST_FOLDER"}`, dir),
			0o600)
	default:
		m.t.Fatalf("how %s is told to trust a directory is not known", agent)
	}
}

func (d driven) testSilencer(t *testing.T, row silencer) {
	m := d.ready(t, ruleSettings,
		llmtest.Script{Steps: []llmtest.Step{{Calls: []llmtest.Call{d.shell("denied", "touch forbidden")}}}})
	workspace := m.work
	if row.sub {
		m.work = filepath.Join(m.work, "sub")
	}
	m.installed(false)
	switch file := filepath.Join(m.dir, row.file); {
	case row.add && row.into != "":
		m.trusted = strings.ReplaceAll(m.trusted, row.into, row.text)
	case row.add:
		m.trusted += row.text
	case row.into != "":
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), row.into) {
			t.Fatalf("%v: %s", err, text)
		}
		m.machine.write(file, strings.Replace(string(text), row.into, row.text, 1), 0o600)
	default:
		m.machine.write(file, row.text, 0o600)
	}
	if row.trusted {
		m.trust(d.adapter.Name(), workspace)
	}
	m.run()
	told := m.told(t, "denied")
	if ran := exists(filepath.Join(m.work, "forbidden")); ran != row.silences {
		t.Errorf("the call ran: %v, want %v; the model was told %q", ran, row.silences, told)
	}
	if !row.silences && !strings.Contains(told, "hard_deny") {
		t.Errorf("the model was told %q", told)
	}
}
