package agent

import (
	"bytes"
	"os"
	"path"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

// geminiQuirk adds the transcript, the names that the host takes instead, and how a call
// ended: a failure is an error with a message.
func geminiQuirk(e *Event, in, f fields) {
	if name := f.optional("transcript_path"); name != "" {
		geminiRecord().of(&e.Call, name)
	}
	if e.Call.MCP == nil {
		geminiTracked(&e.Call, in)
		respelled(&e.Call, geminiOdd)
	}
	if e.Kind == Outcome {
		response, _ := f.maybeChild("tool_response")
		if failure, given := response.maybeChild("error"); given != nil {
			e.Failed, e.Error = true, failure.optional("message")
		}
		return
	}
	e.Complete = func(e *Event) {
		e.Theirs = attended("gemini")
		geminiSought(e)
	}
}

// geminiMCP recognises a call to an MCP server. A name that cannot be divided for certain is no tool that nod knows.
func geminiMCP(e *Event, f fields, input *member) bool {
	f.asObject(input) // free-form, but an object
	if from, given := f.maybeChild("mcp_context"); given != nil {
		e.Call.Tool, e.Call.MCP = "mcp", &nod.MCP{Server: from.word("server_name"), Tool: from.word("tool_name"),
			Named: true}
		return true
	}
	rest, found := strings.CutPrefix(e.Call.RawTool, "mcp_")
	server, tool, _ := strings.Cut(rest, "_")
	if found && server != "" && tool != "" && !strings.Contains(tool, "_") && !strings.Contains(tool, "...") {
		e.Call.Tool, e.Call.MCP = "mcp", &nod.MCP{Server: server, Tool: tool}
	}
	return found
}

// geminiTracked looks at the ids of tasks: each is the name of a file below Gemini's own
// directory, which is read and written, and is not looked at there (read in 0.61.0).
func geminiTracked(call *nod.Call, in fields) {
	if !strings.HasPrefix(call.RawTool, "tracker_") {
		return
	}
	for _, key := range []string{"dependencies", "dependencyId", "id", "parentId", "taskId"} {
		if m := in.maybe(key); m != nil && bytes.ContainsAny(m.value, `/\.`) {
			call.Unread = "the id of a task that names a file elsewhere; give it as tracker_list_tasks does"
		}
	}
}

// geminiSought marks an edit of a missing file: the host then looks for a file with
// that ending, anywhere in the workspace (read in 0.61.0, correctPath).
func geminiSought(e *Event) {
	if e.Call.RawTool != "replace" || len(e.Call.Edits) == 0 {
		return
	}
	name := e.Call.Edits[0].Path
	if below, ok := strings.CutPrefix(name, "~/"); ok {
		name = variable(e.Call.Environ, "HOME") + "/" + below
	} else if !path.IsAbs(name) {
		name = e.Call.Dir + "/" + name
	}
	if _, err := os.Stat(view.Native(name)); err != nil {
		e.Call.Rewritten = "this file is not there, and Gemini CLI would then edit another one whose name ends so; give the " +
			"whole path of a file that is there, or write a new one"
	}
}

// geminiOdd reports whether the host may take a different name than is written: it leaves out
// an @ at the beginning where nothing lies there, decodes %2e and its kin, and takes ~\.ssh
// apart at both kinds of slashes (read in 0.61.0, and seen).
func geminiOdd(name string) bool {
	return strings.HasPrefix(name, "@") || strings.ContainsAny(name, "%\\\x00")
}

func geminiSpecial(call *nod.Call, raw string, in fields) {
	switch raw {
	case "invoke_agent":
		if in.optional("agent_name") == "browser_agent" { // which starts a browser (0.61.0, read)
			call.Tool = "remote_agent"
		}
	case "read_many_files":
		for _, pattern := range in.texts("include") {
			call.Paths = append(call.Paths, searched(call.Dir, "", pattern, "")...)
		}
	}
}

// geminiMayRewrite: measured on 0.61.0. The policy is asked afterwards, about the line that the host is handed: so it
// is handed none where a rule of the person's is there for commands.
func geminiMayRewrite(e Event) bool {
	return rewritable(e, "run_shell_command") && !geminiSpeaks(e.Call, e.Project)
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
		in = Host("qwen").profile().decodeTool(
			e, fields{path: in.path, err: in.err}, input, fields{err: f.err})
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
