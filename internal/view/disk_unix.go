//go:build unix

package view

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Disk is the real file system. The zero value is ready. It calls the system
// directly: package os would set up polling for every file, which a hook pays
// for at each start.
type Disk struct{}

var (
	_ Files  = Disk{}
	_ Pieces = Disk{}
)

func (Disk) Lstat(name string) (Info, error) {
	var st syscall.Stat_t
	if err := retry(func() error { return syscall.Lstat(name, &st) }); err != nil {
		return Info{}, &fs.PathError{Op: "lstat", Path: name, Err: err}
	}
	return infoOf(&st), nil
}

func infoOf(st *syscall.Stat_t) Info {
	return Info{
		Mode: modeOf(uint32(st.Mode)), Size: st.Size, Links: uint64(st.Nlink), UID: st.Uid,
		Dev: uint64(st.Dev), Inode: st.Ino, Born: born(st),
	}
}

// modeOf translates the system's mode bits.
func modeOf(bits uint32) fs.FileMode {
	mode := fs.FileMode(bits & 0o777)
	switch bits & syscall.S_IFMT {
	case syscall.S_IFREG:
	case syscall.S_IFDIR:
		mode |= fs.ModeDir
	case syscall.S_IFLNK:
		mode |= fs.ModeSymlink
	case syscall.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case syscall.S_IFSOCK:
		mode |= fs.ModeSocket
	case syscall.S_IFBLK:
		mode |= fs.ModeDevice
	case syscall.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	default:
		mode |= fs.ModeIrregular
	}
	if bits&syscall.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if bits&syscall.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if bits&syscall.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

func (Disk) Readlink(name string) (string, error) { return os.Readlink(name) }

// Read opens without following a final link and without blocking, then looks
// at what was really opened.
func (Disk) Read(name string, limit int64) ([]byte, error) {
	fd, err := open(name, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	switch err := syscall.Fstat(fd, &st); {
	case err != nil:
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	case st.Mode&syscall.S_IFMT != syscall.S_IFREG:
		return nil, fmt.Errorf("%s: not a regular file", name)
	case st.Size > limit:
		return nil, fmt.Errorf("%s: %d bytes, more than the %d that are read", name, st.Size, limit)
	}
	return readAll(fd, name, st.Size, limit)
}

// ReadAt implements Pieces.
func (Disk) ReadAt(name string, from int64, length int) ([]byte, error) {
	fd, err := open(name, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil || st.Mode&syscall.S_IFMT != syscall.S_IFREG || from > st.Size {
		return nil, fmt.Errorf("%s: not a regular file of that size", name)
	}
	data := make([]byte, min(int64(length), st.Size-from))
	for n := 0; n < len(data); {
		var more int
		err := retry(func() (err error) { more, err = syscall.Pread(fd, data[n:], from+int64(n)); return err })
		if err != nil || more <= 0 {
			return data[:n], err
		}
		n += more
	}
	return data, nil
}

// readAll reads to the end, which may have moved since size was taken, and
// which files of /proc do not tell.
func readAll(fd int, name string, size, limit int64) ([]byte, error) {
	data := make([]byte, 0, max(size, 512)+1)
	for {
		var n int
		err := retry(func() (err error) { n, err = syscall.Read(fd, data[len(data):cap(data)]); return err })
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: name, Err: err}
		}
		if n <= 0 {
			return data, nil
		}
		if data = data[:len(data)+n]; int64(len(data)) > limit {
			return nil, fmt.Errorf("%s: more than the %d bytes that are read", name, limit)
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

func open(name string, flags int) (int, error) {
	fd := -1
	err := retry(func() (err error) {
		fd, err = syscall.Open(name, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW|syscall.O_CLOEXEC|flags, 0)
		return err
	})
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return fd, nil
}

// retry repeats a call that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); err != syscall.EINTR {
			return err
		}
	}
}

func (Disk) List(name string, limit int) ([]string, error) {
	return listed(name, limit, (*os.File).Readdirnames)
}

func (Disk) Entries(name string, limit int) ([]Entry, error) {
	all, err := listed(name, limit, (*os.File).ReadDir)
	entries := make([]Entry, 0, len(all))
	for _, e := range all {
		entries = append(entries, Entry{e.Name(), e.Type()})
	}
	return entries, err
}

// listed reads a directory with one of the ways that package os has.
func listed[T any](name string, limit int, read func(*os.File, int) ([]T, error)) ([]T, error) {
	fd, err := open(name, syscall.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	all, err := read(f, limit+1)
	switch {
	case len(all) > limit:
		return nil, fmt.Errorf("%s: more than %d names", name, limit)
	case len(all) == 0 && errors.Is(err, io.EOF): // an empty directory
		return nil, nil
	}
	return all, err
}
