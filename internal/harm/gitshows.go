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

// gitAims returns a word of git that names a secret in a way of git's own: a pathspec
// with its magic, a glob, whose star matches dots and slashes, a file of a commit, or
// the file of git log -L. A format that prints an object as it is may name any.
func (h *Secrets) gitAims() string {
	for _, c := range h.Report.Commands {
		if !isGit(c) {
			continue
		}
		o := gitOptionsOf(c)
		for _, w := range c.Words {
			if strings.Contains(w.Value, "%(raw") || strings.Contains(w.Value, "%(*raw") {
				return w.Value
			}
		}
		for _, value := range o.values["-L"] {
			if _, file, ok := strings.Cut(value[strings.LastIndexByte(value, ',')+1:], ":"); ok &&
				h.At.Machine.Secrets.Match("/"+file) {
				return value
			}
		}
		for i, name := range o.operands {
			if h.gitNames(o, i, name) {
				return name
			}
		}
	}
	return ""
}

// gitNames reports whether an operand of git names a secret in a way of git's own.
func (h *Secrets) gitNames(o *gitOptions, i int, name string) bool {
	rev, file, _ := strings.Cut(name, ":")
	switch {
	case o.gitIs("searches") && i == 0 && len(o.values["-e"]) == 0, o.gitIs("takes-text"), excludes(name):
		return false
	case rev != "" && file != "" && h.At.Machine.Secrets.Match("/"+file):
		return true
	}
	magic := strings.HasPrefix(name, ":")
	if _, rest, long := strings.Cut(name, ")"); magic && long {
		name = rest
	}
	name = strings.TrimLeft(name, ":/^!")
	return magic && h.At.Machine.Secrets.Match("/"+name) || globsSecret(path.Base(name))
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
	return walkFor(h.At.Machine.Files, r.Top, maxBelow, func(name string, mode fs.FileMode) bool {
		return mode.IsRegular() && h.isSecretName(name) && !r.PassesOver(repo.Surely, name, false)
	}, func(dir string) bool { return dir != r.Top && r.PassesOver(repo.Surely, dir, true) })
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

// excludes recognises a pathspec of what is left out.
func excludes(pathspec string) bool {
	if long, ok := strings.CutPrefix(pathspec, ":("); ok {
		magic, _, _ := strings.Cut(long, ")")
		return strings.Contains(magic, "exclude")
	}
	signs, ok := strings.CutPrefix(pathspec, ":")
	signs = signs[:len(signs)-len(strings.TrimLeft(signs, "/!^"))]
	return ok && strings.ContainsAny(signs, "!^")
}
