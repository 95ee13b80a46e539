//go:build unix

// Package trial proves with the real program that a host runs the command which
// a hook hands it in place of the model's.
//
// The program runs in a home directory that is thrown away, asks a model on
// loopback that plays one call, and finds one hook in its settings. What stands
// in a file at the end says which command it ran.
package trial

import (
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

// settings are Claude Code's. The hook says who started it, and answers.
const settings = `{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","timeout":20,"command":` +
	`"cat > /dev/null; readlink \"/proc/$PPID/exe\" > \"$HOME/asker\"; cat \"$HOME/answer\""}]}]}}`

const answer = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",` +
	`"permissionDecisionReason":"proof","updatedInput":{"command":"` + rewritten + `","description":"proof"}}}`

// bench is where one program is tried.
type bench struct{ program, dir, home, work string }

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
	b := &bench{program, dir, filepath.Join(dir, "home"), filepath.Join(dir, "work")}
	if err := b.furnish(); err != nil {
		return err
	}
	m, err := listen()
	if err != nil {
		return err
	}
	defer m.server.Close()
	said := b.run(ctx, m.url)
	return b.verdict(ctx, m, said)
}

func (b *bench) furnish() error {
	return errors.Join(os.MkdirAll(filepath.Join(b.home, ".claude"), 0o700), os.Mkdir(b.work, 0o700),
		os.WriteFile(filepath.Join(b.home, ".claude/settings.json"), []byte(settings), 0o600),
		os.WriteFile(filepath.Join(b.home, "answer"), []byte(answer), 0o600))
}

// run starts the program and waits for its end. What it started is in its process
// group, and ends with it. In the default mode nothing runs but what the hook allows.
func (b *bench) run(ctx context.Context, url string) (said string) {
	cmd := exec.CommandContext(ctx, b.program, "-p", "do what the model says", "--permission-mode", "default")
	cmd.Dir, cmd.Env = b.work, b.environ(url)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel, cmd.WaitDelay = end, time.Second
	out, err := cmd.CombinedOutput()
	if cmd.Process != nil {
		_ = end()
	}
	said = string(out)
	if err != nil {
		said = err.Error() + " " + said
	}
	return printable.Line(strings.TrimSpace(said), 200)
}

// environ is built from nothing. A program that is a script finds its
// interpreter beside itself or where the system has it.
func (b *bench) environ(url string) []string {
	path := filepath.Dir(b.program) + ":/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin"
	return []string{"HOME=" + b.home, "TMPDIR=" + b.dir, "PATH=" + path, "LANG=C.UTF-8", "ANTHROPIC_BASE_URL=" + url,
		"ANTHROPIC_API_KEY=sk-ant-api03-nod-doctor", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1"}
}

// verdict reads what the program has done.
func (b *bench) verdict(ctx context.Context, m *model, said string) error {
	text, err := os.ReadFile(filepath.Join(b.work, "ran"))
	ran := strings.TrimSpace(string(text))
	switch {
	case ran == "rewritten":
		return b.asker()
	case err == nil:
		return fmt.Errorf("it was handed %q and left %q", rewritten, printable.Line(ran, 200))
	case ctx.Err() != nil:
		return fmt.Errorf("it did not end in time (%w); it said %q", ctx.Err(), said)
	case m.played.Load() == 0:
		return fmt.Errorf("it asked its model for no command; it said %q", said)
	}
	return fmt.Errorf("it ran neither its model's command nor the hook's; it said %q", said)
}

// asker holds the process that started the hook to be the program: where a script
// starts another program, rewriting.Proven would find that one.
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
		err = fmt.Errorf("its hook was started by %q, not by %s itself, so nod could not tell it again; "+
			"put that program into PATH", asker, real)
	}
	return err
}
