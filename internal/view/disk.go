package view

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/nodgate/nod/internal/system"
)

// Disk is the real file system. The zero value is ready.
type Disk struct{}

var _ Files = Disk{}

func (Disk) Lstat(name string) (Info, error) {
	if onWindows && name == "/" { // where the drives are
		return Info{Mode: fs.ModeDir | 0o755}, nil
	}
	name = Native(name)
	info, err := os.Lstat(name)
	if err != nil {
		return Info{}, err
	}
	is, err := system.Describe(name, info)
	return Info{
		Mode: is.Mode, Size: info.Size(), Links: is.Links, UID: uint32(is.UID), Dev: is.Dev, Inode: is.Inode,
		Born: is.Born,
	}, err
}

func (Disk) Readlink(name string) (string, error) { return os.Readlink(Native(name)) }

// Windows reports whether names are Windows'.
func (Disk) Windows() bool { return onWindows }

// open follows no final link and does not block.
func open(name string) (*os.File, error) { return system.Open(Native(name), os.O_RDONLY, 0) }

// Read looks at what was really opened, whose end may have moved since its size was
// taken; files of /proc do not tell it.
func (Disk) Read(name string, limit int64) ([]byte, error) {
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", name)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s: %d bytes, more than the %d that are read", name, info.Size(), limit)
	}
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead)
	if n, err := data.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, err
	} else if n > limit {
		return nil, fmt.Errorf("%s: more than the %d bytes that are read", name, limit)
	}
	return data.Bytes(), nil
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
	f, err := open(name)
	if err != nil {
		return nil, err
	}
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
