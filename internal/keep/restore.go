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
	Over   bool // replace what is newer or other; it is kept itself, as a call of its own
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
	Path string `json:"path"`
	Did  Did    `json:"did"`
	Why  string `json:"why,omitempty"` // where it failed
}

// Restore puts files of a kept call back: all, or those of the given names, absolute,
// and what lies below them. Where one fails the others are restored.
func (s *Store) Restore(id string, names []string, o RestoreOptions) (list []Restored, err error) {
	k, err := s.Find(id)
	if err != nil {
		return nil, err
	}
	files, err := k.Pick(names)
	if err != nil {
		return nil, err
	}
	r := restoring{store: s, kept: k, options: o, temporary: ".nod-undo-" + k.ID}
	if !o.DryRun {
		unlock, err := lock(s.dir)
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	for _, f := range files {
		did, err := r.look(f)
		list = append(list, said(f, did, err))
	}
	if o.DryRun {
		return list, nil
	}
	return list, r.all(files, list)
}

// Pick returns the files of the given names, or below them, directories before what lies in them. No names are all.
func (k Kept) Pick(names []string) (files []KeptFile, err error) {
	for _, f := range k.Files {
		if len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return below(f.Path, name) }) {
			files = append(files, f)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(files, func(f KeptFile) bool { return below(f.Path, name) }) {
			return nil, fmt.Errorf("of %s nothing is kept at %s; nod undo %s --dry-run lists what is", k.ID, name, k.ID)
		}
	}
	slices.SortStableFunc(files, func(a, b KeptFile) int { return cmp.Compare(a.Path, b.Path) })
	return files, nil
}

func below(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, separator)+separator)
}

const separator = string(filepath.Separator)

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

// all does what list says, and keeps what is replaced first, so that it can be undone
// too. Nothing is pruned before the end: it might be the very call.
func (r *restoring) all(files []KeptFile, list []Restored) error {
	var replaced []string
	for _, one := range list {
		if one.Did == Replaced {
			replaced = append(replaced, one.Path)
		}
	}
	if len(replaced) > 0 {
		k := r.kept
		err := r.store.keep(Call{ID: fmt.Sprintf("undo-%012x", rand.Uint64()>>16), Agent: k.Agent, Session: k.Session,
			Tool: "nod undo", Words: "--over " + k.ID, Dir: k.Dir}, replaced)
		if err != nil {
			return fmt.Errorf("nothing was restored, since what --over replaces cannot be kept: %w", err)
		}
	}
	for i, f := range files {
		if did := list[i].Did; did == Put || did == Replaced {
			list[i] = said(f, did, r.put(f, did == Replaced))
		}
	}
	r.store.prune()
	return nil
}

// look says what would become of a file.
func (r *restoring) look(f KeptFile) (Did, error) {
	var kept *os.File
	if f.Mode.IsRegular() {
		var err error
		if kept, err = r.store.bytes(r.kept, f); err != nil {
			return Failed, err
		}
		defer kept.Close()
	}
	parent, err := r.parent(f.Path, false)
	if errors.Is(err, fs.ErrNotExist) {
		return Put, nil
	} else if err != nil {
		return Failed, err
	}
	defer parent.Close()
	info, err := parent.Lstat(filepath.Base(f.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return Put, nil
	}
	same := false
	if err == nil {
		same, err = isSame(parent, f, kept, info)
	}
	switch {
	case err != nil:
		return Failed, err
	case same:
		return There, r.tidy(parent)
	case !r.options.Over:
		return Left, nil
	case info.IsDir() || f.Mode.IsDir():
		return Failed, fmt.Errorf("%s: a directory is not replaced; move what is there away", f.Path)
	}
	return Replaced, nil
}

// isSame reports whether what is there is what was kept.
func isSame(parent *os.Root, f KeptFile, kept io.Reader, info fs.FileInfo) (bool, error) {
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
	now, err := parent.Open(base)
	if err != nil {
		return false, err
	}
	defer now.Close()
	x, y := sha256.New(), sha256.New()
	_, err = io.Copy(x, io.LimitReader(kept, f.Size))
	_, err2 := io.Copy(y, now)
	return bytes.Equal(x.Sum(nil), y.Sum(nil)), errors.Join(err, err2)
}

// tidy removes what a killed run left in a directory.
func (r *restoring) tidy(dir *os.Root) error {
	if r.options.DryRun {
		return nil
	}
	if err := dir.Remove(r.temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
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
	if err := r.tidy(parent); err != nil {
		return err
	}
	defer r.tidy(parent)
	r.store.step()
	if err := r.write(parent, f); err != nil {
		return err
	}
	r.store.step()
	if over {
		return parent.Rename(r.temporary, base)
	}
	err = parent.Link(r.temporary, base) // fails where the name exists
	r.store.step()
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s: %w; the file system has no links", f.Path, err)
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
	defer from.Close()
	to, err := parent.OpenFile(r.temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer to.Close()
	if _, err := io.Copy(to, io.LimitReader(from, f.Size)); err != nil {
		return err
	}
	r.store.step()
	return errors.Join(to.Chmod(f.Mode), parent.Chtimes(r.temporary, f.Time, f.Time), to.Sync())
}

// parent opens the directory of a name, and follows no link on the way: a link that
// was put there since would lead the bytes elsewhere.
func (r *restoring) parent(name string, make bool) (*os.Root, error) {
	full := filepath.VolumeName(name) + separator
	at, err := os.OpenRoot(full)
	for _, base := range strings.Split(strings.TrimPrefix(filepath.Dir(name), full), separator) {
		if err != nil || base == "" {
			break
		}
		above := at
		full = filepath.Join(full, base)
		at, err = r.enter(above, full, make)
		above.Close()
	}
	return at, err
}

// enter opens the last component of a path in the directory above it.
func (r *restoring) enter(above *os.Root, full string, make bool) (*os.Root, error) {
	base := filepath.Base(full)
	info, err := above.Lstat(base)
	if errors.Is(err, fs.ErrNotExist) && make {
		err = r.makeDir(above, base, r.kept.Dirs[full])
		if err == nil || errors.Is(err, fs.ErrExist) {
			info, err = above.Lstat(base)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%s has become a link, which nod undo does not follow; move the link away", full)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is no directory any more; move away what is there", full)
	}
	next, err := above.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	if at, err := next.Stat("."); err != nil || !os.SameFile(at, info) { // a link came between
		next.Close()
		return nil, errors.Join(changed(full), err)
	}
	return next, nil
}

// makeDir makes a directory as it was; its owner may always enter, since files are to come into it.
func (r *restoring) makeDir(above *os.Root, base string, mode fs.FileMode) error {
	r.store.step()
	if err := above.Mkdir(base, 0o700); err != nil {
		return err
	}
	r.store.step()
	return above.Chmod(base, mode|0o700)
}
