package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
)

// Everything that is found is planned and written, once; what is not found is
// left alone; what is taken out leaves what was there.
func TestInstallAll(t *testing.T) {
	m := newMachine(t)
	m.write("bin/codex", "#!/bin/sh\n", 0o755)
	before := m.read(userFile)
	code, stdout, stderr := m.run("install --unattended")
	if code != ExitOK || stderr != "" {
		t.Fatalf("%d: %s%s", code, stdout, stderr)
	}
	for _, want := range []string{
		"Found: Claude Code, Codex. nod will be asked before every tool call.\n",
		"Claude Code: writes nod's hook into ~/.claude/settings.json; the rest stays, a copy is put beside it (user level)\n",
		"Codex: makes ~/.codex/hooks.json, with nod's hook in it (user level)\n", "Written: ~/.codex/hooks.json",
		"The old file: ~/.claude/settings.json.nod-backup-", `choose "Trust all"`, "nod doctor", "nod uninstall --all",
		"What nod would have made of your past sessions: nod history.\n", "nod confine on\n",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("lacks %q: %s", want, stdout)
		}
	}
	if strings.Contains(stdout, "Copilot") || strings.Contains(m.read("home/.copilot/hooks/nod.json"), "nod-hook") {
		t.Errorf("an agent that is not here: %s", stdout)
	}
	claude, codex := m.read(userFile), m.read("home/.codex/hooks.json")
	if code, stdout, _ := m.run("install --all --user --unattended"); code != ExitOK || !strings.Contains(stdout,
		"Nothing to write") || m.read(userFile) != claude || m.read("home/.codex/hooks.json") != codex {
		t.Errorf("again: %d %s", code, stdout)
	}
	if code, _, stderr := m.run("uninstall --all --unattended"); code != ExitOK || m.read(userFile) != before ||
		strings.Contains(m.read("home/.codex/hooks.json"), "nod-hook") {
		t.Errorf("uninstall: %d %s", code, stderr)
	}
	if code, stdout, _ := m.run("uninstall --all --unattended"); code != ExitOK || !strings.Contains(stdout,
		"Nothing to write") {
		t.Errorf("uninstall again: %d %s", code, stdout)
	}
}

func TestInstallAllLevels(t *testing.T) {
	m := newMachine(t)
	m.write("home/.copilot/config.json", "", 0o600)
	m.write("home/.codex/config.toml", "", 0o600)
	code, _, stderr := m.run("install --all --managed --unattended")
	if code != ExitBadInput || !strings.Contains(stderr,
		"copilot: GitHub Copilot CLI has no hooks at the managed level") {
		t.Errorf("%d: %s", code, stderr)
	}
	code, stdout, _ := m.run("uninstall --all --dry-run")
	if code != ExitOK || strings.Count(stdout, " level):") != 2 || !strings.Contains(stdout, "Nothing was written") {
		t.Errorf("%d: %s", code, stdout)
	}
}

// Agents that are named: without a level it is the user's where there is no managed one, and what is taken out is all.
func TestInstallOtherAgents(t *testing.T) {
	for agent, file := range map[string]string{"codex": "home/.codex/hooks.json",
		"copilot": "home/.copilot/hooks/nod.json"} {
		m := newMachine(t)
		for _, step := range []struct {
			line string
			code int
			want string // in what is printed
		}{
			{"install codex --managed --dry-run", ExitOK, "/etc/codex/requirements.toml (managed level)"},
			{"install copilot --managed --unattended", ExitBadInput, "no hooks at the managed level"},
			{"install " + agent + " --user --unattended", ExitOK, "nod uninstall " + agent + " --user"},
			{"install " + agent + " --unattended", ExitOK, "nothing to change"},
			{"uninstall " + agent + " --unattended", ExitOK, "Removed: ~/"},
		} {
			code, stdout, stderr := m.run(step.line)
			if code != step.code || !strings.Contains(stdout+stderr, step.want) {
				t.Errorf("%s: %d %s%s", step.line, code, stdout, stderr)
			}
			there := strings.Contains(m.read(file), m.path("opt/nod-hook")+" "+agent)
			if there != strings.HasPrefix(step.line, "install "+agent+" --u") {
				t.Errorf("%s: %s", step.line, m.read(file))
			}
		}
		if m.read(userFile) != "{\n  \"model\": \"opus\"\n}\n" {
			t.Error("Claude Code's settings were touched")
		}
	}
}

// One that is refused keeps the others from nothing, and shows in the status.
func TestInstallAllRefusesOne(t *testing.T) {
	m := newMachine(t)
	m.claude("2.1.200 (Claude Code)")
	m.write("bin/codex", "#!/bin/sh\n", 0o755)
	code, _, stderr := m.run("install --all --unattended")
	if code != ExitBadInput || !strings.Contains(stderr,
		"claude-code: this is Claude Code 2.1.200") || !strings.Contains(m.read("home/.codex/hooks.json"),
		"nod-hook") || strings.Contains(m.read(userFile), "nod-hook") {
		t.Errorf("%d: %s", code, stderr)
	}
	for _, row := range []struct{ line, want string }{
		{"install --all", "not a terminal"},
		{"install --all claude-code", "--all is for every agent; leave claude-code out"},
		{"install claude-code --all", "--all is for every agent; leave claude-code out"},
		{"uninstall --all", "not a terminal"},
	} {
		if code, _, stderr := m.run(row.line); code != ExitBadInput || !strings.Contains(stderr, row.want) {
			t.Errorf("%s: %d %s", row.line, code, stderr)
		}
	}
	os.RemoveAll(m.path("home/.claude"))
	os.RemoveAll(m.path("home/.codex"))
	os.RemoveAll(m.path("bin"))
	if code, stdout, _ := m.run("install --all --unattended"); code != ExitOK || !strings.Contains(stdout,
		"No agent is found") {
		t.Errorf("none: %d %s", code, stdout)
	}
}

// TestAnswer: only yes is yes; what is unclear is asked again, and the end of the
// input and Ctrl-C, which end a question that waits, are a no.
func TestAnswer(t *testing.T) {
	for said, want := range map[string]bool{"y\n": true, "YES\n": true, "": false, "\n": false, "n\n": false,
		"yy\n": false, "yy\ny\n": true, "what\n\n": false, "what\nno\n": false, "y": true} {
		var out bytes.Buffer
		if got := confirmed(t.Context(), &Process{Stdin: strings.NewReader(said), Stdout: &out}, ""); got != want {
			t.Errorf("%q: %v", said, got)
		}
		if again := strings.Contains(out.String(), "Please answer y or n: "); again != strings.Contains(said, "yy") &&
			again != strings.Contains(said, "what") {
			t.Errorf("%q: %s", said, out.String())
		}
	}
	waits, nobody := io.Pipe()
	defer nobody.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	if confirmed(ctx, &Process{Stdin: waits, Stdout: io.Discard}, "") {
		t.Error("Ctrl-C is a yes")
	}
}
