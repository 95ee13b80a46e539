package hook_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/confine/proof"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/version"
)

// confined is what an agent types to have a line run behind nod's boundary.
func confined(program, line string) string {
	return program + " confine -- '" + strings.ReplaceAll(line, "'", `'\''`) + "'"
}

// A line to type is offered where the settings say so and the boundary was tried, and what such a run may have
// written counts as the session's: a rule does not cover it any more.
func TestALineToTypeIsOfferedWhereItWasTried(t *testing.T) {
	if _, err := os.Stat("/proc/sys/kernel/osrelease"); err != nil {
		t.Skip("SKIPPED: no /proc")
	}
	p := project(t, map[string]string{"package.json": testVitest, "lint.py": "import os\n"})
	p.options.Nod = p.nod(t, version.String())
	typed := confined(p.options.Nod, "python3 lint.py")
	p.settings("allow = [\"npm test\"]\n")
	if s := p.command("1", "python3 lint.py"); s.verdict == "allow" || strings.Contains(s.reason, "type exactly") {
		t.Errorf("not switched on: %+v", s)
	}
	p.settings("confine = \"on\"\nallow = [\"npm test\"]\n")
	if s := p.command("2", "python3 lint.py"); s.verdict == "allow" || strings.Contains(s.reason, "type exactly") {
		t.Errorf("not tried: %+v", s)
	}
	if s := p.command("3", typed); s.verdict == "allow" {
		t.Errorf("not tried: %+v", s)
	}
	p.tried()
	if s := p.command("4", "python3 lint.py"); s.verdict != "deny" || !strings.Contains(s.reason,
		"type exactly "+typed) {
		t.Errorf("%+v", s)
	}
	if s := p.command("5", "npm test"); s.verdict != "allow" {
		t.Errorf("a rule, before: %+v", s)
	}
	if s := p.command("6", typed); s.verdict != "allow" {
		t.Errorf("%+v", s)
	}
	p.write(filepath.Join(p.shop, "package.json"), testOther) // what a confined run wrote
	if s := p.command("7", "npm test"); s.verdict == "allow" {
		t.Errorf("a rule covers what a confined run wrote: %+v", s)
	}
}

// Where the very host was proven to run what it is handed, it is handed the line, and the
// rest of what the call says stays; in plan mode it decides by itself.
func TestALineIsHandedOver(t *testing.T) {
	p := project(t, map[string]string{"lint.py": "import os\n"})
	p.options.Nod = p.nod(t, version.String())
	p.settings("confine = \"on\"\n")
	p.tried()
	asked := ""
	p.options.Rewrites = func(_, host string) bool { asked = host; return true }
	say := func(mode, command string) string {
		p.permission = mode
		var out bytes.Buffer
		input := map[string]any{"command": command, "description": "d", "timeout": 1000}
		hook.Run(t.Context(), p.options, bytes.NewReader(p.payload("PreToolUse", "Bash", input, nil)), &out, io.Discard,
			func(int) {})
		return out.String()
	}
	want := `"permissionDecision":"allow","permissionDecisionReason":"it runs code that nod has not read, confined",` +
		`"updatedInput":{"command":"` + confined(p.options.Nod, "python3 lint.py") + `","description":"d","timeout":1000}`
	for _, mode := range []string{"default", "acceptEdits", "auto", "bypassPermissions", "dontAsk"} {
		if got := say(mode, "python3 lint.py"); !strings.Contains(got, want) || asked != "claude-code" {
			t.Errorf("%s: %s, want %s", mode, got, want)
		}
	}
	if got := say("plan", "python3 lint.py"); got != "" {
		t.Errorf("plan: %s", got)
	}
	if got := say("default", "npm publish"); strings.Contains(got, "updatedInput") {
		t.Errorf("a known loss is handed over: %s", got)
	}
	if got := say("default", "ls"); strings.Contains(got, "updatedInput") || !strings.Contains(got, "allow") {
		t.Errorf("what is plain is handed over: %s", got)
	}
	p.options.Rewrites = func(string, string) bool { return false }
	if got := say("default", "python3 lint.py"); !strings.Contains(got, "type exactly") {
		t.Errorf("not proven: %s", got)
	}
}

// tried notes that the boundary was seen to hold here.
func (p *place) tried() {
	p.t.Helper()
	bubblewrap := filepath.Join(p.t.TempDir(), "bwrap")
	p.write(bubblewrap, "x")
	if err := proof.Write(p.options.Places.State, bubblewrap); err != nil {
		p.t.Fatal(err)
	}
}

// nod writes a program that says that it is nod of a version.
func (p *place) nod(t *testing.T, version string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "nod")
	p.write(program, "#!/bin/sh\necho nod "+version+"\n")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	return program
}

// A program of another version has another boundary than the one that decides
// counts on: no line is run behind it, neither is one that nobody can start.
func TestNoLineIsRunBehindAnotherVersion(t *testing.T) {
	if _, err := os.Stat("/proc/sys/kernel/osrelease"); err != nil {
		t.Skip("SKIPPED: no /proc")
	}
	p := project(t, map[string]string{"lint.py": "import os\n"})
	p.settings("confine = \"on\"\n")
	p.tried()
	for i, program := range []string{p.nod(t, "v0.0.1"), filepath.Join(t.TempDir(), "gone")} {
		p.options.Nod = program
		if s := p.command(strconv.Itoa(2*i), "python3 lint.py"); s.verdict == "allow" || strings.Contains(s.reason,
			"type exactly") {
			t.Errorf("%s is offered: %+v", program, s)
		}
		if s := p.command(strconv.Itoa(2*i+1), confined(program, "python3 lint.py")); s.verdict == "allow" {
			t.Errorf("%s is run: %+v", program, s)
		}
	}
}

// Where the host confines the call already, it is left to the host: a boundary
// inside of another is often refused, and the agent could do nothing.
func TestWhatTheHostConfinesIsLeftToIt(t *testing.T) {
	if _, err := os.Stat("/proc/sys/kernel/osrelease"); err != nil {
		t.Skip("SKIPPED: no /proc")
	}
	p := project(t, map[string]string{"lint.py": "import os\n"})
	p.options.Nod = p.nod(t, version.String())
	p.settings("confine = \"on\"\n")
	p.tried()
	for i, row := range []struct{ sandbox, verdict string }{
		{`{}`, "deny"}, {`{"sandbox":{"enabled":true}}`, "deny"},
		{`{"sandbox":{"enabled":true,"failIfUnavailable":true}}`, "silence"},
		{`{"sandbox":{"enabled":true,"failIfUnavailable":true,"excludedCommands":["python3"]}}`, "deny"},
		{`{"sandbox":{"enabled":false,"failIfUnavailable":true}}`, "deny"},
	} {
		p.write(filepath.Join(p.options.Places.Home, ".claude/settings.json"), row.sandbox)
		s := p.command(strconv.Itoa(i), "python3 lint.py")
		if s.verdict != row.verdict || strings.Contains(s.reason, "type exactly") != (row.verdict == "deny") {
			t.Errorf("%s: %+v", row.sandbox, s)
		}
	}
}
