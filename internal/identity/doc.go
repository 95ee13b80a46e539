// Package identity says when two calls are the same call: for a person who approves one call and
// means no other ([Call.Approval]), and for an answer of a model that is given again.
//
// What a call is, is hashed from its tool, its arguments, the command as it is parsed, its
// directory and what is known to say what runs; neither the agent nor the session is a part
// of it, nor are words that only describe it.
package identity

import "github.com/nodgate/nod/internal/place"

// Call is the call that is named. It is not safe for concurrent use.
type Call struct{ *place.Call }
