package harm

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// A line may change what nod looks at before a command of it runs: which names
// are ignored, what git has in its index, where a directory lies. What was looked
// up then counts for nothing, and only what could be a secret counts.

// unignores reports whether the line changes a file that says what is ignored.
func (h *Secrets) unignores() bool {
	return slices.ContainsFunc(h.Report.Effects, func(e shell.Effect) bool {
		if e.Kind != shell.Write && e.Kind != shell.Delete || e.Target == "" {
			return false
		}
		names, all := h.At.Machine.Names(e)
		return !all && e.Pattern != "" || slices.ContainsFunc(names, saysWhatIsIgnored)
	})
}

func saysWhatIsIgnored(name string) bool {
	switch path.Base(name) {
	case ".gitignore", ".ignore", ".rgignore", ".fdignore":
		return true
	}
	return false
}

// moving lists the directories that the line moves.
func (h *Secrets) moving() (dirs []string) {
	for _, e := range h.Report.Effects {
		if e.Kind == shell.Delete && e.Moved && h.At.Machine.IsDirectory(e.Target) {
			dirs = append(dirs, e.Target)
		}
	}
	return dirs
}

// leaving lists the directories that the line moves or removes, in the index or
// on the disk.
func (h *Secrets) leaving() (dirs []string) {
	for _, e := range h.Report.Effects {
		if e.Kind == shell.Delete && h.At.Machine.IsDirectory(e.Target) {
			dirs = append(dirs, e.Target)
		}
	}
	for _, c := range h.Report.Commands {
		if o := gitOptionsOf(c); isGit(c) && o.gitIs("leaves-index") {
			for _, name := range o.operands {
				if strings.ContainsAny(name, `*?[\:`) {
					dirs = append(dirs, "/") // any of them
					continue
				}
				dirs = append(dirs, h.At.Machine.Real(path.Join(h.gitDirectory(c), name)))
			}
		}
	}
	return dirs
}

// carried names a secret in a directory that the line moves: what ignores it may
// not do so at its new place.
func (s addSearch) carried() string {
	s.forced = true
	for _, dir := range s.secrets.moving() {
		if found := s.below(dir, 0); found != "" {
			return found
		}
	}
	return ""
}

// stale names a secret that the command may print since another command of the
// line changes what git has: a file that leaves, or that differs already. Where
// the other command moves a branch, any commit may be printed.
func (l *gitLook) stale() string {
	for _, dir := range l.secrets.leaving() {
		left := func(f repo.File) bool { return view.Below(dir, l.repo.Top+"/"+f.Name) }
		if tracked := l.repo.Tracked(l.isSecret); slices.ContainsFunc(tracked, left) {
			return tracked[slices.IndexFunc(tracked, left)].Name
		}
	}
	found := ""
	for i, c := range l.secrets.Report.Commands {
		if i == l.index || !isGit(c) || !l.secrets.writes(i) {
			continue
		}
		l.moved = l.moved || !gitOptionsOf(c).gitIs("keeps-branches")
		l.open = l.open || l.moved
		found = cmp.Or(found, l.unstaged(l.repo.Tracked(l.isSecret)), l.staged())
	}
	return found
}

// writes reports whether a command changes a file.
func (h *Secrets) writes(command int) bool {
	return slices.ContainsFunc(h.Report.Effects,
		func(e shell.Effect) bool { return e.Command == command && e.Kind == shell.Write })
}
