package place

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/view"
)

// RepositoryAt finds the repository that a directory belongs to, for what it
// tracks and ignores.
func (w *Workspace) RepositoryAt(dir string) *repo.Repo {
	r, _ := w.Repository(dir + "/.")
	return r
}

// InPath reports whether a real path lies in a PATH directory of the
// workspace: what is written there is run by name later.
func (w *Workspace) InPath(real string) bool {
	for _, dir := range w.PathDirs() {
		if view.Below(dir, real) {
			return true
		}
	}
	return false
}

// Missing reports whether nothing stands at a name.
func (w *Workspace) Missing(name string) bool {
	_, err := w.Machine.Files.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// reading is where a name leads.
type reading struct {
	name  string
	reals []string
	err   error
}

// Readings returns where a path of the call may lead: as the kernel follows
// it, and, where that differs, with ".." taken out of the text first, or without the
// blanks around it, as hosts may do before they open a file. All of them count; one
// that nobody can say is "", with an error. Several layers ask, and all get one answer.
func (w *Workspace) Readings(name string) ([]string, error) {
	for _, r := range w.named {
		if r.name == name {
			return r.reals, r.err
		}
	}
	reals, err := w.Machine.Readings(w.Dir, name)
	w.named = append(w.named, reading{name, reals, err})
	return reals, err
}

// PathDirs returns the PATH directories of the call that lie in a root. Most
// calls ask nothing of them, so they are found when they are.
func (w *Workspace) PathDirs() []string {
	if w.looked || len(w.Roots) == 0 {
		return w.path
	}
	w.looked = true
	value, _ := Lookup(w.Environ, "PATH")
	for elem := range strings.SplitSeq(value, ":") {
		real, err := w.Machine.Locate(w.Dir, elem)
		if err != nil {
			continue
		}
		for _, root := range w.Roots {
			if real != root && view.Below(root, real) {
				w.path = append(w.path, real)
			}
		}
	}
	return w.path
}

// IsLink reports whether a symbolic link stands at a name.
func (w *Workspace) IsLink(name string) bool {
	info, err := w.Machine.Files.Lstat(path.Clean(name))
	return err == nil && info.Mode&fs.ModeSymlink != 0
}

// Repository finds the repository around a real path, once.
func (w *Workspace) Repository(name string) (*repo.Repo, bool) {
	dir := path.Dir(name)
	if r, ok := w.repos[dir]; ok {
		return r, r != nil
	}
	r, _ := repo.Around(w.Machine.Files, name)
	if w.repos == nil {
		w.repos = map[string]*repo.Repo{}
	}
	for _, known := range w.repos {
		if r != nil && known != nil && known.Top == r.Top {
			r = known // it has read its index
		}
	}
	w.repos[dir] = r
	return r, r != nil
}
