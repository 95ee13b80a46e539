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

// applied is what became of a run's layer.
type applied struct {
	count   int
	refused []Refusal
}

// applier puts a layer onto the real tree. The layer is nobody's any more; the
// tree is everybody's, so each name is opened below the workspace without
// following a link, and what was changed since the run began is left alone.
type applier struct {
	o     Options
	upper string
	since time.Time
	root  int
	holes int64 // in the files that were applied
	applied
}

// apply puts what lies in upper into the workspace. An error is one of the
// machine's; what was applied before it is counted.
func apply(o Options, upper string, since time.Time) (applied, error) {
	root, err := unix.Open(o.Root, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return applied{}, fmt.Errorf("%w: the workspace cannot be opened: %w", ErrNotKept, err)
	}
	defer unix.Close(root)
	a := &applier{o: o, upper: upper, since: since, root: root}
	if o.Before != nil {
		o.Before(a.changes(""))
	}
	a.dir("")
	return a.applied, nil
}

// changes are the real files that a directory of the layer would replace or remove.
func (a *applier) changes(below string) (names []string) {
	at := filepath.Join(a.upper, below)
	entries, _ := os.ReadDir(at)
	there := map[string]bool{}
	for _, e := range entries {
		there[e.Name()] = true
		name := path.Join(below, e.Name())
		info, err := e.Info()
		switch {
		case err != nil:
		case gone(info):
			names = append(names, a.files(name)...)
		case info.IsDir():
			names = append(names, a.changes(name)...)
		case !info.Mode().IsRegular() || !a.equal(name, info):
			names = append(names, a.files(name)...)
		}
	}
	if opaque(at) {
		entries, _ := os.ReadDir(filepath.Join(a.o.Root, below))
		for _, e := range entries {
			if !there[e.Name()] {
				names = append(names, a.files(path.Join(below, e.Name()))...)
			}
		}
	}
	return names
}

// files are the real files at a name and below it that the run saw.
func (a *applier) files(name string) (names []string) {
	_ = filepath.WalkDir(filepath.Join(a.o.Root, name), func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || a.o.Hidden != nil && a.o.Hidden(at):
		case d.Name() == ".git" && d.IsDir():
			return filepath.SkipDir // which stays as it is
		case !d.IsDir():
			names = append(names, at)
		}
		return nil
	})
	return names
}

func (a *applier) refuse(name, why string) {
	a.refused = append(a.refused, Refusal{name, why})
}

// dir applies what lies in one directory of the layer.
func (a *applier) dir(below string) {
	at := filepath.Join(a.upper, below)
	_ = os.Chmod(at, 0o700)
	entries, err := os.ReadDir(at)
	if err != nil {
		a.refuse(below, "the run left what cannot be read")
		return
	}
	if why := a.programs(below, entries); why != "" {
		a.refuse(cmp.Or(below, "."), why)
		return
	}
	there := map[string]bool{}
	for _, e := range entries {
		there[e.Name()] = true
		a.entry(path.Join(below, e.Name()))
	}
	if opaque(at) {
		a.rest(below, there)
	}
}

// programs says why nothing in a directory is applied, whatever its name: it
// is, or would be with what the run wrote, one in which programs lie that are
// found by what is in it. git reads the settings of a repository without a
// working tree wherever it lies; an environment of Python's or conda's is put
// before all other programs.
func (a *applier) programs(below string, entries []fs.DirEntry) (why string) {
	has := func(name string) bool {
		_, up := os.Lstat(filepath.Join(a.upper, below, name))
		_, real := os.Lstat(filepath.Join(a.o.Root, below, name))
		return up == nil || real == nil
	}
	switch {
	case touchesRepository(entries) && has("HEAD") && (has("objects") || has("refs") || has("commondir")):
		return "it makes a git repository, whose settings run programs"
	case below != "" && (has("pyvenv.cfg") || has("conda-meta")):
		return ofEnvironment
	}
	return ""
}

const ofEnvironment = "it is an environment, whose programs run later"

// environment reports whether a name is a part of an environment that the
// workspace itself is: the sources lie beside.
func (a *applier) environment(name string) bool {
	_, err := os.Lstat(filepath.Join(a.o.Root, "pyvenv.cfg"))
	return err == nil && slices.Contains([]string{"bin", "lib", "lib64", "include", "pyvenv.cfg"}, name)
}

func touchesRepository(entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return slices.Contains([]string{"head", "config", "objects", "refs", "commondir", "gitdir"},
			strings.ToLower(e.Name()))
	})
}

// entry applies one name.
func (a *applier) entry(name string) {
	info, err := os.Lstat(filepath.Join(a.upper, name))
	if err != nil {
		a.refuse(name, "the run left what cannot be read")
		return
	}
	switch mode := info.Mode(); {
	case strings.HasPrefix(path.Base(name), ownName):
		a.refuse(name, "it has a name of nod's")
	case a.environment(name):
		a.refuse(name, ofEnvironment)
	case gone(info):
		a.remove(name)
	case path.Base(name) == "__pycache__": // what Python runs instead of a source that says something else
	case mode.IsDir():
		a.directory(name, mode)
	case mode.IsRegular():
		a.file(name, info)
	case mode&fs.ModeSymlink != 0:
		a.link(name)
	default:
		a.refuse(name, "it is no file")
	}
}

// gone recognises what says that a name was removed.
func gone(info fs.FileInfo) bool {
	s := info.Sys().(*syscall.Stat_t)
	return info.Mode()&fs.ModeCharDevice != 0 && s.Rdev == 0
}

func opaque(dir string) bool {
	value := make([]byte, 8)
	n, err := unix.Lgetxattr(dir, "user.overlay.opaque", value)
	return err == nil && n > 0 && value[0] == 'y'
}

// rest removes what the run removed with its directory, before it made the
// directory anew.
func (a *applier) rest(below string, there map[string]bool) {
	entries, _ := os.ReadDir(filepath.Join(a.o.Root, below))
	for _, e := range entries {
		if name := path.Join(below, e.Name()); !there[e.Name()] {
			a.remove(name)
		}
	}
}

// whole reports whether a directory is one in which nothing may be changed: what
// lies in it is not looked at then. Below a file there is nothing to ask about.
func (a *applier) whole(name string) (why string) {
	if info, err := os.Lstat(filepath.Join(a.o.Root, name)); err == nil && info.Mode().IsRegular() {
		return a.keep(name, false)
	}
	return a.keep(path.Join(name, "nod-confine-probe"), false)
}

func (a *applier) keep(name string, deletes bool) (why string) {
	if a.o.Keep == nil {
		return "nothing may be changed"
	}
	return a.o.Keep(filepath.Join(a.o.Root, name), deletes)
}

func (a *applier) directory(name string, mode fs.FileMode) {
	if why := a.whole(name); why != "" {
		a.refuseWhole(name, why)
		return
	}
	err := a.below(name, func(dir int, base string) error {
		var now unix.Stat_t
		err := unix.Fstatat(dir, base, &now, unix.AT_SYMLINK_NOFOLLOW)
		if err == nil && now.Mode&unix.S_IFMT != unix.S_IFDIR {
			if why := a.may(name, now, true); why != nil {
				return why
			}
			if err := unix.Unlinkat(dir, base, 0); err != nil {
				return err
			}
			err = unix.ENOENT
		}
		if errors.Is(err, unix.ENOENT) {
			a.count++
			return unix.Mkdirat(dir, base, uint32(mode.Perm()|0o700))
		}
		return err
	})
	if err != nil {
		a.refuse(name, said(err))
		return
	}
	a.dir(name)
}

// refuseWhole names a directory in which the run changed something. That git
// wrote its index anew is no change of anybody's.
func (a *applier) refuseWhole(name, why string) {
	changed := false
	_ = filepath.WalkDir(filepath.Join(a.upper, name), func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || changed:
			return filepath.SkipAll
		case d.IsDir():
			return nil
		}
		below, _ := filepath.Rel(a.upper, at)
		info, err := d.Info()
		silent := path.Base(name) == ".git" && strings.HasPrefix(d.Name(), "index") || name == "__pycache__"
		changed = !silent && (err != nil || !info.Mode().IsRegular() || !a.equal(below, info))
		return nil
	})
	if changed {
		a.refuse(name, why)
	}
}

// may says why what is at a name must not be replaced or removed.
func (a *applier) may(name string, now unix.Stat_t, deletes bool) error {
	changed := time.Unix(now.Ctim.Unix())
	if !changed.Before(a.since) && now.Mode&unix.S_IFMT != unix.S_IFDIR {
		return errors.New("it was changed from outside while the run went on")
	}
	if why := a.keep(name, deletes); why != "" {
		return errors.New(why)
	}
	return nil
}

// remove removes a name, and all below it that may go.
func (a *applier) remove(name string) {
	real := filepath.Join(a.o.Root, name)
	info, err := os.Lstat(real)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return
	case a.o.Hidden != nil && a.o.Hidden(real):
		return // the run did not see it, and so did not mean it
	case err == nil && info.IsDir():
		if why := a.whole(name); why != "" {
			a.refuse(name, why)
			return
		}
		a.rest(name, nil)
	}
	err = a.below(name, func(dir int, base string) error { return a.unlink(dir, base, name) })
	if err != nil && !errors.Is(err, unix.ENOTEMPTY) {
		a.refuse(name, said(err))
	}
}

func (a *applier) unlink(dir int, base, name string) error {
	var now unix.Stat_t
	if err := unix.Fstatat(dir, base, &now, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	if now.Mode&unix.S_IFMT == unix.S_IFDIR {
		a.count++
		return unix.Unlinkat(dir, base, unix.AT_REMOVEDIR)
	}
	if err := a.may(name, now, true); err != nil {
		return err
	}
	a.count++
	return unix.Unlinkat(dir, base, 0)
}

// link makes a link that stays inside the workspace. One that leads out lends a
// harmless name to what lies there.
func (a *applier) link(name string) {
	to, err := os.Readlink(filepath.Join(a.upper, name))
	target := path.Join(path.Dir(name), to)
	switch {
	case err != nil:
		a.refuse(name, "the run left what cannot be read")
		return
	case path.IsAbs(to) || target == ".." || strings.HasPrefix(target, "../"):
		a.refuse(name, "it is a link that leads out of the workspace")
		return
	case path.Clean(to) != strings.TrimSuffix(to, "/") || a.throughLink(target): // up after down leads anywhere
		a.refuse(name, "it is a link that leads through another one")
		return
	}
	look := a.whole
	if !isDir(filepath.Join(a.o.Root, target)) {
		look = func(name string) string { return a.keep(name, false) }
	}
	if why := look(target); why != "" {
		a.refuse(name, "it is a link to what is guarded: "+why)
		return
	}
	if info, err := os.Lstat(filepath.Join(a.o.Root, name)); err == nil && info.Mode().IsRegular() {
		if why := a.keep(name, true); why != "" { // of what was there nothing is left, as where it is removed
			a.refuse(name, why)
			return
		}
	}
	a.replace(name, func(dir int, temporary string) error { return unix.Symlinkat(to, dir, temporary) })
}

// throughLink reports whether a directory on the way to a name is a link, in
// the workspace or in what the run wrote.
func (a *applier) throughLink(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		for _, tree := range []string{a.upper, a.o.Root} {
			if info, err := os.Lstat(filepath.Join(tree, dir)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
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
func (a *applier) file(name string, info fs.FileInfo) {
	if a.equal(name, info) {
		return
	}
	s := info.Sys().(*syscall.Stat_t)
	holes := max(0, s.Size-s.Blocks*512)
	if a.holes+holes > maxHoles {
		a.refuse(name, "it seems far larger than what was written into it")
		return
	}
	a.holes += holes
	a.replace(name, func(dir int, temporary string) error {
		from, err := os.OpenFile(filepath.Join(a.upper, name), os.O_RDONLY|unix.O_NOFOLLOW, 0)
		if err != nil && os.Chmod(filepath.Join(a.upper, name), 0o600) == nil {
			from, err = os.OpenFile(filepath.Join(a.upper, name), os.O_RDONLY|unix.O_NOFOLLOW, 0)
		}
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
		return errors.Join(err, to.Chmod(lent(info)), times(fd, a.time(info.ModTime())), to.Close())
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

func times(fd int, at time.Time) error {
	t := unix.NsecToTimeval(at.UnixNano())
	return unix.Futimes(fd, []unix.Timeval{t, t})
}

// equal reports whether the real file already is what the run left: a time that
// was set makes a layer hold the file.
func (a *applier) equal(name string, info fs.FileInfo) bool {
	real, err := os.Lstat(filepath.Join(a.o.Root, name))
	if err != nil || !real.Mode().IsRegular() || real.Size() != info.Size() ||
		real.Mode().Perm() != lent(info) {
		return false
	}
	one, err := os.Open(filepath.Join(a.upper, name))
	if err != nil {
		return false
	}
	defer one.Close()
	other, err := os.OpenFile(filepath.Join(a.o.Root, name), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
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

// replace makes a new name beside the old one and puts it in its place. Where
// the old one is another than the one that was looked at, it is put back.
func (a *applier) replace(name string, make func(dir int, temporary string) error) {
	err := a.below(name, func(dir int, base string) error {
		var now unix.Stat_t
		err := unix.Fstatat(dir, base, &now, unix.AT_SYMLINK_NOFOLLOW)
		there := err == nil
		switch {
		case there && now.Mode&unix.S_IFMT == unix.S_IFDIR:
			a.remove(name)
			there = false
		case there:
			err = a.may(name, now, false)
		case errors.Is(err, unix.ENOENT):
			if why := a.keep(name, false); why != "" {
				return errors.New(why)
			}
			err = nil
		}
		if err != nil {
			return err
		}
		temporary := temporary(filepath.Dir(a.upper))
		defer unix.Unlinkat(dir, temporary, 0)
		if err := make(dir, temporary); err != nil {
			return err
		}
		a.count++
		if !there {
			return unix.Renameat2(dir, temporary, dir, base, unix.RENAME_NOREPLACE)
		}
		return exchange(dir, temporary, base, now)
	})
	if err != nil {
		a.refuse(name, said(err))
	}
}

func exchange(dir int, temporary, base string, seen unix.Stat_t) error {
	err := unix.Renameat2(dir, temporary, dir, base, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return unix.Renameat(dir, temporary, dir, base)
	}
	if err != nil {
		return err
	}
	var old unix.Stat_t
	if err := unix.Fstatat(dir, temporary, &old, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	if old.Ino != seen.Ino || old.Mtim != seen.Mtim || old.Size != seen.Size {
		_ = unix.Renameat2(dir, temporary, dir, base, unix.RENAME_EXCHANGE)
		return errors.New("it was changed from outside while the run went on")
	}
	return nil
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

// said is an error as one reads it.
func said(err error) string {
	var n unix.Errno
	if errors.As(err, &n) {
		return n.Error()
	}
	return err.Error()
}
