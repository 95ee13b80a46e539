package place

import (
	"path"
	"slices"

	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/view"
)

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
