package confine

import (
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
	runs, run, kept string
	locks           []*os.File
}

const workspaceLayer = "workspace" // the workspace's layer in a run's directory

// layers is where overlays are mounted, those of each run in a mount namespace of its
// own, so that runs share the directory.
func layers(cache string) string { return filepath.Join(cache, "layers") }

// rent makes the directories.
func rent(o Options) (*lease, error) {
	l := &lease{runs: filepath.Join(o.Cache, "runs"), kept: filepath.Join(o.Cache, "workspaces", short(o.Root))}
	err := errors.Join(os.MkdirAll(l.runs, 0o700), os.MkdirAll(layers(o.Cache), 0o700), os.MkdirAll(l.kept, 0o700),
		os.Chmod(o.Cache, 0o700))
	if err == nil {
		err = l.begin()
	}
	if err != nil {
		return l, err
	}
	free, err := l.lock(l.kept)
	if !free && err == nil { // another run in this workspace: layers that end with this one
		l.kept = filepath.Join(l.run, "kept")
		err = os.Mkdir(l.kept, 0o700)
	}
	for _, name := range []string{"tmp", workspaceLayer, "work-" + workspaceLayer, "work-layer-" + short(o.Home)} {
		err = errors.Join(err, os.Mkdir(filepath.Join(l.run, name), 0o700))
	}
	return l, err
}

// begin makes this run's directory. Who sweeps may take one before it is locked.
func (l *lease) begin() error {
	for range 100 {
		run, err := os.MkdirTemp(l.runs, "")
		if err != nil {
			return err
		}
		free, err := l.lock(run)
		if free && exists(run) {
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
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		l.locks = append(l.locks, f)
		return true, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = nil
	}
	return false, err
}

// made is when a layer was made, by the clock of its file system.
func made(layer string) (time.Time, error) {
	var s syscall.Stat_t
	err := syscall.Stat(layer, &s)
	return time.Unix(s.Ctim.Unix()), err
}

// end removes the files of a run. Its directories go while a later one runs: to remove one
// takes the kernel a quarter of a millisecond, and far longer beside others that write.
func (l *lease) end() {
	_ = filepath.WalkDir(l.run, func(name string, d fs.DirEntry, err error) error {
		switch {
		case d != nil && d.IsDir() && err == nil:
			_ = os.Chmod(name, 0o700)
		case err == nil:
			_ = os.Remove(name)
		}
		return nil
	})
	for _, f := range l.locks {
		_ = f.Close()
	}
}

// sweep removes what earlier runs left below nod's own directory, for which nobody waits.
func (l *lease) sweep() {
	var left []*lease
	entries, _ := os.ReadDir(l.runs)
	for _, e := range entries {
		old := &lease{run: filepath.Join(l.runs, e.Name())}
		if free, _ := old.lock(old.run); free {
			left = append(left, old)
		}
	}
	wait := aLittle // a line that ends by then is not kept waiting by the disk
	if len(left) > manyLeft {
		wait = 0
	}
	time.AfterFunc(wait, func() {
		for _, old := range left {
			old.end()
			_ = os.RemoveAll(old.run)
		}
	})
}

const (
	aLittle  = 100 * time.Millisecond
	manyLeft = 32
)

const ownName = ".nod-confine-" // begins the names that applying needs for a moment
