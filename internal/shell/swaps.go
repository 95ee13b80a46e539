package shell

import (
	"slices"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

// A line may put a link or a directory in the place of a name that it uses
// elsewhere. What stands behind that sees it (throughLink, dest); where parts
// of a line run beside each other or again, what stands before it may see it
// too.

// taken is a name at which a command makes a link, or which it took for a
// directory or for none.
type taken struct {
	name    string
	command int
}

// swapped reports names that a later command of the line may have changed by
// then.
func (d *draft) swapped() {
	if !d.again {
		return
	}
	for _, link := range d.newLinks {
		d.meets(link, func(e Effect) bool {
			return view.Below(link.name, e.Target) || e.Name != "" && view.Below(link.name, e.Name)
		})
	}
	for _, file := range d.noDirs {
		d.meets(file, func(e Effect) bool { return e.Kind == Write && d.makesDir(e, file.name) })
	}
	for _, dir := range d.dirs {
		d.meets(dir, func(e Effect) bool { return d.takes(e, dir.name) })
	}
}

// meets reports a name on which another command has such an effect.
func (d *draft) meets(p taken, such func(Effect) bool) {
	for _, e := range d.report.Effects {
		if e.Command != p.command && e.Place != Null && such(e) {
			d.command = e.Command
			d.unknown(PartWords, e.Words,
				"this uses "+grammar.Escaped(p.name)+", where another part of the line may put something else")
		}
	}
}

// makesDir reports whether an effect may leave a directory of that name.
func (d *draft) makesDir(e Effect, name string) bool {
	return e.Kind == Write && e.Part != PartRedirection && view.Below(name, e.Target)
}

// mayBeDir reports whether the line itself may have made a name a directory.
func (d *draft) mayBeDir(name string) bool {
	return slices.ContainsFunc(d.report.Effects, func(e Effect) bool {
		return e.Command != d.command && d.makesDir(e, name)
	})
}

// gone reports whether the line itself may have removed a directory.
func (d *draft) gone(name string) bool {
	return slices.ContainsFunc(d.report.Effects,
		func(e Effect) bool { return e.Command != d.command && d.takes(e, name) })
}

// takes reports whether an effect may remove a directory.
func (d *draft) takes(e Effect, name string) bool {
	return e.Kind == Delete && view.Below(e.Target, name)
}
