// Package match says how a call fits a rule. A rule names a simple command ([Pattern]), or it is a
// permission in the grammar of Claude Code's settings ([Permission]), which may also name a tool, a
// file, a host or the tool of an MCP server. What a rule that fits is good for is the gate's affair.
//
// A [Degree] says how well a call fits. Where something that nobody knows would have to be so, the
// call may fit, and who forbids by a rule must take it for fitting.
package match

import "github.com/nodgate/nod/internal/place"

// claudeCode is the name of Claude Code's adapter.
const claudeCode = "claude-code"

// Call is a call that is held against rules. It is not safe for concurrent use.
type Call struct {
	*place.Call

	points []string // where relative patterns start; nil: not looked yet
}
