//go:build unix

// Package trial proves with the real program that a host runs the command which
// a hook hands it in place of the model's.
//
// The program runs in a home directory that is thrown away, asks a model on
// loopback that plays one call, and finds one hook in its settings. What stands
// in a file at the end says which command it ran.
package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/nodgate/nod/internal/printable"
)

// The two commands. Which of them ran is what the trial is about.
const (
	original  = "echo original > ran"
	rewritten = "echo rewritten > ran"
)

// bench is where one program is tried.
type bench struct {
	program         string
	dir, home, work string
	url             string // of the model
}

// setting is how a host is started, with its settings in place.
type setting struct {
	args, environ []string
}

// Provable lists the hosts that can be tried.
func Provable() []string { return []string{"claude-code"} }

// Prove returns nil if a host's program runs what a hook hands it. It takes
// some seconds, which ctx bounds; what the program started ends with it.
func Prove(ctx context.Context, host, program string) error {
	if host != "claude-code" {
		return fmt.Errorf("nod cannot try whether %s runs what a hook hands it", host)
	}
	dir, err := os.MkdirTemp("", "nod-rewriting-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	m, err := listen()
	if err != nil {
		return err
	}
	defer m.close()
	b := &bench{program: program, dir: dir, home: filepath.Join(dir, "home"), work: filepath.Join(dir, "work"),
		url: m.url}
	s, err := b.claude()
	if err != nil {
		return err
	}
	said := b.run(ctx, s)
	return b.verdict(ctx, m, said)
}

// run starts the program and waits for its end. What it started is its process
// group's, and ends with it.
func (b *bench) run(ctx context.Context, s setting) (said string) {
	cmd := exec.CommandContext(ctx, b.program, s.args...)
	cmd.Dir, cmd.Env = b.work, append(b.environ(), s.environ...)
	var out lastBytes
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel, cmd.WaitDelay = end, time.Second
	if err := cmd.Start(); err != nil {
		return err.Error()
	}
	err := cmd.Wait()
	_ = end() // what is left of the group
	said = strings.TrimSpace(string(out.b))
	if err != nil {
		said = strings.TrimSpace(err.Error() + " " + said)
	}
	return said
}

// environ is built from nothing. A program that is a script finds its
// interpreter beside itself or where the system has it.
func (b *bench) environ() []string {
	path := filepath.Dir(b.program) + ":/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin"
	return []string{"HOME=" + b.home, "TMPDIR=" + b.dir, "PATH=" + path, "LANG=C.UTF-8", "TZ=UTC"}
}

// verdict reads what the program has done.
func (b *bench) verdict(ctx context.Context, m *model, said string) error {
	text, err := os.ReadFile(filepath.Join(b.work, "ran"))
	ran := strings.TrimSpace(string(text))
	switch {
	case ran == "rewritten":
		return b.asker()
	case err == nil:
		return fmt.Errorf("it was handed %q and left %q, as if no hook had answered", rewritten, ran)
	case ctx.Err() != nil:
		return fmt.Errorf("it did not end in time (%w)%s", ctx.Err(), quoted(said))
	case m.played.Load() == 0:
		return errors.New("it asked no model for a call" + quoted(said))
	}
	return errors.New("it ran neither its model's command nor the hook's" + quoted(said))
}

func quoted(said string) string {
	if said == "" {
		return ""
	}
	return "; it said: " + printable.Line(said, 200)
}

// asker holds the process that started the hook to be the program: of a script
// that starts another program that one would have to be recorded.
func (b *bench) asker() error {
	if runtime.GOOS != "linux" {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(b.home, "asker"))
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(b.program)
	if asker := strings.TrimSpace(string(text)); err == nil && asker != real {
		err = fmt.Errorf("its hook was started by %q, not by %s itself, so that nod could not tell it again; "+
			"put that program into PATH", asker, real)
	}
	return err
}

// hookLine is the hook as a shell reads it: it says who started it, and answers.
func hookLine(answer string) string {
	return `cat > /dev/null; readlink "/proc/$PPID/exe" > "$HOME/asker"; printf %s '` + answer + `'`
}

// lastBytes keeps the end of what is written.
type lastBytes struct{ b []byte }

func (w *lastBytes) Write(p []byte) (int, error) {
	const most = 4096
	w.b = append(w.b, p...)
	if len(w.b) > most {
		w.b = bytes.Clone(w.b[len(w.b)-most:])
	}
	return len(p), nil
}
