package agent

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
)

func claudeQuirk(e *Event, in, f fields) {
	environ := e.Call.Environ
	e.Child = f.optional("agent_id") != ""
	e.PromptFollows = false
	e.Call.Interactive = claudeAttended(variable(environ, "CLAUDE_CODE_ENTRYPOINT"), e.Mode)
	e.Call.HostJudges = e.Mode == "auto"
	if name := f.optional("transcript_path"); name != "" {
		claudeRecord(e.Call.ID, f.optional("prompt_id")).of(&e.Call, name)
	}
	if e.Call.MCP == nil {
		claudeOddities(&e.Call, in)
	}
	e.Theirs = claudeFlows(*e) ||
		e.Call.Tool == "cron_create" || e.Call.Tool == "enter_worktree" // what comes of these comes to nod
	if home := variable(environ, "HOME"); path.IsAbs(home) && variable(environ, "CLAUDE_CONFIG_DIR") == "" {
		e.Complete = func(e *Event) {
			e.Contained = claudeContained(e, home)
			e.Theirs = e.Theirs || (e.Mode == "default" || e.Mode == "acceptEdits") && claudeGranted(e.Call, home)
		}
	}
	f.outcome(e)
}

// claudeOwn recognises a call to an MCP server by the tool's name and, where the payload has it, by the server's.
func claudeOwn(e *Event, f fields, input *member) bool {
	server, source := "", ""
	if from, given := f.maybeChild("mcp_server"); given != nil {
		server, source = from.word("name"), from.optional("source")
	}
	mcp, ok, wrong := claudeMCP(e.Call.RawTool, server)
	switch {
	case wrong != "" && *f.err == nil:
		*f.err = badInput(errors.New(wrong))
	case ok:
		f.asObject(input) // free-form, but an object
		mcp.Named, mcp.Brought = server != "", source == "project"
		e.Call.Tool, e.Call.MCP = "mcp", mcp
	}
	return ok || wrong != ""
}

// claudeFlows reports whether the host itself decides what nod leaves to it: a person is there, and
// nod knows what becomes of a call in this mode. In dontAsk the host denies what no rule of the
// person's lets run, with or without a person there.
func claudeFlows(e Event) bool {
	known := slices.Contains([]string{"default", "acceptEdits", "plan", "auto", "bypassPermissions"}, e.Mode)
	return known && e.Call.Interactive || e.Mode == "dontAsk"
}

// claudeAttended reports whether a question reaches a person. It does in the terminal, and in an
// editor that drives the Agent SDK in a mode in which it asks (seen with claude-agent-acp 0.100.0;
// of VS Code's extension only the name is known). A program on the SDK that passes no question on
// is denied by Claude Code itself. What an SDK does in the other modes is not known.
func claudeAttended(entry, mode string) bool {
	switch entry {
	case "cli":
		return mode != "dontAsk"
	case "sdk-ts", "claude-vscode":
		return mode == "default" || mode == "acceptEdits" || mode == "plan"
	}
	return false
}

// variable returns the value of an environment variable, "" where it is not
// set, and where it is set to two different values.
func variable(environ []string, name string) string {
	value, found := "", false
	for _, kv := range environ {
		k, v, _ := strings.Cut(kv, "=")
		if k != name {
			continue
		}
		if found && v != value {
			return ""
		}
		value, found = v, true
	}
	return value
}

// claudeNotice is nod's reason for an ask where the host shows a dialog of its own without it: for files.
func claudeNotice(e Event, reason string) string {
	if e.Call.Command != "" || len(e.Call.Paths) == 0 || e.Call.MCP != nil {
		return ""
	}
	name := printable.Near(e.Call.Paths[0], e.Call.Roots, variable(e.Call.Environ, "HOME"))
	return "nod asks about " + e.Call.RawTool + " " + name + ": " + reason
}

// claudeMayRewrite: measured on 2.1.329.
func claudeMayRewrite(e Event) bool {
	return e.Kind == Decide && e.Call.RawTool == "Bash" && claudeMayAllow(e, nod.Decision{Layer: nod.LayerShell})
}

// claudeMayAllow reports whether an allow may be said in this mode for this
// tool. An unknown mode may be a mode in which nothing is to change.
func claudeMayAllow(e Event, d nod.Decision) bool {
	if classOf(e.Call.Tool) == Persons {
		return false
	}
	switch e.Mode {
	case "default", "acceptEdits", "auto", "dontAsk", "bypassPermissions":
		return !e.Plan
	case "plan":
		return d.Layer == nod.LayerAllowlist && claudeReads(e.Call.Tool)
	}
	return false
}

// claudeReads reports whether a tool of the allow-list only reads.
func claudeReads(tool string) bool {
	return slices.Contains([]string{"read_file", "grep", "glob", "lsp", "tool_search",
		"list_mcp_resources", "read_mcp_resource", "task_get", "task_list"}, tool)
}
