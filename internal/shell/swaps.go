package shell

import (
	"slices"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

// A line may put a link or a directory in the place of a name that it uses
// elsewhere. A link may be met under any spelling of its name, and a directory that
// moves takes along names that nod has looked at: no command behind either may touch
// a file. Two calls of the shared sessions do both. Directories that are made are
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
		d.beside(link, "this line makes a link, and nod does not follow where its other commands lead then")
	}
	for i, e := range d.report.Effects {
		if e.Kind == Delete && e.Moved && !d.machine.holdsFile(e) {
			d.beside(taken{e.Words, e.Command, i},
				"this line moves a directory, and nod does not follow where its other commands lead then")
		}
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

// beside reports a command behind which nothing may touch a file, and what does.
func (d *draft) beside(p taken, what string) {
	for i, e := range d.report.Effects {
		d.command = e.Command
		if e.Command == p.command || i < p.before && !d.again || e.Place == Null || e.Place == Network || d.lists(e) {
			continue
		}
		d.unknown(PartWords, e.Words, what)
		d.command = p.command
		d.unknown(PartWords, p.name, what)
	}
	for i, c := range d.report.Commands { // git looks at files that no word names
		if d.command = i; (i > p.command || i < p.command && d.again) && c.Has(Git) {
			d.unknown(PartWords, c.Source, what)
		}
	}
}

// holdsFile reports whether an effect is on one name, and a file has it.
func (m *machine) holdsFile(e Effect) bool {
	if e.Pattern != "" || m.env.Files == nil {
		return false
	}
	info, err := m.env.Files.Lstat(e.Target)
	return err == nil && info.Mode.IsRegular()
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
