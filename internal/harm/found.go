package harm

import (
	"io/fs"
	"path"
	"slices"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// finds reports whether a deletion is that of find's -delete: of names below
// where it starts, by no link, whatever its tests say. Options that lead find
// out of there, and words that nobody knows, do not count.
func (l *Loss) finds(e shell.Effect) bool {
	if !l.Report.By(e, shell.Expression) || e.Name != "" || e.Pattern != "" || !e.Recursive ||
		e.Place != shell.Workspace {
		return false
	}
	c := l.Report.Commands[e.Command]
	return len(c.Wrappers) == 0 && !c.Has(shell.Follows) &&
		!slices.ContainsFunc(c.Words, func(w shell.Word) bool { return !w.Known })
}

// foundHarm says what find may remove that could not be restored: everything
// that passes the one test that all it removes must pass, where that is a
// name, or all there is.
func (l *Loss) foundHarm(e shell.Effect) (why Objection) {
	if why := l.overtaken(e, e.Target); why != "" {
		return "this deletes " + why
	}
	s := search{loss: l, effect: e}
	if why := s.below(e.Target, 0); why != "" {
		return why
	}
	if s.found == 0 { // who looks for it thinks otherwise, as in deletable
		return Objection("this deletes files that are not there, so that nod cannot tell what it would delete: " +
			printable.Text(e.Words))
	}
	return ""
}

// search walks where find does.
type search struct {
	loss   *Loss
	effect shell.Effect
	seen   int
	found  int
}

func (s *search) below(dir string, depth int) (why Objection) {
	names, err := s.loss.At.Machine.Files.List(dir, maxTreeNames-s.seen)
	if s.seen += len(names); err != nil || depth > maxTreeDepth {
		return Objection("this deletes what it finds in " + printable.Text(dir) +
			", which is too large to look through")
	}
	for _, name := range names {
		if why = s.one(dir+"/"+name, depth); why != "" {
			return why
		}
	}
	return ""
}

func (s *search) one(name string, depth int) (why Objection) {
	info, err := s.loss.At.Machine.Files.Lstat(name)
	switch {
	case err != nil:
		return Objection("this deletes files, and nod cannot look at all of them: " + printable.Text(s.effect.Words))
	case paths.MayPass(s.effect.Picked, path.Base(name)):
		s.found++
		return s.loss.deletable(s.effect, name)
	case info.Mode.IsDir() && info.Mode&fs.ModeSymlink == 0:
		return s.below(name, depth+1)
	}
	return ""
}
