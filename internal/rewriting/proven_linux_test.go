package rewriting

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A copy of the test's own program stands for a host, or for node: it runs the words after asHost.
const asHost = "as-a-host"

func TestMain(m *testing.M) {
	if at := slices.Index(os.Args, asHost); at > 0 {
		cmd := exec.Command(os.Args[at+1], os.Args[at+2:]...)
		cmd.Stdout = os.Stdout
		if err := cmd.Run(); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// host is a copy of this program, at its real path.
func host(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	self, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	at := filepath.Join(dir, name)
	must(t, os.WriteFile(at, self, 0o700))
	return at
}

// hook starts the words. The last word is a shell's line that prints the id of the process that stands for a hook.
func hook(t *testing.T, words ...string) (pid int) {
	t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	must(t, err)
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if _, scanErr := fmt.Sscan(line, &pid); scanErr != nil {
		t.Fatalf("%q %v %v", line, err, scanErr)
	}
	return pid
}

const (
	direct = "echo $$; exec sleep 600"
	shells = "sh -c 'sleep 600 & echo $!; wait'; :"
)

func TestProvenIsTheProgramAbove(t *testing.T) {
	proven, other := host(t, "host"), host(t, "other")
	state := t.TempDir()
	record(t, state, "a", proven)
	for _, row := range []struct {
		name  string
		words []string
		want  bool
	}{
		{"started by it", []string{proven, asHost, "sh", "-c", direct}, true},
		{"by shells of its", []string{proven, asHost, "sh", "-c", shells}, true},
		{"behind a limit", []string{proven, asHost, "sh", "-c", "timeout --foreground 600 sh -c '" + direct + "'; :"}, true},
		{"by another program", []string{other, asHost, "sh", "-c", direct}, false},
		{"by another program that it started", []string{proven, asHost, other, asHost, "sh", "-c", direct}, false},
		{"by it below another program", []string{other, asHost, proven, asHost, "sh", "-c", direct}, true},
		{"by nobody's host", []string{"sh", "-c", direct}, false},
		{"by too many shells", []string{proven, asHost, "sh", "-c", nested(maxClimb + 1)}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			pid := hook(t, row.words...)
			if got := Proven(state, "a", pid); got != row.want {
				t.Errorf("%v, want %v", got, row.want)
			}
			if Proven(state, "b", pid) {
				t.Error("proven for a host without a record")
			}
		})
	}
	if Proven(state, "a", 0) || Proven(state, "a", -1) || Proven(state, "a", 1<<30) {
		t.Error("proven for no process")
	}
}

// proveScript records that node runs a script, and starts nothing until that is past.
func proveScript(t *testing.T, state, node string) (at string) {
	t.Helper()
	at = filepath.Join(filepath.Dir(node), "host.js")
	must(t, os.WriteFile(at, []byte("x"), 0o600))
	interpreter, err := Look(node, "")
	file, lookErr := Look(at, "")
	recordErr := Record(state, "a", file, Asker{Program: interpreter, Script: file})
	must(t, errors.Join(err, lookErr, recordErr))
	time.Sleep(100 * time.Millisecond)
	return at
}

// What node runs is told by its arguments, as far as nothing in them or in the
// environment may have it run something else.
func TestProvenIsTheScriptThatNodeRuns(t *testing.T) {
	node, second, state := host(t, "node"), host(t, "node"), t.TempDir()
	at := proveScript(t, state, node)
	link, other := filepath.Join(t.TempDir(), "host"), filepath.Join(t.TempDir(), "other.js")
	must(t, errors.Join(os.Symlink(at, link), os.WriteFile(other, []byte("x"), 0o600)))
	t.Chdir(filepath.Dir(at))
	for _, row := range []struct {
		words []string
		want  bool
	}{
		{[]string{node, at}, true},
		{[]string{node, link}, true},
		{[]string{node, "--no-warnings", "--max-old-space-size=64", "--disable-warning=DEP0040", at, "-p"}, true},
		{[]string{"env", "NODE_OPTIONS=--max-old-space-size=64", node, at}, true},
		{[]string{"env", "NODE_OPTIONS=", node, at}, true},
		{[]string{"env", "NODE_OPTIONS=--no-warnings --require=" + other, node, at}, false},
		{[]string{"env", "NODE_OPTIONS=--import " + other, node, at}, false},
		{[]string{node, other}, false},
		{[]string{node, other, at}, false},
		{[]string{node, "--require", other, at}, false},
		{[]string{node, "--import=" + other, at}, false},
		{[]string{node, "-e", "1", at}, false},
		{[]string{node, "--disable-warning", at, other}, false},
		{[]string{node, "--", at}, false},
		{[]string{node, "host.js"}, false},
		{[]string{node}, false},
		{[]string{second, at}, false},
		{[]string{node, other, asHost, node, at}, true},
		{[]string{node, at, asHost, node, other}, false},
	} {
		words := append(slices.Clone(row.words), asHost, "sh", "-c", direct)
		if got := Proven(state, "a", hook(t, words...)); got != row.want {
			t.Errorf("%q: %v, want %v", row.words, got, row.want)
		}
	}
	record(t, state, "b", node)
	if Proven(state, "b", hook(t, node, at, asHost, "sh", "-c", direct)) {
		t.Error("an interpreter is proven for everything it runs")
	}
}

// What was there when node read it may be another script by now.
func TestProvenIsTheScriptAsItWas(t *testing.T) {
	node, state := host(t, "node"), t.TempDir()
	at := proveScript(t, state, node)
	pid := hook(t, node, at, asHost, "sh", "-c", direct)
	if !Proven(state, "a", pid) {
		t.Error("not proven before")
	}
	proveScript(t, state, node)
	if Proven(state, "a", pid) {
		t.Error("proven of what was started before the proof")
	}
	pid = hook(t, node, at, asHost, "sh", "-c", direct)
	if err := os.WriteFile(at, []byte("longer"), 0o600); err != nil || Proven(state, "a", pid) {
		t.Error("proven of another text", err)
	}
}

// nested is a line with so many shells above the process whose id it prints.
func nested(n int) string {
	line := "sleep 600 & echo $!; wait"
	for range n {
		line = "sh -c '" + strings.ReplaceAll(line, "'", `'\''`) + "'; :"
	}
	return line
}

func TestProvenNoMoreOnceItIsChanged(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(state, program string) error
	}{
		{"switched off", func(state, _ string) error { return Forget(state, "a", "it ran something else") }},
		{"touched", func(_, program string) error { return os.Chtimes(program, time.Time{}, time.Unix(1, 0)) }},
		{"removed", func(_, program string) error { return os.Remove(program) }},
		{"another in its place", func(_, program string) error {
			text, err := os.ReadFile(program)
			if err == nil {
				err = os.Remove(program)
			}
			if err == nil {
				err = os.WriteFile(program, append(text, 'x'), 0o700)
			}
			return err
		}},
		{"renamed", func(_, program string) error { return os.Rename(program, program+"2") }},
		{"no record", func(state, _ string) error { return os.Remove(file(state, "a")) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			program, state := host(t, "host"), t.TempDir()
			record(t, state, "a", program)
			pid := hook(t, program, asHost, "sh", "-c", direct)
			if !Proven(state, "a", pid) {
				t.Fatal("not proven before")
			}
			must(t, row.change(state, program))
			if Proven(state, "a", pid) {
				t.Error("proven all the same")
			}
		})
	}
}
