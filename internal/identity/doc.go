// Package identity says when two calls are the same call: for a person who
// approves one call and means no other ([Call.Approval]), for an answer of a
// model that is given again, and for a denial that another tool or other words
// would go round ([Call.FileEffects]).
//
// What a call is, is hashed from what it does, where, to which files and with
// which content; neither the agent nor the session is a part of it, nor are
// words that only describe it. Where not all that would run is read, or means
// another thing later, the name is good for one call only.
package identity

import (
	"encoding/json"

	"github.com/nodgate/nod/internal/harm"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/shell"
)

// Call is the call that is named. It is not safe for concurrent use.
type Call struct {
	At     *place.Workspace
	Report *shell.Report // of the command; empty where the call has none
	Loss   *harm.Loss    // of the same report
	// Tool, RawTool, Agent, URL, Command, Dialect, Input and Paths are the call's.
	Tool, RawTool, Agent, URL, Command string
	Dialect                            shell.Dialect
	Input                              json.RawMessage
	Paths                              []string
	Edits                              bool // the tool changes exactly the files in Paths
	MCP                                bool // Server and ServerTool are an MCP server's and its tool
	Server, ServerTool                 string
	StdinUnseen                        bool // what is typed into a program that runs is not seen

	// Inputs are the files that the line names, as Approval has hashed them.
	Inputs []File
}
