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
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nodgate/nod/internal/confine/stage"
)

// Find returns bubblewrap's program. PATH is not asked: an agent may have put something there.
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
	lease, err := o.settle()
	defer lease.end()
	if err != nil {
		return Result{}, err
	}
	l, err := lay(o, lease.run, lease.kept)
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	since, err := made(l.upper)
	if err != nil {
		return Result{}, err
	}
	result, err := (&running{Options: o, layout: l, lease: lease}).run(ctx)
	if err != nil {
		return Result{}, err
	}
	o.Hidden, result.Hidden = l.hides, l.hidden
	result.Refused, err = apply(o, l.upper, since)
	return result, err
}

// settle makes the directories while it is found out what may be seen and changed.
func (o *Options) settle() (l *lease, err error) {
	if err = o.check(); err != nil {
		return &lease{}, err
	}
	var rented error
	var renting sync.WaitGroup
	known := *o
	renting.Go(func() { l, rented = rent(known) })
	if o.Settle != nil {
		err = o.Settle(o)
	}
	if renting.Wait(); rented != nil && err == nil {
		err = fmt.Errorf("%w: %w", ErrUnavailable, rented)
	}
	return l, err
}

func (o *Options) check() (err error) {
	for _, name := range []string{o.Dir, o.Root, o.Home, o.Cache} {
		if !filepath.IsAbs(name) || filepath.Clean(name) != name {
			return fmt.Errorf("%q is no absolute path", name)
		}
	}
	if !within(o.Root, o.Dir) || within(o.Root, o.Home) || within(o.Root, o.Cache) || o.Home == "/" {
		return fmt.Errorf("%s is no workspace", o.Root)
	}
	o.Shell = cmp.Or(o.Shell, "/bin/sh")
	if o.Bubblewrap == "" {
		o.Bubblewrap, err = Find()
	}
	return err
}

// running is a run in the making.
type running struct {
	Options
	layout *layout
	lease  *lease
	streams
}

// Descriptors of bubblewrap's beside those of the line.
const (
	filterFrom = "3"
	statusTo   = "4"
)

// words are bubblewrap's.
func (r *running) words() []string {
	words := []string{r.Bubblewrap, "--unshare-user", "--disable-userns", "--unshare-ipc", "--unshare-pid",
		"--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
		"--uid", fmt.Sprint(os.Getuid()), "--gid", fmt.Sprint(os.Getgid()), "--die-with-parent", "--new-session",
		"--cap-drop", "ALL", "--seccomp", filterFrom, "--json-status-fd", statusTo}
	for _, p := range r.layout.places {
		words = append(words, p.words...)
	}
	return append(words, "--remount-ro", "/", "--chdir", r.Dir, "--", r.Shell, "-c", r.Line)
}

// run starts bubblewrap, waits for the end of all, and says how it ended.
func (r *running) run(ctx context.Context) (Result, error) {
	pid, status, err := r.start()
	if err != nil {
		return Result{}, err
	}
	defer status.Close()
	g := guard{pid: pid, limit: maxMemory(), tasks: stage.MaxProcesses, until: time.Now().Add(maxTime),
		done: make(chan struct{})}
	go g.watch(ctx)
	r.lease.sweep() // while the line runs
	said, _ := io.ReadAll(status)
	var ended unix.WaitStatus
	for {
		if _, err = unix.Wait4(pid, &ended, 0, nil); err != unix.EINTR {
			break
		}
	}
	close(g.done)
	if err != nil {
		return Result{}, os.NewSyscallError("wait4", err)
	}
	r.copying.Wait()
	return r.ended(ended, g.why(), bytes.Contains(said, []byte("exit-code")))
}

// start starts bubblewrap. What it says of the line's end is read from status.
func (r *running) start() (pid int, status *os.File, err error) {
	status, statusEnd, err := os.Pipe()
	if err != nil {
		return 0, nil, err
	}
	defer statusEnd.Close()
	code, err := rules().compile()
	if err != nil {
		return 0, nil, err
	}
	rules, err := piped(code)
	if err != nil {
		return 0, nil, err
	}
	defer rules.Close()
	theirs, err := r.open(r.Stdin, r.Stdout, r.Stderr)
	defer r.hand()
	if err != nil {
		return 0, nil, err
	}
	p := r.layout.plan
	p.Command, p.Environ, p.Files = r.words(), Environment(r.Environ, r.Home), append(theirs, rules, statusEnd)
	if pid, err = stage.Start(p); err != nil {
		return 0, nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return pid, status, nil
}

// piped holds the filter, which is far shorter than what a pipe takes at once, where no name leads to it.
func piped(data []byte) (*os.File, error) {
	from, to, err := os.Pipe()
	if err == nil {
		_, err = to.Write(data)
		err = errors.Join(err, to.Close())
	}
	return from, err
}

// ended is how bubblewrap ended: it passes the shell's exit code on, and says (ran) whether there was one.
func (r *running) ended(status unix.WaitStatus, stopped string, ran bool) (Result, error) {
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

// unseen reports whether there is something at a path, as a program of the run would take it, that the run did not see.
func (r *running) unseen(path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Dir, path)
	}
	path = filepath.Clean(path)
	return exists(path) && (!within(r.Root, path) || r.layout.hides(path))
}
