package shell

import (
	"slices"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

// draft is the report under construction: what was found so far, and where in
// the text the walk stands, which everything that is added to it says.
type draft struct {
	machine *machine
	report  Report

	command  int      // index of the current command, -1 for none
	wrappers []string // taken off around what is walked now
	lasting  Traits   // of all that is walked now: a wrapper gives them
	parts    Part     // overrides the part of what is reported; 0 leaves it

	changed bool     // something before in the line writes or runs
	beyond  bool     // something in the line is more shell than is followed
	texts   []string // in which any run of words may be a command

	repos []*repository // those that commands of the line work in
	links []int         // commands that make links
	sets  bool          // the line may leave its shell with other variables
}

func (d *draft) unknown(part Part, words, what string) {
	if d.parts != 0 {
		part = d.parts
	}
	u := Unknown{What: what, Words: grammar.Shorten(words), Command: d.command, Part: part}
	for i := len(d.report.Unknowns) - 1; i >= 0 && i > len(d.report.Unknowns)-8; i-- {
		if d.report.Unknowns[i] == u {
			return
		}
	}
	d.changed = true
	d.report.Unknowns = append(d.report.Unknowns, u)
}

func (d *draft) effect(e Effect) {
	if d.parts != 0 {
		e.Part = d.parts
	}
	e.Words, e.Command = grammar.Shorten(e.Words), d.command
	if e.Kind != Read && e.Place != Null {
		d.changed = true
	}
	for i := len(d.report.Effects) - 1; i >= 0 && i > len(d.report.Effects)-8; i-- {
		if d.report.Effects[i] == e {
			return
		}
	}
	d.report.Effects = append(d.report.Effects, e)
}

// does reports an effect whose target is not a path.
func (d *draft) does(kind Kind, target, words string) {
	place := Elsewhere
	if kind == Fetch || kind == Send || kind == Remote {
		place = Network
	}
	d.effect(Effect{Kind: kind, Target: target, Place: place, Words: words, Part: PartWords})
}

// mayMake reports whether the line may have made a file in a directory before.
func (d *draft) mayMake(dir string) bool {
	return slices.ContainsFunc(d.report.Effects, func(e Effect) bool {
		return e.Kind == Write && (e.Target == "" || view.Below(dir, e.Target) ||
			e.Recursive && view.Below(e.Target, dir))
	})
}
