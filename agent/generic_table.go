package agent

import (
	"time"

	"github.com/nodgate/nod"
)

// row is the table for [Generic]. Every row was read, none was run; tried says
// what was read. Names of tools that are not certain are left out: such a call
// is an unknown tool, and nothing settles it. A name that is not in the table
// has the zero profile: it has no events, so everything is blocked.
func (g Generic) row() profile {
	switch g.Agent {
	case "crush":
		return crushRow()
	case "cursor":
		return cursorRow()
	case "droid":
		return droidRow()
	case "goose":
		return gooseRow()
	case "grok":
		return grokRow()
	case "kiro":
		return kiroRow()
	case "openhands":
		return openhandsRow()
	case "vscode":
		return vscodeRow()
	case "windsurf":
		return windsurfRow()
	}
	return profile{}
}

// crushRow: charmbracelet/crush. Hooks run for the top agent only, so what a
// sub-agent does is not shown. Silence is Crush's own prompt, or none where
// the person has switched it off.
func crushRow() profile {
	return profile{
		agent: "crush", tried: "read: source at 37f36e9 (0.90)",
		event: []string{"event"}, session: []string{"session_id"}, dir: []string{"cwd"},
		tool: []string{"tool_name"}, input: []string{"tool_input"},
		before: []string{"PreToolUse"},
		tools: []builtin{
			{"agent", "unseen_agent", opaque},
			{"agentic_fetch", "unseen_agent", opaque},
			{"bash", "bash", command},
			{"fetch", "web_fetch", fetch},
			{"glob", "glob", search},
			{"grep", "grep", textSearch},
			{"ls", "list_directory", opaque},
			{"view", "read_file", read},
			{"write", "file_write", write},
		},
		shell: nod.Interp,
		spelled: spelling{command: "command", workdir: "working_dir", file: "file_path", content: "content",
			dir: "path", pattern: "pattern", filter: "include", url: "url", bare: true,
			beside: map[string][]string{"bash": {"auto_background_after", "run_in_background"}, "fetch": {"format"},
				"grep": {"literal_text"}, "view": {"limit", "offset"}}},
		detaches: []string{"run_in_background"},
		mcp:      "mcp_", divided: "_",
		answer: versioned, seat: Seat{Allow: true, Deny: true, Silence: Flows}, unit: time.Second,
	}
}

// cursorRow: Cursor. An allow is documented and its command-line program
// ignores it, so none is said. A call of the shell comes twice, once as a tool
// and once as itself. Its tool's own description says that directory and
// environment stay from one command to the next; whether the payload's cwd
// follows them is not known.
func cursorRow() profile {
	return profile{
		agent: "cursor", tried: "read: cursor.com/docs/hooks as of September 2026",
		event: []string{"hook_event_name"}, session: []string{"conversation_id"}, call: []string{"tool_use_id"},
		dir: []string{"cwd"}, roots: []string{"workspace_roots"}, tool: []string{"tool_name"},
		input:  []string{"tool_input"},
		before: []string{"preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile"},
		acts: []builtin{
			{"beforeMCPExecution", "mcp", text},
			{"beforeReadFile", "read_file", read},
			{"beforeShellExecution", "bash", command},
		},
		tools: []builtin{{"Shell", "bash", command}},
		spelled: spelling{command: "command", workdir: "working_directory", file: "file_path",
			beside: map[string][]string{
				"Shell": {"block_until_ms", "is_background", "notify_on_output", "required_permissions"}}},
		keeps: true, detaches: []string{"is_background"},
		answer: permission, seat: Seat{Deny: true, Silence: Flows},
		project: "CURSOR_PROJECT_DIR", closed: "failClosed: true", unit: time.Second,
	}
}

// droidRow: Factory Droid. Payloads are written with small and with capital
// letters inside, by version. An allow goes past the person's commandDenylist, which nod
// does not read: it is silent.
func droidRow() profile {
	return profile{
		agent: "droid", tried: "read: Factory-AI/factory docs at 2a4debc",
		event: []string{"hook_event_name", "hookEventName"}, session: []string{"session_id", "sessionId"},
		dir: []string{"cwd"}, tool: []string{"tool_name", "toolName"}, input: []string{"tool_input", "toolInput"},
		mode:   []string{"permission_mode", "permissionMode"},
		before: []string{"PreToolUse"}, after: []string{"PostToolUse"},
		tools: []builtin{
			{"Create", "file_write", write},
			{"Execute", "bash", command},
			{"Read", "read_file", read},
			{"Write", "file_write", write},
		},
		spelled: spelling{command: "command", file: "file_path", content: "content",
			beside: map[string][]string{"Execute": {"fireAndForget", "riskLevel", "riskLevelReason"}}},
		mcp: "mcp__", divided: "__",
		answer: nested, seat: Seat{Deny: true, Silence: Flows},
		project: "FACTORY_PROJECT_DIR", detaches: []string{"fireAndForget"}, unit: time.Second,
	}
}

// gooseRow: Goose from 1.38 on. It grants nothing; its own mode decides what
// it asks about. Tools are extension__tool, its own ones too.
func gooseRow() profile {
	return profile{
		agent: "goose", tried: "read: docs at 0825b57 (1.38)",
		event: []string{"event"}, session: []string{"session_id"}, call: []string{"tool_call_id"},
		dir:  []string{"working_dir"},
		tool: []string{"tool_name"}, input: []string{"tool_input"},
		before: []string{"PreToolUse"}, after: []string{"PostToolUse"},
		tools: []builtin{
			{"developer__shell", "bash", command},
			{"developer__text_editor", "", editor},
		},
		spelled: spelling{command: "command", file: "path", content: "file_text", old: "old_str", new: "new_str",
			beside: map[string][]string{"developer__shell": {"timeout_secs"},
				"developer__text_editor": {"view_range"}}},
		divided: "__",
		answer:  codeTwo, seat: Seat{Deny: true, Silence: Flows}, closed: `on_failure: "block"`, unit: time.Second,
	}
}

// grokRow: Grok CLI. The payload names no event.
func grokRow() profile {
	return profile{
		agent: "grok", tried: "read: what others report of it",
		single: true, before: []string{"PreToolUse"},
		session: []string{"sessionId", "session_id"}, dir: []string{"cwd"},
		tool: []string{"toolName", "tool_name"}, input: []string{"toolInput", "tool_input"},
		tools:   []builtin{{"bash", "bash", command}},
		spelled: spelling{command: "command"},
		answer:  codeTwo, seat: Seat{Deny: true, Silence: Flows}, unit: time.Second,
	}
}

// kiroRow: Kiro CLI, and the editor, which has the same hooks. The payload names no
// session. Version 2 of the CLI starts each command anew; the editor, and the CLI from
// version 3 on, may type it into a terminal that they have.
func kiroRow() profile {
	return profile{
		agent: "kiro", tried: "read: kiro.dev/docs/cli/hooks",
		event: []string{"hook_event_name"}, dir: []string{"cwd"}, tool: []string{"tool_name"},
		input:  []string{"tool_input"},
		before: []string{"preToolUse", "PreToolUse"}, after: []string{"postToolUse", "PostToolUse"},
		tools: []builtin{
			{"execute_bash", "bash", command},
			{"fs_write", "", editor},
			{"shell", "bash", command},
		},
		spelled: spelling{command: "command", workdir: "cwd", file: "path", content: "file_text", old: "old_str",
			new: "new_str"},
		keeps: true,
		mcp:   "@", divided: "/",
		answer: codeTwo, seat: Seat{Deny: true, Silence: Flows}, unit: time.Millisecond,
	}
}

// openhandsRow: OpenHands software-agent-sdk. allow is no opinion there.
func openhandsRow() profile {
	return profile{
		agent: "openhands", tried: "read: SDK 1.43.1",
		event: []string{"event_type"}, session: []string{"session_id"}, dir: []string{"working_dir"},
		tool: []string{"tool_name"}, input: []string{"tool_input"},
		before: []string{"PreToolUse"}, after: []string{"PostToolUse"},
		tools: []builtin{
			{"file_editor", "", editor},
			{"terminal", "bash", command},
		},
		typed: "is_input", keeps: true, rewrites: openhandsRewrites,
		spelled: spelling{command: "command", file: "path", content: "file_text", old: "old_str", new: "new_str",
			beside: map[string][]string{"file_editor": {"security_risk", "view_range"},
				"terminal": {"is_input", "reset", "security_risk"}}},
		answer: codeTwo, seat: Seat{Deny: true, Silence: Flows}, unit: time.Second,
	}
}

// vscodeRow: the local agent of VS Code, which newer versions replace by the
// runtime of Copilot CLI. An allow skips the prompt, also where the person's settings ask
// about the command; nod does not read them, and so is silent.
func vscodeRow() profile {
	return profile{
		agent: "vscode", tried: "read: code.visualstudio.com/docs as of November 2026",
		event: []string{"hookEventName", "hook_event_name"}, session: []string{"sessionId", "session_id"},
		call: []string{"tool_use_id"}, dir: []string{"cwd"}, tool: []string{"tool_name"}, input: []string{"tool_input"},
		before: []string{"PreToolUse"}, after: []string{"PostToolUse"},
		tools: []builtin{
			{"runTerminalCommand", "bash", command},
			{"run_in_terminal", "bash", command},
		},
		keeps: true, rewrites: vscodeRewrites,
		spelled: spelling{command: "command", beside: map[string][]string{
			"runTerminalCommand": {"goal", "isBackground", "mode"},
			"run_in_terminal": {"goal", "isBackground", "mode", "requestUnsandboxedExecution",
				"requestUnsandboxedExecutionReason"}}},
		answer: nested, seat: Seat{Deny: true, Ask: true, Silence: Flows}, editor: true,
		unit: time.Second,
	}
}

// windsurfRow: Windsurf's Cascade. The event says what the call does. A third party
// reports that it types into a terminal.
func windsurfRow() profile {
	return profile{
		agent: "windsurf", tried: "read: docs.windsurf.com/windsurf/cascade/hooks",
		event: []string{"agent_action_name"}, session: []string{"trajectory_id"}, input: []string{"tool_info"},
		before: []string{"pre_run_command", "pre_write_code", "pre_mcp_tool_use", "pre_read_code"},
		acts: []builtin{
			{"pre_mcp_tool_use", "mcp", special},
			{"pre_read_code", "read_file", read},
			{"pre_run_command", "bash", command},
			{"pre_write_code", "file_edit", edits},
		},
		spelled: spelling{command: "command_line", workdir: "cwd", file: "file_path", old: "old_string",
			new: "new_string"},
		keeps: true, rewrites: windsurfRewrites,
		answer: codeTwo, seat: Seat{Deny: true, Silence: Flows}, unit: time.Second,
	}
}
