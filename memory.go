package nod

import "github.com/nodgate/nod/transcript"

// Memory is what is known of a session beyond the call at hand. It decides one thing: whether what a
// project command runs is still what its allow rule was taken for. It is safe for concurrent use.
type Memory interface {
	// Standing says how a definition stands in the session: a file, or an entry
	// in a file ("/x/package.json#test"), and the hash of what it says.
	Standing(definition Evidence) Standing
}

// Outcomes is a [Memory] that also knows what became of earlier calls, by the agent's ids.
type Outcomes interface {
	Memory
	Ended(call string) transcript.Ended
}

// Standing is how a definition stands in a session. The zero value is the strictest.
type Standing int8

const (
	// Changed: the session may have changed it, or saw it say something else.
	Changed Standing = iota
	// Untouched: nothing of the session is known to have changed it.
	Untouched
	// Accepted: this very content was let run in the session.
	Accepted
)

// Witness is a [Memory] that also knows what the session wrote and what became of its calls. A
// Memory without these methods tells nothing of the kind.
type Witness interface {
	Memory
	// Wrote reports whether the session made or changed the file of that real path.
	Wrote(path string) bool
	// History says what the session did before that weighs on a judgement, in a few words each.
	History() []string
	// Blocked says which calls were denied or refused, and why, in a few words each.
	Blocked() []string
}
