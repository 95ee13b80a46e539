//go:build unix

// Package lines appends to files of lines that many processes write at once.
//
// One line is one write(2) on a descriptor opened with O_APPEND, which the
// kernel does not interleave with other writes on a local file system. There
// is no lock to wait for and none to leave behind: a writer that is killed
// leaves a torn line, and the next one starts on a line of its own, or finds
// that it did not and writes once more. Readers skip what is torn.
//
// What is opened is checked, not what was named: a regular file, owned by
// this user, which nobody else may read or write.
package lines

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
)

// Limit is the longest line, its newline included.
const Limit = 1 << 20

// File is a file of lines. It is safe for concurrent use.
type File struct {
	name string
	mu   sync.Mutex   // one append at a time
	open sync.RWMutex // held by who uses fd and does not hold mu
	fd   int          // -1 after Close
	// write stands for write(2), so that tests can fail it.
	write func(fd int, p []byte) (int, error)
}

// PrivateDir makes sure that name is a directory of this user that no one
// else can enter, and makes it, with its parents, where it is missing. A
// directory that is open to others is refused, not repaired: what lies in it
// may not be ours.
func PrivateDir(name string) error {
	var st syscall.Stat_t
	err := syscall.Lstat(name, &st)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(name, 0o700); err != nil {
			return err
		}
		err = syscall.Lstat(name, &st)
	}
	switch {
	case err != nil:
		return &fs.PathError{Op: "lstat", Path: name, Err: err}
	case st.Mode&syscall.S_IFMT != syscall.S_IFDIR:
		return fmt.Errorf("%s is not a directory (links are not followed); move it away", name)
	case int(st.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to user %d, not to this one (%d)", name, st.Uid, os.Geteuid())
	case st.Mode&0o077 != 0:
		return fmt.Errorf("%s is open to other users (mode %04o); look who wrote there, then chmod 700 %[1]s", name,
			st.Mode&0o7777)
	}
	return nil
}

// Open opens name for appending and reading, and makes it (mode 0600) where
// it is missing. It follows no link at the last component and never blocks.
func Open(name string) (*File, error) {
	const flags = syscall.O_RDWR | syscall.O_APPEND | syscall.O_CREAT |
		syscall.O_NOFOLLOW | syscall.O_CLOEXEC | syscall.O_NONBLOCK
	fd, err := openRetrying(name, flags)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is a symbolic link, which nod does not follow here; remove it", name)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f := &File{name: name, fd: fd, write: syscall.Write}
	if err := f.check(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func openRetrying(name string, flags int) (fd int, err error) {
	for {
		fd, err = syscall.Open(name, flags, 0o600)
		if err != syscall.EINTR {
			return fd, err
		}
	}
}

func (f *File) check() error {
	st, err := f.stat()
	switch {
	case err != nil:
		return err
	case st.Mode&syscall.S_IFMT != syscall.S_IFREG:
		return fmt.Errorf("%s is not a regular file; move it away", f.name)
	case int(st.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to user %d, not to this one (%d)", f.name, st.Uid, os.Geteuid())
	case st.Mode&0o077 != 0:
		return fmt.Errorf("%s is open to other users (mode %04o); chmod 600 %[1]s", f.name, st.Mode&0o7777)
	}
	return nil
}

func (f *File) stat() (st syscall.Stat_t, err error) {
	f.open.RLock()
	defer f.open.RUnlock()
	if err := syscall.Fstat(f.fd, &st); err != nil {
		return st, &fs.PathError{Op: "fstat", Path: f.name, Err: err}
	}
	return st, nil
}

// Name returns the name that the file was opened by.
func (f *File) Name() string { return f.name }

// Size returns how long the file is now.
func (f *File) Size() (int64, error) {
	st, err := f.stat()
	return st.Size, err
}

// Append writes one line with one write(2). The line holds no newline and is
// shorter than Limit. A write that fails or stops half-way (a full disk) is
// an error; what it left behind does not damage the next line.
func (f *File) Append(line []byte) error {
	if len(line) >= Limit {
		return fmt.Errorf("%s: a line of %d bytes is longer than %d", f.name, len(line), Limit)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	buf := append(append(append(make([]byte, 0, len(line)+2), '\n'), line...), '\n')
	torn, err := f.torn()
	if err != nil {
		return err
	}
	if torn {
		return f.put(buf)
	}
	if err := f.put(buf[1:]); err != nil || !f.glued(int64(len(buf)-1)) {
		return err
	}
	return f.put(buf)
}

// glued reports whether the last n bytes, just written, stand behind a line
// that was torn after torn had looked: another writer was killed in between.
// An append leaves the descriptor's offset at its own end, whoever has
// written since.
func (f *File) glued(n int64) bool {
	end, err := syscall.Seek(f.fd, 0, io.SeekCurrent)
	if err != nil || end <= n {
		return false
	}
	var before [1]byte
	got, _ := f.ReadAt(before[:], end-n-1)
	return got == 1 && before[0] != '\n'
}

// torn reports whether the file ends in the middle of a line. While another
// process is writing this may be true for a moment; the empty line that
// follows from it is skipped by readers.
func (f *File) torn() (bool, error) {
	st, err := f.stat()
	if err != nil || st.Size == 0 {
		return false, err
	}
	var last [1]byte
	n, err := f.ReadAt(last[:], st.Size-1)
	if err != nil && err != io.EOF {
		return false, err
	}
	return n == 1 && last[0] != '\n', nil
}

func (f *File) put(p []byte) error {
	for {
		n, err := f.write(f.fd, p)
		switch {
		case err == syscall.EINTR && n <= 0:
			continue
		case err != nil:
			return &fs.PathError{Op: "write", Path: f.name, Err: err}
		case n < len(p):
			return &fs.PathError{Op: "write", Path: f.name,
				Err: fmt.Errorf("%w: %d of %d bytes (is the disk full?)", io.ErrShortWrite, n, len(p))}
		}
		return nil
	}
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	f.open.RLock()
	defer f.open.RUnlock()
	got := 0
	for got < len(p) {
		n, err := syscall.Pread(f.fd, p[got:], off+int64(got))
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return got, &fs.PathError{Op: "read", Path: f.name, Err: err}
		case n == 0:
			return got, io.EOF
		}
		got += n
	}
	return got, nil
}

// Lock takes the file's advisory lock for itself alone and reports whether it
// got it, without waiting. It is released by Unlock and by the end of the
// process, however that comes.
func (f *File) Lock() bool {
	f.open.RLock()
	defer f.open.RUnlock()
	for {
		err := syscall.Flock(f.fd, syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR {
			return err == nil
		}
	}
}

// Unlock releases the lock.
func (f *File) Unlock() {
	f.open.RLock()
	defer f.open.RUnlock()
	syscall.Flock(f.fd, syscall.LOCK_UN)
}

// Current reports whether the file still bears the name it was opened by.
func (f *File) Current() bool {
	st, err := f.stat()
	var named syscall.Stat_t
	return err == nil && syscall.Lstat(f.name, &named) == nil && named.Dev == st.Dev && named.Ino == st.Ino
}

// Close closes the file; nothing can be appended or read afterwards.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open.Lock() // nobody may read by a number that is another file's by then
	defer f.open.Unlock()
	if f.fd < 0 {
		return nil
	}
	err := syscall.Close(f.fd)
	f.fd = -1
	return err
}
