package confine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// lease is what belongs to one run: a directory of its own, and the layers
// over the caches, which runs in the same workspace use one after the other.
type lease struct {
	run, kept string
	locks     []*os.File
}

// rent makes the directories, and removes those of runs that were killed.
func rent(o Options) (*lease, error) {
	runs := filepath.Join(o.Cache, "runs")
	if err := os.MkdirAll(runs, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(o.Cache, 0o700); err != nil {
		return nil, err
	}
	sweep(runs)
	run, err := os.MkdirTemp(runs, "")
	if err != nil {
		return nil, err
	}
	l := &lease{run: run}
	if _, err := l.lock(run + ".lock"); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(o.Root))
	l.kept = filepath.Join(o.Cache, "workspaces", hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(l.kept, 0o700); err != nil {
		return nil, err
	}
	free, err := l.lock(l.kept + ".lock")
	if !free && err == nil { // another run in this workspace: layers that end with this one
		l.kept = filepath.Join(run, "kept")
		err = os.Mkdir(l.kept, 0o700)
	}
	return l, err
}

// lock takes a file's lock; free is false where another process has it.
func (l *lease) lock(name string) (free bool, err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return false, nil
		}
		return false, err
	}
	l.locks = append(l.locks, f)
	return true, nil
}

// now is the time by the clock of the file system.
func (l *lease) now() (time.Time, error) {
	name := filepath.Join(l.run, "now")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		return time.Time{}, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

func (l *lease) end() {
	remove(l.run)
	_ = os.Remove(l.run + ".lock")
	for _, f := range l.locks {
		_ = f.Close()
	}
}

// sweep removes what killed runs left.
func sweep(runs string) {
	entries, _ := os.ReadDir(runs)
	for _, e := range entries {
		name := filepath.Join(runs, e.Name())
		if !e.IsDir() {
			continue
		}
		l := &lease{run: name}
		if free, err := l.lock(name + ".lock"); free && err == nil {
			l.end()
		}
	}
}

// remove removes a tree whose directories may have lost their modes.
func remove(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(name, 0o700)
			if err != nil {
				_ = os.RemoveAll(name)
			}
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
