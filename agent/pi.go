package agent

import (
	"strings"
	"time"
	"unicode"
)

// Pi is the adapter for Pi. What it states was measured on version 1.5.2 in
// print mode against a scripted model; that it asks was read. Pi starts no
// program before a call and never asks about one, so nod installs an
// extension, a file of JavaScript that calls nod-hook and does the asking.
//
//	             allow   ask, person   ask, nobody   deny
//	tool_call    runs    a dialog      deny          deny
//
// The dialog is Pi's own, in the terminal and over its RPC mode; the person's
// no is told to the model as such.
//
// # What the host does
//
//	the extension throws            blocked
//	the extension waits             so does the call, without limit
//	the extension cannot be loaded  Pi does not start (print mode)
//
// Calls that another tool makes (a codemode script, an MCP tool) come one by
// one like the model's own. What a person runs with ! is theirs.
//
// A tool that an extension or a trusted project defines may take the name of a
// built-in one; its code runs inside Pi and needs no call to do anything.
type Pi struct{ profiled[pi] }

type pi struct{}

func (pi) name() string { return "pi" }

func (pi) profile() profile {
	p := plugged()
	p.can = Capabilities{
		Tried:         "1.5.2",
		Before:        Seat{Allow: true, Deny: true, Ask: true, Silence: Runs},
		ReasonReaches: true,
		TimeUnit:      time.Millisecond,
	}
	p.own, p.quirk = claudeMCPOnly, piQuirk
	return p
}

func piQuirk(e *Event, _, f fields) {
	plugin(e, f)
	respelled(&e.Call, piOdd)
}

// claudeMCPOnly recognises a call to an MCP server by a name as Claude Code's are.
func claudeMCPOnly(e *Event, f fields, input *member) bool { return claudeServer(e, f, input, "", "") }

// piOdd reports whether Pi reads a name otherwise (1.5.2, dist/utils/paths.js): blanks
// beyond ASCII are blanks, a sign for a mention is left out, and file:// begins an address.
func piOdd(name string) bool {
	return strings.HasPrefix(name, "@") || strings.HasPrefix(name, "file://") ||
		strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 && unicode.IsSpace(r) })
}
