//go:build unix

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
		isRoot: func() bool { return false }, examine: answers}
	if err := furnish(m.dir); err != nil {
		t.Fatal(err)
	}
	return m
}

// furnish puts Claude Code and its settings, nod's two programs and a repository into a directory.
func furnish(dir string) error {
	for _, f := range []struct {
		name, text string
		mode       os.FileMode
	}{
		{"home/.claude/settings.json", "{\n  \"model\": \"opus\"\n}\n", 0o600},
		{"opt/nod", "#!/bin/sh\n", 0o755},
		{"opt/nod-hook", "#!/bin/sh\necho nod '" + version.String() + "'\n", 0o755},
		{"bin/claude", "#!/bin/sh\necho '2.1.329 (Claude Code)'\n", 0o755},
		{"repo/README", "", 0o644},
	} {
		if err := put(filepath.Join(dir, f.name), f.text, f.mode); err != nil {
			return err
		}
	}
	return nil
}

// put writes a file, and the directories above it.
func put(name, text string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		return err
	}
	return os.Chmod(name, mode)
}

func (m *machine) path(name string) string { return filepath.Join(m.dir, name) }

func (m *machine) write(name, text string, mode os.FileMode) {
	m.t.Helper()
	if err := put(m.path(name), text, mode); err != nil {
		m.t.Fatal(err)
	}
}

// run runs "install ..." without a terminal.
func (m *machine) run(line string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	p := &Process{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err, Dir: m.path("repo"),
		Environ:   []string{"HOME=" + m.path("home"), "PATH=" + m.path("bin") + ":/usr/bin:/bin"},
		Ancestors: func() ([]Ancestor, error) { return m.ancestors, nil },
	}
	code = command{name: "install", run: m.in.install}.main(context.Background(), p, strings.Fields(line)[1:])
	return code, out.String(), err.String()
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
