package harm

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// GitHarm says why a write of git's own is not harmless: it loses something,
// puts files of a commit or a stash into the working tree, or is another
// repository's than the workspace's.
func (l *Loss) GitHarm(e shell.Effect) (why Objection) {
	switch {
	case !e.Kept && gitKept(l, e.Command):
		return ""
	case !e.Kept && path.Base(e.Target) != ".git":
		return Objection("this has git put files into the working tree that nod has not read: " +
			printable.Text(e.Words))
	case !e.Kept:
		return Objection("this changes the repository, and git may not keep what was there: " + printable.Text(e.Words))
	case !ownRepository(l.At, e.Target):
		return Objection("this changes a repository outside the workspace: " + printable.Text(e.Words))
	}
	return ""
}

// ByGit reports whether git itself writes to its directory or to the working
// tree, not to a file that an argument names.
func (l *Loss) ByGit(e shell.Effect) bool {
	if !l.Report.By(e, shell.Git) {
		return false
	}
	info, err := l.At.Machine.Files.Lstat(e.Target)
	return e.Kept || path.Base(e.Target) == ".git" || err == nil && info.Mode.IsDir()
}

// ownRepository reports whether target is the git directory of a workspace
// root's repository, or of a worktree of it that lies in the workspace.
func ownRepository(at *place.Workspace, target string) bool {
	for _, root := range at.Roots {
		r, ok := repo.Around(at.Machine.Files, root+"/.")
		if !ok || !at.Machine.UsableRoot(r.Top) {
			continue
		}
		if target == r.Dir || worktreeOf(at, r, root, target) {
			return true
		}
	}
	return false
}

// worktreeOf reports whether target belongs to a linked worktree of r that
// lies in the workspace.
func worktreeOf(at *place.Workspace, r *repo.Repo, root, target string) bool {
	data, err := at.Machine.Files.Read(target+"/gitdir", 4096)
	if path.Dir(target) != r.Common+"/worktrees" || err != nil {
		return false
	}
	top := path.Dir(strings.TrimSpace(string(data)))
	linked, ok := repo.Around(at.Machine.Files, top+"/.")
	return ok && linked.Top == top && linked.Common == r.Common && view.Below(root, top) &&
		at.Machine.Inside(at.Roots, top+"/.")
}

// takesBack says which changed file git checkout would put an older one in the place of,
// where its words name files without a -- before them.
func takesBack(l *Loss, c shell.Command) Objection {
	o := gitOptionsOf(c)
	if !isGit(c) || o.sub != "checkout" || len(o.operands) == 0 || o.short("bB") || o.long("--orphan") {
		return ""
	}
	dir := l.Secrets.gitDirectory(c)
	r, ok := repo.Around(l.At.Machine.Files, dir+"/.")
	if !ok {
		return ""
	}
	changed := r.Tracked(func(f repo.File) bool {
		name := r.Top + "/" + f.Name
		return namesFile(l, o.operands, dir, name) && !l.At.Missing(name) && r.Differs(f) && !isKept(l, name)
	})
	if len(changed) == 0 {
		return ""
	}
	return Objection("this throws away the changes in " + printable.Text(changed[0].Name) +
		", which are committed nowhere")
}

// namesFile reports whether one of the words may name a file or what holds it. A word
// that names nothing here is a branch.
func namesFile(l *Loss, words []string, dir, file string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		named := l.At.Machine.Real(path.Join(dir, word))
		return strings.ContainsAny(word, `*?[\:`) || !l.At.Missing(named) && view.Below(named, file)
	})
}
