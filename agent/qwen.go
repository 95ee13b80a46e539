package agent

import (
	"strings"

	"github.com/nodgate/nod"
)

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
		in = Host("qwen").profile().decodeTool(
			e, fields{object: object{path: in.path}, err: in.err}, input, fields{err: f.err})
		call.Outlives = call.Command != "" && in.flag("is_background")
		return true
	}
	f.asObject(input)
	if strings.Count(call.RawTool, "__") == 2 {
		serversTool(call, "mcp__", "__")
	}
	return strings.HasPrefix(call.RawTool, "mcp__")
}

// qwenOdd reports whether the host takes a different name than is written: it takes what stands behind a backslash as
// it is, and ~\.ssh apart at both kinds of slashes (read in 0.24.4, unescapePath and expandTilde).
func qwenOdd(name string) bool { return strings.Contains(name, `\`) }

// qwenSpecial looks for what reaches further than the session.
func qwenSpecial(call *nod.Call, raw string, in fields) {
	switch raw {
	case "agent":
		// git worktree add, with its hooks and filters, or an existing worktree; no later payload names it
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
	}
}
