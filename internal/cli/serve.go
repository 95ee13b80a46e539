package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/shown"
	"github.com/nodgate/nod/internal/system"
)

// Views are what nod-serve links and nod does not, for its size and for how long it takes to build: page.New, watch.Run
// and mcp.Serve, which say what they do.
type Views struct {
	Page  func(shown.Page) Page
	Watch func(ctx context.Context, title string, d shown.Desk, in io.Reader, out io.Writer, environ []string) error
	MCP   func(ctx context.Context, o hook.Options, deadline time.Duration, in io.Reader, out io.Writer) error
}

// Page is the page of nod ui.
type Page interface {
	Enter(origin int) string // an address that begins a session, by the origin of that number
	Serve(ctx context.Context, l net.Listener) error
}

// served is a command for which nod turns into nod-serve, which then runs it: itself, where run is nil.
func served(name string, run func(context.Context, *Process, []string) error) func(context.Context, *Process,
	[]string) error {
	return func(ctx context.Context, p *Process, args []string) error {
		if p.Views != nil {
			return run(ctx, p, args)
		}
		return becomeServe(p.Environ, append([]string{name}, args...))
	}
}

// becomeServe ends in nod-serve: in this process, so that the terminal, the streams and what is above it stay as they
// are, or, on Windows, in a process below.
func becomeServe(environ, words []string) error {
	program := hook.Beside("nod-serve")
	if !system.IsProgram(program) {
		return fmt.Errorf("%s is not there; the archives and packages have it, or get it: CGO_ENABLED=0 go install "+
			install.GetServe, program)
	}
	if !hook.SameVersion(program) { // nod mcp decides
		return fmt.Errorf("%s is of another version than this nod; install both together (nod upgrade)", program)
	}
	if runtime.GOOS != "windows" {
		return internal(syscall.Exec(program, append([]string{program}, words...), environ))
	}
	cmd := exec.Command(program, words...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdin, os.Stdout, os.Stderr, environ
	err := cmd.Run()
	if exited := (*exec.ExitError)(nil); errors.As(err, &exited) {
		return ended(exited.ExitCode())
	}
	return internal(err)
}
