package nod

import "github.com/nodgate/nod/transcript"

// Memory is what is known of a session beyond the call at hand. It decides one thing: whether what a
// project command runs is still what its allow rule was taken for. It is safe for concurrent use.
type Memory interface {
	// Standing says how a definition stands in the session: a file, or an
	// entry of one ("/x/package.json#test"), and the hash of what it says.
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

// Witness is a [Memory] that also knows what came into the session, what it wrote, and what left. A
// Memory that is none tells nothing of the kind, and nothing becomes stricter for that.
type Witness interface {
	Memory
	// Taint says what the agent read that may be orders to it: text that others
	// wrote, or that people do not see. "" is that nothing is known of any.
	Taint() string
	// Origin says how a file of that real path came to be in the session:
	// "written" or "downloaded"; "" where nothing is known of it.
	Origin(path string) string
	// History says what the session did before that weighs on a judgement, in a few words each.
	History() []string
	// Blocked says which calls were denied or refused, and why, in a few words each.
	Blocked() []string
}
