package shell

import (
	"slices"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

// A line may put a link or a directory in the place of a name that it uses
// elsewhere. A link may be met under any spelling of its name, so no command behind
// it may touch a file: no call of the shared sessions does both. Directories are
// met by their real names; what stands behind sees them (dest). Where parts of a
// line run beside each other or again, what stands before may be met too.

// taken is a command that makes links, by its words, or a name that a command
// took for a directory or for none.
type taken struct {
	name    string
	command int
	before  int // effects that were reported before
}

// swapped reports names that a later command of the line may have changed by
// then.
func (d *draft) swapped() {
	for _, link := range d.links {
		d.besideLink(link)
	}
	if !d.again {
		return
	}
	for _, file := range d.noDirs {
		d.meets(file, func(e Effect) bool { return e.Kind == Write && d.makesDir(e, file.name) })
	}
	for _, dir := range d.dirs {
		d.meets(dir, func(e Effect) bool { return d.takes(e, dir.name) })
	}
}

// makesLink notes a command that makes links.
func (d *draft) makesLink(words string) {
	d.links = append(d.links, taken{words, d.command, len(d.report.Effects)})
}

// besideLink reports a link that a command makes, and what touches a file then.
func (d *draft) besideLink(link taken) {
	const what = "this line makes a link, and nod does not follow where its other commands lead then"
	for i, e := range d.report.Effects {
		d.command = e.Command
		if e.Command == link.command || i < link.before && !d.again || e.Kept || e.Place == Null ||
			e.Place == Network || d.lists(e) {
			continue // git's own directory is there already
		}
		d.unknown(PartWords, e.Words, what)
		d.command = link.command
		d.unknown(PartWords, link.name, what)
	}
}

// lists reports a look at the names in a directory of the workspace that was there
// before: no link takes its place.
func (d *draft) lists(e Effect) bool {
	return e.Kind == Read && e.Names && !e.Recursive && e.Place == Workspace && e.Name == "" &&
		d.machine.isDir(e.Target) && !d.gone(e.Target)
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
