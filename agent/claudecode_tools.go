package agent

import (
	"regexp"
	"strings"

	"github.com/nodgate/nod"
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
var claudeTools = [...]builtin{
	{"Agent", "agent", special},
	{"Artifact", "artifact", opaque},
	{"ArtifactCheck", "artifact_check", opaque},
	{"ArtifactComments", "artifact_comments", opaque},
	{"ArtifactData", "artifact_data", opaque},
	{"AskUserQuestion", "ask_user_question", opaque},
	{"Bash", "bash", command},
	{"BashOutput", "task_get", opaque}, // legacy
	{"ClaudeDesign", "claude_design", opaque},
	{"Code", "exec", opaque}, // Code Mode: runs a script, which calls tools
	{"CronCreate", "cron_create", opaque},
	{"CronDelete", "cron_delete", opaque},
	{"CronList", "cron_list", opaque},
	{"Edit", "file_edit", edit},
	{"EnterPlanMode", "enter_plan_mode", opaque},
	{"EnterWorktree", "enter_worktree", opaque},
	{"Eval", "exec", opaque}, // Code Mode
	{"ExitPlanMode", "exit_plan_mode", opaque},
	{"ExitWorktree", "exit_worktree", opaque}, // may discard work
	{"Glob", "glob", special},
	{"Grep", "grep", special},
	{"KillBash", "task_stop", opaque},  // legacy
	{"KillShell", "task_stop", opaque}, // legacy
	{"LS", "glob", special},            // legacy
	{"LSP", "lsp", special},
	{"ListAgents", "list_agents", opaque},
	{"ListMcpResourcesTool", "list_mcp_resources", opaque},
	{"Monitor", "bash", special},
	{"MultiEdit", "file_edit", edits}, // legacy
	{"NotebookEdit", "notebook_edit", special},
	{"NotebookRead", "read_file", special}, // legacy
	{"OfferChromeSetup", "offer_chrome_setup", opaque},
	{"PowerShell", "bash", command},
	{"Projects", "projects", opaque},
	{"ProposeGoal", "propose_goal", opaque},
	{"ProposeSkills", "propose_skills", opaque},
	{"PushNotification", "push_notification", opaque},
	{"REPL", "exec", opaque}, // Code Mode
	{"Read", "read_file", read},
	{"ReadMcpResourceDir", "read_mcp_resource", opaque},
	{"ReadMcpResourceTool", "read_mcp_resource", opaque},
	{"ReadNotifications", "read_notifications", opaque},
	{"RefreshMcpTools", "refresh_mcp_tools", opaque},
	{"RemoteTrigger", "remote_trigger", opaque},
	{"ReportFindings", "report_findings", opaque},
	{"ScheduleWakeup", "schedule_wakeup", special},
	{"SendFeedback", "send_feedback", opaque}, // uploads
	{"SendMessage", "send_message", special},
	{"SendUserFile", "send_user_file", opaque},
	{"ShareOnboardingGuide", "share_onboarding_guide", opaque}, // uploads
	{"ShowOnboardingRolePicker", "show_onboarding_role_picker", opaque},
	{"Skill", "skill", opaque},
	{"SlashCommand", "slash_command", opaque}, // legacy
	{"Sleep", "sleep", opaque},
	{"StructuredOutput", "structured_output", opaque}, // of --json-schema: the answer itself
	{"SubagentHandback", "subagent_handback", opaque},
	{"Task", "agent", special}, // the older name of Agent
	{"TaskCreate", "task_create", opaque},
	{"TaskGet", "task_get", opaque},
	{"TaskList", "task_list", opaque},
	{"TaskOutput", "task_get", opaque},
	{"TaskStop", "task_stop", opaque},
	{"TaskUpdate", "task_update", opaque},
	{"TeamCreate", "team_create", opaque}, // legacy
	{"TeamDelete", "team_delete", opaque}, // legacy
	{"TodoWrite", "todo_write", opaque},
	{"ToolSearch", "tool_search", opaque},
	{"WaitForMcpServers", "wait_for_mcp_servers", opaque},
	{"WebFetch", "web_fetch", fetch},
	{"WebSearch", "web_search", opaque},
	{"Workflow", "workflow", opaque},
	{"Write", "file_write", write},
}

// claudeSpelling is how the tools call their arguments (sdk-tools.d.ts and the schemas of
// 2.1.329; a test holds it to what the program offers). _host, which names another
// machine, is not among them.
func claudeSpelling() spelling {
	shell := []string{"dangerouslyDisableSandbox", "persistent", "run_in_background", "timeout_ms"}
	starts := []string{"effort", "isolation", "max_turns", "mode", "model", "name", "prompt", "resume",
		"run_in_background", "subagent_type", "team_name"}
	return spelling{command: "command", file: "file_path", old: "old_string", new: "new_string", all: "replace_all",
		content: "content", url: "url", beside: map[string][]string{
			"Bash": shell, "Monitor": append(shell, "command"), "PowerShell": shell,
			"Agent": starts, "Task": starts,
			"Glob": {"pattern", "path"},
			"Grep": {"pattern", "path", "glob", "output_mode", "type", "-A", "-B", "-C", "-i", "-n", "-o", "context",
				"head_limit", "multiline", "offset"},
			"LS":           {"path", "ignore"},
			"NotebookEdit": {"notebook_path", "cell_id", "new_source", "cell_type", "edit_mode"},
			"NotebookRead": {"notebook_path", "cell_id"},
			"Read":         {"pages", "allow_large", "limit", "offset"},
			"WebFetch":     {"prompt", "offset"},
			"LSP":          {"operation", "filePath", "file_path", "line", "character", "query"},

			"ScheduleWakeup": {"delaySeconds", "noop", "prompt", "stop"},
			"SendMessage":    {"to", "message", "notify_when_idle"},
		}}
}

// claudeOddities reads what the table does not say.
//
// The Bash tool starts the user's shell, bash or zsh, and no payload says which: the
// dialect stays unstated, so both must agree. Not measured: which shell runs where
// $SHELL is neither.
func claudeOddities(c *nod.Call, in fields) {
	switch c.RawTool {
	case "Read":
		c.Paths = screenshots(in.word("file_path"))
	case "PowerShell":
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
			arguments(c, builtin{raw, "bash", command}, claudeSpelling(), in)
		}
	case "NotebookRead":
		c.Paths = []string{in.word("notebook_path")}
	case "NotebookEdit":
		c.Paths = []string{in.word("notebook_path")}
		c.Edits = []nod.Edit{{Path: c.Paths[0], New: in.optional("new_source")}}
	case "LSP": // its schema is not in sdk-tools.d.ts, so both spellings are read
		for _, key := range []string{"filePath", "file_path"} {
			if name := in.optional(key); name != "" {
				c.Paths = append(c.Paths, name)
			}
		}
	case "LS":
		c.Paths = searched(c.Dir, in.optional("path"))
	case "Glob":
		c.Paths = searched(c.Dir, in.optional("path"), in.word("pattern"))
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
		if to := in.optional("to"); to != "main" && !isOwnAgent(to) {
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

// isOwnAgent reports whether a name is the id of an agent that the session has started. By
// any other name a message may go to another session, on another machine too, in which
// nobody may ask nod; the host asks nobody about it (2.1.329, run).
func isOwnAgent(to string) bool { return regexp.MustCompile(`^a[\w-]*[0-9a-f]{16}$`).MatchString(to) }

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
