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
	"encoding/json"

	"github.com/nodgate/nod/internal/harm"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/shell"
)

// Call is a call that may change nod. It is not safe for concurrent use.
type Call struct {
	At     *place.Workspace
	Report *shell.Report // of the command; empty where the call has none
	Loss   *harm.Loss    // of the same report
	// Sources are settings files of an agent that rules were read from.
	Sources func() []place.Own
	// Command, Input and Roots are the call's, as it was sent.
	Command string
	Input   json.RawMessage
	Roots   []string
	// Changed are the files that the call changes as an edit tool does, as it
	// names them, and Edits what it does to them.
	Changed []string
	Edits   []Edit
	// Unread says that nobody has stated what the tool does with its arguments.
	Unread bool
	// Read reads a text as the command that an argument may be. The Call that it
	// returns has that command and its report.
	Read func(command string) *Call

	// Unproven is why nod cannot show that an agent would still ask it after the
	// call, once [Call.SelfChange] has looked; "" where it would. That is for a
	// person to decide.
	Unproven place.Objection

	hooked []registration // where hooks may stand; nil: not looked yet
}

// Edit is one replacement in a file, or its whole new content.
type Edit struct {
	Path, Old, New string
	All            bool // every occurrence of Old
	Whole          bool // New is the file's whole new content
}
