package match

import (
	"fmt"
	"strings"

	"github.com/nodgate/nod/internal/printable"
)

// ServerRule reads a rule about the tools of an MCP server: mcp__SERVER__TOOL,
// where TOOL may hold *, or mcp__SERVER for all of them. is is false for any
// other text.
func ServerRule(text string, allow bool) (p *Permission, is bool, err error) {
	if spelled := mcpSpelling(text); spelled != "" {
		return nil, true, fmt.Errorf("%q matches nothing; a tool of an MCP server is written %s", text, spelled)
	}
	if !strings.HasPrefix(text, "mcp__") {
		return nil, false, nil
	}
	read, err := ReadPermission(text)
	if err != nil {
		return nil, true, err
	}
	if allow {
		err = read.AllowsTools(text)
	}
	return &read, true, err
}

// mcpSpelling returns how a rule is written whose author meant a tool of an MCP
// server, "" where the text is nothing of the kind.
func mcpSpelling(text string) string {
	rest, found := text, false
	for _, begin := range [...]string{"mcp:", "mcp/", "mcp.", "mcp_", "MCP:", "MCP__"} {
		if rest, found = strings.CutPrefix(text, begin); found {
			break
		}
	}
	if !found || strings.HasPrefix(text, "mcp__") && !strings.ContainsAny(text, "/.:") ||
		strings.ContainsAny(text, " \t(") {
		return ""
	}
	rest = strings.Trim(rest, "_:/.")
	for _, between := range [...]string{"__", ":", "/", "."} {
		if server, tool, cut := strings.Cut(rest, between); cut {
			return printable.Line("mcp__"+ServerName(server)+"__"+strings.Trim(tool, "_:/."), 80)
		}
	}
	return printable.Line("mcp__"+ServerName(rest)+", or with a tool mcp__SERVER__TOOL", 80)
}

// AllowsTools says why a rule cannot clear tools, nil if it can: the server must
// be a name, since a repository can bring servers, and arguments are matched
// where a rule forbids only.
func (p Permission) AllowsTools(text string) error {
	server, _, _ := strings.Cut(strings.TrimPrefix(p.Tool, "mcp__"), "__")
	switch {
	case strings.Contains(text, "("):
		return fmt.Errorf("%q: an allow rule names a server and a tool, not arguments; write %s", text, p.Tool)
	case server == "" || strings.Contains(server, "*"):
		return fmt.Errorf("%q would allow tools of any server, also of those that a repository brings; name the "+
			"server: mcp__SERVER__TOOL", text)
	}
	return nil
}

// Names reports whether an allow rule names the tool of a call. Where the host
// does not say which part of a name is the server's, and it could end elsewhere,
// only a rule that names the whole tool does.
func (m *Call) Names(p Permission) bool {
	if m.MCP == nil {
		return false
	}
	mcp, server := *m.MCP, "mcp__"+ServerName(m.MCP.Server)
	if p.Tool == server+"__"+mcp.Tool {
		return true
	}
	if !mcp.Named && (!strings.HasPrefix(m.RawTool, "mcp__") || strings.Contains(mcp.Tool, "__")) {
		return false
	}
	tool, below := strings.CutPrefix(p.Tool, server+"__")
	return p.Tool == server || below && starMatch(tool, mcp.Tool)
}

// MeantTool says what to write for a rule that names one of an agent's own tools
// as the agent spells it, which matches nothing: "" for any other text.
func MeantTool(text string, allow bool) string {
	name, what, bracket := strings.Cut(text, "(")
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" ||
		name[0] < 'A' ||
		name[0] > 'Z' {
		return ""
	}
	what = strings.TrimSuffix(strings.TrimSuffix(what, ")"), ":*")
	switch {
	case bracket && name == "Bash" && what != "":
		return fmt.Sprintf("%q is a rule of Claude Code's; nod's is the command itself, such as %q", text,
			strings.TrimSuffix(strings.TrimSpace(what), " *")+" *")
	case bracket && !strings.HasSuffix(text, ")"):
		return ""
	case bracket:
		return fmt.Sprintf("%q is a rule of Claude Code's, and matches nothing here; nod reads them from Claude "+
			"Code's own settings: claude_rules (nod help settings)", text)
	case allow && (strings.ContainsAny(name[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") || isCanonicalTool(name)):
		return fmt.Sprintf("%q is a tool, and an allow rule is a command; tools stand by nod's name in allowlist = "+
			"[\"$defaults\", %q]", text, CanonicalTool(name))
	}
	return ""
}

// isCanonicalTool knows the one-word tools of Claude Code.
func isCanonicalTool(name string) bool {
	switch name {
	case "Agent", "Task", "Bash", "Edit", "Write", "Read", "Glob", "Grep", "Skill", "Monitor", "Workflow",
		"Artifact", "Sleep":
		return true
	}
	return false
}

// CanonicalTool spells a tool of Claude Code's as nod does: WebFetch as web_fetch.
func CanonicalTool(name string) string {
	switch name {
	case "Task":
		return "agent"
	case "Read", "Edit", "Write":
		name = map[string]string{"Read": "ReadFile", "Edit": "FileEdit", "Write": "FileWrite"}[name]
	}
	var b strings.Builder
	for i, r := range name {
		if i > 0 && 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}
