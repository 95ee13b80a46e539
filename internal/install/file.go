package install

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// file is a settings file as it was read.
type file struct {
	path string // as named
	real string // where its bytes are: path, but for a user's own links
	data []byte // nil where there is none
	mode fs.FileMode
	uid  int
	gid  int
}

// Target returns the settings file that o names.
func (o Options) Target() string { return filepath.Join(o.base(), o.relative()) }

// base is the directory below which the target lies and which the person
// named; links above it are theirs.
func (o Options) base() string {
	switch o.Level {
	case User:
		return o.Home
	case Project:
		return o.Project
	}
	return filepath.Join("/", o.Root)
}

// read reads the target, or says why nod must not write there.
func (o Options) read() (file, error) {
	if base := o.base(); !filepath.IsAbs(base) {
		return file{}, fmt.Errorf("install: %s level: %q is not an absolute directory", o.Level, base)
	}
	f := file{path: o.Target(), mode: 0o644, uid: -1, gid: -1}
	if o.Level == User {
		f.mode = 0o600
	}
	var err error
	if f.real, err = o.resolve(); err != nil {
		return file{}, err
	}
	if err := f.load(); err != nil {
		return file{}, err
	}
	return f, o.trusted(f)
}

// resolve returns where the target's bytes are. Links below the base are
// refused, since a repository or another user can set them; in the home
// directory they are followed as long as they stay there (people keep their
// settings in a repository of their own).
func (o Options) resolve() (string, error) {
	base, err := filepath.EvalSymlinks(o.base())
	if err != nil {
		return "", fmt.Errorf("install: %s level: %w", o.Level, err)
	}
	at := base
	for part := range strings.SplitSeq(o.relative(), "/") {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("install: %w", err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		if at, err = o.follow(base, at); err != nil {
			return "", err
		}
	}
	return at, nil
}

func (o Options) follow(base, link string) (string, error) {
	real, err := filepath.EvalSymlinks(link)
	if err != nil {
		return "", fmt.Errorf("%s: a link that leads nowhere: %w", link, err)
	}
	if o.Level != User || !below(base, real) {
		return "", fmt.Errorf("%s: a link to %s; nod writes through no link at %s level that leaves its directory; "+
			"edit that file's owner's way or replace the link by the file", link, real, o.Level)
	}
	return real, nil
}

// below reports whether path is dir or lies in it, name by name.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// load reads the bytes of a regular file, without waiting at a pipe.
func (f *file) load() error {
	h, err := os.OpenFile(f.real, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	defer h.Close()
	info, err := h.Stat()
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", f.path)
	}
	f.mode, f.uid, f.gid = info.Mode().Perm(), -1, -1
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		f.uid, f.gid = int(s.Uid), int(s.Gid)
	}
	if f.data, err = io.ReadAll(io.LimitReader(h, maxSettings+1)); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if len(f.data) > maxSettings {
		return fmt.Errorf("%s: more than %d bytes", f.path, maxSettings)
	}
	if f.data == nil {
		f.data = []byte{}
	}
	return nil
}

// trusted refuses files that are somebody else's: root must not be led
// through a user's directories, and what others may write promises nothing at
// the managed level.
func (o Options) trusted(f file) error {
	self := os.Geteuid()
	for at := filepath.Dir(f.real); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if errors.Is(err, fs.ErrNotExist) && at != "/" {
			continue
		}
		if err != nil {
			return fmt.Errorf("install: %w", err)
		}
		s, ok := info.Sys().(*syscall.Stat_t)
		if ok && int(s.Uid) != self && !(o.Level == Managed && s.Uid == 0) {
			return fmt.Errorf("%s: belongs to user id %d, and this runs as %d; run it as that user", at, s.Uid, self)
		}
		if o.Level == Managed && info.Mode().Perm()&0o022 != 0 {
			return fmt.Errorf("%s: others may write there, so managed settings in it promise nothing; "+
				"first run: chmod go-w %s", at, Quote(at))
		}
		break
	}
	if f.data != nil && f.uid != self && !(o.Level == Managed && f.uid == 0) {
		return fmt.Errorf("%s: belongs to user id %d, and this runs as %d; run it as that user", f.path, f.uid, self)
	}
	if f.data != nil && o.Level == Managed && f.mode&0o022 != 0 {
		return fmt.Errorf("%s: others may write to it, so it promises nothing; first run: chmod go-w %s", f.path,
			Quote(f.path))
	}
	return nil
}

// weaknesses says what the file's rights let others do.
func (f file) weaknesses() []Finding {
	if f.data == nil || f.mode&0o022 == 0 {
		return nil
	}
	return []Finding{{Kind: Weak, Path: f.path,
		Text: "other users may write to it and so take nod out; run: chmod go-w " + Quote(f.path)}}
}

// Writable returns nil if this process may write p's file, and the system's
// error otherwise.
func (p Plan) Writable() error {
	const writeAndSearch = 0o2 | 0o1
	for at := filepath.Dir(p.file.real); ; at = filepath.Dir(at) {
		err := syscall.Access(at, writeAndSearch)
		if errors.Is(err, fs.ErrNotExist) && at != "/" {
			continue
		}
		if err != nil {
			return &fs.PathError{Op: "write", Path: at, Err: err}
		}
		return nil
	}
}

// Apply makes the change: a copy of the old file beside it, then one rename,
// so that an agent reads the old file or the new one. It returns the copy's
// path, "" where nothing was copied. A file that changed since it was planned
// is left alone.
func Apply(p Plan, now time.Time) (backup string, err error) {
	if !p.Changed() {
		return "", nil
	}
	dir := filepath.Dir(p.file.real)
	if err := makeDir(dir, p.Level); err != nil {
		return "", fmt.Errorf("install: %w", err)
	}
	if p.Before != nil {
		if backup, err = writeBackup(p.file.real, p.Before, now); err != nil {
			return "", err
		}
	}
	if err := p.swap(dir); err != nil {
		return backup, fmt.Errorf("%s: not written: %w", p.Path, err)
	}
	return backup, nil
}

// makeDir makes a directory and those above it. Those of the organisation are
// for everybody, whatever the umask says: an agent that cannot read its managed
// settings runs without them.
func makeDir(dir string, l Level) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := makeDir(parent, l); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, dirMode(l)); err != nil {
		return err
	}
	if l != Managed {
		return nil
	}
	return os.Chmod(dir, dirMode(l))
}

// hidden says what keeps other users, and so their agents, from reading a
// managed file: "" for nothing.
func (p Plan) hidden() string {
	if p.Level != Managed || p.After == nil {
		return ""
	}
	if p.file.mode&0o004 == 0 {
		return p.file.real
	}
	for dir := filepath.Dir(p.file.real); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.Mode()&0o001 == 0 {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func dirMode(l Level) fs.FileMode {
	if l == User {
		return 0o700
	}
	return 0o755
}

// Backups lists the copies of the file that earlier changes left beside it.
func (p Plan) Backups() []string {
	entries, err := os.ReadDir(filepath.Dir(p.file.real))
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(p.file.real)+".nod-backup-") {
			list = append(list, filepath.Join(filepath.Dir(p.file.real), e.Name()))
		}
	}
	return list
}

// writeBackup copies data beside path, under a name that is not taken.
func writeBackup(path string, data []byte, now time.Time) (string, error) {
	name := path + ".nod-backup-" + now.UTC().Format("20060102T150405Z")
	for n := 2; ; n++ {
		h, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) && n < 100 {
			name = fmt.Sprintf("%s.nod-backup-%s-%d", path, now.UTC().Format("20060102T150405Z"), n)
			continue
		}
		if err != nil {
			return "", fmt.Errorf("install: no backup, so nothing was changed: %w", err)
		}
		if err := fill(h, data); err != nil {
			return "", fmt.Errorf("install: no backup, so nothing was changed: %w", err)
		}
		return name, nil
	}
}

// swap writes the new file beside the old one and renames it, or removes the
// old one.
func (p Plan) swap(dir string) error {
	if p.After == nil {
		if err := p.unchanged(); err != nil {
			return err
		}
		if err := os.Remove(p.file.real); err != nil {
			return err
		}
		return syncDir(dir)
	}
	h, err := os.CreateTemp(dir, ".nod-settings-*")
	if err != nil {
		return err
	}
	defer os.Remove(h.Name()) // gone once it is renamed
	if err := h.Chmod(p.file.mode); err != nil {
		h.Close()
		return err
	}
	if p.Before != nil && p.file.gid != os.Getegid() {
		if err := h.Chown(-1, p.file.gid); err != nil {
			h.Close()
			return fmt.Errorf("cannot keep its group: %w", err)
		}
	}
	if err := fill(h, p.After); err != nil {
		return err
	}
	if err := p.unchanged(); err != nil {
		return err
	}
	if err := os.Rename(h.Name(), p.file.real); err != nil {
		return err
	}
	return syncDir(dir)
}

// unchanged looks whether the file is still what was planned for.
func (p Plan) unchanged() error {
	now := p.file
	now.data = nil
	if err := now.load(); err != nil {
		return err
	}
	if !bytes.Equal(now.data, p.Before) || (now.data == nil) != (p.Before == nil) {
		return errors.New("it was changed meanwhile; run the command again")
	}
	return nil
}

// fill writes data through to the disk and closes h.
func fill(h *os.File, data []byte) error {
	_, err := h.Write(data)
	return errors.Join(err, h.Sync(), h.Close())
}

func syncDir(dir string) error {
	h, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(h.Sync(), h.Close())
}
