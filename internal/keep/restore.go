package keep

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// RestoreOptions say how to restore.
type RestoreOptions struct {
	Over   bool // replace what is newer or other; its bytes are kept as a call of their own
	DryRun bool // only say what would be done
}

// Did says what became of a name, or would.
type Did string

// What becomes of a name.
const (
	Put      Did = "restored"
	Replaced Did = "replaced" // something else was there, and is kept now
	There    Did = "there"    // the very same bytes were there already
	Left     Did = "left"     // something else is there, and was left alone
	Failed   Did = "failed"
)

// Restored is what became of a name.
type Restored struct {
	Path string
	Did  Did
	Why  string // where it failed
}

// Restore puts files of a kept call back: all, or those of the given names, absolute,
// and what lies below them. Where one fails the others are restored.
func (s *Store) Restore(id string, names []string, o RestoreOptions) ([]Restored, error) {
	k, err := s.Find(id)
	if err != nil {
		return nil, err
	}
	files, err := k.Pick(names)
	if err != nil {
		return nil, err
	}
	r := restoring{store: s, kept: k, options: o, temporary: ".nod-undo-" + k.ID}
	if o.DryRun {
		return r.look(files), nil
	}
	unlock, err := lock(s.dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	list := r.look(files)
	if err := r.keepReplaced(list); err != nil {
		return nil, err
	}
	for i, f := range files {
		if list[i].Did == Put || list[i].Did == Replaced {
			list[i] = said(f, list[i].Did, r.put(f, list[i].Did == Replaced))
		}
	}
	s.prune()
	return list, nil
}

// Pick returns the files of the given names, or below them, directories before what
// lies in them. No names are all.
func (k Kept) Pick(names []string) (files []KeptFile, err error) {
	for _, name := range names {
		if !slices.ContainsFunc(k.Files, func(f KeptFile) bool { return below(f.Path, name) }) {
			return nil, fmt.Errorf("of %s nothing is kept at %s; nod undo %s --dry-run lists what is", k.ID, name, k.ID)
		}
	}
	for _, f := range k.Files {
		if len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return below(f.Path, name) }) {
			files = append(files, f)
		}
	}
	slices.SortStableFunc(files, func(a, b KeptFile) int { return cmp.Compare(a.Path, b.Path) })
	return files, nil
}

func below(name, dir string) bool {
	rest, ok := strings.CutPrefix(name, dir)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]) || dir != "" && os.IsPathSeparator(dir[len(dir)-1]))
}

// restoring is one run of Restore.
type restoring struct {
	store     *Store
	kept      Kept
	options   RestoreOptions
	temporary string // a name in the directory of each file; a killed run may leave it
}

func said(f KeptFile, did Did, err error) Restored {
	switch {
	case err == nil:
		return Restored{Path: f.Path, Did: did}
	case errors.Is(err, fs.ErrExist): // it came while we were at it
		return Restored{Path: f.Path, Did: Left}
	}
	return Restored{Path: f.Path, Did: Failed, Why: err.Error()}
}

// look says what would become of each file.
func (r *restoring) look(files []KeptFile) (list []Restored) {
	for _, f := range files {
		did, err := r.wouldDo(f)
		list = append(list, said(f, did, err))
	}
	return list
}

func (r *restoring) wouldDo(f KeptFile) (Did, error) {
	if f.Mode.IsRegular() {
		kept, err := r.store.bytes(r.kept, f)
		if err != nil {
			return Failed, err
		}
		defer kept.file.Close()
	}
	parent, err := r.parent(f.Path, false)
	if errors.Is(err, fs.ErrNotExist) {
		return Put, nil
	}
	if err != nil {
		return Failed, err
	}
	defer parent.Close()
	info, err := parent.Lstat(filepath.Base(f.Path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Put, nil
	case err != nil:
		return Failed, err
	}
	return r.compared(parent, f, info)
}

// compared says what becomes of a file whose name is taken.
func (r *restoring) compared(parent *os.Root, f KeptFile, info fs.FileInfo) (Did, error) {
	same, err := r.same(parent, f, info)
	switch {
	case err != nil:
		return Failed, err
	case same:
		if !r.options.DryRun {
			parent.Remove(r.temporary) // of a run that was killed when all was done
		}
		return There, nil
	case !r.options.Over:
		return Left, nil
	case info.IsDir() || f.Mode.IsDir():
		return Failed, fmt.Errorf("%s: a directory is not replaced; move what is there away", f.Path)
	}
	return Replaced, nil
}

// same reports whether what is there is what was kept.
func (r *restoring) same(parent *os.Root, f KeptFile, info fs.FileInfo) (bool, error) {
	base := filepath.Base(f.Path)
	switch {
	case info.Mode().Type() != f.Mode.Type(), info.Mode().IsRegular() && info.Size() != f.Size:
		return false, nil
	case info.IsDir():
		return true, nil
	case !info.Mode().IsRegular():
		says, err := parent.Readlink(base)
		return says == f.Link, err
	}
	kept, err := r.store.bytes(r.kept, f)
	if err != nil {
		return false, err
	}
	defer kept.file.Close()
	now, err := parent.Open(base)
	if err != nil {
		return false, err
	}
	defer now.Close()
	x, y := sha256.New(), sha256.New()
	_, err = io.Copy(x, kept)
	_, err2 := io.Copy(y, now)
	return bytes.Equal(x.Sum(nil), y.Sum(nil)), errors.Join(err, err2)
}

// keepReplaced keeps what --over is about to replace, so that it can be undone too.
func (r *restoring) keepReplaced(list []Restored) error {
	var files []File
	for _, one := range list {
		if one.Did == Replaced {
			files = append(files, File{Path: one.Path, Gone: true})
		}
	}
	if len(files) == 0 {
		return nil
	}
	return r.store.Keep(Call{ID: fmt.Sprintf("undo-%012x", rand.Uint64()>>16), Agent: r.kept.Agent,
		Session: r.kept.Session, Tool: "nod undo", Words: "--over " + r.kept.ID, Dir: r.kept.Dir}, files)
}

// put puts one file back: whole, or not at all.
func (r *restoring) put(f KeptFile, over bool) error {
	parent, err := r.parent(f.Path, true)
	if err != nil {
		return err
	}
	defer parent.Close()
	base := filepath.Base(f.Path)
	if f.Mode.IsDir() {
		return r.makeDir(parent, base, f.Mode)
	}
	if err := parent.Remove(r.temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	defer parent.Remove(r.temporary)
	r.store.step()
	if err := r.write(parent, f); err != nil {
		return err
	}
	r.store.step()
	if over {
		err = parent.Rename(r.temporary, base)
	} else {
		err = parent.Link(r.temporary, base) // fails where the name exists
	}
	r.store.step()
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s: %w; where the file system has no links, --over renames", f.Path, err)
	}
	return err
}

// write makes the temporary file or link.
func (r *restoring) write(parent *os.Root, f KeptFile) error {
	if f.Mode&fs.ModeSymlink != 0 {
		return parent.Symlink(f.Link, r.temporary)
	}
	from, err := r.store.bytes(r.kept, f)
	if err != nil {
		return err
	}
	defer from.file.Close()
	to, err := parent.OpenFile(r.temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer to.Close()
	if f.In == packName || clone(to, from.file) != nil {
		if _, err := io.Copy(to, from); err != nil {
			return err
		}
	}
	r.store.step()
	return errors.Join(to.Chmod(f.Mode), parent.Chtimes(r.temporary, f.Time, f.Time), to.Sync())
}

// parent opens the directory of a name, and follows no link on the way: a link that
// was put there since would lead the bytes elsewhere.
func (r *restoring) parent(name string, make bool) (*os.Root, error) {
	top := filepath.VolumeName(name) + string(filepath.Separator)
	at, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(name)
	for i := len(top); i < len(dir); {
		end := i + len(dir[i:])
		if n := strings.IndexByte(dir[i:], filepath.Separator); n >= 0 {
			end = i + n
		}
		next, err := r.enter(at, dir[:end], make)
		at.Close()
		if err != nil {
			return nil, err
		}
		at, i = next, end+1
	}
	return at, nil
}

// enter opens the last component of a path in the directory above it.
func (r *restoring) enter(above *os.Root, full string, make bool) (*os.Root, error) {
	base := filepath.Base(full)
	info, err := above.Lstat(base)
	if errors.Is(err, fs.ErrNotExist) && make {
		if err := r.makeDir(above, base, r.modeOf(full)); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		info, err = above.Lstat(base)
	}
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%s has become a link, which nod undo does not follow; move the link away", full)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is no directory any more; move away what is there", full)
	}
	return openSameRoot(above, base, info)
}

// openSameRoot opens the directory that info describes: a link may have come between.
func openSameRoot(above *os.Root, base string, info fs.FileInfo) (*os.Root, error) {
	root, err := above.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	at, err := root.Stat(".")
	if err != nil || !os.SameFile(at, info) {
		root.Close()
		return nil, errors.Join(fmt.Errorf("%s changed meanwhile; try again", base), err)
	}
	return root, nil
}

// modeOf is what a directory above the files had.
func (r *restoring) modeOf(full string) fs.FileMode {
	for _, d := range r.kept.Dirs {
		if d.Path == full {
			return d.Mode
		}
	}
	return 0o700
}

// makeDir makes a directory as it was; its owner may always enter, since files are to
// come into it.
func (r *restoring) makeDir(above *os.Root, base string, mode fs.FileMode) error {
	r.store.step()
	if err := above.Mkdir(base, 0o700); err != nil {
		return err
	}
	r.store.step()
	return above.Chmod(base, mode|0o700)
}
