package agent

import (
	"strings"
	"unicode"
)

// Pi is the adapter for Pi. What it states was measured on version 1.5.2 in print mode against
// a scripted model; that it asks was read. Pi starts no program before a call and never asks
// about one, so nod installs an extension, a file of JavaScript that calls nod-hook and does
// the asking ([plugin]): by a dialog of Pi's where a person is there, else an ask is a denial.
//
// A call waits for the extension without limit; where the extension cannot be loaded, Pi does
// not start (print mode). Calls that another tool makes come one by one like the model's own.
// A tool that an extension or a trusted project defines runs inside Pi: its code needs no call
// to do anything.
type Pi struct{ profiled[pi] }

type pi struct{}

func (pi) profile() profile { return profile{agent: "pi", own: claudeMCPOnly, quirk: piQuirk} }

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
