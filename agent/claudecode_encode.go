package agent

import (
	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
)

// Encode says a decision as the comment on [ClaudeCode] lays it down.
func (c ClaudeCode) Encode(e Event, d nod.Decision, p Profile, model bool) Answer {
	switch e.Kind {
	case Decide:
		says := claudeSays(e, d, p, model)
		if says == saysConfined {
			return nestedConfined(e, d)
		}
		return nestedBefore(besideDialog(e, d, says), says)
	case Prompt:
		return nestedInstead(d, claudeSays(e, d, p, model))
	}
	return notDecided(e, c.Block)
}

// besideDialog adds nod's reason to what the person is told where the host shows
// a dialog of its own without it: for files.
func besideDialog(e Event, d nod.Decision, says string) nod.Decision {
	if says == saysAsk && e.Call.Command == "" && len(e.Call.Paths) > 0 && e.Call.MCP == nil {
		name := printable.Near(e.Call.Paths[0], e.Call.Roots, variable(e.Call.Environ, "HOME"))
		d.Notices = append([]string{"nod asks about " + e.Call.RawTool + " " + name + ": " +
			reasonOf(d, says)}, d.Notices...)
	}
	return d
}

// claudeSays picks one of the words above: the table in ClaudeCode's comment.
func claudeSays(e Event, d nod.Decision, p Profile, model bool) string {
	switch d.Verdict {
	case nod.Allow:
		switch may := p != Reinforce && !leftToHost(e.Call.Tool) && claudeMayAllow(e, d); {
		case d.Instead != "" && may && e.Kind == Decide:
			return saysConfined
		case d.Instead != "":
			return saysDeny
		case may:
			return saysAllow
		}
		return abstained
	case nod.Ask:
		switch {
		case e.Kind == Prompt:
			return abstained
		case p != Replace && hostDecides(e, d, model):
			return abstained
		case e.Call.Interactive && e.Mode != "dontAsk":
			return saysAsk
		}
		return saysNobody
	}
	if d.Instead != "" && e.Plan && e.Theirs {
		return abstained // in plan mode Claude Code decides by itself what runs
	}
	return saysDeny
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

// Block exits with 2 and a reason on standard error, which blocks a tool on
// every version. PermissionRequest ignores it and asks the person.
func (ClaudeCode) Block(reason string) Answer { return exit2(reason) }
