package hook_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/confine/proof"
)

// A line to type is offered where the settings say so and the boundary was
// tried, and what such a run may have written counts as the session's: a rule
// does not cover it any more.
func TestALineToTypeIsOfferedWhereItWasTried(t *testing.T) {
	if _, err := os.Stat("/proc/sys/kernel/osrelease"); err != nil {
		t.Skip("SKIPPED: no /proc")
	}
	p := project(t, map[string]string{"package.json": testVitest, "lint.py": "import os\n"})
	p.options.Nod = "/opt/nod/nod"
	typed := nod.ConfinedLine(p.options.Nod, "python3 lint.py")
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
	bubblewrap := filepath.Join(t.TempDir(), "bwrap")
	p.write(bubblewrap, "x")
	if err := proof.Write(p.options.Places.State, bubblewrap); err != nil {
		t.Fatal(err)
	}
	if s := p.command("4", "python3 lint.py"); s.verdict != "deny" || !strings.Contains(s.reason, "type exactly "+typed) {
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

// Where the host confines the call already, it is left to the host: a boundary
// inside of another is often refused, and the agent could do nothing.
func TestWhatTheHostConfinesIsLeftToIt(t *testing.T) {
	if _, err := os.Stat("/proc/sys/kernel/osrelease"); err != nil {
		t.Skip("SKIPPED: no /proc")
	}
	p := project(t, map[string]string{"lint.py": "import os\n"})
	p.options.Nod = "/opt/nod/nod"
	p.settings("confine = \"on\"\n")
	bubblewrap := filepath.Join(t.TempDir(), "bwrap")
	p.write(bubblewrap, "x")
	if err := proof.Write(p.options.Places.State, bubblewrap); err != nil {
		t.Fatal(err)
	}
	for i, row := range []struct{ sandbox, verdict string }{
		{`{}`, "deny"}, {`{"sandbox":{"enabled":true}}`, "deny"}, {`{"sandbox":{"enabled":true,"failIfUnavailable":true}}`, "silence"},
		{`{"sandbox":{"enabled":true,"failIfUnavailable":true,"excludedCommands":["python3"]}}`, "deny"}, {`{"sandbox":{"enabled":false,"failIfUnavailable":true}}`, "deny"},
	} {
		p.write(filepath.Join(p.options.Places.Home, ".claude/settings.json"), row.sandbox)
		s := p.command(strconv.Itoa(i), "python3 lint.py")
		if s.verdict != row.verdict || strings.Contains(s.reason, "type exactly") != (row.verdict == "deny") {
			t.Errorf("%s: %+v", row.sandbox, s)
		}
	}
}
