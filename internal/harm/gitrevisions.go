package harm

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
)

// revised is what git is told, with the names of commits that other commands of git print
// in their places: git show $(git rev-parse HEAD~1) as git show HEAD~1.
func revised(h *Secrets, r *repo.Repo, c shell.Command) *gitOptions {
	o := gitOptionsOf(c)
	if c.Told == nil {
		return o
	}
	o.unsure = false
	first := len(o.operands) - len(c.Told.Operands)
	for i, w := range c.Told.Operands {
		text, ok := revisionOf(h, r, w)
		if o.unsure = o.unsure || !w.Known && !ok; ok {
			o.operands[first+i] = text
		}
	}
	return o
}

// revisionOf is the revision that a word names by what a command of git prints at the same
// repository. ok is false where nod does not know it.
func revisionOf(h *Secrets, r *repo.Repo, w shell.Word) (text string, ok bool) {
	if w.Revision == nil || w.Revision.Command >= len(h.Report.Commands) {
		return "", false
	}
	c := h.Report.Commands[w.Revision.Command]
	if c.Told == nil || c.Told.Dir == "" {
		return "", false
	}
	if at := h.At.RepositoryAt(h.gitDirectory(c)); at == nil || at.Dir != r.Dir {
		return "", false
	}
	text, ok = printedRevision(h, r, c)
	return w.Revision.Before + text + w.Revision.After, ok
}

// printedRevision is the revision whose name a command prints, of those of which the shell
// layer says that they print the name of a commit.
func printedRevision(h *Secrets, r *repo.Repo, c shell.Command) (text string, ok bool) {
	text = "HEAD"
	o := gitOptionsOf(c)
	switch {
	case o.unsure:
		return "", false
	case o.long("--abbrev-ref", "--show-current"):
		text = repo.Branch(r)
		return text, text != ""
	case o.sub == "merge-base":
		if len(o.operands) != 2 {
			return "", false
		}
		return repo.MergeBase(r, o.operands[0], o.operands[1])
	case len(o.operands) == 1:
		text = o.operands[0]
		_, err := h.At.Machine.Files.Lstat(path.Join(h.gitDirectory(c), text))
		if o.gitIs("walks-commits") && (!repo.IsCommit(r, text) || err == nil) { // what may be a file as well
			return "", false
		}
	}
	if _, ok = r.Revision(text); ok && (o.long("--short") || o.formats("%h")) {
		ok = repo.Abbreviates(r, text, maxRefs)
	}
	return text, ok
}

// formats reports whether a format has a field.
func (o *gitOptions) formats(field string) bool {
	in := func(value string) bool { return strings.Contains(value, field) }
	return slices.ContainsFunc(o.values["--format"], in) || slices.ContainsFunc(o.values["--pretty"], in)
}

// mayBeObject reports whether a word is what git rev-parse prints of a name that nod does not
// know: any object, of which git show prints what it holds.
func mayBeObject(h *Secrets, r *repo.Repo, w shell.Word) bool {
	_, ok := revisionOf(h, r, w)
	return w.Revision != nil && !ok &&
		gitOptionsOf(h.Report.Commands[w.Revision.Command]).gitIs("prints-any")
}
