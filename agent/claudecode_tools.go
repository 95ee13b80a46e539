package agent

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/nodgate/nod"
)

// claudeOddities reads what the table does not say.
//
// The Bash tool starts the user's shell, bash or zsh, and no payload says which: the dialect stays
// unstated, so both must agree. Not measured: which shell runs where $SHELL is neither.
func claudeOddities(c *nod.Call, in fields) {
	if c.RawTool == "PowerShell" {
		c.Dialect = nod.PowerShell
	}
	if c.Command != "" { // they stay in Input, for the prompt; only their type is checked here
		in.flag("run_in_background")
		in.flag("dangerouslyDisableSandbox")
	}
}

func claudeSpecial(c *nod.Call, raw string, in fields) {
	switch raw {
	case "Monitor":
		if in.optional("command") == "" || in.maybe("ws") != nil { // it watches a socket
			c.Tool = "monitor"
		} else {
			tool := lookUp("claude-code", raw)
			tool.shape = command
			arguments(c, tool, in)
		}
	case "LSP": // its schema is not in sdk-tools.d.ts, so both spellings are read
		for _, key := range []string{"filePath", "file_path"} {
			if name := in.optional(key); name != "" {
				c.Paths = append(c.Paths, name)
			}
		}
	case "Grep":
		_ = in.text("pattern") // what is looked for, not where
		c.Paths = searched(c.Dir, in.optional("path"), claudeGlobs(in.optional("glob"))...)
	case "Agent", "Task":
		switch in.optional("isolation") {
		case "":
		case "remote":
			c.Tool = "remote_agent" // its calls come to no hook
		default:
			c.Unread = claudeWorktree
		}
	case "SendMessage":
		// An agent that the session has started has such an id. By any other name a message may go to another
		// session; the host asks nobody about it (2.1.329, run).
		own := regexp.MustCompile(`^(main|a[\w-]*[0-9a-f]{16})$`)
		if !own.MatchString(in.optional("to")) {
			c.Unread = elsewhere
		}
	case "ScheduleWakeup": // the prompt comes back as if the person had typed it
		mentioned(c, in.optional("prompt")) // whether the host reads those was not seen
	}
}

// What is said of calls that reach further than their session (2.1.329, run).
const (
	claudeWorktree = "an agent in a working tree of its own: the host runs git fetch, and copies what .worktreeinclude " +
		"names; start it without isolation"
	elsewhere = "the message may go to another session, on another machine too, in which nobody may ask nod; " +
		"address an agent of this session by its id"
)

// claudeGlobs are the globs that Grep's argument stands for: it is split at blanks, and
// at commas where a piece has no braces (2.1.329, run).
func claudeGlobs(text string) (globs []string) {
	for piece := range strings.FieldsSeq(text) {
		if strings.Contains(piece, "{") {
			globs = append(globs, piece)
		} else {
			globs = append(globs, strings.Split(piece, ",")...)
		}
	}
	return globs
}

// claudeMCP recognises a call to an MCP server by the prefix of its name and by the payload's mcp_server, which must
// agree: the first names the server as the API may spell it, the second as the user wrote it. ok is false for a
// built-in. server is "" where an older host sends no mcp_server.
func claudeMCP(raw, server string) (m *nod.MCP, ok bool, wrong string) {
	rest, prefixed := strings.CutPrefix(raw, "mcp__")
	if !prefixed {
		if server != "" {
			return nil, false, "mcp_server is set, but tool_name does not begin with mcp__"
		}
		return nil, false, ""
	}
	if server == "" {
		name, tool, _ := strings.Cut(rest, "__") // as the host itself splits
		if name == "" || tool == "" {
			return nil, false, "tool_name names no server and tool"
		}
		return &nod.MCP{Server: name, Tool: tool}, true, ""
	}
	spelling := claudeServerName(server)
	joined := strings.Join(strings.FieldsFunc(spelling, func(r rune) bool { return r == '_' }), "_") // a connector's
	for _, spelled := range []string{spelling, joined} {
		if tool, found := strings.CutPrefix(rest, spelled+"__"); found && spelled != "" && tool != "" {
			return &nod.MCP{Server: server, Tool: tool}, true, ""
		}
	}
	return nil, false, "tool_name and mcp_server name different servers"
}

// claudeServerName spells a server's name as it stands in a tool's name: everything but letters,
// digits, _ and - becomes _. (Read in descriptions of the host; measured for plain names only.)
func claudeServerName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '-' {
			return r
		}
		return '_'
	}, name)
}
