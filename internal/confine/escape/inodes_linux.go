package main

import (
	"errors"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// inodes are those that the run shares with the outside, whatever their names:
// devices, and programs that were started before the boundary stood.
func inodes() (all []way) {
	for _, name := range []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty",
		"/proc/1/exe", "/proc/1/task/1/exe", "/proc/self/fd/0"} {
		all = append(all,
			way{"the mode of " + name, func(facts) error { return outside(name, sameMode(name)) }},
			way{"the time of " + name,
				func(facts) error { return outside(name, os.Chtimes(name, time.Now(), time.Now())) }},
			way{"the owner of " + name, func(facts) error { return outside(name, os.Chown(name, 0, 0)) }},
			way{"an attribute of " + name,
				func(facts) error { return outside(name, unix.Setxattr(name, "user.nod", []byte("x"), 0)) }})
	}
	for _, name := range []string{"/proc/1/exe", "/proc/1/task/1/exe"} {
		all = append(all, way{"write " + name, func(facts) error {
			_, err := os.OpenFile(name, os.O_WRONLY, 0)
			return err
		}})
	}
	return append(all, mapped())
}

// mapped are the files that make up the memory of the first process.
func mapped() way {
	return way{"files that the first process has in memory", func(facts) error {
		entries, err := os.ReadDir("/proc/1/map_files")
		for _, e := range entries {
			if os.Chtimes("/proc/1/map_files/"+e.Name(), time.Now(), time.Now()) == nil {
				return nil
			}
		}
		return errors.Join(err, errors.New("none is reached"))
	}}
}

// sameMode sets the mode that is there: who may do that may set any.
func sameMode(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	return os.Chmod(name, info.Mode().Perm())
}

// outside is what came of a change. A pipe of nod's own may change.
func outside(name string, err error) error {
	if to, _ := os.Readlink(name); err == nil && strings.HasPrefix(to, "pipe:") {
		return errors.New("a pipe of the run's own")
	}
	return err
}
