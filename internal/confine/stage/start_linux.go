package stage

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Start starts bubblewrap and returns its process's number. It is the first process of a pid namespace, whose end the
// kernel says only when it has ended all others in there: also those that bubblewrap does not wait for, and those
// that it has not bound to its own life yet when this process is killed.
func Start(p Plan) (pid int, err error) {
	failed, report, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer failed.Close()
	calls, err := p.calls(int(failed.Fd()), int(report.Fd()))
	if err != nil {
		_ = report.Close()
		return 0, err
	}
	pid, err = calls.fork(report.Fd())
	_ = report.Close()
	if err != nil {
		return 0, fmt.Errorf("a user namespace is refused: %w", err)
	}
	said, err := io.ReadAll(failed) // it ends where bubblewrap begins
	if err == nil && string(said) == alive {
		return pid, nil
	}
	_, _ = syscall.Wait4(pid, nil, 0, nil)
	return 0, errors.Join(err, calls.failure(said))
}

const alive = "+" // what the child says to see that this process lives

// calls are all that the child does.
func (p *Plan) calls(failed, report int) (*calls, error) {
	c := &calls{}
	c.do("be ended with nod", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, int(unix.SIGKILL))
	c.do("close a pipe", unix.SYS_CLOSE, failed)
	c.do("find nod", unix.SYS_WRITE, report, alive, 1) // ends the child if nod was killed before the first call
	c.identity()
	// bubblewrap looks its own processes up by their numbers in this namespace
	c.do("mount /proc", unix.SYS_MOUNT, "proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	c.outside(path.Dir(p.Dir))
	c.overlays(p)
	c.bounds()
	return c, c.exec(p)
}

// identity is root inside and this user outside.
func (c *calls) identity() {
	for _, row := range [][2]string{{"setgroups", "deny"}, {"uid_map", fmt.Sprintf("0 %d 1", os.Getuid())},
		{"gid_map", fmt.Sprintf("0 %d 1", os.Getgid())}} {
		c.do("open "+row[0], unix.SYS_OPENAT, unix.AT_FDCWD, "/proc/self/"+row[0], unix.O_WRONLY|unix.O_CLOEXEC)
		c.do("write "+row[0], unix.SYS_WRITE, opened, row[1], len(row[1]))
		c.do("close "+row[0], unix.SYS_CLOSE, opened) // what is open to be written is not made read-only
	}
}

// outside makes all that is mounted read-only, but for nod's own directory and /proc,
// through which bubblewrap maps users. Some of the outside is not behind an overlay:
// devices, and bubblewrap's own program, to which /proc/1/exe leads.
func (c *calls) outside(own string) {
	set := func(at string, flags int, attr unix.MountAttr) {
		c.do("make read-only all but "+own, unix.SYS_MOUNT_SETATTR, -1, at, flags, &attr, unix.MOUNT_ATTR_SIZE_VER0)
	}
	c.do("keep "+own, unix.SYS_MOUNT, own, own, "", unix.MS_BIND|unix.MS_REC, "")
	set("/", unix.AT_RECURSIVE, unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	set("/proc", 0, unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
	set(own, 0, unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
}

func (c *calls) overlays(p *Plan) {
	const flags = unix.MS_NOSUID | unix.MS_NODEV
	c.do("mount tmpfs on "+p.Dir, unix.SYS_MOUNT, "tmpfs", p.Dir, "tmpfs", flags, "mode=0700")
	c.do("make "+p.Empty(), unix.SYS_MKDIRAT, unix.AT_FDCWD, p.Empty(), 0o500)
	for i, options := range p.Overlays {
		c.do("make "+p.At(i), unix.SYS_MKDIRAT, unix.AT_FDCWD, p.At(i), 0o700)
		c.do("mount the overlay "+options, unix.SYS_MOUNT, "overlay", p.At(i), "overlay", flags, "userxattr,"+options)
	}
}

// bounds are inherited. A core of 1 byte is what the kernel takes for "neither a file
// nor a program of the system's that is handed the core".
func (c *calls) bounds() {
	var processes, files unix.Rlimit
	limit := func(what string, resource int, r unix.Rlimit) {
		c.do("bound "+what, unix.SYS_PRLIMIT64, 0, resource, &r, 0)
	}
	limit("cores", unix.RLIMIT_CORE, unix.Rlimit{Cur: 1, Max: 1})
	_ = unix.Getrlimit(unix.RLIMIT_NPROC, &processes) // with none, nothing would start
	limit("processes", unix.RLIMIT_NPROC,
		unix.Rlimit{Cur: min(processes.Cur, MaxProcesses), Max: min(processes.Max, MaxProcesses)})
	// Go raises its own soft limit of files; the process that started nod has the original limit.
	if unix.Prlimit(os.Getppid(), unix.RLIMIT_NOFILE, nil, &files) == nil {
		var own unix.Rlimit
		_ = unix.Getrlimit(unix.RLIMIT_NOFILE, &own)
		limit("files", unix.RLIMIT_NOFILE, unix.Rlimit{Cur: min(files.Cur, own.Max), Max: own.Max})
	}
}

// exec hands bubblewrap its descriptors and starts it.
func (c *calls) exec(p *Plan) error {
	argv, err := syscall.SlicePtrFromStrings(p.Command)
	environ, environErr := syscall.SlicePtrFromStrings(p.Environ)
	if err := errors.Join(err, environErr); err != nil {
		return err
	}
	for i, f := range p.Files {
		// No descriptor takes a number that a later descriptor goes to.
		fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, len(p.Files))
		if err != nil {
			return os.NewSyscallError("dup", err)
		}
		c.files = append(c.files, os.NewFile(uintptr(fd), f.Name()))
		c.do("hand over a descriptor", unix.SYS_DUP3, fd, i, 0)
		c.terminal(i, f)
	}
	c.do("close descriptors", unix.SYS_CLOSE_RANGE, len(p.Files), -1, unix.CLOSE_RANGE_CLOEXEC)
	c.do("start in /", unix.SYS_CHDIR, "/")
	c.do("start "+p.Command[0], unix.SYS_EXECVE, p.Command[0], argv, environ)
	return nil
}

// terminal opens a terminal anew, on mounts that are read-only by then, so that nobody changes its mode by the
// descriptor. What this user may not open is another's, whose mode this user may not change.
func (c *calls) terminal(i int, f *os.File) {
	if _, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS); err != nil {
		return
	}
	name, _ := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	again, err := os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return
	}
	defer again.Close()
	one, err := f.Stat()
	other, otherErr := again.Stat()
	if err == nil && otherErr == nil && os.SameFile(one, other) {
		c.may("open "+name, unix.SYS_OPENAT, unix.AT_FDCWD, name, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
		c.may("hand over a terminal", unix.SYS_DUP3, opened, i, 0)
	}
}
