package hook_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/hook"
)

// TestMain lets the test binary be nod-hook, so that what the machine does to
// a process is done to one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "claude-code" {
		os.Exit(hook.Main(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr, os.Exit))
	}
	os.Exit(m.Run())
}

// process is nod-hook, about to be started.
func (p *place) process(payload []byte) *exec.Cmd {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(self, "claude-code", "--settings", p.options.Places.User, "--managed", "", "--state",
		p.options.Places.State)
	cmd.Env = append(p.options.Environ, "GORACE=atexit_sleep_ms=0") // else each takes a second under -race
	cmd.Dir, cmd.Stdin = "/", bytes.NewReader(payload)
	return cmd
}

// An answer that cannot be printed is exit 2, never silence.
func TestStreamsThatAreFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("/dev/full absent: skipped (%v)", err)
	}
	defer full.Close()
	p := newPlace(t)
	var stderr bytes.Buffer
	for _, to := range []struct {
		name   string
		stderr io.Writer
	}{{"stdout", &stderr}, {"both", full}} {
		for _, command := range []string{"ls", "rm -rf ~"} {
			cmd := p.process(p.bash(command))
			cmd.Stdout, cmd.Stderr = full, to.stderr
			if cmd.Run(); cmd.ProcessState.ExitCode() != 2 {
				t.Errorf("%s, %s: exit %d", to.name, command, cmd.ProcessState.ExitCode())
			}
		}
	}
	if !strings.Contains(stderr.String(), "no space left") {
		t.Errorf("stderr: %q", stderr.String())
	}
	// A log that is a device is refused, not written to.
	log := filepath.Join(p.options.Places.State, "decisions.jsonl")
	if err := errors.Join(os.Remove(log), os.Symlink("/dev/full", log)); err != nil {
		t.Fatal(err)
	}
	if s := p.run(bytes.NewReader(p.bash("ls"))); s.verdict != "allow" || !strings.Contains(s.system, "symbolic link") {
		t.Errorf("%+v", s)
	}
}
