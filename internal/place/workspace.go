package place

import (
	"errors"
	"io/fs"
	"path"
	"slices"
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

// isOutputName lists directories that builds, tests and caches fill.
func isOutputName(name string) bool {
	switch name {
	case "dist", "build", "target", "out", "coverage", "htmlcov", ".next", ".nuxt", ".svelte-kit", ".turbo",
		".parcel-cache", ".nyc_output", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".gradle",
		".cache", "storybook-static":
		return true
	}
	return false
}

// IsOutput reports whether a directory is build output: by its name, ignored
// by the ignore files as git has them, nothing of it tracked. What lies in a
// repository of its own there was made by somebody.
func (w *Workspace) IsOutput(dir string) bool {
	for at := dir; w.Machine.Inside(w.Roots, at) && at != "/"; at = path.Dir(at) {
		if !w.Missing(at + "/.git") {
			return false
		}
		if !isOutputName(path.Base(at)) {
			continue
		}
		if r, ok := w.Repository(at); ok && view.Below(r.Top, at) && !r.Tracks(at) && w.ignored(r, at) {
			return true
		}
	}
	return false
}

// IsInstalled reports whether a directory is all that a package manager put
// there and would put there again: node_modules, ignored, nothing of it
// tracked, beside a lock file. Nothing runs by its being gone.
func (w *Workspace) IsInstalled(dir string) bool {
	if path.Base(dir) != "node_modules" || !w.Machine.Inside(w.Roots, dir) {
		return false
	}
	r, ok := w.Repository(dir)
	return ok && !r.Tracks(dir) && w.ignored(r, dir) && slices.ContainsFunc([]string{"package-lock.json",
		"npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"}, func(lock string) bool {
		return !w.Missing(path.Dir(dir) + "/" + lock)
	})
}

// ignored reports whether ignore files name a directory, as git has them and the session
// did not write them: who has just written what is ignored has not said that it can be
// made again.
func (w *Workspace) ignored(r *repo.Repo, dir string) bool {
	for at := dir; at != r.Top && at != "/"; {
		if at = path.Dir(at); w.Wrote != nil && w.Wrote(at+"/.gitignore") ||
			!w.Missing(at+"/.gitignore") && r.Lost(at+"/.gitignore") != "" {
			return false
		}
	}
	return r.PassesOver(dir, true)
}

// MayBeOutput reports whether a file may count as build output by its names, once
// ignore files name it.
func (w *Workspace) MayBeOutput(name string) bool {
	for at := name; w.Machine.Inside(w.Roots, at) && at != "/"; at = path.Dir(at) {
		if isOutputName(path.Base(at)) {
			return true
		}
	}
	return false
}

// InOutput reports whether a file lies in build output.
func (w *Workspace) InOutput(name string) bool { return w.IsOutput(path.Dir(name)) }
