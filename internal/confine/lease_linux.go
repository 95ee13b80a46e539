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
	notes     []string // what became of runs that were killed
}

// layers is where a stage mounts the overlays, each in a mount namespace of its
// own, so that runs share the directory.
func layers(cache string) string { return filepath.Join(cache, "layers") }

// rent makes the directories, and removes those of runs that were killed.
func rent(o Options) (*lease, error) {
	runs := filepath.Join(o.Cache, "runs")
	err := errors.Join(os.MkdirAll(runs, 0o700), os.MkdirAll(layers(o.Cache), 0o700), os.Chmod(o.Cache, 0o700))
	if err != nil {
		return nil, err
	}
	l := &lease{notes: sweep(runs)}
	if err := l.begin(runs); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(o.Root))
	l.kept = filepath.Join(o.Cache, "workspaces", hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(l.kept, 0o700); err != nil {
		return nil, err
	}
	free, err := l.lock(l.kept)
	if !free && err == nil { // another run in this workspace: layers that end with this one
		l.kept = filepath.Join(l.run, "kept")
		err = os.Mkdir(l.kept, 0o700)
	}
	return l, err
}

// begin makes this run's directory. Who sweeps may take one before it is locked.
func (l *lease) begin(runs string) error {
	for range 100 {
		run, err := os.MkdirTemp(runs, "")
		if err != nil {
			return err
		}
		free, err := l.lock(run)
		if _, gone := os.Stat(run); free && gone == nil {
			l.run = run
			return nil
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return errors.New("no directory for a run stays")
}

// lock takes a directory's lock; free is false where another process has it.
func (l *lease) lock(name string) (free bool, err error) {
	f, err := os.Open(name)
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

// made is when a layer was made, by the clock of its file system.
func made(layer string) (time.Time, error) {
	var s syscall.Stat_t
	err := syscall.Stat(layer, &s)
	return time.Unix(s.Ctim.Unix()), err
}

func (l *lease) end() {
	remove(l.run)
	for _, f := range l.locks {
		_ = f.Close()
	}
}

// sweep removes what killed runs left, and says what it put in order.
func sweep(runs string) (notes []string) {
	entries, _ := os.ReadDir(runs)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		l := &lease{run: filepath.Join(runs, e.Name())}
		if free, err := l.lock(l.run); free && err == nil {
			notes = append(notes, recovered(l.run)...)
			l.end()
		}
	}
	return notes
}

// applying remembers on disk of which workspace the run's layer is, for who comes
// after this process is killed.
func (l *lease) applying(root string) error {
	return os.WriteFile(filepath.Join(l.run, rootFile), []byte(root), 0o600)
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
