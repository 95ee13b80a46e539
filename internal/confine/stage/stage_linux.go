package stage

import (
	"errors"
	"io"
	"os"
	"path"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Main mounts and becomes the command. It returns only where it failed.
func Main() int {
	syscall.CloseOnExec(errorsTo)
	syscall.CloseOnExec(PlanFrom)
	err := run()
	_, _ = syscall.Write(errorsTo, []byte(err.Error()))
	return 125
}

func run() error {
	text, err := io.ReadAll(os.NewFile(PlanFrom, "plan"))
	p, ok := read(string(text))
	if err != nil || !ok {
		return errors.New("the stage was given what it cannot read")
	}
	if err := processes(); err != nil {
		return err
	}
	if err := p.outside(); err != nil {
		return err
	}
	terminals()
	if err := p.mount(); err != nil {
		return err
	}
	if err := bound(); err != nil {
		return err
	}
	return &os.PathError{Op: "start", Path: p.Command[0], Err: syscall.Exec(p.Command[0], p.Command, p.Environ)}
}

// processes shows the processes of this namespace: bubblewrap looks its own up by
// their numbers.
func processes() error {
	err := syscall.Mount("proc", "/proc", "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, "")
	if err != nil {
		return &os.PathError{Op: "mount", Path: "/proc", Err: err}
	}
	return nil
}

// outside makes all that is mounted read-only, but for nod's own directory and
// /proc, through which bubblewrap maps users. Some of the outside is not behind an
// overlay: devices, and bubblewrap's own program, to which /proc/1/exe leads.
func (p *Plan) outside() error {
	own := path.Dir(p.Dir)
	tree, err := unix.OpenTree(unix.AT_FDCWD, own, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err == nil {
		err = unix.MountSetattr(-1, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	}
	if err == nil {
		err = unix.MountSetattr(-1, "/proc", 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
	}
	if err == nil {
		err = unix.MoveMount(tree, "", unix.AT_FDCWD, own, unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_SYMLINKS)
	}
	if err != nil {
		return &os.PathError{Op: "make all read-only but", Path: own, Err: err}
	}
	return nil
}

// terminals opens the run's terminals anew, on mounts that are read-only now, so
// that nobody changes their modes by a descriptor. What this user may not open is
// another's, whose mode this user may not change.
func terminals() {
	for fd := range 3 {
		if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err != nil {
			continue
		}
		name, _ := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		again, err := unix.Open(name, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		var old, now unix.Stat_t
		if err == nil && unix.Fstat(fd, &old) == nil && unix.Fstat(again, &now) == nil &&
			old.Dev == now.Dev && old.Ino == now.Ino {
			_ = unix.Dup3(again, fd, 0)
		}
	}
}

func (p *Plan) mount() error {
	if err := syscall.Mount("tmpfs", p.Dir, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=0700"); err != nil {
		return &os.PathError{Op: "mount tmpfs", Path: p.Dir, Err: err}
	}
	if err := syscall.Mkdir(p.Empty(), 0o500); err != nil {
		return &os.PathError{Op: "make", Path: p.Empty(), Err: err}
	}
	for i, options := range p.Overlays {
		if err := syscall.Mkdir(p.At(i), 0o700); err != nil {
			return &os.PathError{Op: "make", Path: p.At(i), Err: err}
		}
		if err := syscall.Mount("overlay", p.At(i), "overlay", syscall.MS_NOSUID|syscall.MS_NODEV,
			"userxattr,"+options); err != nil {
			return &os.PathError{Op: "mount overlay", Path: options, Err: err}
		}
	}
	return nil
}

const (
	rlimitCore      = 4
	rlimitProcesses = 6
)

// MaxProcesses bounds processes and threads. The kernel does not hold root to it.
const MaxProcesses = 8192

// bound sets what is inherited. A core of 1 byte is what the kernel takes for
// "neither a file nor a program of the system's that is handed the core".
func bound() error {
	if err := syscall.Setrlimit(rlimitCore, &syscall.Rlimit{Cur: 1, Max: 1}); err != nil {
		return os.NewSyscallError("setrlimit core", err)
	}
	var now syscall.Rlimit
	if err := syscall.Getrlimit(rlimitProcesses, &now); err != nil {
		return os.NewSyscallError("getrlimit processes", err)
	}
	now.Cur, now.Max = min(now.Cur, MaxProcesses), min(now.Max, MaxProcesses)
	return os.NewSyscallError("setrlimit processes", syscall.Setrlimit(rlimitProcesses, &now))
}
