package nod

import (
	"slices"

	"github.com/nodgate/nod/internal/harm"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// deferrable reports whether a host's own judge may decide what layers 0 to 3
// left open: no rule may speak of the call, and nothing that is known of it
// loses work, gives away a secret or cannot be undone. A judge that was never
// asked, or that nods, would otherwise be all there is before a known loss.
func (t *trial) deferrable() bool {
	return t.soft.Text == "" && !t.doubt.stands() && !t.secrets && !t.overwritesByTool() && !t.loses()
}

// besidePrompts denies what a person would be asked about where another prompt
// may be open: what is answered there could let this call run unasked. Only a
// call that an ask rule matches, or of which something grave is known, is too
// much for that.
func (t *trial) besidePrompts(d Decision) Decision {
	if d.Verdict != Ask || t.call.Asking == nil {
		return d
	}
	why := t.call.Asking()
	if why != "" && (d.Layer == LayerGuard || !t.deferrable()) {
		d.Verdict, d.Reason = Deny, printable.Line(d.Reason, reasonLimit-120)+"; "+why
	}
	return d
}

// loses reports whether a command does what cannot be undone, as far as its
// effects and its own words tell, and no allow rule clears that.
func (t *trial) loses() bool {
	for _, e := range t.report.Effects {
		if (!t.covered(t.ruled, e.Command, e.Part) || t.beyond(e)) && t.loss.LosesBy(e) {
			return true
		}
	}
	for i, c := range t.report.Commands {
		if !t.covered(t.ruled, i, shell.PartWords) &&
			(harm.DiscardsChanges(c) || t.loss.Reaches(i) && harm.Destroys(c)) {
			return true
		}
	}
	return false
}

// overwritesByTool reports whether a tool that writes a file as a whole
// replaces what lies outside the workspace and could not be restored.
func (t *trial) overwritesByTool() bool {
	if t.call.Tool != "file_write" {
		return false
	}
	return slices.ContainsFunc(t.call.Paths, func(name string) bool {
		reals, err := t.at.Readings(name)
		return err != nil || slices.ContainsFunc(reals, func(real string) bool {
			return !t.gate.machine.Inside(t.at.Roots, real) && !shell.IsTemporary(real) && !t.at.Missing(real) &&
				t.loss.LostFile(real) != ""
		})
	})
}
