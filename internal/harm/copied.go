package harm

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// mirroredOver says which file below a directory a program would overwrite, or take away
// as one that another tree has not, that could not be restored. What else copies a tree over
// another is not plain, and no known loss.
func mirroredOver(l *Loss, e shell.Effect, dir string) (why Objection) {
	if e.Command < 0 || !listed("mirrors", l.Report.ProgramOf(e)) {
		return ""
	}
	mirrors := slices.ContainsFunc(l.Report.Commands[e.Command].Words, func(w shell.Word) bool {
		return w.Value == "--del" || strings.HasPrefix(w.Value, "--delete")
	})
	if lost := l.lost(e, dir); mirrors && lost != "" {
		return "this deletes or overwrites " + lost
	}
	return ""
}
