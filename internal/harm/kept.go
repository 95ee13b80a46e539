package harm

import (
	"io/fs"

	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
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

// gitKept reports whether what a command of git takes back or throws away is kept before
// it: the files that are not as the index has them, those that git does not have, or the
// commits of a stash. What it puts there instead is what the index or HEAD has, of no
// file that is guarded.
func gitKept(l *Loss, command int) bool {
	if l.At.Keeping == nil || command < 0 || command >= len(l.Report.Commands) || !isGit(l.Report.Commands[command]) {
		return false
	}
	kept, looked := l.git[command]
	if !looked {
		kept = keepsForGit(l, l.Report.Commands[command])
		if l.git == nil {
			l.git = map[int]bool{}
		}
		l.git[command] = kept
	}
	return kept
}

func keepsForGit(l *Loss, c shell.Command) bool {
	o := gitOptionsOf(c)
	r, ok := repo.Around(l.At.Machine.Files, l.Secrets.gitDirectory(c)+"/.")
	if !ok || r.Unread() || o.unsure || !ownRepository(l.At, r.Dir) || !l.At.Machine.Inside(l.At.Roots, r.Top+"/.") {
		return false
	}
	switch {
	case takesToIndex(o):
		return keepsChanged(l, r) && (o.sub == "checkout" || keepsStaged(l, r))
	case o.sub == "clean" && !o.long("--interactive") && !o.short("i"):
		return keepsUntracked(l, r, r.Top, 0)
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

// keepsStaged keeps what may be staged: git has its bytes, but under no name that anybody
// finds again.
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

// keepsUntracked keeps what git does not have and no build makes again.
func keepsUntracked(l *Loss, r *repo.Repo, dir string, depth int) bool {
	l.seen++
	names, err := l.At.Machine.Files.List(dir, maxUntracked-l.seen)
	if l.seen += len(names); err != nil || depth > maxTreeDepth {
		return false
	}
	for _, base := range names {
		name := dir + "/" + base
		info, err := l.At.Machine.Files.Lstat(name)
		switch {
		case err != nil:
			return false
		case base == ".git":
			if dir != r.Top {
				return false // a repository of its own
			}
		case info.Mode.IsDir() && l.At.IsOutput(name):
			if lostOutput(l, name) != "" {
				return false
			}
		case info.Mode.IsDir():
			if !keepsUntracked(l, r, name, depth+1) {
				return false
			}
		case !r.Tracks(name) && !isKept(l, name):
			return false
		}
	}
	return true
}

// keepsStashes keeps the names of the commits that were stashed.
func keepsStashes(l *Loss, r *repo.Repo) bool {
	stashes := r.Stashes()
	for _, id := range stashes {
		l.At.Keeping.TakeObject(place.Object{Repo: r.Top, Name: id, What: "stash"})
	}
	return len(stashes) > 0
}
