// Package repo reads a git repository without starting git: which files the index
// tracks, whether it has a file's bytes, what ignore files pass over.
//
// git itself is no witness: starting it runs what the repository configures, and its index holds flags
// (assume-unchanged, skip-worktree, the file system monitor) that make it believe a file is as it was. So
// the bytes are hashed and compared with the entry of the index. A file that git would convert on its way
// in (line ends, filters) differs from its object: it counts as a file that git does not have.
//
// The index counts, not HEAD: what is only staged is an object too, and stays one for some weeks when it is
// no longer staged. Objects are not looked at: what the index names git has (docs/threat-model.md).
//
// Everything is bounded: see the constants. What is over a bound, or of a kind that is
// not read here (a split index), git does not have.
package repo

import (
	"cmp"
	"crypto/sha1"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

// Bounds of what is read for one repository.
const (
	maxIndex  = 32 << 20
	maxFile   = 16 << 20  // the largest file that is hashed
	maxHashed = 128 << 20 // all of them together
)

// Repo is a working tree with its repository. It remembers what it has read and is not safe for concurrent use.
type Repo struct {
	Top    string // of the working tree
	Dir    string // its git directory
	Common string // the git directory that holds the objects: Dir but in a linked working tree

	files    view.Files
	read     bool
	fault    string
	index    index
	hashed   int64
	ignoring map[string]ignoreFile // by name
}

const notInGit = "is not in git" // the fault of a repository that has no index yet

// Around finds the repository in whose working tree a real directory lies; nil for no repository, or for a
// repository that cannot be followed.
func Around(files view.Files, dir string) *Repo {
	r, fault := Find(files, dir)
	for r != nil && r.Top == "" && r.Dir != "/" {
		r, fault = Find(files, path.Dir(r.Dir))
	}
	if fault != "" || r == nil || r.Top == "" {
		return nil
	}
	return r
}

// Find finds the repository that git takes in a real directory; nil for no repository, or for a repository that
// cannot be followed. A bare repository has no Top. fault says why the repository is not plain.
func Find(files view.Files, dir string) (r *Repo, fault string) {
	for {
		git := strings.TrimSuffix(dir, "/") + "/.git"
		exists := func(at, name string) bool { _, err := files.Lstat(at + name); return err == nil }
		info, err := files.Lstat(git)
		at := strings.TrimSuffix(git, "/.git")
		switch {
		case err == nil && info.Mode.IsDir():
			if exists(git, "/commondir") { // that of a linked working tree: git goes by it
				fault = git + "/commondir leads elsewhere"
			}
			return &Repo{Top: dir, Dir: git, Common: git, files: files}, fault
		case err == nil:
			if r = linked(files, dir, git); r == nil {
				fault = git + " leads nowhere"
			}
			return r, fault
		case exists(at, "/HEAD") && (exists(at, "/commondir") || exists(at, "/objects") && exists(at, "/refs")):
			if path.Base(dir) != ".git" {
				fault = "a bare repository lies at " + dir
			}
			return &Repo{Dir: dir, Common: dir, files: files}, fault
		case dir == "/" || !path.IsAbs(dir):
			return nil, ""
		}
		dir = path.Dir(dir)
	}
}

// linked follows the .git file of a linked worktree or a submodule.
func linked(files view.Files, top, file string) *Repo {
	dir, ok := leads(files, file, "gitdir:", top)
	common := dir
	if _, err := files.Lstat(dir + "/commondir"); ok && err == nil {
		common, ok = leads(files, dir+"/commondir", "", dir)
	}
	if !ok {
		return nil
	}
	return &Repo{Top: top, Dir: dir, Common: common, files: files}
}

// leads reads a file that names a directory.
func leads(files view.Files, file, prefix, from string) (string, bool) {
	data, err := files.Read(file, 4096)
	target, ok := strings.CutPrefix(strings.TrimSpace(string(data)), prefix)
	if err != nil || !ok {
		return "", false
	}
	if target = strings.TrimSpace(target); !path.IsAbs(target) {
		target = from + "/" + target
	}
	real, err := view.Resolve(files, target)
	return real, err == nil
}

// Lost says why the content of the regular file at a real path could not be restored; "" where it could.
func (r *Repo) Lost(name string) (why string) {
	below, ok := strings.CutPrefix(name, r.Top+"/")
	if !ok || !r.load() {
		return cmp.Or(r.fault, notInGit)
	}
	e, ok := r.index.find(below)
	switch {
	case !ok || e.mode&0o170000 != 0o100000 || e.intent:
		return notInGit
	case e.stage != 0:
		return "is in conflict"
	}
	if !r.same(name, e.id) {
		return "differs from what git has"
	}
	return ""
}

// Tracks reports whether the index holds anything at or below a real path. If nobody can say, it does.
func (r *Repo) Tracks(name string) bool {
	below, ok := strings.CutPrefix(name, r.Top+"/")
	return !ok || !r.load() || r.index.holds(below)
}

// same reports whether the file has the content that id names.
func (r *Repo) same(name, id string) bool {
	info, err := r.files.Lstat(name)
	if err != nil || !info.Mode.IsRegular() || r.hashed+info.Size > maxHashed {
		return false
	}
	data, err := r.files.Read(name, maxFile)
	if err != nil {
		return false
	}
	r.hashed += int64(len(data))
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return string(h.Sum(nil)) == id
}

// Tracked returns the files of the index that pick lets pass. An entry that was only promised (git add -N), or that is
// no file in the index but a file in the working tree, has no id: the index has nothing of such a file.
func (r *Repo) Tracked(pick func(File) bool) (files []File) {
	if !r.load() {
		return nil
	}
	for _, f := range r.index.entries {
		if !pick(f) {
			continue
		}
		isFile := f.mode&0o170000 == 0o100000
		if !isFile || f.intent {
			f.id = ""
			if info, err := r.files.Lstat(r.Top + "/" + f.Name); !isFile && (err != nil || !info.Mode.IsRegular()) {
				continue
			}
		}
		files = append(files, f)
	}
	return files
}

// Differs reports whether the working tree has something else than the index for a tracked file, or nothing.
func (r *Repo) Differs(f File) bool { return !r.same(r.Top+"/"+f.Name, f.id) }

// MayBeStaged returns the files of changed directories: the index says that something was staged
// in them since they were written as trees, as a rule by a commit.
func (r *Repo) MayBeStaged() []File {
	if !r.load() {
		return nil
	}
	written := r.index.written()
	return r.Tracked(func(f File) bool { return !written[f.Name[:strings.LastIndexByte(f.Name, '/')+1]] })
}

// load reads the index once.
func (r *Repo) load() bool {
	if r.read {
		return r.fault == ""
	}
	r.read = true
	settings, err := r.settings()
	if err != nil || slices.ContainsFunc(settings, func(s Setting) bool {
		return s.Name == "extensions.objectformat" && !strings.EqualFold(s.Value(), "sha1")
	}) {
		r.fault = "is in a repository whose configuration is not read"
		return false
	}
	data, err := r.files.Read(r.Dir+"/index", maxIndex)
	if err == nil {
		r.index, err = parseIndex(string(data))
	}
	if err != nil {
		r.fault = notInGit
		if _, missing := r.files.Lstat(r.Dir + "/index"); missing == nil {
			r.fault = "is in a repository whose index cannot be read"
		}
	}
	return r.fault == ""
}

// Unread reports whether there is an index that is not read here, so that nobody knows what is tracked.
func (r *Repo) Unread() bool { return !r.load() && r.fault != notInGit }

var errIndex = errors.New("an index that is not understood")
