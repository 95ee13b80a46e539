package agent

import (
	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
)

// claudeBefore adds nod's reason to what the person is told where the host shows
// a dialog of its own without it: for files.
func claudeBefore(e Event, d nod.Decision, says string) Answer {
	if says == saysAsk && e.Call.Command == "" && len(e.Call.Paths) > 0 && e.Call.MCP == nil {
		name := printable.Near(e.Call.Paths[0], e.Call.Roots, variable(e.Call.Environ, "HOME"))
		d.Notices = append([]string{"nod asks about " + e.Call.RawTool + " " + name + ": " +
			reasonOf(d, says)}, d.Notices...)
	}
	return nestedBefore(e, d, says)
}

// MayRewrite implements [Rewriter]: measured on 2.1.329.
func (ClaudeCode) MayRewrite(e Event) bool {
	return e.Kind == Decide && e.Call.RawTool == "Bash" && claudeMayAllow(e, nod.Decision{Layer: nod.LayerShell})
}

// claudeMayAllow reports whether an allow may be said in this mode for this
// tool. A mode that is not known may be one in which nothing is to change.
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
	switch tool {
	case "read_file", "grep", "glob", "lsp", "tool_search",
		"list_mcp_resources", "read_mcp_resource", "task_get", "task_list":
		return true
	}
	return false
}
