package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/nodgate/nod/llm/llmtest"
)

// silencer is a setting in a file below the machine's directory, which holds
// home, work and, at the managed level, etc.
type silencer struct {
	name, file, text string
	// add appends to Codex's settings, as the installation left them.
	add bool
	// into is what the text takes the place of.
	into string
	// sub has the agent work in a directory below the workspace.
	sub bool
	// trusted has the person trust the workspace, where the agent asks.
	trusted  bool
	silences bool
}

// off are settings by which hooks are switched off.
const (
	off       = `{"disableAllHooks": true}`
	codexOff  = "[features]\nhooks = false\n"
	geminiOff = `{"hooksConfig": {"enabled": false}}`
)

func silencing() map[string][]silencer {
	return map[string][]silencer{
		"claude-code": {
			{name: "project", file: "work/.claude/settings.json", text: off, silences: true},
			{name: "project, local", file: "work/.claude/settings.local.json", text: off, silences: true},
			{name: "project, in other letters", file: "work/.claude/settings.json",
				text: `{"disable\u0041llHook\u0073" : true}`, silences: true},
			{name: "parent", file: "work/.claude/settings.json", text: off, sub: true},
			{name: "environment", file: "work/.claude/settings.json",
				text: `{"env": {"NOD_MODE": "off", "XDG_CONFIG_HOME": "/nonexistent", "HOME": "/nonexistent"}}`},
			{name: "managed only, in a project", file: "work/.claude/settings.json",
				text: `{"allowManagedHooksOnly": true}`},
		},
		"codex": {
			{name: "user", text: codexOff, add: true, silences: true},
			{name: "the hook itself", text: "enabled = false\ntrusted_hash", into: "trusted_hash", add: true,
				silences: true},
			{name: "user, old name", text: "[features]\ncodex_hooks = false\n", add: true, silences: true},
			{name: "project", file: "work/.codex/config.toml", text: codexOff},
			{name: "trusted project", file: "work/.codex/config.toml", text: codexOff, trusted: true, silences: true},
			{name: "trusted project, in other letters", file: "work/.codex/config.toml",
				text: "[\"feat\\u0075res\"]\n\"h\\u006Foks\"\t=\tfalse # x\n", trusted: true, silences: true},
			{name: "trusted project's parent", file: "work/.codex/config.toml", text: codexOff, trusted: true, sub: true,
				silences: true},
		},
		"gemini": {
			{name: "user", file: "home/.gemini/settings.json", text: `"hooksConfig": {"enabled": false}, "hooks":`,
				into: `"hooks":`, silences: true},
			{name: "project, not trusted", file: "work/.gemini/settings.json", text: geminiOff},
			{name: "project", file: "work/.gemini/settings.json", text: geminiOff, trusted: true, silences: true},
			{name: "parent", file: "work/.gemini/settings.json", text: geminiOff, trusted: true, sub: true},
		},
		"qwen": {
			{name: "project", file: "work/.qwen/settings.json", text: off, silences: true},
			{name: "parent", file: "work/.qwen/settings.json", text: off, sub: true},
		},
		"copilot": {
			{name: "another file of the user's", file: "home/.copilot/hooks/other.json",
				text: `{"version": 1, "disableAllHooks": true, "hooks": {}}`},
			{name: "the user's settings", file: "home/.copilot/settings.json", text: off},
			{name: "the project's hooks", file: "work/.github/hooks/other.json",
				text: `{"version": 1, "disableAllHooks": true, "hooks": {}}`, trusted: true},
			{name: "project, not trusted", file: "work/.github/copilot/settings.json", text: off},
			{name: "project", file: "work/.github/copilot/settings.json", text: off, trusted: true, silences: true},
			{name: "project, local", file: "work/.github/copilot/settings.local.json", text: off, trusted: true,
				silences: true},
			{name: "parent, Claude's", file: "work/.claude/settings.json", text: off, trusted: true, sub: true,
				silences: true},
			{name: "project, Claude's local", file: "work/.claude/settings.local.json", text: off, trusted: true,
				silences: true},
			{name: "nod's own file", file: "home/.copilot/hooks/nod.json", text: `"version": 1, "disableAllHooks": true`,
				into: `"version": 1`, silences: true},
		},
	}
}

// TestSilencers shows which settings keep an installed nod from being asked
// about a call that it denies. What nod doctor names rests on it.
func TestSilencers(t *testing.T) {
	deep(t, "hostile repositories")
	onEach(t, allDriven(), func(t *testing.T, d driven) {
		for _, row := range silencing()[d.adapter.Name()] {
			t.Run(row.name, func(t *testing.T) {
				m := d.ready(t, ruleSettings, oneByOne(d.shell("denied", "touch forbidden")))
				m.installed(false)
				m.silencedBy(t, row)
			})
		}
	})
}

// silencedBy runs the agent with a setting, and looks at the call that nod denies.
func (d *driving) silencedBy(t *testing.T, row silencer) {
	workspace := d.work
	switch file := filepath.Join(d.dir, row.file); {
	case row.add && row.into != "":
		d.trusted = strings.ReplaceAll(d.trusted, row.into, row.text)
	case row.add:
		d.trusted += row.text
	case row.into != "":
		if text := d.read(file); strings.Contains(text, row.into) {
			d.machine.write(file, strings.Replace(text, row.into, row.text, 1), 0o600)
		} else {
			t.Fatalf("%s holds no %s:\n%s", file, row.into, text)
		}
	case row.file != "":
		d.machine.write(file, row.text, 0o600)
	}
	if row.trusted {
		d.trust(d.adapter.Name(), workspace)
	}
	if row.sub {
		d.work = filepath.Join(d.work, "sub")
	}
	d.run()
	d.work = workspace
	told, ran := d.told(t, "denied"), exists(filepath.Join(workspace, "forbidden")) ||
		exists(filepath.Join(workspace, "sub", "forbidden"))
	if ran != row.silences || strings.Contains(told, "hard_deny") == row.silences {
		t.Errorf("the call ran: %v, want %v; the model was told %q", ran, row.silences, told)
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
	case "pi":
		m.write(filepath.Join(m.home, ".pi", "agent", "trust.json"), fmt.Sprintf("{%q: true}", dir), 0o600)
	}
}

// At the managed level Codex asks nobody whether they trust nod's hooks, and
// neither a project nor a person's own settings silence them, as they do where
// the feature is not required (the last row). Nor does a project silence Claude Code's.
func TestManaged(t *testing.T) {
	deep(t, "the managed level")
	const policy = "etc/codex/requirements.toml"
	for _, row := range []struct {
		driven
		silencer
	}{
		{claudeDriven(), silencer{name: "a project", file: "work/.claude/settings.json", text: off}},
		{codexDriven(), silencer{name: "as installed"}},
		{codexDriven(), silencer{name: "the person's settings", add: true, text: codexOff}},
		{codexDriven(), silencer{name: "the hook itself", add: true,
			text: "[hooks.state.\"/etc/codex/requirements.toml:pre_tool_use:0:0\"]\nenabled = false\n"}},
		{codexDriven(), silencer{name: "a trusted project", file: "work/.codex/config.toml", text: codexOff,
			trusted: true}},
		{codexDriven(), silencer{name: "a trusted project's own hooks", file: "work/.codex/config.toml", trusted: true,
			text: "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"exit 0\"\n"}},
		{codexDriven(), silencer{name: "not required", file: policy,
			into: "[features]\nhooks = true\n", silences: true}},
	} {
		t.Run(row.title+", "+row.name, func(t *testing.T) {
			row.program(t)
			t.Parallel()
			m := row.ready(t, ruleSettings, oneByOne(row.shell("denied", "touch forbidden")))
			m.ownEtc(row.adapter.Name())
			if row.adapter.Name() == "codex" {
				m.machine.write(filepath.Join(m.dir, policy), "# ours\n", 0o644)
			}
			m.installFor(row.adapter.Name(), "managed")
			if row.silences {
				m.trusted = codexOff
			}
			m.silencedBy(t, row.silencer)
		})
	}
}

// ownEtc gives the machine its own /etc/hosts, /etc/nod and directory of an
// agent's below /etc, which nothing outside of it sees. The two directories
// must exist to be covered; what was made for that is removed in the end, since
// a directory that goes takes the mounts on it along, in every namespace.
func (m *machine) ownEtc(agent string) {
	m.t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		missing(m.t, "the managed level needs a mount namespace, thus Linux and root")
	}
	if out, err := exec.Command("unshare", "--mount", "true").CombinedOutput(); err != nil {
		missing(m.t, "unshare --mount does not work here (%v: %s)", err, out)
	}
	enter := ""
	for _, name := range []string{agent, "nod"} {
		m.write(filepath.Join(m.dir, "etc", name, "README"), "", 0o644)
		if os.Mkdir("/etc/"+name, 0o755) == nil {
			made.Lock()
			made.dirs = append(made.dirs, "/etc/"+name)
			made.Unlock()
		}
		enter += fmt.Sprintf("mount --bind %q /etc/%s\n", filepath.Join(m.dir, "etc", name), name)
	}
	m.prefix = []string{"unshare", "--mount", "sh", "-ec", enter + `exec "$@"`, "sh"}
}

// made are the directories that were made to be covered.
var made struct {
	sync.Mutex
	dirs []string
}

// What becomes of a call where the file that nod wrote cannot be loaded:
// opencode goes on without a word, and nothing of nod's can close that; Pi
// does not start.
func TestPluginThatCannotBeLoaded(t *testing.T) {
	deep(t, "hostile repositories")
	onEach(t, []driven{opencodeDriven(), piDriven()}, func(t *testing.T, d driven) {
		m := d.ready(t, ruleSettings, oneByOne(d.shell("call", "touch forbidden")))
		m.installed(false)
		m.machine.write(filepath.Join(m.home, d.hooks), "export default function (\n", 0o600)
		m.tries()
		goesOn := d.adapter.Name() == "opencode"
		if asked := len(m.srv.Requests(llmtest.Turn)) > 0; asked != goesOn ||
			exists(filepath.Join(m.work, "forbidden")) != goesOn {
			t.Errorf("the model was asked: %v:\n%s", asked, m.output)
		}
	})
}
