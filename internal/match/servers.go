package match

import (
	"fmt"
	"slices"
	"strings"
)

// ServerRule reads a rule about the tools of an MCP server: mcp__SERVER__TOOL, where TOOL may hold *,
// or mcp__SERVER for all of them. is is false for any other text.
func ServerRule(text string, allow bool) (p *Permission, is bool, err error) {
	if !strings.HasPrefix(text, "mcp__") {
		if rest, is := strings.CutPrefix(strings.ToLower(text), "mcp"); is && !strings.ContainsAny(text, " \t(") &&
			strings.IndexAny(rest+" ", "_:/.") == 0 {
			return nil, true, fmt.Errorf("%q matches nothing; a tool of an MCP server is written mcp__SERVER__TOOL",
				text)
		}
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

// AllowsTools says why a rule cannot clear tools, nil if it can: the server must be a name, since a
// repository can bring servers, and arguments are matched where a rule forbids only.
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

// Names reports whether an allow rule names the tool of a call. Where the host does not say which part of a name is
// the server's, and it could end elsewhere, only a rule that names the whole tool does.
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

// MeantTool says what to write for a rule that names one of an agent's own tools as the
// agent spells it, which matches nothing: "" for any other text.
func MeantTool(text string, allow bool) string {
	name, what, bracket := strings.Cut(text, "(")
	if name == "" || strings.Trim(name, letters) != "" || name == strings.ToLower(name[:1])+name[1:] ||
		bracket && !strings.HasSuffix(text, ")") {
		return ""
	}
	what = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(what, ")"), ":*"), " *")
	switch {
	case bracket && name == "Bash" && what != "":
		return fmt.Sprintf("%q is a rule of Claude Code's; nod's is the command itself, such as %q", text, what+" *")
	case bracket:
		return fmt.Sprintf("%q is a rule of Claude Code's, and matches nothing here; nod reads them from Claude "+
			"Code's own settings: claude_rules (nod help settings)", text)
	case allow && (name[1:] != strings.ToLower(name[1:]) || slices.Contains([]string{"Agent", "Task", "Bash", "Edit",
		"Write", "Read", "Glob", "Grep", "Skill"}, name)):
		return fmt.Sprintf("%q is a tool, and an allow rule is a command; nod's name of a tool stands in allowlist", text)
	}
	return ""
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
