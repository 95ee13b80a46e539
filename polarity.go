package nod

import (
	"cmp"
	"strings"

	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
)

// objection is what speaks against a call: why, in words for a person, and the rule that says so
// where a rule does. next is what the agent may do instead, "" where nothing is known. The zero value
// is that nothing speaks against the call. A denial and a question come from an objection alone.
type objection struct {
	why  place.Objection
	rule Rule
	next string
}

// clearance is what lets a call run: why, in words for a person, and the rule that says so where a rule does. The
// zero value is that nothing does. An allow of layers 1 to 3, and of a person, comes from a clearance alone.
type clearance struct {
	why  string
	rule Rule
}

// object is what another room found, "" where nothing speaks against the call.
func object(why place.Objection) objection { return objection{why: why} }

// against is an objection in words of the gate's own. It stands, also without words.
func against(why string) objection {
	return objection{why: place.Objection(cmp.Or(why, "something speaks against it that has no name"))}
}

// stands reports whether something speaks against the call.
func (o objection) stands() bool { return o.why != "" }

// orElse is the objection with what to do next, where it does not say so itself.
func (o objection) orElse(next string) objection {
	o.next = cmp.Or(o.next, next)
	return o
}

// given reports whether something lets the call run.
func (c clearance) given() bool { return c.why != "" }

func (r *rooms) denied(l Layer, o objection) Decision {
	return Decision{Verdict: Deny, Layer: l, Reason: r.reason(o), Rule: o.rule}
}

func (r *rooms) asked(l Layer, o objection) Decision {
	return Decision{Verdict: Ask, Layer: l, Reason: r.reason(o), Rule: o.rule}
}

func (r *rooms) allowed(l Layer, c clearance) Decision {
	return Decision{Verdict: Allow, Layer: l, Reason: r.withheld.Reason(c.why), Rule: c.rule}
}

// reason is an objection in words that can be shown. What to do next is never cut off.
func (r *rooms) reason(o objection) string {
	why := r.shown(o)
	if o.next == "" {
		return why
	}
	return printable.Line(why, reasonLimit-len(o.next)-2) + "; " + o.next
}

// shown is an objection in words that can be shown. The text of a rule is the person's
// own: it stays as it is, and only the rest may lose what a secret store holds.
func (r *rooms) shown(o objection) string {
	before, whole := strings.CutSuffix(string(o.why), ": "+o.rule.Text)
	if o.rule.Text == "" || !whole {
		return r.withheld.Reason(string(o.why))
	}
	return r.withheld.Reason(before) + ": " + o.rule.Text
}
