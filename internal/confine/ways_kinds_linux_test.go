//go:build amd64 || arm64

package confine_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The kinds of ways. Texts may name facts, as ${fact}.

// connect reaches a server.
func connect(name, network, address string) way {
	return way{name: name, try: func(f facts) error { return dial(network, f.in(address)) }}
}

func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, patience/2)
	if err == nil {
		_, _ = c.Write([]byte("out"))
		_ = c.Close()
	}
	return err
}

// after reaches a socket or a pipe once something was done.
func after(name, at string, reach func(at string) error, do func(f facts) error) way {
	return way{name: name, try: func(f facts) error { return errors.Join(do(f), reach(f.in(at))) }}
}

func local(at string) error { return dial("unix", at) }

// poke writes to a pipe that somebody outside reads.
func poke(name string) error {
	fd, err := unix.Open(name, unix.O_WRONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte("out"))
	return err
}

// socket opens one.
func socket(name string, family, kind, protocol int) way {
	return call(name, unix.SYS_SOCKET, family, kind, protocol)
}

// first is a system call whose result is an argument of a second system call.
type first struct {
	number uintptr
	args   []any
}

// at opens a file.
func at(name string, flags int) first {
	return first{unix.SYS_OPENAT, []any{unix.AT_FDCWD, name, flags, 0o600}}
}

// call is a system call that succeeds. Texts are handed over by where they stand.
func call(name string, number uintptr, args ...any) way {
	return way{name: name, try: func(f facts) error { return raw(f, number, args...) }}
}

// refusedWith is a system call that must be refused, and with this error.
func refusedWith(name string, want syscall.Errno, number uintptr, args ...any) way {
	return way{name: name, try: func(f facts) error {
		if err := raw(f, number, args...); err == error(want) {
			return err
		}
		return nil
	}}
}

func raw(f facts, number uintptr, args ...any) error {
	_, err := result(f, number, args...)
	return err
}

func result(f facts, number uintptr, args ...any) (_ uintptr, err error) {
	var a [6]uintptr
	var kept []any
	for i, arg := range args {
		switch arg := arg.(type) {
		case int:
			a[i] = uintptr(arg)
		case string:
			text := append([]byte(f.in(arg)), 0)
			a[i], kept = uintptr(unsafe.Pointer(&text[0])), append(kept, text)
		case []uint64:
			a[i] = uintptr(unsafe.Pointer(&arg[0]))
		case first:
			if a[i], err = result(f, arg.number, arg.args...); err != nil {
				return 0, err
			}
		}
	}
	r, _, n := syscall.RawSyscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	runtime.KeepAlive(kept)
	runtime.KeepAlive(args)
	return r, failure(n)
}

func failure(n syscall.Errno) error {
	if n == 0 {
		return nil
	}
	return n
}

// opens is a file or a device that can be opened.
func opens(name, at string, flags int) way {
	return way{name: name, try: func(f facts) error { return open(f.in(at), flags) }}
}

func open(name string, flags int) error {
	f, err := os.OpenFile(name, flags, 0)
	if err == nil {
		_ = f.Close()
	}
	return err
}

// holds is one of some files that holds the marker. A path before a | is a pattern.
func holds(name string, paths ...string) way { return says(name, "${marker}", paths...) }

// says is one of some files that holds a text.
func says(name, text string, paths ...string) way {
	return way{name: name, try: func(f facts) error {
		err := errors.New("no such file is there")
		for _, p := range paths {
			pattern, rest, several := strings.Cut(f.in(p), "|")
			list := []string{pattern}
			if several {
				list, _ = filepath.Glob(pattern)
			}
			for _, at := range list {
				if err = contains(at+rest, f.in(text)); err == nil {
					return nil
				}
			}
		}
		return err
	}}
}

func contains(name, part string) error {
	text, err := os.ReadFile(name)
	if err == nil && !strings.Contains(string(text), part) {
		err = errors.New("it says something else")
	}
	return err
}

// runs is a program that succeeds.
func runs(name string, words ...string) way {
	return way{name: name, try: func(facts) error { return exec.Command(words[0], words[1:]...).Run() }}
}

// sets writes a file.
func sets(name, at, text string) way {
	return way{name: name, try: func(f facts) error { return os.WriteFile(f.in(at), []byte(text), 0o700) }}
}

// found is a search that found something.
func found(name string, search func(f facts) bool) way {
	return way{name: name, try: func(f facts) error {
		if search(f) {
			return nil
		}
		return errors.New("none")
	}}
}

// each are ways of one kind, for some names.
func each(kind func(name string) way, names ...string) (all []way) {
	for _, name := range names {
		all = append(all, kind(name))
	}
	return all
}
