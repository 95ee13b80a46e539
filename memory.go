package nod

import (
	"fmt"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/transcript"
)

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

// History is what the model decided in a session before, and what that has cost. It can turn a denial into a
// question for a person, or keep a model from being asked; it never lets a call run. It is safe for concurrent use.
type History interface {
	// Denials counts what the model blocked: in a row up to now, and in all.
	Denials() (row, all int)
	// Exhausted says which ceiling of cost is reached; "" means none.
	Exhausted() string
}

const (
	// rowLimit and allLimit are how many denials of the model's in a row, and
	// in all, call a person: the model or the agent is on a wrong track.
	rowLimit = 3
	allLimit = 20
)

// blocked completes what the model blocked. Many of them call a person, where there is one.
func (q question) blocked(d Decision, c Classification) Decision {
	d.Verdict, d.Blocked, d.Basis = Deny, true, d.Reason
	switch why := q.repeated(c); {
	case why != "" && q.call.Interactive:
		d.Verdict, d.Reason = Ask, printable.Line(why+"; the last: "+d.Reason, reasonLimit)
	case why != "":
		d.Reason = printable.Line(why+", and nobody can be asked: stop and tell the person; the last: "+d.Reason,
			reasonLimit)
	case q.gate.options.AskOnBlock && q.call.Interactive:
		d.Verdict, d.Reason = Ask, printable.Line("the model would block this: "+d.Reason, reasonLimit)
	}
	return d
}

// repeated says that the model blocks too often, this call included.
func (q question) repeated(c Classification) string {
	if q.gate.options.History == nil {
		return "" // no model was asked
	}
	row, all := q.gate.options.History.Denials()
	switch row, all = row+1, all+1; {
	case row >= rowLimit:
		return fmt.Sprintf("the model has blocked %d calls in a row", row)
	case all >= allLimit:
		return fmt.Sprintf("the model has blocked %d calls of this session", all)
	}
	return ""
}
