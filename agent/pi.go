package agent

import (
	"strings"
	"unicode"
)

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
