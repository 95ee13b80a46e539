package nod

import (
	"cmp"

	"github.com/nodgate/nod/internal/place"
)

// objection is what speaks against a call: why, in words for a person, and the
// rule that says so where a rule does. The zero value is that nothing does. A
// denial and a question come from an objection alone.
type objection struct {
	why  place.Objection
	rule Rule
}

// clearance is what lets a call run: why, in words for a person, and the rule
// that says so where a rule does. The zero value is that nothing does. An allow
// of layers 1 to 3, and of a person, comes from a clearance alone.
type clearance struct {
	why  string
	rule Rule
}

// object is what another room found, "" where nothing speaks against the call.
func object(why place.Objection) objection { return objection{why: why} }

// against is an objection in words of the gate's own. It stands, whatever the
// words are.
func against(why string) objection {
	return objection{why: place.Objection(cmp.Or(why, "something speaks against it that has no name"))}
}

// stands reports whether something speaks against the call.
func (o objection) stands() bool { return o.why != "" }

// given reports whether something lets the call run.
func (c clearance) given() bool { return c.why != "" }

// denied, asked and allowed are the answers of a layer.
func (t *trial) denied(l Layer, o objection) Decision {
	return t.decided(l, Deny, string(o.why), o.rule)
}

func (t *trial) asked(l Layer, o objection) Decision {
	return t.decided(l, Ask, string(o.why), o.rule)
}

func (t *trial) allowed(l Layer, c clearance) Decision {
	return t.decided(l, Allow, c.why, c.rule)
}
