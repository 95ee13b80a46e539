//go:build unix

package install

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nodgate/nod/agent"
)

// Every host has an adapter, and what is written for it is found again.
func TestHosts(t *testing.T) {
	for _, name := range Agents() {
		t.Run(name, func(t *testing.T) {
			if _, ok := agent.ByName(name); !ok {
				t.Errorf("%s has no adapter", name)
			}
			o := paths()
			o.Agent = name
			if o.row().Install.Format == "code" {
				return // TestPlugin
			}
			for _, before := range []string{"", "{}\n", "{\n  \"hooks\": {\n    \"Other\": [],\n  },\n  // mine\n}\n"} {
				checkHost(t, o, before)
			}
			checkDecides(t, o)
		})
	}
}

func checkHost(t *testing.T, o Options, before string) {
	t.Helper()
	events := len(o.registrations())
	in := edit(t, []byte(before), (*document).register, o)
	if n := bytes.Count(in, []byte(o.Hook)); n != events {
		t.Errorf("%d hooks for %d events:\n%s", n, events, in)
	}
	if again := edit(t, in, (*document).register, o); !bytes.Equal(in, again) {
		t.Errorf("installed twice (-once +twice):\n%s", cmp.Diff(string(in), string(again)))
	}
	moved := o
	moved.Hook = "/opt/else where/nod-hook"
	there := edit(t, in, (*document).register, moved)
	if bytes.Contains(there, []byte(o.Hook)) || bytes.Count(there, []byte(moved.Hook)) != events {
		t.Errorf("moved:\n%s", there)
	}
	out := edit(t, in, (*document).unregister, o)
	if bytes.Contains(out, []byte("nod-hook")) || strings.Contains(before, "mine") && !bytes.Contains(out,
		[]byte("// mine")) {
		t.Errorf("uninstalled:\n%s", out)
	}
}

// Hooks that decide must not be able to fail open: the host has a switch, or
// guardScript stands before nod-hook and gives up before the host does.
func checkDecides(t *testing.T, o Options) {
	t.Helper()
	for _, r := range o.registrations() {
		var handler map[string]any
		must(t, json.Unmarshal(encode(r.handler), &handler))
		line := commandText(handler)
		guarded := handler["onFailure"] == "block" ||
			strings.HasPrefix(line, "/bin/sh -c '") && programOf(line) == o.Hook
		if r.decides != guarded {
			t.Errorf("%s: guarded %v, decides %v: %v", r.event, guarded, r.decides, handler)
		}
	}
}

// A level that a host does not have is refused, and the others are where they belong.
func TestLevels(t *testing.T) {
	for _, row := range []struct{ agent, managed, user string }{
		{"claude-code", "/etc/claude-code/managed-settings.json", "/h/.claude/settings.json"},
		{"codex", "/etc/codex/requirements.toml", "/h/.codex/hooks.json"},
		{"opencode", "", "/h/.config/opencode/plugin/nod.js"},
	} {
		o := Options{Agent: row.agent, OS: "linux", Home: "/h"}
		for level, want := range map[Level]string{Managed: row.managed, User: row.user} {
			o.Level = level
			if o.HasLevel() != (want != "") || want != "" && o.Target() != filepath.Clean(want) {
				t.Errorf("%s, %s: %v %s", row.agent, level, o.HasLevel(), o.Target())
			}
		}
	}
	if (Options{OS: "windows"}).HasLevel() || !(Options{OS: "windows", Level: User}).HasLevel() {
		t.Error("a managed file of Windows is said to be known, or the user's not to be")
	}
	if _, err := PlanUninstall(Options{Agent: "copilot"}); err == nil || !strings.Contains(err.Error(),
		"managed level") {
		t.Errorf("%v", err)
	}
	if _, err := PlanUninstall(Options{Agent: "emacs"}); err == nil {
		t.Error("an agent that is not there was taken")
	}
}

// Where hooks stand under names, nod has its own, and others keep theirs.
func TestNamedHook(t *testing.T) {
	o := at(t, User)
	o.Agent = "antigravity"
	const theirs = `"lint": {"PreToolUse": [{"matcher": "run_command", "hooks": [{"command": "./lint.sh"}]}]}`
	write(t, o.Target(), "{\n  "+theirs+"\n}\n")
	p, err := PlanInstall(o)
	if err != nil || !strings.Contains(string(p.After), theirs) || strings.Count(string(p.After), `"nod": {`) != 1 {
		t.Fatalf("%v\n%s", err, p.After)
	}
	write(t, o.Target(), string(p.After))
	in, err := Inspect(o)
	if err != nil || in == nil || len(in.Hooks) != 1 || !in.Hooks[0].Written || in.Again != "" || !in.Guarded() {
		t.Fatalf("%v %+v", err, in)
	}
	if off := OffSwitches(o, ""); len(off) != 0 {
		t.Errorf("%+v", off)
	}
	write(t, o.Target(), strings.Replace(string(p.After), `"nod": {`, `"nod": {"enabled": false,`, 1))
	if off := OffSwitches(o, ""); len(off) != 1 || off[0].Kind != Silences {
		t.Errorf("switched off: %+v", off)
	}
	write(t, o.Target(), string(p.After))
	p, err = PlanUninstall(o)
	if err != nil || strings.Contains(string(p.After), "nod") || !strings.Contains(string(p.After), theirs) {
		t.Errorf("%v\n%s", err, p.After)
	}
}
