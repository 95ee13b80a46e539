//go:build linux && (amd64 || arm64)

package confine

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestMemoryThatIsLeft(t *testing.T) {
	for text, want := range map[string]uint64{
		"MemTotal: 8 kB\nMemAvailable:   3 kB\n": 3 << 10, "MemAvailable: 0 kB\n": 0, "": 1, "MemAvailable: x kB\n": 1,
		"MemAvailable: 99999999999999999999 kB\n": 1, "MemAvailable: 3\n": 1,
	} {
		got, known := availableIn(text)
		if known != (want != 1) || known && got != want {
			t.Errorf("%q: %d %v", text, got, known)
		}
	}
	if left, known := available(); !known || left == 0 || left > memory() {
		t.Errorf("of this machine: %d %v of %d", left, known, memory())
	}
}

// The kernel holds root to no number of processes.
func TestProcessesAreBounded(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 100000 & sleep 100000 & sleep 100000 & echo begun; wait")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	defer func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); _ = cmd.Wait() }()
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	g := guard{pid: cmd.Process.Pid, limit: memory(), tasks: 3, until: now.Add(time.Hour)}
	if why := g.over(now); why != "" {
		t.Errorf("three: %q", why)
	}
	if g.tasks = 2; !strings.Contains(g.over(now), "more than 2 processes") {
		t.Errorf("%q", g.over(now))
	}
}

// A line that heeds no signal to end is ended a little later.
func TestALineThatDoesNotEndWhenItIsTold(t *testing.T) {
	now := time.Now()
	g := guard{pid: os.Getpid(), limit: 1 << 60, tasks: 1 << 30, until: now.Add(time.Hour)}
	g.ends(syscall.SIGUSR1, now)
	if why := g.over(now.Add(2 * grace)); why != "" && !strings.Contains(why, "machine") {
		t.Errorf("without a signal to end: %s", why)
	}
	g.ends(syscall.SIGTERM, now)
	if why := g.over(now.Add(2 * grace)); !strings.Contains(why, "told to") && !strings.Contains(why, "machine") {
		t.Errorf("after a signal to end: %q", why)
	}
}
