// Package identity says when two calls are the same call: for a person who
// approves one call and means no other ([Call.Approval]), and for an answer of a
// model that is given again.
//
// What a call is, is hashed from what it does, where, to which files and with
// which content; neither the agent nor the session is a part of it, nor are
// words that only describe it. Where nod has not read all that would run, or where the
// same words may mean something else later, the hash is good for one call only.
package identity

import (
	"github.com/nodgate/nod/internal/harm"
	"github.com/nodgate/nod/internal/place"
)

// Call is the call that is named. It is not safe for concurrent use.
type Call struct {
	*place.Call
	Loss *harm.Loss // of the same call

	// Inputs are the files that the line names, as Approval has hashed them.
	Inputs []File
}
