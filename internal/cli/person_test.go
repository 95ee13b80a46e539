//go:build unix

package cli

import (
	"errors"
	"strings"
	"testing"
)

func TestPerson(t *testing.T) {
	none := func() ([]Ancestor, error) { return []Ancestor{{Name: "bash"}}, nil }
	agent := func() ([]Ancestor, error) { return []Ancestor{{Name: "bash"}, {Name: "codex"}}, nil }
	blind := func() ([]Ancestor, error) { return []Ancestor{{Name: "bash"}}, errors.New("no /proc") }
	for _, c := range []struct {
		name       string
		ancestors  func() ([]Ancestor, error)
		unattended bool
		want       string
	}{
		{"pipe", none, false, "standard input is not a terminal"},
		{"unattended", none, true, ""},
		{"unattended below an agent", agent, true, "a coding agent (codex) runs this command"},
		{"below an agent", agent, false, "a coding agent (codex) runs this command"},
		{"unattended, blind", blind, true, "cannot see which processes run this command"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := person(&Process{Stdin: strings.NewReader("y\n"), Ancestors: c.ancestors}, c.unattended)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// A process that has left its parents still bears the agent's mark.
func TestPersonWhoLeftTheirParents(t *testing.T) {
	for environ, want := range map[string]bool{"CLAUDECODE=1": true, "X=1": false} {
		p := Process{Stdin: strings.NewReader(""), Environ: []string{environ},
			Ancestors: func() ([]Ancestor, error) { return []Ancestor{{PID: 1, Name: "systemd"}}, nil }}
		if err := person(&p, true); errors.Is(err, errAgent) != want {
			t.Errorf("%s: %v, want a refusal: %v", environ, err, want)
		}
	}
}
