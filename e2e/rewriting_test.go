package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/rewriting"
	"github.com/nodgate/nod/internal/rewriting/trial"
)

// The real agents run what a hook hands them, and what asks it is what nod-hook finds above itself.
func TestRewritingIsProven(t *testing.T) {
	onEach(t, rewriters(), func(t *testing.T, d driven) {
		program := must(filepath.EvalSymlinks(d.program(t)))
		slots <- struct{}{}
		defer func() { <-slots }()
		at := filepath.Join(t.TempDir(), d.adapter.Name())
		if err := os.Symlink(program, at); err != nil {
			t.Fatal(err)
		}
		asker, err := trial.Prove(hang.Context(t), d.adapter.Name(), at)
		if err != nil || asker.Program.Path != program && asker.Script.Path != program {
			t.Errorf("asked by %+v: %v", asker, err)
		}
	})
}

// With the line handed over an agent's tests run confined, without a question, and the agent reads what they print;
// what it may not run it does not. Nothing shows a command other than the command that was handed over.
func TestALineIsHandedToTheRealAgents(t *testing.T) {
	onEach(t, rewriters(), func(t *testing.T, d driven) {
		m := d.ready(t, "confine = \"on\"\n", oneByOne(d.shell("code", "python3 probe.py"),
			d.shell("lost", "npm publish")))
		m.installed(false)
		m.boundary(t)
		m.probe()
		m.record(d.adapter.Name(), m.state(), d.program(t))
		m.run()
		m.probed(t, "code")
		m.answered(t, map[string]string{"probe.py": "confined"})
		if found := m.decided("npm publish"); len(found) == 0 || found[0].Answered == "confined" {
			t.Errorf("%+v", found)
		}
		if ok, off := rewriting.Recorded(m.state(), d.adapter.Name(), d.program(t)); !ok {
			t.Errorf("the proof is gone: %s", off)
		}
	})
}

// A program that does not run what a hook hands it is found out, whether or not it runs the model's own command.
func TestAnotherProgramIsNotProven(t *testing.T) {
	begin(t)
	claude := claudeProgram(t)
	for _, row := range []struct{ name, script, want string }{
		{"reads no settings", `exec CLAUDE --setting-sources project "$@"`, "neither"},
		{"runs the model's command all the same",
			`exec CLAUDE "$@" --setting-sources project --allowedTools Bash`, `left "original"`},
		{"starts one of its name", `exec CLAUDE "$@"`, ""},
		{"never asks", "echo no key >&2", `for no command; it said "no key"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			slots <- struct{}{}
			defer func() { <-slots }()
			program := filepath.Join(t.TempDir(), "claude")
			text := "#!/bin/sh\n" + strings.ReplaceAll(row.script, "CLAUDE", "'"+claude+"'") + "\n"
			if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
			_, err := trial.Prove(hang.Context(t), "claude-code", program)
			t.Log(err)
			switch {
			case row.want == "" && err != nil, row.want != "" && err == nil,
				err != nil && !strings.Contains(err.Error(), row.want):
				t.Errorf("%v; want %q", err, row.want)
			}
		})
	}
}

// nod doctor tries each installed agent once, where confinement is on.
func TestDoctorProvesTheRewriting(t *testing.T) {
	begin(t)
	m := newMachine(t, "confine = \"on\"\n")
	m.boundary(t)
	records := map[string]os.FileInfo{} // by what is said
	for _, d := range rewriters() {
		if program := d.program(t); d.inPath == "" {
			m.link(program, filepath.Join(m.home, ".local", "bin", d.adapter.Name()))
		}
	}
	slots <- struct{}{}
	defer func() { <-slots }()
	doctored := func() string {
		out, _ := m.command(hang.Context(t), filepath.Join(m.bin, "nod"), "doctor").CombinedOutput()
		return string(out)
	}
	for range 2 {
		said := strings.Join(strings.Fields(doctored()), " ")
		for _, d := range rewriters() {
			want := install.Title(d.adapter.Name()) + " " + d.version + " runs what nod hands it"
			if !strings.Contains(said, want) {
				t.Errorf("%q is not said: %s", want, said)
			}
			info, err := os.Stat(filepath.Join(m.state(), "rewriting-"+d.adapter.Name()+".json"))
			if err != nil || records[want] != nil && !os.SameFile(records[want], info) {
				t.Errorf("%s: not recorded, or tried again: %v", want, err)
			}
			records[want] = info
		}
	}
	m.settings("")
	if said := doctored(); strings.Contains(said, "hands it") {
		t.Errorf("with confinement off: %s", said)
	}
}

// record writes what nod doctor would have proven of a program, which node runs if it is a script.
func (m *machine) record(host, state, program string) {
	m.t.Helper()
	found, err := rewriting.Look(program, "")
	asker := rewriting.Asker{Program: found}
	if filepath.Ext(program) == ".js" {
		node, lookErr := exec.LookPath("node")
		interpreter, nodeErr := rewriting.Look(node, "")
		asker, err = rewriting.Asker{Program: interpreter, Script: found}, errors.Join(err, lookErr, nodeErr)
	}
	if err = errors.Join(err, rewriting.Record(state, host, found, asker)); err != nil {
		m.t.Fatal(err)
	}
}
