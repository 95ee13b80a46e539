package stage

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// calls are system calls that a child makes after it was forked.
type calls struct {
	list  []call
	kept  []any      // what their arguments point to
	files []*os.File // descriptors among their arguments
	said  [2]uint32  // which one failed, and how
}

type call struct {
	number  uintptr
	args    [6]uintptr
	what    string
	mayFail bool
}

const opened = -4711 // stands among the arguments for the descriptor of the last file that was opened

// do adds a call. Texts, lists and structures are handed over by where they lie.
func (c *calls) do(what string, number uintptr, args ...any) {
	next := call{number: number, what: what}
	for i, arg := range args {
		switch arg := arg.(type) {
		case int:
			next.args[i] = uintptr(arg)
		case string:
			text := append([]byte(arg), 0)
			next.args[i], c.kept = uintptr(unsafe.Pointer(&text[0])), append(c.kept, text)
		case []*byte:
			next.args[i] = uintptr(unsafe.Pointer(&arg[0]))
		case *unix.MountAttr:
			next.args[i] = uintptr(unsafe.Pointer(arg))
		case *unix.Rlimit:
			next.args[i] = uintptr(unsafe.Pointer(arg))
		}
	}
	c.kept = append(c.kept, args)
	c.list = append(c.list, next)
}

// fork starts the child. What it says of a failure goes to report.
func (c *calls) fork(report uintptr) (pid int, err error) {
	syscall.ForkLock.Lock()
	n, errno := fork(c.list, &c.said, report)
	syscall.ForkLock.Unlock()
	runtime.KeepAlive(c)
	for _, f := range c.files {
		_ = f.Close()
	}
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// may adds a call that may fail.
func (c *calls) may(what string, number uintptr, args ...any) {
	c.do(what, number, args...)
	c.list[len(c.list)-1].mayFail = true
}

// failure is what a child said.
func (c *calls) failure(said []byte) error {
	if len(said) != len(alive)+8 {
		return fmt.Errorf("the child before bubblewrap ended: %q", said)
	}
	i, errno := binary.NativeEndian.Uint32(said[len(alive):]), binary.NativeEndian.Uint32(said[len(alive)+4:])
	if int(i) >= len(c.list) {
		i = 0
	}
	return fmt.Errorf("%s: %w", c.list[i].what, syscall.Errno(errno))
}

// The runtime's own steps around a fork, as package syscall takes them: signals are
// blocked meanwhile, and their handlers are not the child's.
//
//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname afterFork syscall.runtime_AfterFork
func afterFork()

//go:linkname afterForkInChild syscall.runtime_AfterForkInChild
func afterForkInChild()

// fork forks, and makes the calls in the child, in which it does not return. It may allocate nothing there.
//
//go:noinline
//go:norace
//go:nosplit
func fork(list []call, said *[2]uint32, report uintptr) (pid uintptr, errno syscall.Errno) {
	beforeFork()
	pid, _, errno = syscall.RawSyscall6(unix.SYS_CLONE,
		unix.CLONE_NEWUSER|unix.CLONE_NEWNS|unix.CLONE_NEWPID|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 || pid != 0 {
		afterFork()
		return pid, errno
	}
	afterForkInChild()
	file, none := uintptr(0), opened
	for i := range list {
		a := list[i].args
		for j := range a {
			if a[j] == uintptr(none) {
				a[j] = file
			}
		}
		result, _, failed := syscall.RawSyscall6(list[i].number, a[0], a[1], a[2], a[3], a[4], a[5])
		if failed != 0 && !list[i].mayFail {
			said[0], said[1] = uint32(i), uint32(failed)
			break
		}
		if list[i].number == unix.SYS_OPENAT {
			file = result
		}
	}
	syscall.RawSyscall6(unix.SYS_WRITE, report, uintptr(unsafe.Pointer(said)), 8, 0, 0, 0)
	for {
		syscall.RawSyscall6(unix.SYS_EXIT_GROUP, 125, 0, 0, 0, 0, 0)
	}
}
