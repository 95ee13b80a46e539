package agent

import (
	"errors"
	"strings"
	"time"

	"github.com/nodgate/nod"
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

func (pi) profile() profile {
	p := plugged("pi", "tool_call", "tool_result")
	p.can = Capabilities{
		Tried:         "1.5.2",
		Before:        Seat{Allow: true, Deny: true, Ask: true, Silence: Runs},
		ReasonReaches: true,
		TimeUnit:      time.Millisecond,
	}
	p.tools, p.own, p.quirk = piTools[:], claudeMCPOnly, piQuirk
	p.spelled = spelling{command: "command", file: "path", content: "content", old: "oldText", new: "newText",
		dir: "path", pattern: "pattern", filter: "glob", beside: map[string][]string{"find": {"limit"},
			"grep": {"context", "ignoreCase", "limit", "literal"}, "ls": {"limit"}, "read": {"limit", "offset"}}}
	return p
}

// piTools maps the tools of Pi 1.5.2 in the order of the raw name. Source: the
// tools that the program offered to a model, and its types.
var piTools = [...]builtin{
	{"bash", "bash", command},
	{"edit", "file_edit", edits},
	{"find", "glob", search},
	{"grep", "grep", textSearch},
	{"ls", "glob", search},
	{"read", "read_file", read},
	{"write", "file_write", write},
}

func piQuirk(e *Event, _, f fields) {
	plugin(e, f)
	piNames(&e.Call)
	if e.Call.RawTool == "read" {
		e.Complete = piSought
	}
}

// claudeMCPOnly recognises a call to an MCP server by a name as Claude Code's are.
func claudeMCPOnly(e *Event, f fields, input *member) bool {
	mcp, ok, wrong := claudeMCP(e.Call.RawTool, "")
	switch {
	case wrong != "":
		*f.err = badInput(errors.New(wrong))
	case ok:
		f.asObject(input) // free-form, but an object
		e.Call.Tool, e.Call.MCP = "mcp", mcp
	}
	return ok || wrong != ""
}

// piNames reads names as Pi does (1.5.2, dist/utils/paths.js): blanks beyond ASCII are
// blanks, a sign for a mention is left out, and file:// begins an address, which nod
// does not read: the tool of such a call is unknown.
func piNames(call *nod.Call) {
	for i, name := range call.Paths {
		call.Paths[i] = piName(call, name)
	}
	for i := range call.Edits {
		call.Edits[i].Path = piName(call, call.Edits[i].Path)
	}
}

// piSought marks a read of a file that is not there under a name that Pi then spells
// otherwise: with other apostrophes, letters in pieces, a thin blank before AM and PM
// (1.5.2, dist/core/tools/path-utils.js).
func piSought(e *Event) {
	for _, name := range e.Call.Paths {
		plain := strings.IndexFunc(name, func(r rune) bool { return r >= 0x80 || r == '\'' }) < 0
		folded := strings.ToLower(name)
		if plain && !strings.Contains(folded, " am.") && !strings.Contains(folded, " pm.") {
			continue
		}
		if absent(e.Call, name) {
			e.Call.Rewritten = piSpelled
		}
	}
}

// piName is one name. Where it is an address, the tool of the call becomes unknown.
func piName(call *nod.Call, name string) string {
	name = strings.Map(func(r rune) rune {
		if r == 0xA0 || 0x2000 <= r && r <= 0x200A || r == 0x202F || r == 0x205F || r == 0x3000 {
			return ' '
		}
		return r
	}, name)
	name = strings.TrimPrefix(name, "@")
	if strings.HasPrefix(name, "file://") {
		call.Tool = ""
	}
	return name
}
