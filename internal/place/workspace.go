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

// InPath reports whether a real path lies in a PATH directory of the workspace: what is
// written there is run by name later. The directories are found when they are asked for.
func (w *Workspace) InPath(real string) bool {
	if !w.looked && len(w.Roots) > 0 {
		w.looked = true
		value, _ := Lookup(w.Environ, "PATH")
		for elem := range strings.SplitSeq(value, ":") {
			dir, err := w.Machine.Locate(w.Dir, elem)
			inside := func(root string) bool { return dir != root && view.Below(root, dir) }
			if err == nil && slices.ContainsFunc(w.Roots, inside) {
				w.path = append(w.path, dir)
			}
		}
	}
	return slices.ContainsFunc(w.path, func(dir string) bool { return view.Below(dir, real) })
}

// Missing reports whether nothing stands at a name.
func (w *Workspace) Missing(name string) bool {
	_, err := w.Machine.Files.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// Readings returns where a path of the call may lead: as the kernel follows it, and, where that differs,
// with ".." taken out of the text first, or without the blanks around it, as hosts may do before they open
// a file. All of them count; one that nobody can say is "", with an error.
func (w *Workspace) Readings(name string) ([]string, error) { return w.Machine.Readings(w.Dir, name) }

// IsLink reports whether a symbolic link stands at a name.
func (w *Workspace) IsLink(name string) bool {
	info, err := w.Machine.Files.Lstat(path.Clean(name))
	return err == nil && info.Mode&fs.ModeSymlink != 0
}

// Repository finds the repository around a real directory, once; nil where there is none.
func (w *Workspace) Repository(dir string) *repo.Repo {
	if r, ok := w.repos[dir]; ok {
		return r
	}
	r := repo.Around(w.Machine.Files, dir)
	if w.repos == nil {
		w.repos = map[string]*repo.Repo{}
	}
	for _, known := range w.repos {
		if r != nil && known != nil && known.Top == r.Top {
			r = known // it has read its index
		}
	}
	w.repos[dir] = r
	return r
}

// outputs are directories that builds, tests and caches fill.
const outputs = " dist build target out coverage htmlcov .next .nuxt .svelte-kit .turbo .parcel-cache .nyc_output " +
	"__pycache__ .pytest_cache .mypy_cache .ruff_cache .gradle .cache storybook-static "

func isOutputName(dir string) bool { return strings.Contains(outputs, " "+path.Base(dir)+" ") }

// IsOutput reports whether a directory is build output: by its name, ignored by the ignore files as git has
// them, nothing of it tracked. What lies in a repository of its own there was made by somebody.
func (w *Workspace) IsOutput(dir string) bool {
	for at := dir; w.Machine.Inside(w.Roots, at) && at != "/"; at = path.Dir(at) {
		if !w.Missing(at + "/.git") {
			return false
		}
		if isOutputName(at) && w.madeAgain(at) {
			return true
		}
	}
	return false
}

// madeAgain reports whether nothing of a directory is tracked, and ignore files name it, as
// git has them and the session did not write them: who has just written what is ignored has
// not said that it can be made again.
func (w *Workspace) madeAgain(dir string) bool {
	r := w.Repository(path.Dir(dir))
	if r == nil || !view.Below(r.Top, dir) || r.Tracks(dir) {
		return false
	}
	for at := dir; at != r.Top && at != "/"; {
		if at = path.Dir(at); w.Wrote != nil && w.Wrote(at+"/.gitignore") ||
			!w.Missing(at+"/.gitignore") && r.Lost(at+"/.gitignore") != "" {
			return false
		}
	}
	return r.PassesOver(dir, true)
}

// IsInstalled reports whether a directory is all that a package manager put there and would put there
// again: node_modules, ignored, nothing of it tracked, beside a lock file. Nothing runs by its being gone.
func (w *Workspace) IsInstalled(dir string) bool {
	return path.Base(dir) == "node_modules" && w.Machine.Inside(w.Roots, dir) && w.madeAgain(dir) &&
		slices.ContainsFunc([]string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml",
			"bun.lock", "bun.lockb"}, func(lock string) bool { return !w.Missing(path.Dir(dir) + "/" + lock) })
}

// MayBeOutput reports whether a file may count as build output by its names, once ignore files name it.
func (w *Workspace) MayBeOutput(name string) bool {
	for at := name; w.Machine.Inside(w.Roots, at) && at != "/"; at = path.Dir(at) {
		if isOutputName(at) {
			return true
		}
	}
	return false
}
