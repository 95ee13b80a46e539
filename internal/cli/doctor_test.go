//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/install"
)

// realMachine is one whose nod-hook is the real one, which testscript.Main puts into PATH.
func realMachine(t *testing.T) *machine {
	t.Helper()
	m := newMachine(t)
	at, err := exec.LookPath("nod")
	if err != nil {
		t.Fatal(err)
	}
	m.in.self = func() (string, error) { return at, nil }
	return m
}

// doctor returns what nod doctor finds of an agent, as it is and as a person reads it.
func (m *machine) doctor(name string) (blocks []doctor.Block, text string) {
	m.t.Helper()
	var got examined
	for _, args := range [][]string{{"--json", name}, {name}} {
		var out, errs bytes.Buffer
		p := &Process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: m.path("repo"),
			Environ:   []string{"HOME=" + m.path("home"), "PATH=" + m.path("bin") + ":/usr/bin:/bin"},
			Ancestors: func() ([]Ancestor, error) { return []Ancestor{{Name: "claude"}}, nil }} // an agent may ask
		command{name: "doctor", run: m.in.doctor}.main(context.Background(), p, args)
		if text = out.String(); errs.Len() > 0 {
			m.t.Fatalf("stderr: %s", errs.String())
		}
		if err := json.Unmarshal(out.Bytes(), &got); err != nil && len(args) == 2 {
			m.t.Fatalf("%v: %s", err, text)
		}
	}
	return got.Agents, text
}

// lineOf returns the first line about something in a state.
func lineOf(blocks []doctor.Block, state doctor.State, what string) string {
	for _, b := range blocks {
		for _, l := range b.Lines {
			if l.State == state && l.What == what {
				return l.Text
			}
		}
	}
	return ""
}

// Each agent's own line is started, with the answers that are known; nothing is left behind.
func TestDoctorTriesEveryAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it starts hundreds of programs; verify's stage tests runs it, without the race detector")
	}
	for _, agent := range install.Agents() {
		t.Run(agent, func(t *testing.T) {
			m := realMachine(t)
			if code, _, stderr := m.run("install " + agent + " --user --unattended"); code != ExitOK {
				t.Fatalf("%d %s", code, stderr)
			}
			blocks, text := m.doctor(agent)
			if len(blocks) != 1 || blocks[0].Level != "user" {
				t.Fatalf("%+v", blocks)
			}
			want := []string{"hooks", "allow", "deny", "missing", "killed", "slow", "silencers"}
			if strings.HasSuffix(blocks[0].Path,
				".js") { // code that the agent loads: its failures are not tried from here
				want = []string{"hooks", "allow", "deny"}
			}
			for _, what := range want {
				if lineOf(blocks, doctor.OK, what) == "" {
					t.Errorf("%s is not ok:\n%s", what, text)
				}
			}
			if bad := lineOf(blocks, doctor.Failed, "allow") + lineOf(blocks, doctor.Failed, "deny"); bad != "" {
				t.Errorf("%s\n%s", bad, text)
			}
			// Events of their own for files and servers carry no command.
			if bad := lineOf(blocks, doctor.NotTried, "allow"); bad != "" && !strings.HasPrefix(bad,
				"beforeMCP") && !strings.HasPrefix(bad, "pre_") {
				t.Errorf("%s\n%s", bad, text)
			}
			if _, err := os.Stat(m.path("home/.local")); err == nil {
				t.Error("something was written into nod's state")
			}
		})
	}
}
