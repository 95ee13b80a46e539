package hook_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
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

// Where the very host was proven to run what it is handed, it is handed the line, and the
// rest of what the call says stays; in plan mode it decides by itself.
func TestALineIsHandedOver(t *testing.T) {
	p := newPlace(t)
	p.write(filepath.Join(p.shop, "lint.py"), "import os\n")
	p.run(bytes.NewReader(p.bash("ls"))) // which begins the session
	p.interactively()
	p.options.Nod = p.nod(version.String())
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
func (p *place) nod(version string) string {
	p.t.Helper()
	program := filepath.Join(p.t.TempDir(), "nod")
	p.write(program, "#!/bin/sh\necho nod "+version+"\n")
	if err := os.Chmod(program, 0o755); err != nil {
		p.t.Fatal(err)
	}
	return program
}
