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
	"time"

	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/system"
)

// file is a settings file as it was read.
type file struct {
	path string // as named
	real string // where its bytes are: path, but for a user's own links
	data []byte // nil without a file
	mode fs.FileMode
	uid  int
	gid  int
}

// Target returns the settings file that o names.
func (o Options) Target() string { return filepath.Join(o.base(), o.relative()) }

// base is the directory below which the target lies and which the person named; links above it are theirs.
func (o Options) base() string {
	if o.Level == User {
		return o.Home
	}
	return filepath.Join("/", o.Root)
}

// read reads the target, or says why nod must not write there.
func (o Options) read() (f file, err error) {
	if base := o.base(); !filepath.IsAbs(base) {
		return file{}, fmt.Errorf("install: %s level: %q is not an absolute directory", o.Level, base)
	}
	f = file{path: o.Target(), mode: 0o644, uid: -1, gid: -1}
	if o.Level == User {
		f.mode = 0o600
	}
	if f.real, err = o.resolve(); err == nil {
		err = f.load()
	}
	if err == nil {
		err = o.trusted(f)
	}
	return f, err
}

// resolve returns where the target's bytes are. Links below the base are refused, since a repository or another user
// can set them; in the home directory they are followed as long as they stay there (people keep their settings in a
// repository of their own).
func (o Options) resolve() (string, error) {
	base, err := filepath.EvalSymlinks(o.base())
	if err != nil {
		return "", fmt.Errorf("install: %s level: %w", o.Level, err)
	}
	at := base
	for part := range strings.SplitSeq(o.relative(), "/") {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("install: %w", err)
		}
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		real, err := filepath.EvalSymlinks(at)
		if err != nil {
			return "", fmt.Errorf("%s: a link that leads nowhere: %w", at, err)
		}
		if o.Level != User || !below(base, real) {
			return "", fmt.Errorf("%s: a link to %s; nod writes through no link at %s level that leaves its "+
				"directory; edit that file's owner's way or replace the link by the file", at, real, o.Level)
		}
		at = real
	}
	return at, nil
}

// below reports whether path is dir or lies in it, name by name.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// load reads the bytes of a regular file, without waiting at a pipe.
func (f *file) load() error {
	h, err := system.Open(f.real, os.O_RDONLY, 0)
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
	is, err := system.Describe(f.real, info)
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	f.mode, f.uid, f.gid = is.Mode.Perm(), is.UID, is.GID
	if f.data, err = io.ReadAll(io.LimitReader(h, maxSettings+1)); err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if len(f.data) > maxSettings {
		return fmt.Errorf("%s: more than %d bytes", f.path, maxSettings)
	}
	return nil
}

// standing is the directory that a file lies in or would be made below.
func standing(file string) (dir string, info fs.FileInfo, err error) {
	for dir = filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if info, err = os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return dir, info, err
		}
	}
}

// trusted refuses files that are somebody else's: root must not be led through a user's directories, and what others
// may write promises nothing at the managed level.
func (o Options) trusted(f file) error {
	dir, info, err := standing(f.real)
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	is, err := system.Describe(dir, info)
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	if err := o.trusts(dir, is.UID, is.Mode); err != nil || f.data == nil {
		return err
	}
	return o.trusts(f.path, f.uid, f.mode)
}

func (o Options) trusts(path string, uid int, mode fs.FileMode) error {
	self := system.User()
	switch {
	case uid != self && !(o.Level == Managed && uid == 0):
		return fmt.Errorf("%s: belongs to user id %d, and this runs as %d; run it as that user", path, uid, self)
	case o.Level == Managed && mode.Perm()&0o022 != 0:
		return fmt.Errorf("%s: others may write there, so managed settings in it promise nothing; first run: "+
			"chmod go-w %s", path, Quote(path))
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

// hidden says what keeps other users, and so their agents, from reading a managed file: "" for nothing.
func (p Plan) hidden() string {
	if p.Level != Managed || p.After == nil {
		return ""
	}
	if p.file.mode&0o004 == 0 {
		return p.file.real
	}
	for _, dir := range parents(filepath.Dir(p.file.real)) {
		if info, err := os.Stat(dir); err == nil && info.Mode()&0o001 == 0 {
			return dir
		}
	}
	return ""
}

// Writable returns nil if this process may write p's file, and the system's error otherwise.
func (p Plan) Writable() error {
	dir, _, err := standing(p.file.real)
	if err == nil {
		err = system.MayWrite(dir)
	}
	if err != nil {
		return &fs.PathError{Op: "write", Path: dir, Err: err}
	}
	return nil
}

// Apply makes the change: a copy of the old file beside it, then one rename, so that an agent reads the old file or
// the new one. It returns the copy's path, "" where nothing was copied. A file that changed since it was planned is
// left alone.
func Apply(p Plan, now time.Time) (backup string, err error) {
	if !p.Changed() {
		return "", nil
	}
	if err := makeDir(filepath.Dir(p.file.real), p.Level); err != nil {
		return "", fmt.Errorf("install: %w", err)
	}
	if p.Before != nil {
		if backup, err = writeBackup(p.file.real, p.Before, now); err != nil {
			return "", fmt.Errorf("install: no backup, so nothing was changed: %w", err)
		}
	}
	if err := p.swap(); err != nil {
		return backup, fmt.Errorf("%s: not written: %w", p.Path, err)
	}
	return backup, nil
}

// makeDir makes a directory and those above it. Directories of the organisation are for everybody, under any umask:
// an agent that cannot read its managed settings runs without them.
func makeDir(dir string, l Level) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := makeDir(filepath.Dir(dir), l); err != nil {
		return err
	}
	mode := fs.FileMode(0o755)
	if l == User {
		mode = 0o700
	}
	err := os.Mkdir(dir, mode)
	if err == nil && l == Managed {
		err = os.Chmod(dir, mode)
	}
	return err
}

// Backups lists the copies of the file that earlier changes left beside it.
func (p Plan) Backups() (list []string) {
	dir, name := filepath.Split(p.file.real)
	entries, _ := os.ReadDir(dir) // none where it cannot be read
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), name+".nod-backup-") {
			list = append(list, dir+e.Name())
		}
	}
	return list
}

// writeBackup copies data beside path, under a name that is not taken.
func writeBackup(path string, data []byte, now time.Time) (string, error) {
	first := path + ".nod-backup-" + now.UTC().Format("20060102T150405Z")
	name := first
	for n := 2; ; n++ {
		h, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) && n < 100 {
			name = fmt.Sprintf("%s-%d", first, n)
			continue
		}
		if err == nil {
			_, err = h.Write(data)
			err = errors.Join(err, h.Sync(), h.Close())
		}
		return name, err
	}
}

// swap puts the new file in the place of the old one, or removes that.
func (p Plan) swap() error {
	if err := p.unchanged(); err != nil {
		return err
	}
	if p.After == nil {
		return errors.Join(os.Remove(p.file.real), system.Sync(filepath.Dir(p.file.real)))
	}
	return lines.Replace(p.file.real, p.After, p.file.mode, p.file.gid)
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
