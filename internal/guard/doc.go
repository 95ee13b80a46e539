// Package guard finds calls that would change nod itself: its settings, its
// state and its programs, the lines by which an agent asks nod, and what the
// rules are read from. That is a part of layer 0: what it finds is denied, and
// no rule clears it.
//
// A call is looked at in each way in which it may do that: as a command of
// nod's own, by the effects of a command, by names that a command mentions
// where not all of it is known, as an edit, and as arguments of a tool whose
// meaning nobody has stated.
package guard

import (
	"github.com/nodgate/nod/internal/harm"
	"github.com/nodgate/nod/internal/place"
)

// Call is a call that may change nod. It is not safe for concurrent use.
type Call struct {
	*place.Call
	Loss *harm.Loss // of the same call
	// Sources are settings files of an agent that rules were read from.
	Sources func() []place.Own
	// Read reads a text as the command that an argument may be. The Call that it
	// returns has that command and its report.
	Read func(command string) *Call

	// Unproven is why nod cannot show that an agent would still ask it after the
	// call, once [Call.SelfChange] has looked; "" where it would. That is for a
	// person to decide.
	Unproven place.Objection

	hooked []place.Own // where hooks may stand; nil: not looked yet
}
