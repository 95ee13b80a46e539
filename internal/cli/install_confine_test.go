package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
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

// Where confinement works and nobody has set it, a person is asked once, after
// the hook is written; where nobody can be asked the command is named.
func TestInstallOffersConfinement(t *testing.T) {
	const question, named, settings = "Switch it on? [y/N]", "nod confine on\n", "home/.config/nod/nod.toml"
	const install = "install claude-code --user"
	works := func(context.Context, *Process) error { return nil }
	no := func(context.Context) string { return "user namespaces are switched off" }
	for _, row := range []struct {
		name, line, typed string
		user              string
		change            func(b *boundary)
		asked, named, on  bool
		more              string // is said too
	}{
		{name: "yes", line: install, typed: "y\ny\n", asked: true, on: true,
			more: "confine: on (~/.config/nod/nod.toml:1)"},
		{name: "yes, beside other keys", line: install, typed: "y\nyes\n", user: "mode = \"enforce\"\n", asked: true,
			on: true},
		{name: "no", line: install, typed: "y\nn\n", asked: true},
		{name: "nothing", line: install, typed: "y\n\n", asked: true},
		{name: "the end", line: install, typed: "y\n", asked: true},
		{name: "for all", line: "install", typed: "y\ny\n", asked: true, on: true},
		{name: "nothing written", line: install, typed: "n\ny\n"},
		{name: "set off", line: install, typed: "y\ny\n", user: "confine = \"off\"\n"},
		{name: "set on", line: install, typed: "y\nn\n", user: "confine = \"on\"\n"},
		{name: "does not work", line: install, typed: "y\ny\n", change: func(b *boundary) {
			b.try = func(context.Context, *Process) error { return errors.New("refused") }
		}},
		{name: "an obstacle", line: install, typed: "y\ny\n", change: func(b *boundary) { b.obstacle = no },
			more: "nod confine does not work here: user namespaces are switched off\n"},
		{name: "a long obstacle", line: install, typed: "y\ny\n", change: func(b *boundary) {
			b.obstacle = func(context.Context) string { return strings.Repeat("x", maxObstacle+1) }
		}},
		{name: "unattended", line: install + " --unattended", typed: "y\ny\n", named: true},
		{name: "unattended, an obstacle", line: install + " --unattended",
			change: func(b *boundary) { b.obstacle = no }},
		{name: "dry run", line: install + " --dry-run", typed: "y\ny\n", named: true},
		{name: "settings elsewhere", line: install + " --settings other.toml", typed: "y\ny\n", named: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := newMachine(t)
			m.in.try = works
			if row.change != nil {
				row.change(&m.in.boundary)
			}
			if row.user != "" {
				m.write(settings, row.user, 0o600)
			}
			said, told := m.at(row.line, row.typed)
			if got := strings.Count(said, question); got > 1 || (got == 1) != row.asked {
				t.Errorf("asked %d times: %s%s", got, said, told)
			}
			if got := strings.Contains(said, named); got != row.named || !strings.Contains(said, row.more) {
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

// An answer for programs asks nothing; neither does the machine's level, where
// each person decides for themselves.
func TestInstallAsksNobodyElse(t *testing.T) {
	m := newMachine(t)
	m.in.try = func(context.Context, *Process) error { return nil }
	said, told := m.at("install claude-code --user --json", "y\ny\n")
	if strings.Contains(told, "Switch it on?") || !strings.Contains(told, "nod confine on\n") || strings.Contains(said,
		"confine") {
		t.Errorf("--json: %s%s", said, told)
	}
	m = newMachine(t)
	m.in.try, m.in.isRoot = func(context.Context, *Process) error { return nil }, func() bool { return true }
	if said, told = m.at("install claude-code", "y\ny\n"); strings.Contains(said,
		"Switch it on?") || !strings.Contains(said, "nod confine on\n") {
		t.Errorf("managed: %s%s", said, told)
	}
}

// Uninstalling leaves the setting alone.
func TestUninstallLeavesConfinement(t *testing.T) {
	m := newMachine(t)
	m.write("home/.config/nod/nod.toml", "confine = \"on\"\n", 0o600)
	m.run("install claude-code --user --unattended")
	if code, _, stderr := m.run("uninstall claude-code --user --unattended"); code != ExitOK ||
		m.read("home/.config/nod/nod.toml") != "confine = \"on\"\n" {
		t.Errorf("%d %s: %s", code, stderr, m.read("home/.config/nod/nod.toml"))
	}
}
