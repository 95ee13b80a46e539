package shell

import (
	"slices"

	"github.com/nodgate/nod/internal/view"
)

// swapped reports a line that makes a link, or moves a directory, beside other commands
// that touch files: what their names lead to then is not followed.
func (d *draft) swapped() {
	for _, e := range d.report.Effects {
		if e.Kind == Delete && e.Moved && !d.machine.holdsFile(e) {
			d.links = append(d.links, e.Command)
		}
	}
	for _, link := range d.links {
		beside := slices.ContainsFunc(d.report.Effects, func(e Effect) bool {
			return e.Command > link && !(e.Kind == Read && e.Names) && e.Place != Null && e.Place != Network
		})
		for i, c := range d.report.Commands { // git looks at files that no word names
			beside = beside || i > link && c.Has(Git)
		}
		if d.command = link; beside {
			d.unknown(PartWords, "", "this line makes a link or moves a directory, "+
				"and nod does not follow where its other commands lead then")
		}
	}
}

// makesLink notes a command that makes links.
func (d *draft) makesLink() { d.links = append(d.links, d.command) }

// holdsFile reports whether an effect is on one name, and a file has it.
func (m *machine) holdsFile(e Effect) bool {
	if e.Pattern != "" || m.env.Files == nil {
		return false
	}
	info, err := m.env.Files.Lstat(e.Target)
	return err == nil && info.Mode.IsRegular()
}

// touched reports whether the line itself may have made a directory, or removed it.
func (d *draft) touched(name string) bool {
	return slices.ContainsFunc(d.report.Effects, func(e Effect) bool {
		return e.Command != d.command && (e.Kind == Delete && view.Below(e.Target, name) ||
			e.Kind == Write && e.Part != PartRedirection && view.Below(name, e.Target))
	})
}
