package nod

import (
	"github.com/nodgate/nod/internal/printable"
)

// Approvals are calls that a person approved from outside of the agent. They
// are asked about what an ask rule leaves to a person, what layers 0 to 3 leave
// open, and about nothing else: no approval clears what layer 0 denies or the
// irrecoverable. It is safe for concurrent use.
type Approvals interface {
	// Approved says how the call of that key was approved, in a few words, ""
	// if it was not. An approval that holds once is used up: of several calls
	// at the same time exactly one gets it. An error approves nothing.
	Approved(key string) (how string, err error)
	// LetRun reports whether a person let a call of that key run when the
	// agent's host asked them, earlier in the session. A model is told; it
	// approves nothing.
	LetRun(key string) bool
}

// Approvable names an open call for the person who may approve it.
type Approvable struct {
	// Key is a hash of what the call would do and of the files that it would
	// run; "" where no approval clears it. It says nothing of the agent or the
	// session.
	Key string `json:"key"`
	// Once says that an approval holds for one call only: something that would
	// run is not read and hashed, what the command does is not known, a word is
	// known only when the command runs (a variable, the output of another
	// command, a glob), or nobody says in which directory it runs.
	Once bool `json:"once,omitempty"`
}

// approved answers a call that a person approved. ok is false where nobody did,
// and then notice says, for the person, why that could not be found out.
func (t *trial) approved() (d Decision, notice string, ok bool) {
	if t.gate.approvals == nil {
		return Decision{}, "", false
	}
	how, err := t.gate.approvals.Approved(t.approvable().Key)
	switch {
	case err != nil:
		return Decision{}, "nod could not look for an approval: " + printable.Line(err.Error(), reasonLimit), false
	case how == "":
		return Decision{}, "", false
	}
	return t.allowed(LayerApproval, clearance{"a person approved this very call: " + how, t.soft}), "", true
}

// approvable is the name under which a person may approve the call.
func (t *trial) approvable() Approvable {
	if t.name == nil {
		t.name = &Approvable{}
		t.name.Key, t.name.Once = t.identity.Approval()
	}
	return *t.name
}

// letRun is the fact that a person let this very call run before, for the
// model.
func (t *trial) letRun() []string {
	if t.gate.approvals == nil || !t.gate.approvals.LetRun(t.approvable().Key) {
		return nil
	}
	return []string{
		"the agent's host asked about this same call earlier in the session, and it was then let run; that was for that one time",
	}
}
