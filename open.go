package nod

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// answer answers an open call: by what a person approved, else by the line to type instead, else it is layer 4.
func (t *trial) answer(ctx context.Context) Decision {
	return t.unlessApproved(func() Decision {
		if d, ok := t.confineInstead(); ok {
			return d
		}
		if t.gate.options.Model == nil {
			return t.withoutModel()
		}
		return question{t}.ask(ctx)
	})
}

// reasonOpen is why the call is open, in words that can be shown: what it loses comes first.
func (t *trial) reasonOpen() string {
	why, loses := t.shown(t.open), t.loses()
	if loses == "" || namesLoss(string(t.open.why)) {
		return why
	}
	return strings.TrimSuffix(t.withheld.Reason(loses)+"; "+why, "; ")
}

// namesLoss reports whether an objection says already what is lost.
func namesLoss(why string) bool {
	return slices.ContainsFunc([]string{"this deletes", "this overwrites", "this may overwrite", "this throws away",
		"this makes ", "this uses or prints a secret"},
		func(begin string) bool { return strings.HasPrefix(why, begin) })
}

// withoutModel answers where no model is configured. The reason is what is open. The failure says
// that no model is configured, and no notice repeats this at each call.
func (t *trial) withoutModel() Decision {
	const why = "no model is configured; to have one asked, write [model] provider and key_file into the settings: " +
		"nod help settings"
	d := Decision{Verdict: Ask, Rule: t.ruled.soft, Reason: cmp.Or(t.reasonOpen(), "no model is configured"),
		Err: &fault.Error{Kind: fault.NoModel, Message: why}}
	if d.Deferrable = t.deferrable() && !t.editsWorkspace(t.call); t.ruled.soft.Text != "" && !t.call.HostJudges {
		d.Verdict = Deny
	}
	return d
}

// deferrable reports whether a host's own judge may decide what layers 0 to 3 left open: no rule may speak of the
// call, and nothing that is known of it loses work, gives away a secret or cannot be undone. A judge that was never
// asked, or that nods, would otherwise be all there is before a known loss.
func (t *trial) deferrable() bool {
	return t.ruled.soft.Text == "" && !t.ruled.doubt.stands() && (!t.secrets || t.loss.ShowsLittle()) &&
		!t.loss.Overwrites() && t.loses() == ""
}

// loses says what is known that the call loses, publishes or shows, behind a runner too; "" for nothing.
func (t *trial) loses() string {
	if t.lost != nil {
		return *t.lost
	}
	why := string(t.loss.Loses(t.ruled.clearsEffect, t.ruled.clearsCommand))
	if why == "" && t.report.Handed != nil {
		loss := t.gate.rooms(&t.call, t.at, t.report.Handed).loss
		why = string(loss.Loses(func(shell.Effect) bool { return false }, func(int) bool { return false }))
	}
	t.lost = &why
	return why
}

// editsWorkspace reports whether an edit changes a file of the workspace: hosts let
// those run without asking their judge, but for a list of names that is shorter than nod's.
func (r *rooms) editsWorkspace(c Call) bool {
	return c.IsEdit() && slices.ContainsFunc(c.Paths, func(name string) bool {
		reals, err := r.at.Readings(name)
		return err != nil || slices.ContainsFunc(reals,
			func(real string) bool { return r.at.Machine.Inside(r.at.Roots, real) })
	})
}

// besidePrompts denies what a person would be asked about where another prompt may be open: what is answered there
// could let this call run unasked. It concerns only a call that an ask rule matches, or that is known to be grave.
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
