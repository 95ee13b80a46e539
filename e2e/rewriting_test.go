package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/rewriting"
	"github.com/nodgate/nod/internal/rewriting/trial"
	"github.com/nodgate/nod/llm/llmtest"
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
		t.Skipf("nothing can be confined here: %s", out)
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

// The process above a real hook is found to be the recorded program, in both forms
// that a hook has, and not to be another one.
func TestTheProvenProgramIsAboveTheHook(t *testing.T) {
	begin(t)
	const line = `echo $$ > "$HOME/asked"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done`
	for name, hook := range map[string]map[string]any{
		"a shell's line": {"type": "command", "command": line},
		"words":          {"type": "command", "command": "/bin/sh", "args": []string{"-c", line}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "")
			m.projectSettings(map[string]any{"hooks": map[string]any{
				"PreToolUse": []any{map[string]any{"matcher": "*", "hooks": []any{hook}}}}})
			state, other := t.TempDir(), t.TempDir()
			m.record(state, m.claude)
			m.record(other, filepath.Join(m.bin, "nod"))
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				m.prompt(llmtest.NewServer(t, llmtest.Script{Steps: []llmtest.Step{
					{Calls: []llmtest.Call{llmtest.Bash("ls", "ls")}}}}), "default")
			}()
			pid := 0
			hang.Until(t, "the hook", func() bool {
				text, _ := os.ReadFile(filepath.Join(m.home, "asked"))
				_, err := fmt.Sscan(string(text), &pid)
				return err == nil
			})
			if !rewriting.Proven(state, "claude-code", pid) {
				t.Error("Claude Code is not seen to be above its hook")
			}
			if rewriting.Proven(other, "claude-code", pid) {
				t.Error("another program is seen to be above it")
			}
			m.write(filepath.Join(m.home, "go"), "", 0o600)
			<-ended
		})
	}
}

func (m *machine) record(state, program string) {
	m.t.Helper()
	p, err := rewriting.Look(program, "")
	if err == nil {
		err = rewriting.Record(state, "claude-code", p)
	}
	if err != nil {
		m.t.Fatal(err)
	}
}
