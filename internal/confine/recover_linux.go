package confine

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// workspaceLayer is the name of the layer in a run's directory, and rootFile that
// of the file which says of which workspace it is. The file is there while what
// the run wrote is applied.
const (
	workspaceLayer = "workspace"
	rootFile       = "root"
)

// ownName begins the names that applying needs for a moment.
const ownName = ".nod-confine-"

// recovered puts a workspace in order in which nod was killed while it applied
// what a run wrote, and says what it found. run is that run's directory.
func recovered(run string) (notes []string) {
	root, err := os.ReadFile(filepath.Join(run, rootFile))
	upper := filepath.Join(run, workspaceLayer)
	since, madeErr := made(upper)
	if err != nil || madeErr != nil {
		return nil
	}
	fd, err := unix.Open(string(root), unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	a := &applier{o: Options{Root: string(root)}, upper: upper, since: since, root: fd}
	_ = filepath.WalkDir(upper, func(at string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			notes = append(notes, a.leftover(path.Join(below(upper, at), ownName+filepath.Base(run)))...)
		}
		return nil
	})
	return append(notes, fmt.Sprintf("an earlier run in %s was killed while what it wrote was applied, so that part "+
		"of that may be missing", root))
}

// leftover removes what lies at a name that applying needed for a moment: the
// beginning of what the run wrote, or what was replaced by it. What somebody
// changed meanwhile stays, and is named.
func (a *applier) leftover(name string) (notes []string) {
	_ = a.below(name, func(dir int, base string) error {
		var now unix.Stat_t
		err := unix.Fstatat(dir, base, &now, unix.AT_SYMLINK_NOFOLLOW)
		if err != nil || now.Mode&unix.S_IFMT == unix.S_IFDIR {
			return err
		}
		if !time.Unix(now.Mtim.Unix()).Before(a.since) && now.Mode&unix.S_IFMT == unix.S_IFREG &&
			!a.begins(dir, base, path.Dir(name), now.Size) {
			notes = append(notes, filepath.Join(a.o.Root, name)+
				" is what somebody changed while an earlier run went on")
			return nil
		}
		return unix.Unlinkat(dir, base, 0)
	})
	return notes
}

// begins reports whether a file is the beginning of one that the run wrote into
// the same directory.
func (a *applier) begins(dir int, base, beside string, size int64) bool {
	entries, _ := os.ReadDir(filepath.Join(a.upper, beside))
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		fd, err := unix.Openat(dir, base, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil || !e.Type().IsRegular() {
			return false
		}
		left := os.NewFile(uintptr(fd), base)
		defer left.Close()
		wrote, err := os.Open(filepath.Join(a.upper, beside, e.Name()))
		if err != nil {
			return false
		}
		defer wrote.Close()
		return sameContent(left, io.LimitReader(wrote, size))
	})
}
