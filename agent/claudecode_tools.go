package agent

import (
	"slices"
	"strings"

	"github.com/nodgate/nod"
)

// claudeTool is one built-in tool of Claude Code.
type claudeTool struct {
	raw       string // the host's name, exactly
	canonical string
	shape     claudeShape
}

// claudeShape says which arguments nod reads. The zero value reads none.
type claudeShape uint8

const (
	claudeOpaque   claudeShape = iota
	claudeShell                // command
	claudeMonitor              // command, which may be absent
	claudeRead                 // file_path
	claudeNotebook             // notebook_path
	claudeSearch               // path and a pattern (Glob) or a filter (Grep)
	claudeLookup               // LSP: a file, if it names one
	claudeEdit                 // file_path, old_string, new_string, replace_all
	claudeEdits                // file_path, edits
	claudeWrite                // file_path, content
	claudeCell                 // notebook_path, new_source
	claudeFetch                // url
	claudeStart                // isolation: where the agent that is started works
	claudeSend                 // to
	claudeWake                 // prompt, which comes back as if the person had typed it
)

// claudeTools maps the built-in tools of Claude Code 2.1.329 to canonical
// names, in the order of the raw name. Sources: sdk-tools.d.ts of the npm
// package @anthropic-ai/claude-code@2.1.329, the tools that the program
// offered to a model in a captured session, and the vendor's tools page.
// "Legacy" rows are from older documentation and are not in 2.1.329. Code Mode needs an
// account: its names are those in the program, and no payload of it was seen.
//
// The names that layer 1 knows are given to what does the same and nothing
// else. All others get a name of their own: Agent starts an agent and is no
// task_create, Monitor runs a shell, SendUserFile sends a file out. [ClassOf]
// says what becomes of each. A tool that is missing here has the canonical name
// "" and goes to the model.
var claudeTools = [...]claudeTool{
	{"Agent", "agent", claudeStart},
	{"Artifact", "artifact", claudeOpaque},
	{"ArtifactCheck", "artifact_check", claudeOpaque},
	{"ArtifactComments", "artifact_comments", claudeOpaque},
	{"ArtifactData", "artifact_data", claudeOpaque},
	{"AskUserQuestion", "ask_user_question", claudeOpaque},
	{"Bash", "bash", claudeShell},
	{"BashOutput", "task_get", claudeOpaque}, // legacy
	{"ClaudeDesign", "claude_design", claudeOpaque},
	{"Code", "exec", claudeOpaque}, // Code Mode: runs a script, which calls tools
	{"CronCreate", "cron_create", claudeOpaque},
	{"CronDelete", "cron_delete", claudeOpaque},
	{"CronList", "cron_list", claudeOpaque},
	{"Edit", "file_edit", claudeEdit},
	{"EnterPlanMode", "enter_plan_mode", claudeOpaque},
	{"EnterWorktree", "enter_worktree", claudeOpaque},
	{"Eval", "exec", claudeOpaque}, // Code Mode
	{"ExitPlanMode", "exit_plan_mode", claudeOpaque},
	{"ExitWorktree", "exit_worktree", claudeOpaque}, // may discard work
	{"Glob", "glob", claudeSearch},
	{"Grep", "grep", claudeSearch},
	{"KillBash", "task_stop", claudeOpaque},  // legacy
	{"KillShell", "task_stop", claudeOpaque}, // legacy
	{"LS", "glob", claudeSearch},             // legacy
	{"LSP", "lsp", claudeLookup},
	{"ListAgents", "list_agents", claudeOpaque},
	{"ListMcpResourcesTool", "list_mcp_resources", claudeOpaque},
	{"Monitor", "bash", claudeMonitor},
	{"MultiEdit", "file_edit", claudeEdits}, // legacy
	{"NotebookEdit", "notebook_edit", claudeCell},
	{"NotebookRead", "read_file", claudeNotebook}, // legacy
	{"OfferChromeSetup", "offer_chrome_setup", claudeOpaque},
	{"PowerShell", "bash", claudeShell},
	{"Projects", "projects", claudeOpaque},
	{"ProposeGoal", "propose_goal", claudeOpaque},
	{"ProposeSkills", "propose_skills", claudeOpaque},
	{"PushNotification", "push_notification", claudeOpaque},
	{"REPL", "exec", claudeOpaque}, // Code Mode
	{"Read", "read_file", claudeRead},
	{"ReadMcpResourceDir", "read_mcp_resource", claudeOpaque},
	{"ReadMcpResourceTool", "read_mcp_resource", claudeOpaque},
	{"ReadNotifications", "read_notifications", claudeOpaque},
	{"RefreshMcpTools", "refresh_mcp_tools", claudeOpaque},
	{"RemoteTrigger", "remote_trigger", claudeOpaque},
	{"ReportFindings", "report_findings", claudeOpaque},
	{"ScheduleWakeup", "schedule_wakeup", claudeWake},
	{"SendFeedback", "send_feedback", claudeOpaque}, // uploads
	{"SendMessage", "send_message", claudeSend},
	{"SendUserFile", "send_user_file", claudeOpaque},
	{"ShareOnboardingGuide", "share_onboarding_guide", claudeOpaque}, // uploads
	{"ShowOnboardingRolePicker", "show_onboarding_role_picker", claudeOpaque},
	{"Skill", "skill", claudeOpaque},
	{"SlashCommand", "slash_command", claudeOpaque}, // legacy
	{"Sleep", "sleep", claudeOpaque},
	{"StructuredOutput", "structured_output", claudeOpaque}, // of --json-schema: the answer itself
	{"SubagentHandback", "subagent_handback", claudeOpaque},
	{"Task", "agent", claudeStart}, // the older name of Agent
	{"TaskCreate", "task_create", claudeOpaque},
	{"TaskGet", "task_get", claudeOpaque},
	{"TaskList", "task_list", claudeOpaque},
	{"TaskOutput", "task_get", claudeOpaque},
	{"TaskStop", "task_stop", claudeOpaque},
	{"TaskUpdate", "task_update", claudeOpaque},
	{"TeamCreate", "team_create", claudeOpaque}, // legacy
	{"TeamDelete", "team_delete", claudeOpaque}, // legacy
	{"TodoWrite", "todo_write", claudeOpaque},
	{"ToolSearch", "tool_search", claudeOpaque},
	{"WaitForMcpServers", "wait_for_mcp_servers", claudeOpaque},
	{"WebFetch", "web_fetch", claudeFetch},
	{"WebSearch", "web_search", claudeOpaque},
	{"Workflow", "workflow", claudeOpaque},
	{"Write", "file_write", claudeWrite},
}

// claudeBuiltin returns the row of a raw name, the zero row where there is
// none. A canonical name ("read_file") is no built-in of this host.
func claudeBuiltin(raw string) claudeTool {
	i, found := slices.BinarySearchFunc(claudeTools[:], raw, func(t claudeTool, name string) int {
		return strings.Compare(t.raw, name)
	})
	if !found {
		return claudeTool{}
	}
	return claudeTools[i]
}

// claudeArguments fills in what the call would do from its arguments.
func claudeArguments(c *nod.Call, tool claudeTool, in fields) {
	c.Tool = tool.canonical
	lookFurther(c, in, claudeSpelling(), tool.known())
	switch tool.shape {
	case claudeShell, claudeMonitor:
		claudeCommand(c, tool, in)
	case claudeRead:
		c.Paths = screenshots(in.word("file_path"))
	case claudeNotebook:
		c.Paths = []string{in.word("notebook_path")}
	case claudeLookup:
		claudeLookupPath(c, in)
	case claudeSearch:
		claudeSearchPaths(c, tool, in)
	case claudeFetch:
		c.URL = in.word("url")
	case claudeStart:
		switch in.optional("isolation") {
		case "":
		case "remote":
			c.Tool = "remote_agent" // its calls come to no hook
		default:
			c.Unread = claudeWorktree
		}
	case claudeSend:
		if to := in.optional("to"); to != "main" && !isOwnAgent(to) {
			c.Unread = elsewhere
		}
	case claudeWake:
		mentioned(c, in.optional("prompt")) // whether the host reads those was not seen
	case claudeEdit, claudeEdits, claudeWrite, claudeCell:
		c.Edits = claudeChanges(tool.shape, in)
		c.Paths = []string{c.Edits[0].Path}
	}
}

// What is said of calls that reach further than their session (2.1.329, run).
const (
	claudeWorktree = "an agent in a working tree of its own: the host runs git fetch, and copies what .worktreeinclude " +
		"names; start it without isolation"
	elsewhere = "the message may go to another session, on another machine too, in which nobody may ask nod; " +
		"address an agent of this session by its id"
)

// isOwnAgent reports whether a name is the id of an agent that the session has started. By
// any other name a message may go to another session, on another machine too, in which
// nobody may ask nod; the host asks nobody about it (2.1.329, run).
func isOwnAgent(to string) bool {
	n := len(to) - 16
	return n > 0 && to[0] == 'a' && !strings.ContainsFunc(to[n:], func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'f')
	}) && !strings.ContainsFunc(to[1:n], func(r rune) bool { return r != '-' && r != '_' && !isLetterOrDigit(r) })
}

// screenshots are a name, and the one that the host reads where no file has that name:
// with the other of the two blanks before AM.png and PM.png (2.1.329, read).
func screenshots(name string) []string {
	for _, end := range [...]string{"AM.png", "PM.png"} {
		for _, blanks := range [...][2]string{{" ", "\u202f"}, {"\u202f", " "}} {
			if before, ok := strings.CutSuffix(name, blanks[0]+end); ok {
				return []string{name, before + blanks[1] + end}
			}
		}
	}
	return []string{name}
}

// claudeCommand reads a shell command. The Bash tool starts the user's shell,
// bash or zsh, and no payload says which: the dialect stays unstated, so both
// must agree. Not measured: which shell runs where $SHELL is neither.
func claudeCommand(c *nod.Call, tool claudeTool, in fields) {
	if tool.shape == claudeMonitor {
		if c.Command = in.optional("command"); c.Command == "" || in.maybe("ws") != nil {
			c.Tool, c.Command, c.Rewritten = "monitor", "", "" // it watches a socket
		}
		return
	}
	c.Command = in.word("command")
	if tool.raw == "PowerShell" {
		c.Dialect = nod.PowerShell
	}
	// They stay in Input, for the prompt; only their type is checked here.
	in.flag("run_in_background")
	in.flag("dangerouslyDisableSandbox")
}

// known is the row by which the arguments of a tool are looked at.
func (t claudeTool) known() builtin {
	switch t.shape {
	case claudeShell, claudeMonitor:
		return builtin{t.raw, t.canonical, command}
	case claudeOpaque, claudeLookup, claudeSend, claudeWake:
		return builtin{t.raw, t.canonical, opaque}
	}
	return builtin{t.raw, t.canonical, special}
}

// claudeSpelling is how the tools call their arguments (sdk-tools.d.ts and the schemas of
// 2.1.329; a test holds it to what the program offers). _host, which names another
// machine, is not among them.
func claudeSpelling() spelling {
	shell := []string{"dangerouslyDisableSandbox", "persistent", "run_in_background", "timeout_ms"}
	task := []string{"subject", "activeForm", "metadata"}
	starts := []string{"effort", "isolation", "max_turns", "mode", "model", "name", "prompt", "resume",
		"run_in_background", "subagent_type", "team_name"}
	return spelling{command: "command", beside: map[string][]string{
		"Bash": shell, "Monitor": shell, "PowerShell": shell,
		"Agent": starts, "Task": starts,
		"Edit": {"file_path", "old_string", "new_string", "replace_all"},
		"Glob": {"pattern", "path"},
		"Grep": {"pattern", "path", "glob", "output_mode", "type", "-A", "-B", "-C", "-i", "-n", "-o", "context",
			"head_limit", "multiline", "offset"},
		"LS": {"path", "ignore"}, "MultiEdit": {"file_path", "edits"},
		"NotebookEdit": {"notebook_path", "cell_id", "new_source", "cell_type", "edit_mode"},
		"NotebookRead": {"notebook_path", "cell_id"},
		"Read":         {"file_path", "pages", "allow_large", "limit", "offset"},
		"WebFetch":     {"url", "prompt", "offset"}, "Write": {"file_path", "content"},
		"LSP": {"operation", "filePath", "file_path", "line", "character", "query"},

		"AskUserQuestion": {"questions", "answers", "annotations", "metadata"},
		"BashOutput":      {"bash_id", "filter"}, "KillBash": {"shell_id"}, "KillShell": {"shell_id"},
		"ExitPlanMode": {"allowedPrompts", "plan", "planFilePath"}, // the last two are the host's own
		"ListAgents":   {"channel", "cursor", "q"}, "ListMcpResourcesTool": {"server"},
		"ProposeGoal": {"condition", "ask_user"}, "ProposeSkills": {"proposals"},
		"ReadMcpResourceDir": {"server", "uri"}, "ReadMcpResourceTool": {"server", "uri"},
		"ReportFindings": {"findings", "level"}, "ScheduleWakeup": {"delaySeconds", "noop", "prompt", "stop"},
		"SendMessage":      {"to", "message", "notify_when_idle"},
		"SubagentHandback": {"message"}, "TaskCreate": task, "TaskGet": {"taskId"}, "TaskOutput": {"task_id", "block"},
		"TaskStop": {"task_id", "shell_id"}, "TaskUpdate": append(task, "taskId", "status", "owner",
			"addBlocks", "addBlockedBy"),
		"TeamCreate": {"team_name", "agent_type"}, "TodoWrite": {"todos"}, "ToolSearch": {"max_results", "query"},
		"WaitForMcpServers": {"servers"},
	}}
}

// claudeLookupPath reads the file of an LSP call. Its schema is not in
// sdk-tools.d.ts, so both spellings are read.
func claudeLookupPath(c *nod.Call, in fields) {
	for _, key := range []string{"filePath", "file_path"} {
		if name := in.optional(key); name != "" {
			c.Paths = append(c.Paths, name)
		}
	}
}

// claudeSearchPaths names where a search would look: the directory, and the
// pattern below it, so that a search for ".ssh/id_*" is seen as what it is.
func claudeSearchPaths(c *nod.Call, tool claudeTool, in fields) {
	var patterns []string
	switch tool.raw {
	case "Glob":
		patterns = []string{in.word("pattern")}
	case "Grep":
		_ = in.text("pattern") // what is looked for, not where
		patterns = claudeGlobs(in.optional("glob"))
	}
	c.Paths = searched(c.Dir, in.optional("path"), patterns...)
}

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

// claudeChanges reads what an edit would change; there is always at least one.
func claudeChanges(shape claudeShape, in fields) []nod.Edit {
	switch shape {
	case claudeWrite:
		return []nod.Edit{{Path: in.word("file_path"), New: in.text("content"), Whole: true}}
	case claudeCell:
		return []nod.Edit{{Path: in.word("notebook_path"), New: in.optional("new_source")}}
	case claudeEdit:
		return []nod.Edit{claudeChange(in.word("file_path"), in)}
	}
	name := in.word("file_path")
	var all []nod.Edit
	for _, one := range in.list("edits") {
		all = append(all, claudeChange(name, one))
	}
	if len(all) == 0 {
		return []nod.Edit{{Path: name}}
	}
	return all
}

func claudeChange(name string, in fields) nod.Edit {
	return nod.Edit{Path: name, Old: in.text("old_string"), New: in.text("new_string"), All: in.flag("replace_all")}
}

// claudeMCP recognises a call to an MCP server by the prefix of its name and
// by the payload's mcp_server, which must agree: the first names the server as
// the API may spell it, the second as the user wrote it. ok is false for a
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
	for _, spelled := range []string{claudeServerName(server), collapse(claudeServerName(server))} {
		if tool, found := strings.CutPrefix(rest, spelled+"__"); found && spelled != "" && tool != "" {
			return &nod.MCP{Server: server, Tool: tool}, true, ""
		}
	}
	return nil, false, "tool_name and mcp_server name different servers"
}

// claudeServerName spells a server's name as it stands in a tool's name:
// everything but letters, digits, _ and - becomes _. (Read in descriptions of
// the host; measured for plain names only.)
func claudeServerName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-':
			return r
		}
		return '_'
	}, name)
}

// collapse makes one of several underscores, as is done for connectors.
func collapse(name string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '_' })
	return strings.Join(parts, "_")
}
