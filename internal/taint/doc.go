// Package taint says what of others came into a session, and what that makes
// stricter. It takes back what layers 2 and 3 would allow by themselves and what
// an injection would use next, and leaves the plain work of an agent alone,
// since most pages and issues are honest:
//
//   - an edit or write of a file that runs later by another's hand: build
//     files, package manifests, CI, scripts;
//   - reading from a host on the list: an address carries data out;
//   - an allow rule for project code, where the session wrote a file that the
//     command runs by, also if that content was let run before.
//
// All three go to the model, which is told of the taint. Reads, other edits
// and all else stay as they are.
package taint

import "github.com/nodgate/nod/internal/place"

// Session is what a session knows of itself; see nod.Witness.
type Session interface {
	Taint() string
	Origin(path string) string
	History() []string
	Blocked() []string
}

// Call is a call of the session. It is not safe for concurrent use.
type Call struct {
	*place.Call
	Session Session // nil: nothing is known of it, and nothing is stricter

	taint *string // what Session says; nil: not asked yet
}

// maxWords bounds what a session says, in runes.
const maxWords = 300
