//go:build unix

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/question"
)

// watching is nod watch in a terminal, and the world that it sees.
type watching struct {
	t       *testing.T
	environ []string
	dir     string
	shown   vt10x.Terminal
	keys    *os.File
	ended   chan struct{} // closed when nothing holds the terminal any more
}

func newWatching(t *testing.T, width, height int) *watching {
	dir := t.TempDir()
	w := &watching{t: t, dir: dir, environ: []string{"HOME=" + dir, "PATH=" + dir + "/bin", "TERM=xterm-256color",
		"NO_COLOR=1", "CLAUDE_PROJECT_DIR=" + dir + "/shop", "CLAUDE_CODE_ENTRYPOINT=sdk-cli"}}
	for name, text := range map[string]string{
		".config/nod/nod.toml": "[questions]\nwait = \"9m\"\n", "shop/a.go": "package a\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	size := &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}
	cmd := w.command("nod", "watch", "--managed=")
	f, err := pty.StartWithSize(cmd, size)
	if err != nil {
		t.Skip("SKIPPED: no pseudo-terminal: ", err)
	}
	w.keys, w.shown = f, vt10x.New(vt10x.WithSize(width, height), vt10x.WithWriter(f))
	w.ended = make(chan struct{})
	go func() {
		defer close(w.ended)
		for buffer := make([]byte, 32<<10); ; {
			n, err := f.Read(buffer)
			w.shown.Write(buffer[:n])
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		<-w.ended
		f.Close()
	})
	return w
}

func (w *watching) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(hang.Context(w.t), name, args...)
	cmd.Dir, cmd.Env = w.dir+"/shop", w.environ
	return cmd
}

// call is nod-hook with a call that waits for a person.
func (w *watching) call(id string) (cmd *exec.Cmd, answer *strings.Builder) {
	answer = &strings.Builder{}
	cmd = w.command("nod-hook", "claude-code", "--managed=")
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id": "s1", "cwd": %q, "permission_mode": "default",
		"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "gh pr create --title 'a b'"},
		"tool_use_id": %q}`, cmd.Dir, id))
	cmd.Stdout, cmd.Stderr = answer, answer
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	return cmd, answer
}

// sees waits for a text, and presses a key now and then meanwhile: one that comes too early does not count.
func (w *watching) sees(text, key string) {
	w.t.Helper()
	looks := 0
	hang.Until(w.t, text+" on the screen", func() bool {
		if looks++; looks%200 == 100 {
			if _, err := w.keys.WriteString(key); err != nil {
				w.t.Fatal(err)
			}
		}
		return strings.Contains(w.shown.String(), text)
	})
}

// A waiting call is answered in a terminal, and goes on.
func TestWatch(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {60, 20}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			w := newWatching(t, size[0], size[1])
			w.sees("nothing yet", "")
			hang.Until(t, "a listener", func() bool { return question.Heard(w.dir + "/.local/state/nod") })
			hook, answer := w.call("toolu_1")
			w.sees("1 waiting", "")
			w.sees("n  no (also when the time is up)", "\r")
			w.sees("yes, once: the call runs", "y")
			if err := hook.Wait(); err != nil || !strings.Contains(answer.String(), `"permissionDecision":"allow"`) {
				t.Errorf("%v: %s", err, answer)
			}
			w.sees("approved", "")
			if _, err := w.keys.WriteString("q"); err != nil {
				t.Error(err)
			}
			hang.Receive(t, "the end of nod watch", w.ended)
		})
	}
}
