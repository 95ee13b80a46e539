package harm

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// isKept reports whether a file is kept before the call: it lies in the workspace, and is
// neither guarded nor anything but a file with one name, or a link.
func isKept(l *Loss, name string) bool {
	info, err := l.At.Machine.Files.Lstat(name)
	if l.At.Keeping == nil || err != nil || !l.At.Machine.Inside(l.At.Roots, name) || l.At.Guarded(name) {
		return false
	}
	if info.Mode&fs.ModeSymlink == 0 && l.At.Machine.Ordinary(name) != "" {
		return false
	}
	l.At.Keeping.Take(name)
	return true
}

// gitKept reports whether what a command of git takes back or throws away is kept before it: the files that
// are not as the index has them, those that git does not have, or the commits of a stash. What it puts
// there instead is what the index or HEAD has, of no file that is guarded.
func gitKept(l *Loss, command int) bool {
	if l.At.Keeping == nil || command < 0 || command >= len(l.Report.Commands) {
		return false
	}
	kept, looked := l.git[command]
	if !looked {
		kept = keepsForGit(l, l.Report.Commands[command])
		l.git[command] = kept
	}
	return kept
}

func keepsForGit(l *Loss, c shell.Command) bool {
	o := gitOptionsOf(c)
	if o.sub == "" || o.unsure {
		return false
	}
	r := l.At.Repository(l.Secrets.gitDirectory(c))
	if r == nil || r.Unread() || !ownRepository(l.At, r.Dir) || !l.At.Machine.Inside(l.At.Roots, r.Top+"/.") {
		return false
	}
	switch {
	case takesToIndex(o):
		return keepsChanged(l, r) && (o.sub == "checkout" || keepsStaged(l, r))
	case o.sub == "clean" && !o.long("--interactive") && !o.short("i"):
		return keepsUntracked(l, r)
	case o.sub == "stash" && len(o.operands) > 0 && (o.operands[0] == "drop" || o.operands[0] == "clear"):
		return keepsStashes(l, r)
	}
	return false
}

// takesToIndex reports whether a command takes changed files back to what the index has, or
// HEAD, and puts no other files there.
func takesToIndex(o *gitOptions) bool {
	head := func(list []string) bool { return len(list) == 0 || len(list) == 1 && list[0] == "HEAD" }
	switch o.sub {
	case "reset":
		return o.long("--hard") && len(o.longs) == 1 && head(o.operands)
	case "restore":
		return !o.long("--source", "--patch") && !o.short("sp")
	case "checkout":
		return o.files && len(o.longs) == 0 && !o.short("bBp")
	}
	return false
}

// keepsChanged keeps every tracked file that is not as the index has it.
func keepsChanged(l *Loss, r *repo.Repo) bool {
	all := true
	r.Tracked(func(f repo.File) bool {
		name := r.Top + "/" + f.Name
		if all && r.Differs(f) {
			all = !l.At.Guarded(name) && (l.At.Missing(name) || isKept(l, name))
		}
		return false
	})
	return all
}

// keepsStaged keeps what may be staged: git has its bytes, but under no name that anybody finds again.
func keepsStaged(l *Loss, r *repo.Repo) bool {
	for _, f := range r.MayBeStaged() {
		name := r.Top + "/" + f.Name
		if l.At.Guarded(name) || !l.At.Missing(name) && !isKept(l, name) {
			return false
		}
	}
	return true
}

// maxUntracked bounds how many names of a working tree are looked at.
const maxUntracked = 20_000

// keepsUntracked keeps what git does not have and no build makes again. A repository below keeps nothing.
func keepsUntracked(l *Loss, r *repo.Repo) bool {
	keep := func(name string, kind fs.FileMode, err error) error {
		switch {
		case err != nil, path.Base(name) == ".git" && path.Dir(name) != r.Top:
			return fs.SkipAll
		case path.Base(name) == ".git":
			return fs.SkipDir
		case kind.IsDir() && l.At.IsOutput(name):
			if l.lostOutput(name) != "" {
				return fs.SkipAll
			}
			return fs.SkipDir
		case !kind.IsDir() && !r.Tracks(name) && !isKept(l, name):
			return fs.SkipAll
		}
		return nil
	}
	return view.Walk(l.At.Machine.Files, r.Top, maxUntracked, keep) == nil
}

// keepsStashes keeps the names of the commits that were stashed.
func keepsStashes(l *Loss, r *repo.Repo) bool {
	stashes := r.Stashes()
	for _, id := range stashes {
		l.At.Keeping.TakeObject(place.Object{Repo: r.Top, Name: id, What: "stash"})
	}
	return len(stashes) > 0
}

// GitHarm says why a write of git's own is not harmless: it loses something, puts files of a commit or a
// stash into the working tree, or is another repository's than the workspace's.
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
		r := at.Repository(root)
		if r == nil || !at.Machine.UsableRoot(r.Top) {
			continue
		}
		if target == r.Dir || worktreeOf(at, r, root, target) {
			return true
		}
	}
	return false
}

// worktreeOf reports whether target belongs to a linked worktree of r that lies in the workspace.
func worktreeOf(at *place.Workspace, r *repo.Repo, root, target string) bool {
	data, err := at.Machine.Files.Read(target+"/gitdir", 4096)
	if path.Dir(target) != r.Common+"/worktrees" || err != nil {
		return false
	}
	top := path.Dir(strings.TrimSpace(string(data)))
	linked := at.Repository(top)
	return linked != nil && linked.Top == top && linked.Common == r.Common && view.Below(root, top) &&
		at.Machine.Inside(at.Roots, top+"/.")
}

// takesBack says which changed file git checkout would put an older one in the place of,
// where its words name files without a -- before them.
func takesBack(l *Loss, c shell.Command) Objection {
	o := gitOptionsOf(c)
	if o.sub != "checkout" || len(o.operands) == 0 || o.short("bB") || o.long("--orphan") {
		return ""
	}
	dir := l.Secrets.gitDirectory(c)
	r := l.At.Repository(dir)
	if r == nil {
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
