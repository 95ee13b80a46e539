//go:build amd64 || arm64

package confine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nodgate/nod/internal/confine/stage"
)

// Ahead is a stage that is started while its caller still finds out what is to
// be run. It waits for its plan.
type Ahead struct {
	begun          chan struct{} // closed when the stage runs, or cannot
	err            error
	cmd            *exec.Cmd
	plan           *os.File   // to the stage
	failed, status *os.File   // from the stage and from bubblewrap
	theirs         []*os.File // what this process closes once the stage runs
	said           tail
	waited         bool
}

// Prepare starts a stage. Of the options it looks at Stage, Stdin, Stdout and
// Stderr. Close ends what was not run.
func Prepare(o Options) *Ahead {
	a := &Ahead{begun: make(chan struct{})}
	go func() {
		defer close(a.begun)
		a.err = a.begin(o)
	}()
	return a
}

func (a *Ahead) begin(o Options) error {
	closeOnExec()
	code, err := filter()
	if err != nil {
		return err
	}
	filterFile, err := memfile(code)
	if err != nil {
		return err
	}
	a.theirs = append(a.theirs, filterFile)
	a.cmd = exec.Command(o.Stage, stage.Word)
	a.cmd.Dir, a.cmd.Env, a.cmd.SysProcAttr = "/", []string{}, namespace()
	if err := errors.Join(a.pipes(filterFile), a.streams(o)); err != nil {
		return err
	}
	if err := a.cmd.Start(); err != nil {
		return fmt.Errorf("%w: a user namespace is refused: %w", ErrUnavailable, err)
	}
	return nil
}

// Close ends a stage that was given no plan. It waits for none that was.
func (a *Ahead) Close() {
	<-a.begun
	closeAll(append(a.theirs, a.plan, a.failed, a.status))
	if a.cmd != nil && a.cmd.Process != nil && !a.waited {
		_ = a.wait()
	}
}

func (a *Ahead) wait() error {
	a.waited = true
	return a.cmd.Wait()
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// pipes are those between this process and the stage, in the order of the
// stage's descriptors.
func (a *Ahead) pipes(filter *os.File) error {
	failed, failedEnd, err := os.Pipe()
	status, statusEnd, statusErr := os.Pipe()
	planEnd, plan, planErr := os.Pipe()
	a.failed, a.status, a.plan = failed, status, plan
	a.theirs = append(a.theirs, failedEnd, statusEnd, planEnd)
	a.cmd.ExtraFiles = []*os.File{failedEnd, filter, statusEnd, planEnd}
	return errors.Join(err, statusErr, planErr)
}

// told hands the plan over. nil: bubblewrap has taken over.
func (a *Ahead) told(plan string) error {
	<-a.begun
	if a.err != nil {
		return a.err
	}
	closeAll(a.theirs)
	_, err := io.WriteString(a.plan, plan)
	_ = a.plan.Close()
	why, readErr := io.ReadAll(a.failed)
	if err != nil || readErr != nil || len(why) > 0 {
		_ = a.wait()
		return fmt.Errorf("%w: %s", ErrUnavailable, why)
	}
	return nil
}

// closeOnExec keeps what this process inherited from the run.
func closeOnExec() {
	if unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	entries, err := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		var fd int
		if _, scanErr := fmt.Sscan(e.Name(), &fd); err == nil && scanErr == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// memfile holds the filter where no name leads to it.
func memfile(data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("filter", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := os.NewFile(uintptr(fd), "filter")
	if _, err := f.Write(data); err != nil {
		return nil, err
	}
	_, err = f.Seek(0, io.SeekStart)
	return f, err
}
