// Package keep holds what a call is about to replace or delete, so that a person can have it back: nod undo.
//
// Files are copied, those of one call into one file, since each file costs a sync. Links are
// kept as what they say. Owners, extended attributes and access lists are not kept.
//
// A kept call is a directory TIME-BYTES-ID below the store's. It is made under another name and renamed
// when all of it is on the disk, so that it exists wholly or not at all. Its name tells what pruning has to
// know, so that pruning reads no manifest. What a killed run leaves behind is removed by a later one.
package keep

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/system"
	"github.com/nodgate/nod/internal/view"
)

// Dir is where the store lies in nod's state directory.
func Dir(stateDir string) string { return filepath.Join(stateDir, "kept") }

// Store keeps files below a directory, mode 0700, made when it is first used. Many processes may use one at once.
type Store struct {
	dir  string
	o    Options
	step func() // called before each change, so that tests can end the process there
}

// Options are a store's bounds. Zero values are the defaults.
type Options struct {
	Now    func() time.Time
	Names  int           // of one call; 5000
	Copied int64         // bytes of one call; 64 MiB
	Held   int64         // bytes of all calls; 1 GiB
	Age    time.Duration // of a call; 14 days
}

// Object is a git object that nothing names after the call. It is only recorded.
type Object struct {
	Repo string `json:"repo"` // a directory in the repository, absolute
	Name string `json:"name"` // its hash
	What string `json:"what"` // what named it: stash@{0}, refs/heads/topic
}

// Call is the call for which files are kept.
type Call struct {
	ID      string    `json:"id"` // the decision's
	Agent   string    `json:"agent"`
	Session string    `json:"session"`
	Tool    string    `json:"tool"`
	Words   string    `json:"words"` // what a person is shown of it; the caller masks secrets
	Dir     string    `json:"dir"`
	Time    time.Time `json:"time"` // zero: now
	Objects []Object  `json:"objects,omitempty"`
}

// Open returns the store below dir. It touches nothing.
func Open(dir string, o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Names, o.Copied = cmp.Or(o.Names, 5000), cmp.Or(o.Copied, 64<<20)
	o.Held, o.Age = cmp.Or(o.Held, 1<<30), cmp.Or(o.Age, 14*24*time.Hour)
	return &Store{dir: dir, o: o, step: func() {}}
}

// Keep keeps all files, by absolute, real names, or none and says which one or which bound stands against it.
func (s *Store) Keep(c Call, files []string) error {
	if err := s.keep(c, files); err != nil {
		return fmt.Errorf("nothing was kept for undo: %w", err)
	}
	s.prune()
	return nil
}

func (s *Store) keep(c Call, files []string) error {
	switch {
	case !plainID(c.ID):
		return fmt.Errorf("%q is no id of a call: want letters, digits, dots and dashes", c.ID)
	case len(files) > s.o.Names:
		return fmt.Errorf("the call takes away %d names, and nod keeps %d of one call at most; let it do fewer at "+
			"once, or commit them first", len(files), s.o.Names)
	}
	if err := lines.PrivateDir(s.dir); err != nil {
		return err
	}
	s.step()
	part, err := os.MkdirTemp(s.dir, partPrefix)
	if err != nil {
		return err
	}
	if c.Time.IsZero() {
		c.Time = s.o.Now().UTC()
	}
	p := &parcel{store: s, dir: part, kept: Kept{Version: version, Call: c, Dirs: map[string]fs.FileMode{}}}
	defer func() { // what did not get its name
		if p.pack != nil {
			p.pack.Close()
		}
		if p.dir != "" {
			os.RemoveAll(p.dir)
		}
	}()
	for _, f := range files {
		if err := p.add(filepath.FromSlash(view.Native(f))); err != nil {
			return err
		}
	}
	return p.commit()
}

// List returns the kept calls, newest first. What cannot be read is left out, and the error says what that is.
func (s *Store) List() (list []Kept, err error) {
	entries, _, err := s.entries()
	errs := []error{err}
	for _, e := range slices.Backward(entries) {
		k, err := s.read(e)
		if err == nil {
			list = append(list, k)
		} else if _, gone := os.Lstat(filepath.Join(s.dir, e.name)); gone == nil { // else it was pruned meanwhile
			errs = append(errs, err)
		}
	}
	return list, errors.Join(errs...)
}

const shortestID = 6 // how much of an id's end must be given, as with nod log

// Find returns the kept call of an id, or of how it ends.
func (s *Store) Find(id string) (Kept, error) {
	entries, _, err := s.entries()
	if err != nil {
		return Kept{}, err
	}
	var found entry
	for _, e := range slices.Backward(entries) {
		switch {
		case e.id == id:
			return s.read(e)
		case len(id) < shortestID || !strings.HasSuffix(e.id, id) || found.id == e.id:
		case found.id != "":
			return Kept{}, fmt.Errorf("%s and %s both end so; write the whole id", found.id, e.id)
		default:
			found = e
		}
	}
	if found.id == "" {
		return Kept{}, fmt.Errorf("nothing is kept of a call whose id ends in %q (%d characters at least); nod undo "+
			"lists what is", id, shortestID)
	}
	return s.read(found)
}

// entry is a kept call as the name of its directory tells it.
type entry struct {
	name, id string
	time     time.Time
	held     int64
}

func entryOf(name string) (e entry, ok bool) {
	at, rest, _ := strings.Cut(name, "-")
	held, id, _ := strings.Cut(rest, "-")
	nanos, err := strconv.ParseInt(at, 10, 64)
	bytes, err2 := strconv.ParseInt(held, 10, 64)
	return entry{name, id, time.Unix(0, nanos), bytes}, errors.Join(err, err2) == nil && len(at) == 19 && plainID(id)
}

// entries are the kept calls, oldest first, and the names of what else is there. A
// store that was never used holds nothing; a store that others may write is refused.
func (s *Store) entries() (list []entry, rest []string, err error) {
	dir, err := os.Open(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	slices.Sort(names)
	for _, name := range names {
		if e, ok := entryOf(name); ok {
			list = append(list, e)
		} else {
			rest = append(rest, name)
		}
	}
	return list, rest, errors.Join(err, lines.PrivateDir(s.dir))
}

// plainID reports whether an id can stand in a name.
func plainID(id string) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return id != "" && len(id) <= 128 && strings.Trim(id, plain) == ""
}

const (
	partPrefix = "part-" // a call that is being kept
	gonePrefix = "gone-" // a kept call that is being removed
	// abandoned is how old a directory is that no living run works on.
	abandoned = 10 * time.Minute
)

// prune removes what is too old or too much, oldest first, and what killed runs left behind. What it cannot
// remove stays for the next run: that is no reason to stop a call whose files are kept.
func (s *Store) prune() {
	list, rest, _ := s.entries()
	for _, name := range rest {
		left := strings.HasPrefix(name, partPrefix) || strings.HasPrefix(name, gonePrefix)
		name = filepath.Join(s.dir, name)
		if info, err := os.Lstat(name); left && err == nil && s.o.Now().Sub(info.ModTime()) > abandoned {
			os.RemoveAll(name)
		}
	}
	held := int64(0)
	for _, e := range list {
		held += e.held
	}
	for _, e := range list {
		if held <= s.o.Held && s.o.Now().Sub(e.time) <= s.o.Age {
			return
		}
		held -= e.held
		s.remove(e)
	}
}

// remove takes the call's name away first, so that nobody sees half of it.
func (s *Store) remove(e entry) {
	gone := filepath.Join(s.dir, gonePrefix+e.name)
	s.step()
	if os.Rename(filepath.Join(s.dir, e.name), gone) != nil {
		return // another process was faster
	}
	s.step()
	os.RemoveAll(gone)
}

// lock lets one process restore at a time. It ends with the process.
func lock(dir string) (unlock func() error, err error) {
	f, err := lines.Open(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	if !f.LockFor(10 * time.Second) {
		f.Close()
		return nil, fmt.Errorf("another nod undo has been at work for ten seconds; wait for it (%s)", f.Name())
	}
	return f.Close, nil
}

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
	// The name is what [entryOf] reads. The oldest sorts first.
	name := fmt.Sprintf("%019d-%d-%s", p.kept.Time.UnixNano(), p.kept.Held, p.kept.ID)
	if err := os.Rename(p.dir, filepath.Join(p.store.dir, name)); err != nil {
		return err
	}
	p.dir = ""
	p.store.step()
	return system.Sync(p.store.dir)
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

// bytes opens the file that has the bytes of a kept file, where they begin. It refuses a file that is cut off.
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
