// Package view is how nod looks at files: a small read-only interface with two file systems behind it, the
// disk and a world held in memory. [Memo] remembers what another view said.
//
// Deciding needs to know where a name leads (links, case, hard links) and, rarely, what a small file says.
// Everything it may learn goes through a [Files], so that case-insensitive systems, foreign directories and
// hostile link structures are tested without a disk, and so that nothing in the deciding layers can write,
// start a program, or block on a FIFO.
package view

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
)

// Files is a read-only view of a file system. Names are absolute,
// slash-separated and clean. Implementations are safe for concurrent use.
type Files interface {
	// Lstat describes the name itself, not what a link leads to.
	// The error is fs.ErrNotExist (wrapped or not) where nothing is there.
	Lstat(name string) (Info, error)
	// Readlink returns what the link at name says, unresolved.
	Readlink(name string) (string, error)
	// Read returns the content of a regular file of at most limit bytes. Anything else (a FIFO, a device, a
	// link at the last component, a larger file) is an error: reading never blocks and never surprises.
	Read(name string, limit int64) ([]byte, error)
	// List returns the names in a directory, unsorted, at most limit of them; more is an error.
	List(name string, limit int) ([]string, error)
}

// Entries is List with what each name is. The disk keeps that in the directory; elsewhere each name is looked at.
func Entries(files Files, name string, limit int) ([]Entry, error) {
	if quick, ok := files.(interface {
		Entries(name string, limit int) ([]Entry, error)
	}); ok {
		return quick.Entries(name, limit)
	}
	names, err := files.List(name, limit)
	all := make([]Entry, 0, len(names))
	for _, n := range names {
		if info, err := files.Lstat(strings.TrimSuffix(name, "/") + "/" + n); err == nil {
			all = append(all, Entry{n, info.Mode.Type()})
		}
	}
	return all, err
}

// Entry is one name in a directory.
type Entry struct {
	Name string
	Type fs.FileMode // the type bits of its mode; 0 is a regular file
}

// Info is what deciding needs to know of one file. The zero value describes
// nothing and is never returned without an error.
type Info struct {
	Mode  fs.FileMode
	Size  int64
	Links uint64 // hard links; more than one means another name shares the content
	UID   uint32 // owner
	Dev   uint64 // with Inode, the file's identity on its machine
	Inode uint64
	Born  int64 // birth (or, where unknown, last change) in Unix nanoseconds; 0 is unknown
}

// Same reports whether two infos describe one file, under any names.
func (i Info) Same(o Info) bool { return i.Dev == o.Dev && i.Inode == o.Inode && i.Inode != 0 }

// What Resolve says of a chain of more than 40 links, the limit of Linux, of a name that is not absolute, and of a
// name of Windows' that [Slashed] does not take.
var errLoop, errRelative, errUnsaid = errors.New("too many links"), errors.New("not an absolute path"),
	errors.New("nobody can say where this name leads on Windows")

// Resolve follows every link in name, component by component as the kernel does (".." applies to where a
// link led, not to its text), and returns the real path. Components that do not exist are kept as written,
// so that a file about to be made resolves to where it would be made; ".." after a missing component is an
// error, since nobody can say where it leads.
func Resolve(files Files, name string) (string, error) {
	if Windows(files) {
		var ok bool
		if name, ok = Slashed(name); !ok {
			return "", errUnsaid
		}
		if name != "/" && !onDrive(name) {
			return "", errNoDrive
		}
	}
	if !path.IsAbs(name) || strings.IndexByte(name, 0) >= 0 {
		return "", errRelative
	}
	r := resolver{files: files, text: name, real: "/", same: true}
	for r.at < len(r.text) {
		if err := r.step(); err != nil {
			return "", err
		}
	}
	return r.real, nil
}

// resolver walks a text. Most names are real paths already, so real is a
// piece of the text for as long as the two are the same.
type resolver struct {
	files   Files
	text    string
	at      int // where the rest of the text begins
	real    string
	same    bool // what of the text was walked is real, but for a final slash
	links   int
	missing bool
	whose   bool // real leads through a link that leads elsewhere for each process
}

func (r *resolver) step() error {
	start, end := r.at, strings.IndexByte(r.text[r.at:], '/')
	if end += start; end < start {
		end = len(r.text)
	}
	r.at = end + 1
	switch part := r.text[start:end]; part {
	case "", ".":
		r.same = r.same && start == 0
		return nil
	case "..":
		if r.whose {
			return nil
		}
		if r.missing {
			return fs.ErrNotExist
		}
		r.real, r.same = path.Dir(r.real), false
		return nil
	default:
		return r.enter(part, end)
	}
}

// enter takes one component, which ends at an index of the text.
func (r *resolver) enter(part string, end int) error {
	next := r.text[:end]
	if !r.same {
		next = strings.TrimSuffix(r.real, "/") + "/" + part
	}
	if r.missing || r.whose {
		r.real = next
		return nil
	}
	info, err := r.files.Lstat(next)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.real, r.missing = next, true
		return nil
	case err != nil:
		return err
	case info.Mode&fs.ModeSymlink == 0:
		r.real = next
		return nil
	case ofAProcess(next):
		r.real, r.whose = next, true
		return nil
	}
	return r.follow(next)
}

// ofAProcess reports whether Linux makes a link for a process: cwd, root, exe, what it has open.
// Where the link leads for nod says nothing of the process that will go there.
func ofAProcess(link string) bool {
	below, ok := strings.CutPrefix(link, "/proc/")
	return ok && strings.Contains(below, "/")
}

func (r *resolver) follow(link string) error {
	if r.links++; r.links > 40 {
		return errLoop
	}
	target, err := r.files.Readlink(link)
	if err != nil {
		return err
	}
	if Windows(r.files) {
		var ok bool
		if target, ok = Slashed(target); !ok {
			return errUnsaid
		}
	}
	if r.same = path.IsAbs(target); r.same {
		r.real = "/"
	}
	if r.at < len(r.text) {
		target += "/" + r.text[r.at:]
	}
	r.text, r.at = target, 0
	return nil
}

// Within reports whether the real path name is root or lies below it. Both must be resolved. It compares
// whole components, and where the spelling differs (a case-insensitive system, a second mount) the identity
// of each existing ancestor.
func Within(files Files, root, name string) bool {
	if Below(root, name) {
		return true
	}
	want, err := files.Lstat(root)
	if err != nil {
		return false
	}
	for dir := name; ; dir = path.Dir(dir) {
		if len(dir) <= maxName {
			if got, err := files.Lstat(dir); err == nil && got.Same(want) {
				return true
			}
		}
		if dir == "/" || dir == "." {
			return false
		}
	}
}

// maxName is the longest path that a system takes; of a longer one, nothing is there.
const maxName = 4096

// Below reports whether name is root or lies below it, by components of the names alone.
func Below(root, name string) bool {
	if root == "/" {
		return path.IsAbs(name)
	}
	return name == root || strings.HasPrefix(name, root) && name[len(root)] == '/'
}

// Memo remembers what another view said of names and links, for the time of one decision: several layers
// resolve the same paths. It never forgets, so it must not outlive a call.
type Memo struct {
	Files
	mu    sync.Mutex // of the maps, by name
	infos map[string]answer[Info]
	links map[string]answer[string]
}

// NewMemo returns an empty memory of files.
func NewMemo(files Files) *Memo {
	return &Memo{Files: files, infos: make(map[string]answer[Info], 64), links: map[string]answer[string]{}}
}

// Lstat implements Files. In a directory that was missing, nothing is looked for.
func (m *Memo) Lstat(name string) (Info, error) {
	m.mu.Lock()
	above, known := m.infos[path.Dir(name)]
	m.mu.Unlock()
	if known && errors.Is(above.err, fs.ErrNotExist) {
		return Info{}, above.err
	}
	return remembered(m, m.infos, name, m.Files.Lstat)
}

// Readlink implements Files.
func (m *Memo) Readlink(name string) (string, error) {
	return remembered(m, m.links, name, m.Files.Readlink)
}

// Windows reports what the other view says.
func (m *Memo) Windows() bool { return Windows(m.Files) }

// Entries is what the other view says, as quickly.
func (m *Memo) Entries(name string, limit int) ([]Entry, error) { return Entries(m.Files, name, limit) }

type answer[T any] struct {
	value T
	err   error
}

// remembered is what ask says of a name, which is asked once, or by several at once.
func remembered[T any](m *Memo, said map[string]answer[T], name string, ask func(string) (T, error)) (T, error) {
	m.mu.Lock()
	known, ok := said[name]
	m.mu.Unlock()
	if ok {
		return known.value, known.err
	}
	value, err := ask(name)
	m.mu.Lock()
	said[name] = answer[T]{value, err}
	m.mu.Unlock()
	return value, err
}

// Walk calls visit for each name below a directory, the shallow places first, links not followed. Like
// [fs.WalkDir] it passes over a directory for which visit says [fs.SkipDir], and ends with any other error. For a
// directory that cannot be listed, or that takes the names beyond limit, visit is called once more, with why.
func Walk(files Files, start string, limit int, visit func(name string, kind fs.FileMode, err error) error) error {
	for dirs := []string{start}; len(dirs) > 0; dirs = dirs[1:] {
		dir := dirs[0]
		entries, err := Entries(files, cmp.Or(dir, "/"), limit)
		if limit -= len(entries); limit < 0 {
			err = fmt.Errorf("%s: more names than are looked at", dir)
		}
		if err != nil {
			if err := visit(dir, fs.ModeDir, err); err != nil && !errors.Is(err, fs.SkipDir) {
				return err
			}
			continue
		}
		for _, e := range entries {
			name := strings.TrimSuffix(dir, "/") + "/" + e.Name
			switch err := visit(name, e.Type, nil); {
			case err == nil && e.Type.IsDir():
				dirs = append(dirs, name)
			case err != nil && !errors.Is(err, fs.SkipDir):
				return err
			}
		}
	}
	return nil
}
