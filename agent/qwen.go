package agent

import (
	"strings"

	"github.com/nodgate/nod"
)

// Qwen is the adapter for Qwen Code. What it states was measured on version 0.24.4 in print
// mode and over its stream of JSON, against a scripted model, or read in its source; no
// interactive session was driven.
//
// # Two seats
//
// PermissionRequest comes when the host is about to ask a person, and can grant. PreToolUse
// comes after that, before every call, and can only veto, or have a person asked.
//
//	                   allow    ask     deny
//	PermissionRequest  allow    -       deny
//	PreToolUse         -        ask     deny
//
// "-" is silence, and so is an allow of what a rule of the person's under permissions.ask may
// speak of. An ask at PreToolUse is denied where nobody is there. What a person has just
// approved at the prompt they are asked again if nod would ask: nothing tells PreToolUse what
// became of the prompt. In mode "auto" the host's own judge comes before both.
//
// # What the host does with an answer
//
//	PreToolUse: deny with a reason      blocked; the model reads the reason
//	exit 2, text on stderr              blocked; the model reads it
//	exit 2 without text, exit 1 and 3,
//	killed, time-out, rubbish           the call RUNS
//	PermissionRequest: anything else    the person is asked, exit 2 included
//
// There is no switch that makes a failing hook block, so nod is registered behind a line of
// shell that turns every failure into exit 2 with a reason. In print mode the host refuses by
// itself what it would ask about. No hook runs under --bare and in safe mode, and none sees a
// sub-agent in an environment of its own (read).
//
// # What the host makes of a call (read, and run)
//
//	git commit -m, gh pr create --body   a line of its own is added in front of the quote
//	                                     that ends the text, or that seems to
//	a backslash in a path                is taken away; ~\ is home to its searches
//
// A tool of an MCP server is mcp__<server>__<tool>; one that the model was not shown is called
// by tool_call. A name with more than one "__" behind the prefix is no tool that nod knows.
type Qwen struct{ profiled[qwen] }

type qwen struct{}

func (qwen) profile() profile {
	return profile{agent: "qwen", rewrites: qwenRewrites, own: qwenOwn, special: qwenSpecial, quirk: qwenQuirk}
}

func qwenQuirk(e *Event, _, f fields) {
	if name := f.optional("transcript_path"); name != "" {
		qwenRecord(e.Call.ID).of(&e.Call, name)
	}
	e.Call.HostJudges = e.Mode == "auto"
	if e.Call.MCP == nil {
		respelled(&e.Call, qwenOdd)
	}
	f.outcome(e)
	switch e.Kind {
	case Prompt:
		e.Reserved, e.Complete = true, func(e *Event) { e.Reserved = qwenAsks(e.Call, e.Project) }
	case Decide:
		e.Complete = func(e *Event) { e.Theirs = attended("qwen") }
	}
}

// qwenOwn takes a call out of tool_call, and recognises one to an MCP server. A name that
// can be divided in several ways is no tool that nod knows.
func qwenOwn(e *Event, f fields, input *member) bool {
	call := &e.Call
	if call.RawTool == "tool_call" {
		in, _ := f.asObject(input)
		call.RawTool = in.word("name")
		if input = in.get("arguments"); input == nil || call.RawTool == "tool_call" {
			return true
		}
		call.Input = input.value
		in = Qwen{}.row().decodeTool(e, fields{object: object{path: in.path}, err: in.err}, input, fields{err: f.err})
		call.Outlives = call.Command != "" && in.flag("is_background")
		return true
	}
	f.asObject(input)
	rest, found := strings.CutPrefix(call.RawTool, "mcp__")
	server, tool, _ := strings.Cut(rest, "__")
	if found && server != "" && tool != "" && !strings.Contains(tool, "__") {
		call.Tool, call.MCP = "mcp", &nod.MCP{Server: server, Tool: tool}
	}
	return found
}

// qwenOdd reports whether the host takes another name instead of one: it takes what
// stands behind a backslash as it is, and ~\.ssh apart at both kinds of slashes (read in
// 0.24.4, unescapePath and expandTilde).
func qwenOdd(name string) bool { return strings.Contains(name, `\`) }

// qwenSpecial reads searches, of which each has its own names for where it
// looks, and a cell of a notebook.
func qwenSpecial(call *nod.Call, raw string, in fields) {
	switch raw {
	case "agent":
		// git worktree add, with its hooks and filters, or one that is there, of which no payload speaks again
		if in.optional("isolation") != "" || in.optional("working_dir") != "" {
			call.Tool = "enter_worktree"
		}
		// another program, whose calls come to no hook here
		if _, host := ByName(strings.ToLower(in.optional("subagent_type"))); host {
			call.Tool = "remote_agent" // 0.24.4: codex app-server, claude-agent-acp
		}
	case "send_message":
		if in.optional("to") != "" { // which may be a session of another directory (0.24.4, read)
			call.Unread = elsewhere
		}
	case "glob":
		call.Paths = searched(call.Dir, in.optional("path"), in.word("pattern"), "")
	case "grep_search":
		_ = in.text("pattern") // what is looked for, not where
		call.Paths = searched(call.Dir, in.optional("path"), "", in.optional("glob"))
	case "list_directory":
		call.Paths = searched(call.Dir, in.word("path"), "", "")
	case "notebook_edit":
		one := nod.Edit{Path: in.word("notebook_path"), New: in.optional("new_source")}
		call.Edits, call.Paths = []nod.Edit{one}, []string{one.Path}
	}
}
