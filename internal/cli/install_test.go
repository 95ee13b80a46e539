package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/version"
)

// machine is a file system of its own, with a home directory, nod's two programs, a Claude Code and a repository.
type machine struct {
	t         *testing.T
	dir       string
	in        installer
	ancestors []Ancestor
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, dir: t.TempDir()}
	m.in = installer{root: m.dir, passing: []string{}, self: func() (string, error) { return m.path("opt/nod"), nil },
		isRoot: func() bool { return false }}
	m.write("home/.claude/settings.json", "{\n  \"model\": \"opus\"\n}\n", 0o600)
	m.write("opt/nod", "#!/bin/sh\n", 0o755)
	m.write("opt/nod-hook", "#!/bin/sh\necho nod '"+version.String()+"'\n", 0o755)
	m.claude("2.1.329 (Claude Code)")
	m.write("repo/README", "", 0o644)
	return m
}

func (m *machine) path(name string) string { return filepath.Join(m.dir, name) }

func (m *machine) write(name, text string, mode os.FileMode) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(m.path(name)), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(m.path(name), []byte(text), mode); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Chmod(m.path(name), mode); err != nil {
		m.t.Fatal(err)
	}
}

// claude puts a Claude Code into PATH that prints the given version.
func (m *machine) claude(version string) {
	m.write("bin/claude", "#!/bin/sh\necho '"+version+"'\n", 0o755)
}

func (m *machine) read(name string) string {
	b, err := os.ReadFile(m.path(name))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// run runs "install ..." or "uninstall ..." without a terminal.
func (m *machine) run(line string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	p := &Process{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err, Dir: m.path("repo"),
		Environ:   []string{"HOME=" + m.path("home"), "PATH=" + m.path("bin") + ":/usr/bin:/bin"},
		Ancestors: func() ([]Ancestor, error) { return m.ancestors, nil },
	}
	args := strings.Fields(line)
	c := command{name: args[0], run: m.in.install}
	if args[0] == "uninstall" {
		c.run = m.in.uninstall
	}
	code = c.main(context.Background(), p, args[1:])
	return code, out.String(), err.String()
}

const userFile = "home/.claude/settings.json"

func TestInstallUser(t *testing.T) {
	m := newMachine(t)
	before := m.read(userFile)
	code, stdout, stderr := m.run("install claude-code --user --unattended")
	if code != ExitOK || stderr != "" {
		t.Fatalf("%d: %s%s", code, stdout, stderr)
	}
	for _, want := range []string{
		"Claude Code: writes nod's hook into ~/.claude/settings.json; the rest stays, a copy is put beside it (user level)\n",
		`"disableAllHooks": true`,
		"No repository can at the managed level: sudo " + m.path("opt/nod") + " install claude-code --managed",
		"Written: ~/.claude/settings.json", "The old file: ~/.claude/settings.json.nod-backup-",
		"nod uninstall claude-code --user",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("lacks %q: %s", want, stdout)
		}
	}
	if strings.Count(stdout, "\n") > 10 {
		t.Errorf("no few lines: %s", stdout)
	}
	after := m.read(userFile)
	for _, want := range []string{`"command": "` + m.path("opt/nod-hook") + `"`, `"onFailure": "block"`,
		m.path("home/.config/nod/nod.toml"), m.path("home/.local/state/nod"), "/etc/nod/nod.toml"} {
		if !strings.Contains(after, want) {
			t.Errorf("lacks %q: %s", want, after)
		}
	}
	if code, stdout, _ = m.run("install claude-code --user --unattended"); code != ExitOK || !strings.Contains(stdout,
		"nothing to change") || m.read(userFile) != after {
		t.Errorf("again: %d %s", code, stdout)
	}
	if code, _, stderr = m.run("uninstall claude-code --unattended"); code != ExitOK || m.read(userFile) != before {
		t.Errorf("uninstall: %d %s: %s", code, stderr, m.read(userFile))
	}
	if code, stdout, _ = m.run("uninstall claude-code --unattended"); code != ExitOK || !strings.Contains(stdout,
		"Nothing to write") {
		t.Errorf("uninstall again: %d %s", code, stdout)
	}
}

// TestInstallManaged: root who names no level means the machine's settings, and
// the command line there names no user's files.
func TestInstallManaged(t *testing.T) {
	m := newMachine(t)
	m.in.isRoot = func() bool { return true }
	code, stdout, stderr := m.run("install claude-code --unattended")
	if code != ExitOK {
		t.Fatalf("%d: %s", code, stderr)
	}
	file := strings.TrimPrefix(m.in.target(&Process{}, "claude-code", install.Managed).Target(), m.dir+"/")
	got := m.read(file)
	if !strings.Contains(got, `"--managed"`) || strings.Contains(got, m.path("home")) || strings.Contains(stdout,
		"disableAllHooks") {
		t.Errorf("%s\n%s", stdout, got)
	}
	if !strings.Contains(stdout, `unless /etc/nod/nod.toml says mode = "enforce"`) {
		t.Errorf("the mode: %s", stdout)
	}
	m.run("install claude-code --user --unattended")
	if code, _, stderr = m.run("uninstall claude-code --unattended"); code != ExitOK ||
		strings.Contains(m.read(file), "nod-hook") || strings.Contains(m.read("home/.claude/settings.json"), "nod-hook") {
		t.Errorf("uninstall: %d %s", code, stderr)
	}
}

// TestInstallRefuses: each refusal says what to do, and nothing is written.
func TestInstallRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, line string
		change     func(*machine)
		want       string
	}{
		{"no terminal", "install claude-code --user", nil, "not a terminal"},
		{"an agent", "install claude-code --user --unattended",
			func(m *machine) { m.ancestors = []Ancestor{{PID: 2, Name: "claude"}} }, "agents may not change nod"},
		{"old Claude Code", "install claude-code --user --unattended",
			func(m *machine) { m.claude("2.1.294 (Claude Code)") },
			"this is Claude Code 2.1.294, and it lets a call run when its hook is missing, crashes or hangs; 2.1.295 and later block it"},
		{"cache", "install claude-code --user --unattended", func(m *machine) { m.in.passing = []string{m.dir} },
			"go install"},
		{"repository", "install claude-code --user --unattended",
			func(m *machine) { m.write("opt/.git/HEAD", "", 0o644) }, "the repository " + "DIR/opt"},
		{"no nod-hook", "install claude-code --user --unattended",
			func(m *machine) { os.Remove(m.path("opt/nod-hook")) }, "nod-hook is not there"},
		{"another nod-hook", "install claude-code --user --unattended",
			func(m *machine) { m.write("opt/nod-hook", "#!/bin/sh\necho nod v0.0.1\n", 0o755) },
			"install both together"},
		{"comments", "install claude-code --user --unattended",
			func(m *machine) { m.write(userFile, "{\n  // mine\n}", 0o600) }, "settings.json:2:3: a comment"},
		{"broken neighbour", "install claude-code --user --unattended",
			func(m *machine) { m.write(userFile, `{"hooks": {"PreToolUse": [null]}}`, 0o600) },
			"settings.json:1:27: an entry of hooks.PreToolUse that is not an object"},
		{"not JSON", "install claude-code --user --unattended", func(m *machine) { m.write(userFile, "{", 0o600) },
			"not JSON"},
		{"uninstall, no terminal", "uninstall claude-code --user", nil, "not a terminal"},
		{"uninstall, no agent named", "uninstall", nil, "name the coding agent"},
		{"nobody to ask", "install", nil,
			"standard input is not a terminal. Run it in a terminal; or look first: nod install --dry-run; or, from a provisioning tool: nod install --unattended"},
		{"nobody to ask for one", "install claude-code", nil, "standard input is not a terminal"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newMachine(t)
			if tc.change != nil {
				tc.change(m)
			}
			before := m.read(userFile)
			code, stdout, stderr := m.run(tc.line)
			if want := strings.ReplaceAll(tc.want, "DIR", m.dir); code != ExitBadInput || !strings.Contains(stderr,
				want) {
				t.Errorf("%d, want %q: %s%s", code, want, stdout, stderr)
			}
			if m.read(userFile) != before {
				t.Errorf("written: %s", m.read(userFile))
			}
			if copies, _ := filepath.Glob(m.path(userFile) + ".nod*"); len(copies) > 0 {
				t.Errorf("written: %v", copies)
			}
		})
	}
}

// Where a version cannot be asked, and where a repository silences nod, a person is warned.
func TestInstallWarns(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*machine)
		warns  string
	}{
		{"version not known", func(m *machine) { m.claude("soon") }, "not a version"},
		{"no Claude Code", func(m *machine) { os.Remove(m.path("bin/claude")) }, "it must be Claude Code 2.1.295"},
		{"silenced", func(m *machine) { m.write("repo/.claude/settings.json", `{"disableAllHooks": true}`, 0o600) },
			"repo/.claude/settings.json:1:21:"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newMachine(t)
			tc.change(m)
			code, _, stderr := m.run("install claude-code --user --unattended")
			if code != ExitOK || !strings.Contains(stderr, tc.warns) || !strings.Contains(m.read(userFile),
				"nod-hook") {
				t.Errorf("%d: %s", code, stderr)
			}
		})
	}
}

func TestInstallDryRun(t *testing.T) {
	m := newMachine(t)
	before := m.read(userFile)
	for _, line := range []string{"install claude-code --user --dry-run", "install --dry-run",
		"install --dry-run claude-code"} {
		code, stdout, _ := m.run(line)
		if code != ExitOK || !strings.Contains(stdout, "Nothing was written") || m.read(userFile) != before ||
			!strings.Contains(stdout,
				`+             "command": "`+m.path("opt/nod-hook")+`"`) || !strings.Contains(stdout,
			m.path(userFile)+" (user level):") {
			t.Errorf("%s: %d: %s", line, code, stdout)
		}
	}
}

// TestOfferLevels: who may not write the managed settings is told what to run.
func TestOfferLevels(t *testing.T) {
	said := offerLevels("claude-code", install.Programs{Nod: "/home/u/my go/nod"}).Error()
	for _, want := range []string{
		`sudo '/home/u/my go/nod' install claude-code --managed`,
		"for yourself alone:\n\n  nod install claude-code"} {
		if !strings.Contains(said, want) {
			t.Errorf("lacks %q: %s", want, said)
		}
	}
}
