//go:build unix

package keep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/nodgate/nod/internal/lines"
)

const (
	packName     = "bytes" // the copies of a call, one behind the other
	manifestName = "manifest.json"
)

// parcel is a call that is being kept, in a directory that nobody looks into yet.
type parcel struct {
	store  *Store
	dir    string // "" once it has its name
	kept   Kept
	pack   *os.File // nil: nothing was copied
	copied int64
}

// add keeps one file.
func (p *parcel) add(name string) error {
	info, err := os.Lstat(name)
	if err != nil {
		return fmt.Errorf("%w; look again which files the call takes away", err)
	}
	kept := KeptFile{Path: name, Mode: info.Mode(), Time: info.ModTime().UTC()}
	switch {
	case info.IsDir():
	case info.Mode()&fs.ModeSymlink != 0:
		kept.Link, err = os.Readlink(name)
	case info.Mode().IsRegular():
		kept.Size, kept.In, kept.At = info.Size(), packName, p.copied
		err = p.copy(name, info)
	default:
		err = fmt.Errorf("%s is no file, link or directory (%s); move it away first", name, info.Mode().Type())
	}
	switch p.kept.Held += kept.Size; {
	case err != nil:
		return err
	case p.kept.Held > p.store.o.Held:
		return fmt.Errorf("the files hold more than the %d bytes that nod keeps in all; commit them first",
			p.store.o.Held)
	case !filepath.IsAbs(name) || filepath.Clean(name) != name || !utf8.ValidString(name+kept.Link):
		return fmt.Errorf("%q is no clean, absolute name in UTF-8, or leads to none; rename it first", name)
	}
	p.kept.Files = append(p.kept.Files, kept)
	return p.addParents(name)
}

// addParents records the modes of the directories above, which may go too: what was
// private must not come back open to all.
func (p *parcel) addParents(name string) error {
	for dir := filepath.Dir(name); p.kept.Dirs[dir] == 0; dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		p.kept.Dirs[dir] = info.Mode()
	}
	return nil
}

// copy appends a file's bytes to those of the others.
func (p *parcel) copy(name string, info fs.FileInfo) error {
	if info.Size() > p.store.o.Copied-p.copied {
		return fmt.Errorf("%s: with it more than %d bytes would have to be copied; commit it first, or move it away",
			name, p.store.o.Copied)
	}
	from, err := openSame(name, info)
	if err != nil {
		return err
	}
	defer from.Close()
	p.store.step()
	if p.pack == nil {
		p.pack, err = os.OpenFile(filepath.Join(p.dir, packName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
	}
	n, err := io.Copy(p.pack, io.LimitReader(from, info.Size()+1))
	if err == nil && n != info.Size() {
		err = changed(name)
	}
	p.copied += n
	return err
}

// openSame opens the file that info describes, and no other one.
func openSame(name string, info fs.FileInfo) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO that has come there stops nobody
	if err != nil {
		return nil, err
	}
	if at, err := f.Stat(); err != nil || !os.SameFile(at, info) {
		f.Close()
		return nil, errors.Join(changed(name), err)
	}
	return f, nil
}

func changed(name string) error {
	return fmt.Errorf("%s changed meanwhile; try again when nothing writes to it", name)
}

// commit writes all to the disk and gives the parcel its name.
func (p *parcel) commit() error {
	text, err := json.Marshal(p.kept)
	if err != nil {
		return err
	}
	if p.pack != nil {
		err = errors.Join(p.pack.Sync(), p.pack.Close())
	}
	p.store.step()
	if err := errors.Join(err, lines.Replace(filepath.Join(p.dir, manifestName), text, 0o600, -1)); err != nil {
		return err
	}
	p.store.step()
	if err := os.Rename(p.dir, filepath.Join(p.store.dir, entryName(p.kept))); err != nil {
		return err
	}
	p.dir = ""
	p.store.step()
	return lines.SyncDir(p.store.dir)
}

// discard removes what did not get its name.
func (p *parcel) discard() {
	if p.pack != nil {
		p.pack.Close()
	}
	if p.dir != "" {
		os.RemoveAll(p.dir)
	}
}

// version is that of the manifest. Fields are only ever added under it.
const version = 1

// Kept is a call with what is kept of it.
type Kept struct {
	Version int `json:"v"`
	Call
	Held  int64                  `json:"held"` // bytes
	Files []KeptFile             `json:"files"`
	Dirs  map[string]fs.FileMode `json:"dirs"` // those above the files, as they were
	name  string                 // of its directory
}

// KeptFile is a file, link or directory that is kept.
type KeptFile struct {
	Path string      `json:"path"`
	Mode fs.FileMode `json:"mode"`
	Time time.Time   `json:"time"` // when it was written last
	Size int64       `json:"size,omitempty"`
	Link string      `json:"link,omitempty"` // what a link says
	In   string      `json:"in,omitempty"`   // the file of the call's directory that has the bytes
	At   int64       `json:"at,omitempty"`   // where they begin there
}

// read returns the call of an entry.
func (s *Store) read(e entry) (k Kept, err error) {
	name := filepath.Join(s.dir, e.name, manifestName)
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	switch {
	case err != nil:
		return k, fmt.Errorf("%s cannot be read: %w; that call cannot be undone, remove its directory", name, err)
	case k.Version != version:
		return k, fmt.Errorf("%s has version %d, not %d; use the nod that wrote it", name, k.Version, version)
	case k.ID != e.id:
		return k, fmt.Errorf("%s is of another call, %q; remove its directory", name, k.ID)
	}
	k.name = e.name
	return k, nil
}

// bytes opens the file that has the bytes of a kept one, where they begin. It refuses what is no longer that.
func (s *Store) bytes(k Kept, f KeptFile) (*os.File, error) {
	file, err := os.Open(filepath.Join(s.dir, k.name, filepath.Base(f.In)))
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case info.Size() < f.At+f.Size:
		err = errors.New("its kept bytes are cut off; they are lost")
	default:
		_, err = file.Seek(f.At, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return file, nil
}
