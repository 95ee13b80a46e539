// Package acp stands between an editor and an agent that speaks the Agent Client Protocol:
// newline-delimited JSON-RPC on the agent's standard input and output.
//
// It answers session/request_permission where nod allows or denies, and hands everything else on
// byte for byte and in order: also lines that are no JSON, methods that nobody knows, lines of any
// length (up to 4 MiB are looked at), a last line without an end. If nod has nothing to say about a
// request, the editor gets it as it came; a request that nod answers never reaches the editor.
//
// What goes wrong ends at the person: a request that cannot be read, a fault or a deadline of
// nod's, an agent or a session that it knows nothing of. None of these allows.
//
// What lies behind a request that is being decided waits for it, so that the editor sees the
// agent's order; nothing waits longer than the deadline. The agent is answered at once.
//
// From what passes it learns, in memory and bounded: what the agent calls itself, the directory and
// roots of each session (as the editor names them), what the person and the agent said, and what
// was said of each tool call. What a call means is decided in agent.ACP.
package acp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/nodgate/nod/internal/hook"
)

// Options say what to stand between.
type Options struct {
	Command []string // the agent and its arguments
	Name    string   // of the agent, for the log
	// Hook decides; its Adapter is set for each request.
	Hook           hook.Options
	Stdin          io.Reader // from the editor
	Stdout, Stderr io.Writer
	// Deadline bounds one decision; it must lie behind the model's.
	Deadline time.Duration
	// Grace is how long the agent may take to end after a signal, and how long
	// its output is waited for after its end. 0 is 5 s.
	Grace time.Duration

	lineLimit int // 0 is lineLimit, for tests
}

// ErrStart is in the chain where the agent could not be started.
var ErrStart = errors.New("the agent could not be started")

// Run starts the agent and returns its exit code, 128 and the signal's number where one ended it.
// When ctx ends, the agent is sent SIGTERM, and killed after the grace.
func Run(ctx context.Context, o Options) (int, error) {
	o.Grace, o.lineLimit = cmp.Or(o.Grace, 5*time.Second), cmp.Or(o.lineLimit, lineLimit)
	// Without this a write to an editor that is gone would end nod, and not the
	// agent. The agent itself starts with the signal as it always is.
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGPIPE)
	defer signal.Stop(gone)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd, stdin, stdout, err := start(ctx, o)
	if err != nil {
		return 0, errors.Join(ErrStart, err)
	}
	return join(cmd, stdin, stdout, o, stop), nil
}

// start returns the running agent with our ends of its pipes.
func start(ctx context.Context, o Options) (cmd *exec.Cmd, stdin io.WriteCloser, stdout *os.File, err error) {
	cmd = exec.CommandContext(ctx, o.Command[0], o.Command[1:]...)
	cmd.Env, cmd.Stderr = o.Hook.Environ, o.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = o.Grace
	if stdin, err = cmd.StdinPipe(); err != nil {
		return nil, nil, nil, err
	}
	// Not StdoutPipe, which Wait closes while a line may be on its way.
	stdout, theirs, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	cmd.Stdout = theirs
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return nil, nil, nil, errors.Join(err, stdin.Close(), stdout.Close())
	}
	return cmd, stdin, stdout, nil
}

// join joins the streams until the agent has ended and all that it said is written. stop ends the agent.
func join(cmd *exec.Cmd, stdin io.WriteCloser, stdout *os.File, o Options, stop func()) int {
	p := newProxy(o, stdin)
	go func() {
		if err := p.fromEditor(o.Stdin); err != nil && !errors.Is(err, os.ErrClosed) {
			p.log("the agent does not listen any more: %v", err)
		}
	}()
	read, written := make(chan struct{}), make(chan struct{})
	go func() { p.fromAgent(stdout); close(read) }()
	go func() {
		if err := drain(p.items, o.Stdout, stop); err != nil {
			p.log("the editor does not listen any more: %v", err)
		}
		close(written)
	}()
	_ = cmd.Wait() // how it ended stands in ProcessState
	select {
	case <-read:
	case <-time.After(o.Grace): // a process that it left behind holds its output
	}
	p.cancel("", true)
	stdout.Close() // which ends the reading
	<-written
	return exitCode(cmd.ProcessState)
}

func exitCode(s *os.ProcessState) int {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return s.ExitCode()
}
