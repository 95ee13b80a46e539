//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/nodgate/nod/internal/config"
)

// at runs "install ..." at a terminal, where a person types what is typed.
func (m *machine) at(line, typed string) (stdout, stderr string) {
	m.t.Helper()
	keyboard, terminal, err := pty.Open()
	if err != nil {
		m.t.Skip("SKIPPED: no pseudo-terminal: ", err)
	}
	defer keyboard.Close()
	defer terminal.Close()
	if _, err := keyboard.WriteString(typed + "\x04"); err != nil {
		m.t.Fatal(err)
	}
	var out, told bytes.Buffer
	p := &Process{
		Stdin: terminal, Stdout: &out, Stderr: &told, Dir: m.path("repo"),
		Environ:   []string{"HOME=" + m.path("home"), "PATH=" + m.path("bin") + ":/usr/bin:/bin"},
		Ancestors: func() ([]Ancestor, error) { return m.ancestors, nil },
	}
	command{name: "install", run: m.in.install}.main(context.Background(), p, strings.Fields(line)[1:])
	return out.String(), told.String()
}

// Where confinement works and nobody has set it, it is part of the one question;
// where nobody can be asked the command is named.
func TestInstallOffersConfinement(t *testing.T) {
	const question, named, settings = "will run without network", "nod confine on\n", "home/.config/nod/nod.toml"
	const install = "install claude-code --user"
	for _, row := range []struct {
		name, line, typed string
		user              string
		fails             bool
		asked, named, on  bool
	}{
		{name: "yes", line: install, typed: "y\n", asked: true, on: true},
		{name: "yes, beside other keys", line: install, typed: "yes\n", user: "mode = \"enforce\"\n", asked: true,
			on: true},
		{name: "no", line: install, typed: "\n", asked: true},
		{name: "not wanted", line: install + " --no-confine", typed: "y\n"},
		{name: "for all", line: "install", typed: "y\n", asked: true, on: true},
		{name: "set off", line: install, typed: "y\n", user: "confine = \"off\"\n"},
		{name: "does not work", line: install, typed: "y\n", fails: true},
		{name: "unattended", line: install + " --unattended", typed: "y\n", named: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := newMachine(t)
			m.in.places = func([]string) config.Places { return config.DefaultPlaces(m.path("home")) }
			m.in.try = func(context.Context, *Process) error {
				if row.fails {
					return errors.New("refused")
				}
				return nil
			}
			if row.user != "" {
				m.write(settings, row.user, 0o600)
			}
			said, told := m.at(row.line, row.typed)
			if got := strings.Count(said, question); got > 1 || (got == 1) != row.asked {
				t.Errorf("asked %d times: %s%s", got, said, told)
			}
			if got := strings.Contains(said, named); got != row.named {
				t.Errorf("named %v: %s%s", got, said, told)
			}
			want := row.user
			if row.on { // a missing key is written at the top
				want = "confine = \"on\"\n" + row.user
			}
			got, err := os.ReadFile(m.path(settings))
			if err != nil && want != "" || string(got) != want {
				t.Errorf("settings %q, %v; want %q: %s%s", got, err, want, said, told)
			}
		})
	}
}
