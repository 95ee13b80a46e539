//go:build amd64 || arm64

package confine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/nodgate/nod/internal/confine/stage"
)

// Find returns bubblewrap's program. PATH is not asked: an agent may have put
// something there.
func Find() (string, error) {
	for _, name := range []string{"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap",
		"/run/current-system/sw/bin/bwrap"} {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 &&
			info.Mode()&0o022 == 0 {
			return name, nil
		}
	}
	return "", fmt.Errorf("%w: bubblewrap is not installed (the package bubblewrap; program bwrap)", ErrUnavailable)
}

// Run runs the line. An error says that nothing ran, or that what became of it
// is not known; nothing of the workspace has changed then.
func Run(ctx context.Context, o Options) (Result, error) {
	a := Prepare(o)
	defer a.Close()
	return a.Run(ctx, o)
}

// Run runs the line of the options behind the boundary that was prepared, as the
// function of that name does.
func (a *Ahead) Run(ctx context.Context, o Options) (Result, error) {
	if err := o.check(); err != nil {
		return Result{}, err
	}
	lease, err := rent(o)
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer lease.end()
	l, err := lay(o, lease.run, lease.kept)
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	since, err := made(l.upper)
	if err != nil {
		return Result{}, err
	}
	r := running{Options: o, layout: l, Ahead: a}
	result, err := r.run(ctx)
	if err != nil {
		return Result{}, err
	}
	if err := lease.applying(o.Root); err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrNotKept, err)
	}
	o.Hidden = l.hides
	applied, err := apply(o, l.upper, since)
	result.Notes = lease.notes
	result.Applied, result.Refused, result.Hidden = applied.count, applied.refused, l.hidden
	return result, err
}

func (o *Options) check() error {
	for _, name := range []string{o.Dir, o.Root, o.Home, o.Cache, o.Stage} {
		if !filepath.IsAbs(name) || filepath.Clean(name) != name {
			return fmt.Errorf("%q is no absolute path", name)
		}
	}
	if !within(o.Root, o.Dir) || within(o.Root, o.Home) || within(o.Root, o.Cache) {
		return fmt.Errorf("%s is no workspace", o.Root)
	}
	if o.Shell == "" {
		o.Shell = "/bin/sh"
	}
	if o.Time <= 0 {
		o.Time = defaultTime
	}
	if o.Memory == 0 {
		o.Memory = memory() / 4 * 3
	}
	var err error
	if o.Bubblewrap == "" {
		o.Bubblewrap, err = Find()
	}
	return err
}

// running is a run in the making.
type running struct {
	Options
	*Ahead
	layout *layout
}

// namespace is that of the stage: root in it, this user outside. The stage, and
// bubblewrap after it, is the first process of a pid namespace, whose end the kernel
// says only when it has ended all others in there: also those that bubblewrap does
// not wait for, and those that it has not bound to its own life yet when this
// process is killed.
func namespace() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
}

// words are bubblewrap's.
func (r *running) words() []string {
	words := []string{r.Bubblewrap, "--unshare-user", "--disable-userns", "--unshare-ipc", "--unshare-pid",
		"--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
		"--uid", fmt.Sprint(os.Getuid()), "--gid", fmt.Sprint(os.Getgid()), "--die-with-parent", "--new-session",
		"--cap-drop", "ALL", "--seccomp", "4", "--json-status-fd", "5"}
	for _, p := range r.layout.places {
		words = append(words, p.words...)
	}
	return append(words, "--remount-ro", "/", "--chdir", r.Dir, "--", r.Shell, "-c", r.Line)
}

// run hands the stage its plan, waits for the end of all, and says how it ended.
func (r *running) run(ctx context.Context) (Result, error) {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGWINCH,
		syscall.SIGUSR1, syscall.SIGUSR2)
	defer signal.Stop(signals)
	r.layout.plan.Command, r.layout.plan.Environ = r.words(), Environment(r.Environ, r.Home)
	if err := r.told(r.layout.plan.Text()); err != nil {
		return Result{}, err
	}
	pid := r.cmd.Process.Pid
	g := guard{pid: pid, limit: r.Memory, tasks: stage.MaxProcesses, time: r.Time, until: time.Now().Add(r.Time),
		done: make(chan struct{})}
	go g.watch(ctx, signals)
	said, _ := io.ReadAll(r.status)
	err := r.wait()
	close(g.done)
	return r.ended(err, g.why(), bytes.Contains(said, []byte("exit-code")))
}

// ended is how bubblewrap ended: it passes the shell's exit code on, and says
// (ran) whether there was one.
func (r *running) ended(err error, stopped string, ran bool) (Result, error) {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return Result{}, err
	}
	status := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
	result := Result{Code: status.ExitStatus(), Stopped: stopped}
	if status.Signaled() {
		result.Code = 128 + int(status.Signal())
		result.Stopped = cmp.Or(stopped, "bubblewrap was killed from outside")
	}
	if result.Code != 0 {
		result.Missed = missed(r.said.text(), r.unseen)
	}
	if !ran && result.Stopped == "" {
		return Result{}, fmt.Errorf("%w: the boundary was not finished", ErrUnavailable)
	}
	return result, nil
}

// unseen reports whether there is something at a path, as a program of the run
// would take it, that the run did not see.
func (r *running) unseen(path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Dir, path)
	}
	path = filepath.Clean(path)
	return exists(path) && (!within(r.Root, path) || r.layout.hides(path))
}
