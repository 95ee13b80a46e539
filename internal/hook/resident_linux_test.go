package hook_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/resident"
	"github.com/nodgate/nod/llm/llmtest"
)

// The real programs: the first call starts a daemon, the next one is answered
// by it, one that was killed is replaced, and it ends when told to.
func TestTheRealDaemon(t *testing.T) {
	srv := llmtest.NewServer(t,
		llmtest.Script{Classifier: func(llmtest.Request) llmtest.Answer { return llmtest.Allow("because") }})
	p := newPublicPlace(t)
	p.options.Nod = p.home + "/bin/nod"
	build := exec.Command("go", "build", "-o", p.options.Nod, "github.com/nodgate/nod/cmd/nod")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is shipped, and as it is built already
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p.write(p.home+"/key", "sk-1\n")
	p.settings(fmt.Sprintf("[model]\nprovider = \"anthropic\"\ntimeout = \"45s\"\nendpoint = %q\nkey_file = %q\n",
		srv.URL, p.home+"/key"))
	t.Cleanup(func() { resident.Say(p.options.Places.State, resident.Stop) })

	held, inherited, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := p.process(0, p.bash("npm publish"))
	cmd.ExtraFiles = []*os.File{inherited}
	if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), `"allow"`) {
		t.Fatalf("%s, %v", out, err)
	}
	inherited.Close()
	held.SetReadDeadline(time.Now().Add(hang.Limit()))
	if n, err := held.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("the daemon holds what the hook inherited: %v", err)
	}
	pid := p.awaitDaemon(1)
	if s := p.runProcess(0, p.bash("npm publish --tag next")); s.verdict != "allow" {
		t.Errorf("%+v", s)
	}
	if p.awaitDaemon(1) != pid || len(srv.Requests()) != 2 {
		t.Errorf("%d questions", len(srv.Requests()))
	}
	if env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ"); err != nil || string(env) != "HOME="+p.home+
		"\x00PATH=/usr/bin:/bin\x00" {
		t.Errorf("%q, %v", env, err)
	}
	if sid, err := syscall.Getpgid(pid); err != nil || sid != pid {
		t.Errorf("it is in the group %d: %v", sid, err)
	}

	// Killed: its socket stays behind, and the call is decided all the same.
	syscall.Kill(pid, syscall.SIGKILL)
	gone(t, strconv.Itoa(pid))
	os.Remove(p.options.Places.State + "/daemon.start")
	if s := p.runProcess(0, p.bash("npm publish --tag last")); s.verdict != "allow" {
		t.Errorf("%+v", s)
	}
	next := p.awaitDaemon(0)
	if next == pid {
		t.Error("the killed one answers")
	}
	// Stopped in its tracks: it neither greets nor answers.
	syscall.Kill(next, syscall.SIGSTOP)
	if s := p.runProcess(0, p.bash("npm publish --tag more")); s.verdict != "allow" {
		t.Errorf("%+v", s)
	}
	syscall.Kill(next, syscall.SIGCONT)
	p.awaitDaemon(0)
	syscall.Kill(next, syscall.SIGTERM)
	gone(t, strconv.Itoa(next))
	if _, err := os.Lstat(p.socket()); err == nil {
		t.Error("its socket stays behind")
	}
}

// awaitDaemon waits until one listens that has had so many requests, and
// returns its process.
func (p *place) awaitDaemon(requests int) (pid int) {
	p.t.Helper()
	hang.Until(p.t, "a daemon that listens", func() bool {
		text, err := resident.Say(p.options.Places.State, resident.Status)
		var said struct{ PID int }
		jsonErr := json.Unmarshal(text, &said)
		pid = said.PID
		return err == nil && jsonErr == nil && pid != 0 &&
			(requests == 0 || strings.Contains(string(text),
				fmt.Sprintf(`"requests":%d}`, requests)) || strings.Contains(string(text), `"requests":0}`))
	})
	return pid
}
