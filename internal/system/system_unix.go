//go:build unix

package system

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// User is the user id of this process.
func User() int { return os.Geteuid() }

// Describe says the rest of what os.Lstat, or the Stat of an opened file, said of name.
func Describe(name string, info fs.FileInfo) (File, error) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return File{UID: -1, GID: -1}, fmt.Errorf("%s: the system does not say what it is", name)
	}
	return File{Mode: info.Mode(), Links: uint64(st.Nlink), Dev: uint64(st.Dev), Inode: st.Ino, UID: int(st.Uid),
		GID: int(st.Gid), Born: born(st)}, nil
}

// Open opens what stands at a name: it follows no final link, and waits for nobody.
func Open(name string, flags int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, perm)
}

// Lock takes a file's lock for this process alone, without waiting.
func Lock(file *os.File) bool { return flock(file, syscall.LOCK_EX|syscall.LOCK_NB) }

// Unlock releases it.
func Unlock(file *os.File) { flock(file, syscall.LOCK_UN) }

func flock(file *os.File, how int) bool {
	for {
		if err := syscall.Flock(int(file.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err == nil
		}
	}
}

// Apart is how a process becomes the head of a group, and what ends all of that.
func Apart(process **os.Process) (*syscall.SysProcAttr, func() error) {
	return &syscall.SysProcAttr{Setpgid: true}, func() error { return syscall.Kill(-(*process).Pid, syscall.SIGKILL) }
}

// Processor is how long this process has computed so far.
func Processor() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano())
}

// MayWrite returns nil if this process may make files in a directory, and the system's error otherwise.
func MayWrite(dir string) error {
	const writeAndSearch = 0o2 | 0o1
	return syscall.Access(dir, writeAndSearch)
}

// Sync brings the names in a directory to the disk.
func Sync(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
