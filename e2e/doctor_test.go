package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/llm/llmtest"
)

// TestDoctor holds nod doctor to the released programs: it finds their version, it says of Codex's trust what Codex
// says, and its verdict is the verdict that TestAgents measures.
func TestDoctor(t *testing.T) {
	deep(t, "nod doctor beside real agents")
	onEach(t, allDriven(), func(t *testing.T, d driven) {
		m := d.ready(t, "", llmtest.Script{})
		if d.inPath == "" {
			m.link(d.program(t), filepath.Join(m.home, ".local", "bin", d.adapter.Name()))
		}
		code, blocks := m.doctor(d.adapter.Name())
		if code != 3 || !holds(blocks, doctor.Open, "settings", "not installed") {
			t.Errorf("before: %d %+v", code, blocks)
		}
		before := d.consent
		d.consent, m.consent = nil, nil
		m.installed(false)
		code, blocks = m.doctor(d.adapter.Name())
		if before != nil {
			if code != 3 || !holds(blocks, doctor.Open, "trust", "not trusted") {
				t.Errorf("before the person has trusted it: %d %+v", code, blocks)
			}
			before(m.machine)
			m.prepare(m.machine, m.srv)
			code, blocks = m.doctor(d.adapter.Name())
			if !holds(blocks, doctor.OK, "trust", "every hook is trusted") {
				t.Errorf("after the person has trusted it: %+v", blocks)
			}
			m.trusted = strings.Replace(m.trusted, "sha256:", "sha256:0", 1)
			m.prepare(m.machine, m.srv)
			if _, altered := m.doctor(d.adapter.Name()); !holds(altered, doctor.Open, "trust", "changed since") {
				t.Errorf("another hash: %+v", altered)
			}
		}
		for _, want := range []struct{ what, text string }{
			{"version", d.version}, {"allow", "ls is allowed"}, {"deny", "rm -rf / is denied"}, {"missing", ""},
			{"killed", ""}, {"slow", ""}, {"hooks", "as this nod writes them"},
		} {
			if d.adapter.Name() == "pi" && want.what == "version" {
				continue // its program is a file for Node, not one in PATH
			}
			if !holds(blocks, doctor.OK, want.what, want.text) {
				t.Errorf("%s: %+v", want.what, blocks)
			}
		}
		if code != 0 && d.adapter.Name() != "pi" {
			t.Errorf("exit %d: %+v", code, blocks)
		}
		if files, err := filepath.Glob(filepath.Join(m.home, ".local/state/nod/*")); err != nil || len(files) > 0 {
			t.Errorf("doctor left %v (%v)", files, err)
		}
	})
}

func (m *machine) doctor(agent string) (code int, blocks []doctor.Block) {
	m.t.Helper()
	cmd := m.command(m.t.Context(), filepath.Join(m.bin, "nod"), "doctor", "--json", agent)
	var out bytes.Buffer
	cmd.Stdout = &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatal(err)
	}
	var got struct{ Agents []doctor.Block }
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		m.t.Fatalf("%v: %s", err, out.Bytes())
	}
	return cmd.ProcessState.ExitCode(), got.Agents
}

func holds(blocks []doctor.Block, state doctor.State, what, text string) bool {
	return slices.ContainsFunc(blocks, func(b doctor.Block) bool {
		return slices.ContainsFunc(b.Lines, func(l doctor.Line) bool {
			return l.State == state && l.What == what && strings.Contains(l.Text, text)
		})
	})
}
