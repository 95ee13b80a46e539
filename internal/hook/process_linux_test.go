package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/hook"
)

// TestMain lets the test binary be nod-hook, so that what the machine does to
// a process (no room, no rights, a signal) is done to one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "claude-code" {
		os.Exit(hook.Main(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr, os.Exit))
	}
	os.Exit(m.Run())
}

// newPublicPlace is a place that every user may enter, with the test binary in
// it, so that another user can be nod-hook there.
func newPublicPlace(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	public, err := os.MkdirTemp("", "nod-hook")
	if err == nil {
		public, err = filepath.EvalSymlinks(public)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(public) })
	p.moveTo(filepath.Join(public, "home"))
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Skipf("needs /proc/self/exe: skipped (%v)", err)
	}
	p.write(p.program(), string(program))
	for _, name := range []string{public, p.program()} {
		if err := os.Chmod(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// moveTo gives the place another home.
func (p *place) moveTo(home string) {
	for i, v := range p.options.Environ {
		p.options.Environ[i] = strings.ReplaceAll(v, p.home, home)
	}
	places := &p.options.Places
	for _, name := range []*string{&places.User, &places.State, &places.Home, &p.shop} {
		*name = strings.Replace(*name, p.home, home, 1)
	}
	p.home = home
	p.write(p.shop+"/main.go", "package main\n")
}

func (p *place) program() string { return filepath.Join(filepath.Dir(p.home), "nod-hook") }

// process is nod-hook, about to be started by a user.
func (p *place) process(uid int, payload []byte) *exec.Cmd {
	cmd := exec.Command(p.program(), "claude-code", "--settings", p.options.Places.User, "--managed", "", "--state",
		p.options.Places.State, "--nod", p.home+"/bin/nod")
	cmd.Env = append(slices.Clip(p.options.Environ), "GORACE=atexit_sleep_ms=0") // else each takes a second under -race
	cmd.Dir, cmd.Stdin = "/", bytes.NewReader(payload)
	if uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	return cmd
}

// runProcess runs nod-hook and returns what the host makes of it.
func (p *place) runProcess(uid int, payload []byte) said {
	p.t.Helper()
	cmd := p.process(uid, payload)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return p.meaning(cmd.ProcessState.ExitCode(), stdout.Bytes(), stderr.String())
}

const nobody = 65534

// give hands everything in the home to another user.
func (p *place) give(uid int) {
	p.t.Helper()
	err := filepath.WalkDir(p.home, func(name string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(name, uid, uid))
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root to become another user or to mount: skipped")
	}
}

// Where the home directory cannot be written to, calls are decided all the
// same; the person is told that nothing is written down, or the call is
// denied, by setting. Where only the state directory can be, no line is lost.
func TestAReadOnlyHome(t *testing.T) {
	needsRoot(t)
	p := newPublicPlace(t)
	p.give(nobody)
	chmod(t, p.home, 0o500)
	for command, want := range map[string]string{"ls": "allow", "rm -rf ~": "deny", "npm publish": "deny"} {
		s := p.runProcess(nobody, p.bash(command))
		if s.verdict != want || !strings.Contains(s.system, "could not write its log") || !strings.Contains(s.system,
			"permission denied") {
			t.Errorf("%s: %+v", command, s)
		}
	}
	if _, err := os.Stat(p.options.Places.State); err == nil {
		t.Fatal("the home was written to, so this shows nothing")
	}

	chmod(t, p.home, 0o700)
	p.settings("[log]\non_failure = \"block\"\n")
	p.give(nobody)
	chmod(t, p.home, 0o500)
	if s := p.runProcess(nobody, p.bash("ls")); s.verdict != "deny" || !strings.Contains(s.reason, "recorded") {
		t.Errorf("block: %+v", s)
	}

	chmod(t, p.home, 0o700)
	if err := os.MkdirAll(p.options.Places.State, 0o700); err != nil {
		t.Fatal(err)
	}
	p.give(nobody)
	chmod(t, p.home, 0o500)
	if s := p.runProcess(nobody, p.bash("ls")); s.verdict != "allow" || s.system != "" || len(p.log()) != 1 {
		t.Errorf("state can be written: %+v, %d lines", s, len(p.log()))
	}
}

func chmod(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

// On a disk that fills up each call has a whole line in the log, or the person
// is told; and when there is room again, lines are whole again.
func TestAFullDisk(t *testing.T) {
	needsRoot(t)
	p := newPublicPlace(t)
	state := p.options.Places.State
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", state, "tmpfs", 0, "size=64k,mode=0700"); err != nil {
		t.Skipf("a tmpfs cannot be mounted here (%v): skipped", err)
	}
	t.Cleanup(func() { syscall.Unmount(state, syscall.MNT_DETACH) })
	filler := filepath.Join(state, "filler")
	p.write(filler, strings.Repeat("x", 40<<10))

	told, calls := 0, 40
	for range calls {
		switch s := p.runProcess(0, p.bash("ls")); {
		case s.verdict != "allow":
			t.Fatalf("%+v", s)
		case strings.Contains(s.system, "could not write its log") && strings.Contains(s.system,
			"space left") || strings.Contains(s.system, "disk full"):
			told++
		case s.system != "":
			t.Errorf("%+v", s)
		}
	}
	whole := wholeLines(t, state)
	if told == 0 || whole == 0 || whole+told < calls {
		t.Errorf("%d calls: %d lines, %d told", calls, whole, told)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if s := p.runProcess(0, p.bash("ls")); s.verdict != "allow" || s.system != "" || wholeLines(t, state) != whole+1 {
		t.Errorf("room again: %+v, %d lines after %d", s, wholeLines(t, state), whole)
	}
}

// wholeLines counts the decisions of the log; torn lines are not counted.
func wholeLines(t *testing.T, state string) (n int) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(state, "decisions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var e audit.Entry
		if json.Unmarshal(line, &e) == nil && e.Kind == audit.Decision {
			n++
		}
	}
	return n
}

// An answer that cannot be printed is exit 2, never silence.
func TestStreamsThatAreFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("/dev/full absent: skipped (%v)", err)
	}
	defer full.Close()
	p := newPublicPlace(t)
	var stderr bytes.Buffer
	for _, to := range []struct {
		name   string
		stderr io.Writer
	}{{"stdout", &stderr}, {"both", full}} {
		for _, command := range []string{"ls", "rm -rf ~"} {
			cmd := p.process(0, p.bash(command))
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
	if s := p.runProcess(0, p.bash("ls")); s.verdict != "allow" || !strings.Contains(s.system, "symbolic link") {
		t.Errorf("%+v", s)
	}
}
