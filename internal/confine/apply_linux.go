package confine

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// applier puts a layer onto the real tree. The layer is nobody's any more; the tree is everybody's, so each name is
// opened below the workspace without following a link, and what was changed since the run began is left alone.
type applier struct {
	o       Options
	upper   string
	since   time.Time
	root    int
	holes   int64 // in the files that were applied
	looks   bool  // says that nothing is changed: only found are the real files that would be replaced or removed
	found   []string
	refused []Refusal
}

// Why a name stays as it was.
var (
	errEnvironment = errors.New("it is an environment, whose programs run later")
	errRepository  = errors.New("it makes a git repository, whose settings run programs")
	errUnreadable  = errors.New("the run left what cannot be read")
	errMeanwhile   = errors.New("it was changed from outside while the run went on")
)

// apply puts what lies in upper into the workspace, and says what stays as it was. With an error nothing was applied.
func apply(o Options, upper string, since time.Time) ([]Refusal, error) {
	root, err := unix.Open(o.Root, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: the workspace cannot be opened: %w", ErrNotKept, err)
	}
	defer unix.Close(root)
	if o.Before != nil {
		look := &applier{o: o, upper: upper, since: since, root: root, looks: true}
		look.dir("")
		o.Before(look.found)
	}
	a := &applier{o: o, upper: upper, since: since, root: root}
	a.dir("")
	return a.refused, nil
}

func (a *applier) real(name string) string { return filepath.Join(a.o.Root, name) }
func (a *applier) left(name string) string { return filepath.Join(a.upper, name) }

// refuse names what stays as it was, if there is a reason.
func (a *applier) refuse(name string, why error) {
	var n unix.Errno
	if errors.As(why, &n) {
		why = n
	}
	if why != nil {
		a.refused = append(a.refused, Refusal{cmp.Or(name, "."), why.Error()})
	}
}

// dir applies what lies in one directory of the layer.
func (a *applier) dir(below string) {
	_ = os.Chmod(a.left(below), 0o700)
	entries, err := os.ReadDir(a.left(below))
	if err != nil {
		err = errUnreadable
	} else {
		err = a.programs(below, entries)
	}
	if err != nil {
		a.refuse(below, err)
		return
	}
	there := map[string]bool{}
	for _, e := range entries {
		there[e.Name()] = true
		name := path.Join(below, e.Name())
		a.refuse(name, a.entry(name))
	}
	if opaque(a.left(below)) {
		a.rest(below, there)
	}
}

// programs says why nothing in a directory is applied. The directory is, or would become with what the run wrote, a
// place where other tools find programs to run. git obeys the settings of a repository without a working tree in any
// place; the programs of an environment of Python's or conda's come before all others.
func (a *applier) programs(below string, entries []fs.DirEntry) error {
	has := func(name string) bool {
		return exists(a.left(path.Join(below, name))) || exists(a.real(path.Join(below, name)))
	}
	touches := slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return slices.Contains([]string{"head", "config", "objects", "refs", "commondir", "gitdir"},
			strings.ToLower(e.Name()))
	})
	switch {
	case touches && has("HEAD") && (has("objects") || has("refs") || has("commondir")):
		return errRepository
	case below != "" && (has("pyvenv.cfg") || has("conda-meta")):
		return errEnvironment
	}
	return nil
}

// entry applies one name.
func (a *applier) entry(name string) error {
	info, err := os.Lstat(a.left(name))
	if err != nil {
		return errUnreadable
	}
	switch mode := info.Mode(); {
	case strings.HasPrefix(path.Base(name), ownName):
		return errors.New("it has a name of nod's")
	case exists(a.real("pyvenv.cfg")) &&
		slices.Contains([]string{"bin", "lib", "lib64", "include", "pyvenv.cfg"}, name): // the sources lie beside
		return errEnvironment
	case gone(info):
		return a.remove(name)
	case path.Base(name) == "__pycache__": // what Python runs instead of a source that says something else
		return nil
	case mode.IsDir():
		return a.directory(name, mode)
	case mode.IsRegular():
		return a.file(name, info)
	case mode&fs.ModeSymlink != 0:
		return a.link(name)
	}
	return errors.New("it is no file")
}

// gone recognises what says that a name was removed.
func gone(info fs.FileInfo) bool {
	return info.Mode()&fs.ModeCharDevice != 0 && info.Sys().(*syscall.Stat_t).Rdev == 0
}

func opaque(dir string) bool {
	value := make([]byte, 8)
	n, err := unix.Lgetxattr(dir, "user.overlay.opaque", value)
	return err == nil && n > 0 && value[0] == 'y'
}

// rest removes what the run removed with its directory, before it made the directory anew.
func (a *applier) rest(below string, there map[string]bool) {
	entries, _ := os.ReadDir(a.real(below))
	for _, e := range entries {
		if name := path.Join(below, e.Name()); !there[e.Name()] {
			a.refuse(name, a.remove(name))
		}
	}
}

// keep says why a name is not changed, nil if it may be.
func (a *applier) keep(name string, deletes bool) error {
	if a.o.Keep == nil {
		return errors.New("nothing may be changed")
	}
	if why := a.o.Keep(a.real(name), deletes); why != "" {
		return errors.New(why)
	}
	return nil
}

// whole says why nothing in a directory may be changed: what lies in it is not looked at
// then. Below a file there is nothing to ask about.
func (a *applier) whole(name string) error {
	if isFile(a.real(name)) {
		return a.keep(name, false)
	}
	return a.keep(path.Join(name, "nod-confine-probe"), false)
}

func isFile(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

func (a *applier) directory(name string, mode fs.FileMode) error {
	if why := a.whole(name); why != nil {
		if a.changes(name) {
			return why
		}
		return nil
	}
	err := a.below(name, func(dir int, base string) error {
		now, err := stat(dir, base)
		if err == nil && !now.isDir() {
			if err = a.unlink(dir, base, name, now); err == nil {
				err = unix.ENOENT
			}
		}
		if errors.Is(err, unix.ENOENT) && !a.looks {
			err = unix.Mkdirat(dir, base, uint32(mode.Perm()|0o700))
		}
		return err
	})
	if err != nil && !a.looks {
		return err
	}
	a.dir(name)
	return nil
}

// changes reports whether the run changed something in a directory. An index that git wrote anew does not count.
func (a *applier) changes(name string) (changed bool) {
	_ = filepath.WalkDir(a.left(name), func(at string, d fs.DirEntry, err error) error {
		if err != nil || changed {
			return filepath.SkipAll
		}
		info, err := d.Info()
		silent := d.IsDir() || path.Base(name) == ".git" && strings.HasPrefix(d.Name(), "index")
		changed = !silent && (err != nil || !info.Mode().IsRegular() || !a.equal(below(a.upper, at), info))
		return nil
	})
	return changed
}

type found struct{ unix.Stat_t } // what is at a name of the real tree

func stat(dir int, base string) (now found, err error) {
	return now, unix.Fstatat(dir, base, &now.Stat_t, unix.AT_SYMLINK_NOFOLLOW)
}

func (f found) isDir() bool { return f.Mode&unix.S_IFMT == unix.S_IFDIR }

// may says why what is at a name must not be replaced or removed.
func (a *applier) may(name string, now found, deletes bool) error {
	if !time.Unix(now.Ctim.Unix()).Before(a.since) && !now.isDir() {
		return errMeanwhile
	}
	return a.keep(name, deletes)
}

// remove removes a name, and all below it that may go.
func (a *applier) remove(name string) error {
	real := a.real(name)
	switch {
	case !exists(real):
		return nil
	case a.o.Hidden != nil && a.o.Hidden(real):
		return nil // the run did not see it, and so did not mean it
	}
	err := a.below(name, func(dir int, base string) error {
		now, err := stat(dir, base)
		if err == nil && now.isDir() {
			if err = a.whole(name); err == nil {
				a.rest(name, nil)
			}
		}
		if err != nil {
			return err
		}
		return a.unlink(dir, base, name, now)
	})
	if errors.Is(err, unix.ENOTEMPTY) {
		return nil
	}
	return err
}

func (a *applier) unlink(dir int, base, name string, now found) error {
	flags := 0
	switch {
	case now.isDir():
		flags = unix.AT_REMOVEDIR
	case a.looks:
		a.found = append(a.found, a.real(name))
	default:
		if err := a.may(name, now, true); err != nil {
			return err
		}
	}
	if a.looks {
		return nil
	}
	return unix.Unlinkat(dir, base, flags)
}

// link makes a link that stays inside the workspace. A link that leads out would give what lies there a new name.
func (a *applier) link(name string) error {
	to, err := os.Readlink(a.left(name))
	target := path.Join(path.Dir(name), to)
	switch {
	case err != nil:
		return errUnreadable
	case path.IsAbs(to) || target == ".." || strings.HasPrefix(target, "../"):
		return errors.New("it is a link that leads out of the workspace")
	case path.Clean(to) != strings.TrimSuffix(to, "/") || a.throughLink(target): // up after down leads anywhere
		return errors.New("it is a link that leads through another one")
	case isDir(a.real(target)):
		err = a.whole(target)
	default:
		err = a.keep(target, false)
	}
	if err != nil {
		return fmt.Errorf("it is a link to what is guarded: %w", err)
	}
	if isFile(a.real(name)) && !a.looks { // of what was there nothing is left, as where it is removed
		if err := a.keep(name, true); err != nil {
			return err
		}
	}
	return a.replace(name, func(dir int, temporary string) error { return unix.Symlinkat(to, dir, temporary) })
}

// throughLink reports whether a directory on the way to a name is a link, in the workspace or in what the run wrote.
func (a *applier) throughLink(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		for _, at := range []string{a.left(dir), a.real(dir)} {
			if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				return true
			}
		}
	}
	return false
}

// maxHoles is by how much all files together may seem larger than what was written
// into them: a hole costs the run nothing, and the copy all of its length.
const maxHoles = 1 << 30

// file puts a file where it belongs, with none of the bits that lend rights.
func (a *applier) file(name string, info fs.FileInfo) error {
	if a.equal(name, info) {
		return nil
	}
	s := info.Sys().(*syscall.Stat_t)
	holes := max(0, s.Size-s.Blocks*512)
	if a.holes+holes > maxHoles {
		return errors.New("it seems far larger than what was written into it")
	}
	a.holes += holes
	return a.replace(name, func(dir int, temporary string) error {
		_ = os.Chmod(a.left(name), 0o600)
		from, err := os.OpenFile(a.left(name), os.O_RDONLY|unix.O_NOFOLLOW, 0)
		if err != nil {
			return err
		}
		defer from.Close()
		fd, err := unix.Openat(dir, temporary, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC,
			0o600)
		if err != nil {
			return err
		}
		to := os.NewFile(uintptr(fd), temporary)
		_, err = io.Copy(to, from)
		at := unix.NsecToTimeval(a.time(info.ModTime()).UnixNano())
		return errors.Join(err, to.Chmod(lent(info)), unix.Futimes(fd, []unix.Timeval{at, at}), to.Close())
	})
}

// lent are a file's rights, but for that of everybody to write it.
func lent(info fs.FileInfo) fs.FileMode { return info.Mode().Perm() &^ 0o002 }

// time is what a file's time becomes: one of before the run would hide that it
// is new, and one to come that what it was made from has changed since.
func (a *applier) time(at time.Time) time.Time {
	if at.Before(a.since) {
		return a.since
	}
	if now := time.Now(); at.After(now) {
		return now
	}
	return at
}

// equal reports whether the real file already is what the run left: a time that was set makes a layer hold the file.
func (a *applier) equal(name string, info fs.FileInfo) bool {
	real, err := os.Lstat(a.real(name))
	if err != nil || !real.Mode().IsRegular() || real.Size() != info.Size() || real.Mode().Perm() != lent(info) {
		return false
	}
	one, err := os.Open(a.left(name))
	if err != nil {
		return false
	}
	defer one.Close()
	other, err := os.OpenFile(a.real(name), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer other.Close()
	return sameContent(one, other)
}

func sameContent(one, other io.Reader) bool {
	a, b := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(one, a)
		m, otherErr := io.ReadFull(other, b)
		if n != m || !bytes.Equal(a[:n], b[:m]) {
			return false
		}
		if err != nil || otherErr != nil {
			return err != nil && otherErr != nil
		}
	}
}

// replace makes a new name beside the old one and puts it in its place. If the old file is
// not the file that was looked at, it is put back.
func (a *applier) replace(name string, make func(dir int, temporary string) error) error {
	return a.below(name, func(dir int, base string) error {
		now, err := stat(dir, base)
		there := err == nil
		switch {
		case there && now.isDir():
			there, err = false, a.remove(name)
		case there && a.looks:
			a.found = append(a.found, a.real(name))
		case there:
			err = a.may(name, now, false)
		case errors.Is(err, unix.ENOENT):
			err = a.keep(name, false)
		}
		if err != nil || a.looks {
			return err
		}
		temporary := ownName + filepath.Base(filepath.Dir(a.upper))
		defer unix.Unlinkat(dir, temporary, 0)
		if err := make(dir, temporary); err != nil {
			return err
		}
		if !there {
			return unix.Renameat2(dir, temporary, dir, base, unix.RENAME_NOREPLACE)
		}
		return exchange(dir, temporary, base, now)
	})
}

func exchange(dir int, temporary, base string, seen found) error {
	err := unix.Renameat2(dir, temporary, dir, base, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return unix.Renameat(dir, temporary, dir, base)
	}
	if err != nil {
		return err
	}
	old, err := stat(dir, temporary)
	if err == nil && (old.Ino != seen.Ino || old.Mtim != seen.Mtim || old.Size != seen.Size) {
		_ = unix.Renameat2(dir, temporary, dir, base, unix.RENAME_EXCHANGE)
		return errMeanwhile
	}
	return err
}

// below opens the directory of a name, below the workspace and through no link.
func (a *applier) below(name string, do func(dir int, base string) error) error {
	dir, err := unix.Openat2(a.root, path.Dir(name), &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	return do(dir, path.Base(name))
}
