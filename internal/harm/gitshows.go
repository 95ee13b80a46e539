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
	if c.Told != nil {
		c.Dir = c.Told.Dir
	}
	return h.At.Machine.Real(c.Dir)
}

// gitAims returns a word of git that names a secret as a file of a commit (HEAD:.env), or
// by a pathspec with magic (:/.env).
func (h *Secrets) gitAims() string {
	secret := h.At.Machine.Secrets.Match
	for _, c := range h.Report.Commands {
		o := gitOptionsOf(c)
		for _, name := range o.operands {
			rev, file, _ := strings.Cut(name, ":")
			if rev != "" && file != "" && secret("/"+file) && !o.isAmong("takes-text") || secret("/"+magicName(name)) {
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
		o := gitOptionsOf(c)
		if !printsChanges(o) || c.Told.Dir == "" {
			continue
		}
		r := h.At.Repository(h.gitDirectory(c))
		if r == nil {
			continue
		}
		if r.Unread() {
			return "this prints changes, and nod cannot read which files git tracks"
		}
		if name := h.diffed(r, h.pathsAmong(c, o.operands), o); name != "" {
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
	case !o.isAmong("prints-changes"):
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
func (h *Secrets) diffed(r *repo.Repo, paths []string, o *gitOptions) string {
	if takesFiles(h) {
		if name := h.untrackedSecret(r); name != "" {
			return name
		}
	}
	secret := func(f repo.File) bool {
		name := r.Top + "/" + f.Name
		named := func(dir string) bool { return view.Below(dir, name) }
		return (paths == nil || slices.ContainsFunc(paths, named)) && h.touches(name, false) && !h.At.Missing(name)
	}
	onlyStaged := o.long("--cached", "--staged")
	if !onlyStaged {
		if files := r.Tracked(func(f repo.File) bool { return secret(f) && r.Differs(f) }); len(files) > 0 {
			return r.Top + "/" + files[0].Name
		}
	}
	if onlyStaged || len(o.operands) > 0 {
		if files := slices.DeleteFunc(r.MayBeStaged(), func(f repo.File) bool { return !secret(f) }); len(files) > 0 {
			return r.Top + "/" + files[0].Name
		}
	}
	return ""
}

// isGit reports whether a command runs git here.
func isGit(c shell.Command) bool { return c.Program != "" && c.Has(shell.Git) && len(c.Words) > 1 }

// gitOptions are the words of a command of git as it takes them apart; the zero value is that of any other command.
type gitOptions struct {
	sub      string // the subcommand
	letters  string // of short options
	longs    []string
	operands []string // the words that are no options
	unsure   bool     // of some operand nobody knows what it is
	files    bool     // all operands stand behind a --, and so are no revisions
}

// gitOptionsOf is what git is told.
func gitOptionsOf(c shell.Command) *gitOptions {
	o := &gitOptions{}
	if !isGit(c) || c.Told == nil {
		return o
	}
	o.sub, o.operands = c.Told.Verbs[0], slices.Clone(c.Told.Verbs[1:])
	for _, given := range c.Told.Options {
		if letters, short := strings.CutPrefix(given.Name, "-"); short && !strings.HasPrefix(letters, "-") {
			o.letters += letters
		} else {
			o.longs = append(o.longs, given.Name)
		}
	}
	o.files = len(o.operands) == 0 && c.Told.Behind > 0 && c.Told.Behind == len(c.Told.Operands)
	for _, w := range c.Told.Operands {
		o.unsure = o.unsure || !w.Known
		o.operands = append(o.operands, w.Value)
	}
	return o
}

// isAmong reports whether a list of git's sheet names the subcommand.
func (o *gitOptions) isAmong(list string) bool { return o.sub != "" && shell.Lists("git", list, o.sub) }

func (o *gitOptions) short(any string) bool { return strings.ContainsAny(o.letters, any) }

func (o *gitOptions) long(names ...string) bool {
	return slices.ContainsFunc(o.longs, func(l string) bool { return slices.Contains(names, l) })
}

func (o *gitOptions) longPrefix(prefixes ...string) bool {
	return slices.ContainsFunc(o.longs, func(l string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(l, p) })
	})
}
