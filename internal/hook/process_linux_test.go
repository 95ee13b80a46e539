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

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/hook"
)

// TestMain lets the test binary be nod-hook, so that what the machine does to a process is done to one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "claude-code" {
		os.Exit(hook.Main(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr, os.Exit))
	}
	os.Exit(m.Run())
}

// process is nod-hook, about to be started.
func (p *place) process(payload []byte, more ...string) *exec.Cmd {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{"claude-code", "--settings", p.options.Places.User, "--managed", "",
		"--state", p.options.Places.State}, more...)...)
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
	nowhere := p.process(p.bash("ls")) // a standard output that was closed is the null device
	if nowhere.Run(); nowhere.ProcessState.ExitCode() != 2 {
		t.Errorf("with a closed standard output: exit %d", nowhere.ProcessState.ExitCode())
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

// A hook that is killed leaves a begun line, and no answer that allows; the next hook goes on.
func TestKilledWhileTheModelIsAsked(t *testing.T) {
	p := newPlace(t)
	p.settings("[model]\nprovider = \"anthropic\"\n")
	nod := filepath.Join(p.home, "nod")
	p.write(nod, "#!/bin/sh\necho $$ >\"$0.pid\"\nexec sleep 86400\n")
	if err := os.Chmod(nod, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := p.process(p.bash("npm publish"), "--nod", nod)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid string
	hang.Until(t, "nod classify", func() bool {
		text, err := os.ReadFile(nod + ".pid")
		pid = strings.TrimSuffix(string(text), "\n")
		return err == nil && pid != string(text)
	})
	cmd.Process.Kill()
	cmd.Wait()
	if err := exec.Command("kill", pid).Run(); err != nil || stdout.Len() != 0 {
		t.Errorf("%v; it answered: %s", err, stdout.String())
	}
	if s := p.run(bytes.NewReader(p.bash("ls"))); s.verdict != "allow" {
		t.Errorf("the next: %+v", s)
	}
	if e := p.log(); len(e) != 2 || e[0].Kind != audit.Begun || e[1].Kind != audit.Decision || e[0].ID == e[1].ID {
		t.Errorf("%+v", e)
	}
}
