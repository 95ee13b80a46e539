// Package harm says what a call would take away that nobody could bring back ([Loss]), and which secret it
// would show ([Secrets]). It reads the effects of a command, the files that these are on, and what git has
// of the files; it knows no rule, no person and no verdict.
//
// An answer is why something speaks against the call, in words for a person, ""
// where nothing does. What cannot be looked at speaks against it.
package harm

import (
	"github.com/nodgate/nod/internal/place"
)

// Objection is what speaks against a call; see [place.Objection].
type Objection = place.Objection

// Loss says what of a command could not be restored. It is for one call, and not safe for concurrent use.
type Loss struct {
	*place.Call
	Secrets *Secrets // of the same call

	git map[int]bool // what gitKept found, by command
}

// Secrets says which secret a call would show. It is for one call, and not safe
// for concurrent use: what it has looked up it keeps.
type Secrets struct {
	*place.Call

	may *string // what maySecret found; nil: not looked yet
}

// Of returns both answers for one call.
func Of(c *place.Call) (*Loss, *Secrets) {
	s := &Secrets{Call: c}
	return &Loss{Call: c, Secrets: s, git: map[int]bool{}}, s
}
