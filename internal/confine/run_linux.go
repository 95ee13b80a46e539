//go:build amd64 || arm64

package confine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Find returns bubblewrap's program. PATH is not asked: an agent may have put
// something there.
func Find() (string, error) {
	for _, name := range []string{"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"} {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && info.Mode()&0o022 == 0 {
			return name, nil
		}
	}
	return "", fmt.Errorf("%w: bubblewrap is not installed (the package bubblewrap; program bwrap)", ErrUnavailable)
}

// Run runs the line. An error says that nothing ran, or that what became of it
// is not known; nothing of the workspace has changed then.
func Run(ctx context.Context, o Options) (Result, error) {
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
	since, err := lease.now()
	if err != nil {
		return Result{}, err
	}
	r := running{Options: o, layout: l}
	result, err := r.run(ctx)
	if err != nil {
		return Result{}, err
	}
	applied, err := apply(o, l.upper, since)
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
	layout *layout
	said   tail
	fed    *os.File // the run's end of a pipe that was made for the input
}

// run starts the stage, waits for the end of all, and says how it ended.
func (r *running) run(ctx context.Context) (Result, error) {
	closeOnExec()
	code, err := filter()
	if err != nil {
		return Result{}, err
	}
	filterFile, err := memfile(code)
	if err != nil {
		return Result{}, err
	}
	defer filterFile.Close()
	failed, failedEnd, err := os.Pipe()
	if err != nil {
		return Result{}, err
	}
	defer failed.Close()
	status, statusEnd, err := os.Pipe()
	if err != nil {
		return Result{}, err
	}
	defer status.Close()
	r.layout.plan.Command = r.words()
	cmd := exec.Command(r.Stage, r.layout.plan.Arguments()...)
	cmd.Env = Environment(r.Environ, r.Home)
	cmd.Dir = "/"
	cmd.ExtraFiles = []*os.File{failedEnd, filterFile, statusEnd}
	cmd.SysProcAttr = namespace()
	if err := r.streams(cmd); err != nil {
		return Result{}, err
	}
	return r.wait(ctx, cmd, ends{failed, status, []*os.File{failedEnd, statusEnd, r.fed}})
}

// ends are what is read from the stage (failed) and from bubblewrap (status),
// and what this process closes once they have been started.
type ends struct {
	failed, status *os.File
	theirs         []*os.File
}

func (e ends) started() {
	for _, f := range e.theirs {
		if f != nil {
			_ = f.Close()
		}
	}
}

// namespace is that of the stage: root in it, this user outside.
func namespace() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
}

// words are bubblewrap's.
func (r *running) words() []string {
	words := []string{r.Bubblewrap, "--unshare-user", "--disable-userns", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
		"--uid", fmt.Sprint(os.Getuid()), "--gid", fmt.Sprint(os.Getgid()), "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--seccomp", "4", "--json-status-fd", "5"}
	for _, p := range r.layout.places {
		words = append(words, p.words...)
	}
	return append(words, "--remount-ro", "/", "--chdir", r.Dir, "--", r.Shell, "-c", r.Line)
}

func (r *running) wait(ctx context.Context, cmd *exec.Cmd, e ends) (Result, error) {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGWINCH, syscall.SIGUSR1, syscall.SIGUSR2)
	defer signal.Stop(signals)
	err := cmd.Start()
	e.started()
	if err != nil {
		return Result{}, fmt.Errorf("%w: a user namespace is refused: %w", ErrUnavailable, err)
	}
	why, _ := io.ReadAll(e.failed) // ends when bubblewrap has taken over
	if len(why) > 0 {
		_ = cmd.Wait()
		return Result{}, fmt.Errorf("%w: %s", ErrUnavailable, why)
	}
	g := guard{pid: cmd.Process.Pid, limit: r.Memory, until: time.Now().Add(r.Time), done: make(chan struct{})}
	go g.watch(ctx, signals)
	said, first := e.read(cmd.Process.Pid)
	err = cmd.Wait()
	first.ended() // bubblewrap does not wait for what its first process leaves behind
	close(g.done)
	return r.ended(cmd, err, g.why(), bytes.Contains(said, []byte("exit-code")))
}

// ended is how bubblewrap ended: it passes the shell's exit code on, and says
// (ran) whether there was one.
func (r *running) ended(cmd *exec.Cmd, err error, stopped string, ran bool) (Result, error) {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return Result{}, err
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	result := Result{Code: status.ExitStatus(), Stopped: stopped}
	if status.Signaled() {
		result.Code = 128 + int(status.Signal())
	}
	if result.Code != 0 {
		result.Missed = missed(r.said.text())
	}
	if !ran && stopped == "" {
		return Result{}, fmt.Errorf("%w: the boundary was not finished", ErrUnavailable)
	}
	return result, nil
}

// streams hands on terminals and pipes of nobody's. What is a file, a
// directory or a socket is read and written here instead: opened anew by its
// descriptor, it would be a way out.
func (r *running) streams(cmd *exec.Cmd) error {
	cmd.Stdout, cmd.Stderr = r.output(r.Stdout), r.output(r.Stderr)
	if same(r.Stdout, r.Stderr) {
		cmd.Stderr = cmd.Stdout
	}
	return r.input(cmd)
}

// input hands a terminal or a pipe on as it is. Nobody waits for the end of
// what is copied: it may never come.
func (r *running) input(cmd *exec.Cmd) error {
	if r.Stdin == nil {
		return nil
	}
	info, err := r.Stdin.Stat()
	switch {
	case err != nil || info.IsDir():
		return errors.New("the standard input cannot be read")
	case info.Mode()&(os.ModeCharDevice|os.ModeNamedPipe) != 0:
		cmd.Stdin = r.Stdin
		return nil
	}
	from, to, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.Stdin, r.fed = from, from
	go func() {
		_, _ = io.Copy(to, r.Stdin)
		_ = to.Close()
	}()
	return nil
}

// passable is a terminal or /dev/null.
func passable(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (r *running) output(f *os.File) io.Writer {
	switch {
	case f == nil:
		return nil
	case passable(f):
		return f
	}
	return &copied{f, &r.said}
}

func same(a, b *os.File) bool {
	if a == nil || b == nil {
		return false
	}
	one, err := a.Stat()
	other, otherErr := b.Stat()
	return err == nil && otherErr == nil && os.SameFile(one, other)
}

// copied hands output on and remembers its end.
type copied struct {
	to   io.Writer
	said *tail
}

func (c *copied) Write(p []byte) (int, error) {
	c.said.add(p)
	return c.to.Write(p)
}

// tail is the end of what was printed.
type tail struct {
	mu   sync.Mutex
	last []byte
}

const tailLimit = 64 << 10

func (t *tail) add(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	if len(t.last) > 2*tailLimit {
		t.last = slices.Clone(t.last[len(t.last)-tailLimit:])
	}
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
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
