package harm

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// Loses reports whether the command does what cannot be undone, as far as its
// effects and its own words tell. What the two functions speak of does not count.
func (l *Loss) Loses(clearsEffect func(shell.Effect) bool, clearsCommand func(int) bool) bool {
	for _, e := range l.Report.Effects {
		if !clearsEffect(e) && l.losesBy(e) {
			return true
		}
	}
	for i, c := range l.Report.Commands {
		if !clearsCommand(i) && (c.Has(shell.Discards) || l.reaches(i) && destroys(c)) {
			return true
		}
	}
	return false
}

// losesBy reports whether an effect is a known loss: work that nobody could
// restore, a disk, what others have. What only may be a loss is none.
func (l *Loss) losesBy(e shell.Effect) bool {
	switch e.Kind {
	case shell.Delete:
		goesOn := e.Moved && !discards(l.Report, e)
		return !goesOn && e.Place != shell.Temporary && !l.nothingAt(e) && l.DeleteHarm(e) != ""
	case shell.Write:
		return e.Place == shell.Device || l.replaces(e)
	case shell.Remote:
		return e.Forced
	case shell.Exhaust:
		return true
	}
	return false
}

// nothingAt reports whether what an effect names is not there, and nothing of
// the line puts it there.
func (l *Loss) nothingAt(e shell.Effect) bool {
	return path.IsAbs(e.Target) && e.Pattern == "" && l.At.Missing(e.Target) && !l.madeHere(e, e.Target) &&
		l.overtaken(e, e.Target) == ""
}

// replaces reports whether a command puts something else in the place of a file
// that could not be restored. What works on a file in place, as a formatter
// does, is no known loss, and neither is what appends.
func (l *Loss) replaces(e shell.Effect) bool {
	if l.Report.ProgramOf(e) != "" && !l.Report.By(e, shell.Replaces) || e.Appends || e.Place == shell.Temporary ||
		e.Place == shell.Null {
		return false
	}
	names, _ := l.targets(e)
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := l.At.Machine.Files.Lstat(name)
		return err == nil && !info.Mode.IsDir() && l.lost(e, name) != ""
	})
}

// reaches reports whether nod does not know all that a command does, or it
// acts on something elsewhere.
func (l *Loss) reaches(command int) bool {
	return slices.ContainsFunc(l.Report.Unknowns, func(u shell.Unknown) bool { return u.Command == command }) ||
		slices.ContainsFunc(l.Report.Effects, func(e shell.Effect) bool {
			return e.Command == command && (e.Kind == shell.Remote || e.Kind == shell.Send)
		})
}

// destroys recognises commands that take away what nothing brings back, or
// publish: by what their sheet says, or by their own first words.
func destroys(c shell.Command) bool {
	switch {
	case len(c.Words) == 0:
		return false
	case c.Has(shell.Destroys):
		return true
	case c.Has(shell.MildVerbs):
		return firstWords(c, 2, "publish")
	}
	return firstWords(c, 5, "delete", "destroy", "rm", "prune", "drop", "purge", "flushall", "flushdb",
		"nuke", "wipe", "publish")
}

// firstWords reports whether one of the first n arguments is one of the words.
func firstWords(c shell.Command, n int, words ...string) bool {
	return slices.ContainsFunc(c.Words[min(len(c.Words), 1):min(len(c.Words), n+1)], func(w shell.Word) bool {
		return w.Known && slices.Contains(words, strings.ToLower(w.Value))
	})
}
