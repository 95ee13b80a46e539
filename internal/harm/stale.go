package harm

import (
	"path"
	"slices"

	"github.com/nodgate/nod/internal/shell"
)

// A line may change what nod looks at before a command of it runs: which names
// are ignored, what git has in its index and on its branches. What was looked up
// counts for nothing then.

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

// takesFiles reports whether a command of the line may put files into git's index,
// which others then list and search.
func takesFiles(h *Secrets) bool {
	for i, c := range h.Report.Commands {
		if isGit(c) && h.changes(i) {
			return true
		}
	}
	return false
}

// changes reports whether a command changes files.
func (h *Secrets) changes(command int) bool {
	return slices.ContainsFunc(h.Report.Effects, func(e shell.Effect) bool {
		return e.Command == command && (e.Kind == shell.Write || e.Kind == shell.Delete) && e.Target != "/dev/null"
	})
}
