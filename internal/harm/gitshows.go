package harm

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// What git has committed is the repository's to show. What a command of git names, and
// what of the working tree a diff prints, is looked at like any file.

// gitDirectory is where a command of git works.
func (h *Secrets) gitDirectory(c shell.Command) string {
	if c.Told == nil {
		return h.At.Machine.Real(c.Dir)
	}
	return h.At.Machine.Real(c.Told.Dir)
}

// gitAims returns a word of git that names a secret as a file of a commit (HEAD:.env), or
// by a pathspec with magic (:/.env).
func (h *Secrets) gitAims() string {
	for _, c := range h.Report.Commands {
		if !isGit(c) {
			continue
		}
		o := gitOptionsOf(c)
		for _, name := range o.operands {
			rev, file, _ := strings.Cut(name, ":")
			if rev != "" && file != "" && h.At.Machine.Secrets.Match("/"+file) && !o.gitIs("takes-text") {
				return name
			}
			if h.At.Machine.Secrets.Match("/" + magicName(name)) {
				return name
			}
		}
	}
	return ""
}

// magicName is the last part of the name in a pathspec with git's magic that does not
// leave it out (:/.env), "" for any other word.
func magicName(pathspec string) string {
	if !strings.HasPrefix(pathspec, ":") || strings.ContainsAny(pathspec[:min(3, len(pathspec))], "!^") ||
		strings.Contains(pathspec, "exclude") {
		return ""
	}
	return pathspec[strings.LastIndexAny(pathspec, ":/)")+1:]
}

// gitDiffs says which tracked secret a git diff prints: its change is not committed.
func (h *Secrets) gitDiffs() Objection {
	for _, c := range h.Report.Commands {
		if !isGit(c) || c.Told == nil || c.Told.Dir == "" {
			continue
		}
		o := gitOptionsOf(c)
		r := h.At.RepositoryAt(h.gitDirectory(c))
		if r == nil || !printsChanges(o) {
			continue
		}
		if r.Unread() {
			return "this prints changes, and nod cannot read which files git tracks"
		}
		paths, staged := h.pathsAmong(c, o.operands), o.long("--cached", "--staged")
		if name := h.diffed(r, paths, staged, len(o.operands) > 0); name != "" {
			return Objection("this prints the change of " + printable.Text(name) + ", which holds or may hold secrets")
		}
	}
	return ""
}

// printsChanges reports whether git prints what differs, and not only where.
func printsChanges(o *gitOptions) bool {
	switch {
	case o.sub == "status": // once, it prints what is staged
		return o.long("--verbose") || strings.IndexByte(o.letters, 'v') < strings.LastIndexByte(o.letters, 'v')
	case !o.gitIs("prints-changes"):
		return false
	case o.short("puUW"),
		o.longPrefix("--p", "--unified", "--binary", "--word-diff", "--color-words", "--function-context"):
		return true
	}
	return !o.longPrefix("--stat", "--name", "--shortstat", "--quiet")
}

// untrackedSecret is one that git add would take in.
func (h *Secrets) untrackedSecret(r *repo.Repo) string {
	return h.walkFor(r.Top, maxBelow, func(name string, mode fs.FileMode) bool {
		return mode.IsRegular() && h.touches(name, false) && !r.PassesOver(name, false)
	}, func(dir string) bool { return r.PassesOver(dir, true) })
}

// pathsAmong are the operands of a command of git that name what is there; nil for none.
func (h *Secrets) pathsAmong(c shell.Command, operands []string) (paths []string) {
	for _, word := range operands {
		if named := h.At.Machine.Real(path.Join(h.gitDirectory(c), word)); !h.At.Missing(named) {
			paths = append(paths, named)
		}
	}
	return paths
}

// diffed is the first secret of the index whose change a diff may print: of the working
// tree, of what is staged, or of both.
func (h *Secrets) diffed(r *repo.Repo, paths []string, staged, both bool) string {
	if takesFiles(h) {
		if name := h.untrackedSecret(r); name != "" {
			return name
		}
	}
	secret := func(f repo.File) bool {
		name := r.Top + "/" + f.Name
		named := func(dir string) bool { return view.Below(dir, name) }
		return (paths == nil || slices.ContainsFunc(paths, named)) &&
			h.At.Machine.TouchesSecret(name, false) && !h.At.Missing(name)
	}
	if !staged {
		for _, f := range r.Tracked(secret) {
			if r.Differs(f) {
				return r.Top + "/" + f.Name
			}
		}
	}
	if staged || both {
		if i := slices.IndexFunc(r.MayBeStaged(), secret); i >= 0 {
			return r.Top + "/" + r.MayBeStaged()[i].Name
		}
	}
	return ""
}
