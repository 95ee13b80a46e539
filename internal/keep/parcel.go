package keep

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"unicode/utf8"
)

const (
	packName     = "bytes" // the copies of a call, one behind the other
	manifestName = "manifest.json"
	// worthCloning is the size from which a file of its own is cheaper than a copy.
	worthCloning = 128 << 10
)

// parcel is a call that is being kept, in a directory that nobody looks into yet.
type parcel struct {
	store   *Store
	dir     string // "" once it has its name
	kept    Kept
	seen    map[string]bool // directories whose modes are known
	pack    *os.File        // nil: nothing was copied
	buffer  *bufio.Writer
	copied  int64
	noClone bool // the file system does not
}

// add keeps one file.
func (p *parcel) add(f File) error {
	info, err := os.Lstat(f.Path)
	switch {
	case err != nil:
		return fmt.Errorf("%w; look again which files the call takes away", err)
	case !filepath.IsAbs(f.Path) || filepath.Clean(f.Path) != f.Path || !utf8.ValidString(f.Path):
		return fmt.Errorf("%q is no clean, absolute name in UTF-8; rename it first", f.Path)
	}
	kept := KeptFile{Path: f.Path, Mode: info.Mode(), Time: info.ModTime().UTC()}
	switch {
	case info.IsDir():
	case info.Mode()&fs.ModeSymlink != 0:
		if kept.Link, err = os.Readlink(f.Path); err == nil && !utf8.ValidString(kept.Link) {
			err = fmt.Errorf("%s: what the link says is not UTF-8; make it anew afterwards", f.Path)
		}
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file, link or directory (%s), which nod cannot keep; move it away first", f.Path,
			info.Mode().Type())
	default:
		err = p.addBytes(f, &kept, info)
	}
	if err != nil {
		return err
	}
	p.kept.Files = append(p.kept.Files, kept)
	return p.addParents(f.Path)
}

// addParents records the modes of the directories above, which may go too: what was
// private must not come back open to all.
func (p *parcel) addParents(name string) error {
	for dir := filepath.Dir(name); !p.seen[dir] && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		p.seen[dir] = true
		p.kept.Dirs = append(p.kept.Dirs, Directory{dir, info.Mode()})
	}
	return nil
}

// addBytes keeps a regular file's bytes by the cheapest way there is.
func (p *parcel) addBytes(f File, kept *KeptFile, info fs.FileInfo) error {
	own := strconv.Itoa(len(p.kept.Files))
	ok, err := false, error(nil)
	kept.Size = info.Size()
	if f.Gone {
		ok, err = p.link(f.Path, own, kept)
	}
	if !ok && err == nil && !p.noClone && info.Size() >= worthCloning {
		ok, err = p.clone(f.Path, own, info)
	}
	switch {
	case err != nil:
		return err
	case ok:
		kept.In = own
	default:
		kept.In, kept.At = packName, p.copied
		if err := p.copy(f.Path, info); err != nil {
			return err
		}
	}
	p.kept.Held += kept.Size
	if p.kept.Held > p.store.o.Held {
		return fmt.Errorf("the files hold more than %s, which is all that nod keeps; commit them first",
			size(p.store.o.Held))
	}
	return nil
}

// link makes a hard link. The link says what was kept: the name may lead elsewhere by
// now. ok is false where the file system or its owner forbids a link.
func (p *parcel) link(name, own string, kept *KeptFile) (ok bool, err error) {
	to := filepath.Join(p.dir, own)
	p.store.step()
	if err := os.Link(name, to); err != nil {
		return false, nil
	}
	info, err := os.Lstat(to)
	if err == nil && !info.Mode().IsRegular() {
		err = changed(name)
	}
	if err != nil {
		return false, err
	}
	kept.Mode, kept.Time, kept.Size = info.Mode(), info.ModTime().UTC(), info.Size()
	return true, nil
}

// clone shares a file's blocks. ok is false where the file system does not do that.
func (p *parcel) clone(name, own string, info fs.FileInfo) (ok bool, err error) {
	from, err := openSame(name, info)
	if err != nil {
		return false, err
	}
	defer from.Close()
	p.store.step()
	to, err := create(filepath.Join(p.dir, own))
	if err != nil {
		return false, err
	}
	defer to.Close()
	if clone(to, from) != nil {
		p.noClone = true
		return false, os.Remove(to.Name())
	}
	at, err := to.Stat()
	if err == nil && at.Size() != info.Size() {
		err = changed(name)
	}
	return true, errors.Join(err, os.Chtimes(to.Name(), info.ModTime(), info.ModTime()), to.Sync())
}

// copy appends a file's bytes to those of the others.
func (p *parcel) copy(name string, info fs.FileInfo) error {
	if info.Size() > p.store.o.Copied-p.copied {
		return fmt.Errorf("%s: with it more than %s would have to be copied; commit it first, or move it away by hand",
			name, size(p.store.o.Copied))
	}
	from, err := openSame(name, info)
	if err != nil {
		return err
	}
	defer from.Close()
	if p.pack == nil {
		p.store.step()
		if p.pack, err = create(filepath.Join(p.dir, packName)); err != nil {
			return err
		}
		p.buffer = bufio.NewWriterSize(p.pack, 128<<10)
	}
	p.store.step()
	n, err := io.Copy(p.buffer, io.LimitReader(from, info.Size()+1))
	if err == nil && n != info.Size() {
		err = changed(name)
	}
	p.copied += n
	return err
}

func create(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// openSame opens the file that info describes, and no other one.
func openSame(name string, info fs.FileInfo) (*os.File, error) {
	f, err := os.Open(name)
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
	return fmt.Errorf("%s changed while it was kept; try again when nothing writes to it", name)
}

// commit writes all to the disk and gives the parcel its name.
func (p *parcel) commit() error {
	if err := p.closePack(); err != nil {
		return err
	}
	p.store.step()
	f, err := create(filepath.Join(p.dir, manifestName))
	if err != nil {
		return err
	}
	_, err = f.Write(encode(p.kept))
	p.store.step()
	if err := errors.Join(err, f.Sync(), f.Close(), syncDir(p.dir)); err != nil {
		return err
	}
	p.store.step()
	if err := os.Rename(p.dir, filepath.Join(p.store.dir, entryName(p.kept))); err != nil {
		return err
	}
	p.dir = ""
	p.store.step()
	return syncDir(p.store.dir)
}

func (p *parcel) closePack() error {
	if p.pack == nil {
		return nil
	}
	pack := p.pack
	p.pack = nil
	return errors.Join(p.buffer.Flush(), pack.Sync(), pack.Close())
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

// size is a number of bytes as people write it.
func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
