package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/system"
)

// runDaemon starts nod-serve, which is not linked into nod for its size.
func runDaemon(ctx context.Context, p *Process, args []string) error {
	_, program := hook.Programs()
	if program += "-serve"; runtime.GOOS == "windows" {
		program += ".exe"
	}
	return serveBeside(ctx, p, program, args)
}

// serveBeside runs a program with the same streams, and tells it when nod is told to end.
func serveBeside(ctx context.Context, p *Process, program string, args []string) error {
	if !system.IsProgram(program) {
		return fmt.Errorf("%s is not there; get it: go install github.com/nodgate/nod/cmd/nod-serve@latest", program)
	}
	cmd := exec.CommandContext(ctx, program, append([]string{"daemon"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second // nod-serve takes at most five
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env, cmd.Dir = p.Stdin, p.Stdout, p.Stderr, p.Environ, p.Dir
	err := cmd.Run()
	var exited *exec.ExitError
	switch {
	case errors.As(err, &exited) && exited.Exited():
		return ended(exited.ExitCode())
	case ctx.Err() != nil && cmd.ProcessState != nil && cmd.ProcessState.Success():
		return nil // it was told to end, and did
	}
	return internal(err)
}
