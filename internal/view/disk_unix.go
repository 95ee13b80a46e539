//go:build unix

package view

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Disk is the real file system. The zero value is ready.
type Disk struct{}

var _ Files = Disk{}

func (Disk) Lstat(name string) (Info, error) {
	fi, err := os.Lstat(name)
	if err != nil {
		return Info{}, err
	}
	return infoOf(fi), nil
}

func infoOf(fi fs.FileInfo) Info {
	info := Info{Mode: fi.Mode(), Size: fi.Size()}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		info.Links, info.UID = uint64(st.Nlink), st.Uid
		info.Dev, info.Inode = uint64(st.Dev), st.Ino
		info.Born = born(st)
	}
	return info
}

func (Disk) Readlink(name string) (string, error) { return os.Readlink(name) }

// Read opens without following a final link and without blocking, then looks
// at what was really opened.
func (Disk) Read(name string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", name)
	}
	if fi.Size() > limit {
		return nil, fmt.Errorf("%s: %d bytes, more than the %d that are read", name, fi.Size(), limit)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("%s: more than the %d bytes that are read", name, limit)
	}
	return data, err
}

func (Disk) List(name string, limit int) ([]string, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(limit + 1)
	if err == io.EOF {
		err = nil
	}
	if len(names) > limit {
		return nil, fmt.Errorf("%s: more than %d names", name, limit)
	}
	return names, err
}
