package agent

import (
	"bytes"
	"strings"

	"github.com/nodgate/nod"
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
	if e.Call.RawTool == "replace" && len(e.Call.Edits) > 0 && absent(e.Call, e.Call.Edits[0].Path) {
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
