// Package withheld keeps secrets out of what nod says. The content of a secret store and of nod's own
// files never becomes part of a question, a reason or a log, by whatever way the call would use it; a
// model is told that something is withheld. What looks like a token elsewhere is masked.
package withheld

import "github.com/nodgate/nod/internal/place"

// Call is a call of which something is said.
type Call struct{ *place.Call }
