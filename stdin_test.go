package nod_test

import (
	"testing"

	"github.com/nodgate/nod"
)

// Where nod is not shown what is typed into a program, nothing that runs is
// harmless, and an interpreter that waits for its script is denied.
func TestStdinUnseen(t *testing.T) {
	for _, row := range []struct {
		command string
		want    nod.Verdict
	}{
		{"bash", nod.Deny},
		{"python3", nod.Deny},
		{"python3 -i", nod.Deny},
		{"sh -s", nod.Deny},
		{"env FOO=1 bash", nod.Deny},
		{"cd /tmp && bash", nod.Deny},
		{"echo ls | bash", nod.Ask},
		{"bash <<'E'\nls\nE", nod.Ask},
		{"ls", nod.Ask},
		{"git log", nod.Ask},
		{"cat > new", nod.Ask},
	} {
		t.Run(row.command, func(t *testing.T) {
			c := bash(row.command)
			c.Interactive, c.StdinUnseen = true, true
			if d := nod.New(options(nod.DefaultRules())).Check(t.Context(), c); d.Verdict != row.want {
				t.Errorf("%s: %s", d.Verdict, d.Reason)
			}
		})
	}
}
