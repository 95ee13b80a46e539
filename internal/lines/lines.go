// Package lines appends to files of lines that many processes write at once.
//
// One line is one write(2) on a descriptor opened with O_APPEND, which the kernel does not interleave
// with other writes on a local file system. Append needs no lock: a writer that is killed leaves a torn
// line, and the next one starts on a line of its own, or finds that it did not and writes once more.
// Readers skip what is torn. A line that depends on the last one (AppendAfter) needs a lock, see LockFor.
//
// What is opened is checked, not what was named: a regular file, owned by
// this user, which nobody else may read or write.
package lines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/nodgate/nod/internal/system"
)

// Limit is the longest line, its newline included.
const Limit = 1 << 20

// File is a file of lines. It is safe for concurrent use.
type File struct {
	file *os.File
	mu   sync.Mutex // one append at a time
	// write stands for write(2), so that tests can come in between.
	write func(p []byte) (int, error)
}

// PrivateDir makes sure that name is a directory of this user that no one else can enter, and makes
// it, with its parents, where it is missing. A directory that is open to others is refused, not
// repaired: what lies in it may not be ours.
func PrivateDir(name string) error {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(name, 0o700); err != nil {
			return err
		}
		info, err = os.Lstat(name)
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory (links are not followed); move it away", name)
	}
	return checkOurs(name, info, "look who wrote there, then chmod 700")
}

// checkOurs refuses what others own or may use.
func checkOurs(name string, info fs.FileInfo, mend string) error {
	is, err := system.Describe(name, info)
	switch {
	case err != nil:
		return err
	case is.UID != system.User():
		return fmt.Errorf("%s belongs to user %d, not to this one (%d)", name, is.UID, system.User())
	case is.Mode.Perm()&0o077 != 0:
		return fmt.Errorf("%s is open to other users (mode %04o); %s %[1]s", name, is.Mode.Perm(), mend)
	}
	return nil
}

// Open opens name for appending and reading, and makes it (mode 0600) where
// it is missing. It follows no link at the last component and never blocks.
func Open(name string) (*File, error) {
	file, err := system.Open(name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is a symbolic link, which nod does not follow here; remove it", name)
	}
	if err != nil {
		return nil, err
	}
	if err := checkFile(name, file); err != nil {
		file.Close()
		return nil, err
	}
	return &File{file: file, write: file.Write}, nil
}

// checkFile refuses everything but a regular file of this user's alone.
func checkFile(name string, file *os.File) error {
	info, err := file.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file; move it away", name)
	}
	return checkOurs(name, info, "chmod 600")
}

// Name returns the name that the file was opened by.
func (f *File) Name() string { return f.file.Name() }

// Size returns how long the file is now.
func (f *File) Size() (int64, error) {
	info, err := f.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Append writes one line with one write(2). The line holds no newline and is shorter than Limit. A write that fails
// or stops half-way (a full disk) is an error; what it left behind does not damage the next line.
func (f *File) Append(line []byte) error {
	return f.AppendAfter(func([]byte) []byte { return line })
}

// AppendAfter appends, as Append does, the line that next makes of the last one, see [File.Last]. Lines follow each
// other so only while all writers take one lock. next is called again where a killed writer without the lock came in
// between.
func (f *File) AppendAfter(next func(last []byte) []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for again := false; ; again = true {
		last, torn, err := f.settled()
		if err != nil {
			return err
		}
		line := next(last)
		if len(line) >= Limit {
			return fmt.Errorf("%s: a line of %d bytes is longer than %d", f.Name(), len(line), Limit)
		}
		text := slices.Concat([]byte{'\n'}, line, []byte{'\n'}) // the first where the file ends in a torn line
		if torn || again {
			_, err = f.write(text)
			return err
		}
		if _, err := f.write(text[1:]); err != nil || !f.glued(int64(len(text)-1)) {
			return err
		}
	}
}

// LastLimit is the longest line that Last returns: a torn one, and a whole one glued to it.
const LastLimit = 2 * Limit

// Last returns the last line that is not empty, without its newline, and whether it has none. It is empty where the
// file has no line, or one longer than LastLimit.
func (f *File) Last() (line []byte, torn bool, err error) {
	const near, blank = 4 << 10, 4 << 10 // where it is looked for first; newlines around it
	size, err := f.Size()
	for n := int64(near); err == nil; n *= 16 {
		n = min(n, size, LastLimit+blank)
		text := make([]byte, n)
		if _, err = f.file.ReadAt(text, size-n); err != nil || n == 0 {
			break
		}
		line = bytes.TrimRight(text, "\n")
		start := bytes.LastIndexByte(line, '\n') + 1
		switch torn = text[n-1] != '\n'; {
		case start == 0 && n == LastLimit+blank, len(line)-start > LastLimit:
			return nil, torn, nil
		case start > 0 || n == size:
			return line[start:], torn, nil
		}
	}
	return nil, false, err
}

// settled is Last, when a torn line is not one that a writer without the lock is still writing.
func (f *File) settled() (line []byte, torn bool, err error) {
	line, torn, err = f.Last()
	for before := -1; torn && err == nil && len(line) != before; {
		before = len(line)
		time.Sleep(time.Millisecond)
		line, torn, err = f.Last()
	}
	return line, torn, err
}

// glued reports whether the last n bytes, just written, stand behind a line that was torn after Last had looked:
// another writer was killed in between. An append leaves the descriptor's offset at its own end, whoever has written
// since.
func (f *File) glued(n int64) bool {
	end, err := f.file.Seek(0, io.SeekCurrent)
	if err != nil || end <= n {
		return false
	}
	var before [1]byte
	read, _ := f.file.ReadAt(before[:], end-n-1)
	return read == 1 && before[0] != '\n'
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (int, error) { return f.file.ReadAt(p, off) }

// Lock takes the file's advisory lock for itself alone and reports whether it got it, without
// waiting. It is released by Unlock and by the end of the process, however that comes.
func (f *File) Lock() bool { return system.Lock(f.file) }

// LockFor tries for about some time: a stopped process must not stop all others.
func (f *File) LockFor(wait time.Duration) bool { return system.LockFor(f.file, wait) }

// Unlock releases the lock.
func (f *File) Unlock() { system.Unlock(f.file) }

// Current reports whether the file still bears the name it was opened by.
func (f *File) Current() bool {
	info, err := f.file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(info, named)
}

// Close closes the file; nothing can be appended or read afterwards.
func (f *File) Close() error { return f.file.Close() }
