//go:build unix

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
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/lines"
)

// Dir is where the store lies in nod's state directory.
func Dir(stateDir string) string { return filepath.Join(stateDir, "kept") }

// Store keeps files below a directory, mode 0700, made when it is first used. Many processes may use one at once.
type Store struct {
	dir string
	o   Options
	// step is called before each change, so that tests can end the process there.
	step func()
}

// Options are a store's bounds. Zero values are the defaults.
type Options struct {
	Now    func() time.Time
	Names  int           // of one call; 5000
	Copied int64         // bytes of one call; 64 MiB
	Held   int64         // bytes of all calls; 1 GiB
	Age    time.Duration // of a call; 14 days
}

// Object is one of git's that nothing names after the call. It is only recorded.
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
	defer p.discard()
	for _, f := range files {
		if err := p.add(f); err != nil {
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

// shortestID is how much of an id's end must be given, as with nod log.
const shortestID = 6

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

// entryName is the name that [entryOf] reads. The oldest sorts first.
func entryName(k Kept) string { return fmt.Sprintf("%019d-%d-%s", k.Time.UnixNano(), k.Held, k.ID) }

func entryOf(name string) (e entry, ok bool) {
	at, rest, _ := strings.Cut(name, "-")
	held, id, _ := strings.Cut(rest, "-")
	nanos, err := strconv.ParseInt(at, 10, 64)
	bytes, err2 := strconv.ParseInt(held, 10, 64)
	return entry{name, id, time.Unix(0, nanos), bytes}, errors.Join(err, err2) == nil && len(at) == 19 && plainID(id)
}

// entries are the kept calls, oldest first, and the names of what else is there. A
// store that was never used holds nothing, and one that others may write is refused.
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
	gonePrefix = "gone-" // one that is being removed
	// abandoned is how old a directory is that no living run works on.
	abandoned = 10 * time.Minute
)

// prune removes what is too old or too much, oldest first, and what killed runs left behind. What it cannot
// remove stays for the next run: that is no reason to stop a call whose files are kept.
func (s *Store) prune() {
	list, rest, _ := s.entries()
	for _, name := range rest {
		if strings.HasPrefix(name, partPrefix) || strings.HasPrefix(name, gonePrefix) {
			s.sweep(filepath.Join(s.dir, name))
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

func (s *Store) sweep(dir string) {
	if info, err := os.Lstat(dir); err == nil && s.o.Now().Sub(info.ModTime()) > abandoned {
		os.RemoveAll(dir)
	}
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
