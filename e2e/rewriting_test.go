package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/rewriting/trial"
)

// The real Claude Code runs what a hook hands it, and a program that does not is
// found out, whatever it does with the model's own command.
func TestRewritingIsProven(t *testing.T) {
	begin(t)
	claude := claudeProgram(t)
	for _, row := range []struct{ name, script, want string }{
		{"honours it", "", ""},
		{"reads no settings", `exec CLAUDE --setting-sources project "$@"`, "neither"},
		{"runs the model's command all the same",
			`exec CLAUDE "$@" --setting-sources project --allowedTools Bash`, `left "original"`},
		{"another program asks", `exec CLAUDE "$@"`, "was started by"},
		{"never asks", "echo no key >&2", `for no command; it said "no key"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			slots <- struct{}{}
			defer func() { <-slots }()
			program := claude
			if row.script != "" {
				program = filepath.Join(t.TempDir(), "claude")
				text := "#!/bin/sh\n" + strings.ReplaceAll(row.script, "CLAUDE", "'"+claude+"'") + "\n"
				if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			err := trial.Prove(hang.Context(t), "claude-code", program)
			t.Log(err)
			switch {
			case row.want == "" && err != nil, row.want != "" && err == nil,
				err != nil && !strings.Contains(err.Error(), row.want):
				t.Errorf("%v; want %q", err, row.want)
			}
		})
	}
}

// nod doctor tries the installed Claude Code once, where confinement is on.
func TestDoctorProvesTheRewriting(t *testing.T) {
	begin(t)
	m := newMachine(t, "confine = \"on\"\n")
	if out, err := m.command(t.Context(), filepath.Join(m.bin, "nod"), "confine").CombinedOutput(); err != nil {
		missing(t, "nothing can be confined here: %s", out)
	}
	slots <- struct{}{}
	defer func() { <-slots }()
	doctored := func() string {
		out, _ := m.command(hang.Context(t), filepath.Join(m.bin, "nod"), "doctor").CombinedOutput()
		return string(out)
	}
	want := "Claude Code " + claudeVersion + " runs what nod hands it"
	if said := doctored(); !strings.Contains(said, want) {
		t.Errorf("%s", said)
	}
	record := filepath.Join(m.home, ".local/state/nod/rewriting-claude-code.json")
	before, err := os.Stat(record)
	if err != nil {
		t.Fatal(err)
	}
	if said := doctored(); !strings.Contains(said, want) {
		t.Errorf("again: %s", said)
	}
	if after, err := os.Stat(record); err != nil || !os.SameFile(before, after) {
		t.Errorf("the same program was tried again: %v", err)
	}
	m.settings("")
	if said := doctored(); strings.Contains(said, "hands it") {
		t.Errorf("with confinement off: %s", said)
	}
}
