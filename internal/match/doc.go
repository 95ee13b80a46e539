// Package match says how a call fits a rule. A rule names a simple command
// ([Pattern]), or it is a permission in the grammar of Claude Code's settings
// ([Permission]), which may also name a tool, a file, a host or the tool of an
// MCP server. What a rule that fits is good for is the gate's affair.
//
// A [Degree] says how well a call fits. Where something that nobody knows would
// have to be so, the call may fit, and who forbids by a rule must take it for
// fitting.
package match

import (
	"encoding/json"

	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/shell"
)

// claudeCode is the name of Claude Code's adapter.
const claudeCode = "claude-code"

// Call is a call that is held against rules. It is not safe for concurrent use.
type Call struct {
	At     *place.Workspace
	Report *shell.Report // of the command; empty where the call has none
	// Tool, RawTool, Agent, URL, Command, Input, Paths and Roots are the call's.
	Tool, RawTool, Agent, URL, Command string
	Input                              json.RawMessage
	Paths, Roots                       []string
	Edits                              bool // the tool changes exactly the files in Paths
	MCP                                *MCP // nil: the tool is no MCP server's

	points []string // where relative patterns start; nil: not looked yet
}

// MCP names a tool of an MCP server.
type MCP struct {
	Server, Tool string
	Named        bool // the host says which part of the name is the server's
}
