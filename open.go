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

// openCall is a call that layers 0 to 3 leave open, or leave to a person, and what
// they found of it. It is all that an approval, the line to type instead and
// layer 4 are handed.
type openCall struct {
	gate *Gate
	call Call
	id   string
	rooms
	*answers
	ruled *ruling // what the rules say of the call

	why     objection   // why the call is open, for the reason
	secrets bool        // the call touches a secret store
	name    *Approvable // nil: not computed yet
	lost    *string     // nil: not looked up yet
}

// answer answers an open call: by what a person approved, else by the line to
// type instead, else it is layer 4.
func (o *openCall) answer(ctx context.Context) Decision {
	return o.unlessApproved(func() Decision {
		if d, ok := o.confineInstead(); ok {
			return d
		}
		if o.gate.options.Model == nil {
			return o.withoutModel()
		}
		return question{o}.ask(ctx)
	})
}

// reasonOpen is why the call is open, in words that can be shown: what it loses comes
// first.
func (o *openCall) reasonOpen() string {
	why, loses := o.shown(o.why), o.loses()
	if loses == "" || namesLoss(string(o.why.why)) {
		return why
	}
	return strings.TrimSuffix(o.withheld.Reason(loses)+"; "+why, "; ")
}

// namesLoss reports whether an objection says already what is lost.
func namesLoss(why string) bool {
	return slices.ContainsFunc([]string{"this deletes", "this overwrites", "this may overwrite", "this throws away",
		"this makes ", "this uses or prints a secret"},
		func(begin string) bool { return strings.HasPrefix(why, begin) })
}

// withoutModel answers where no model is configured. The reason is what is open;
// that there is no model stands in the failure, and is no news at each call.
func (o *openCall) withoutModel() Decision {
	d := Decision{
		Verdict: Ask, Layer: LayerNone, Rule: o.ruled.soft, Reason: cmp.Or(o.reasonOpen(), "no model is configured"),
		Err: &fault.Error{
			Kind: fault.NoModel,
			Message: "no model is configured; to have one asked, write [model] provider and key_file " +
				"into the settings: " +
				"nod help settings",
		},
	}
	if d.Deferrable = o.deferrable() && !o.editsWorkspace(); o.ruled.soft.Text != "" && !o.call.HostJudges {
		d.Verdict = Deny
	}
	return d
}

// deferrable reports whether a host's own judge may decide what layers 0 to 3
// left open: no rule may speak of the call, and nothing that is known of it
// loses work, gives away a secret or cannot be undone. A judge that was never
// asked, or that nods, would otherwise be all there is before a known loss.
func (o *openCall) deferrable() bool {
	return o.ruled.soft.Text == "" && !o.ruled.doubt.stands() && (!o.secrets || o.loss.ShowsLittle()) &&
		!o.loss.Overwrites() && o.loses() == ""
}

// loses says what is known that the call loses, publishes or shows, behind a runner too;
// "" for nothing.
func (o *openCall) loses() string {
	if o.lost != nil {
		return *o.lost
	}
	why := string(o.loss.Loses(o.ruled.clearsEffect, o.ruled.clearsCommand))
	if why == "" && o.report.Handed != nil {
		loss := o.gate.rooms(o.call, o.at, o.report.Handed).loss
		why = string(loss.Loses(func(shell.Effect) bool { return false }, func(int) bool { return false }))
	}
	o.lost = &why
	return why
}

// editsWorkspace reports whether an edit changes a file of the workspace: hosts let
// those run without asking their judge, but for a list of names that is shorter than nod's.
func (o *openCall) editsWorkspace() bool {
	return o.call.IsEdit() && slices.ContainsFunc(o.call.Paths, func(name string) bool {
		reals, err := o.at.Readings(name)
		return err != nil || slices.ContainsFunc(reals,
			func(real string) bool { return o.at.Machine.Inside(o.at.Roots, real) })
	})
}

// besidePrompts denies what a person would be asked about where another prompt
// may be open: what is answered there could let this call run unasked. Only a
// call that an ask rule matches, or of which something grave is known, is too
// much for that.
func (o *openCall) besidePrompts(d Decision) Decision {
	if d.Verdict != Ask || o.call.Asking == nil {
		return d
	}
	why := o.call.Asking()
	if why != "" && (d.Layer == LayerGuard || !o.deferrable()) {
		d.Verdict, d.Reason = Deny, printable.Line(d.Reason, reasonLimit-120)+"; "+why
	}
	return d
}
