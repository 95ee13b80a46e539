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
	var p profile
	switch g.Agent {
	case "crush":
		p = crushRow()
	case "cursor":
		p = cursorRow()
	case "droid":
		p = droidRow()
	case "goose":
		p = gooseRow()
	case "grok":
		p = grokRow()
	case "kiro":
		p = kiroRow()
	case "openhands":
		p = openhandsRow()
	case "vscode":
		p = vscodeRow()
	case "windsurf":
		p = windsurfRow()
	default:
		return profile{}
	}
	p.agent = g.Agent
	return p
}

// heard is what a row says of an agent: what was read, its seat, the unit of its time
// limits, and its own fail-closed switch.
func heard(tried string, seat Seat, unit time.Duration, closed string) Capabilities {
	return Capabilities{Tried: tried, Before: seat, ReasonReaches: true, NeedsReason: true, FailClosed: closed,
		TimeUnit: unit}
}

// crushRow: charmbracelet/crush. Hooks run for the top agent only, so what a
// sub-agent does is not shown. Silence is Crush's own prompt, or none where
// the person has switched it off.
func crushRow() profile {
	return profile{
		can: heard("read: source at 37f36e9 (0.90)",
			Seat{Allow: true, Deny: true, Silence: Flows}, time.Second, ""),
		event: []string{"event"}, session: []string{"session_id"}, dir: []string{"cwd"},
		tool: []string{"tool_name"}, input: []string{"tool_input"},
		before:   []string{"PreToolUse"},
		shell:    nod.Interp,
		detaches: []string{"run_in_background"},
		mcp:      "mcp_", divided: "_",
		answer: versioned,
	}
}

// cursorRow: Cursor. An allow is documented and its command-line program
// ignores it, so none is said. A call of the shell comes twice, once as a tool
// and once as itself. Its tool's own description says that directory and
// environment stay from one command to the next; whether the payload's cwd
// follows them is not known.
func cursorRow() profile {
	return profile{
		can: heard("read: cursor.com/docs/hooks as of September 2026",
			Seat{Deny: true, Silence: Flows}, time.Second, "failClosed: true"),
		event: []string{"hook_event_name"}, session: []string{"conversation_id"}, call: []string{"tool_use_id"},
		dir: []string{"cwd"}, roots: []string{"workspace_roots"}, tool: []string{"tool_name"},
		input:  []string{"tool_input"},
		before: []string{"preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile"},
		keeps:  true, detaches: []string{"is_background"},
		answer:  permission,
		project: "CURSOR_PROJECT_DIR",
	}
}

// droidRow: Factory Droid. Payloads are written with small and with capital
// letters inside, by version. An allow goes past the person's commandDenylist, which nod
// does not read: it is silent.
func droidRow() profile {
	return profile{
		can: heard("read: Factory-AI/factory docs at 2a4debc",
			Seat{Deny: true, Silence: Flows}, time.Second, ""),
		event: []string{"hook_event_name", "hookEventName"}, session: []string{"session_id", "sessionId"},
		dir: []string{"cwd"}, tool: []string{"tool_name", "toolName"}, input: []string{"tool_input", "toolInput"},
		mode:   []string{"permission_mode", "permissionMode"},
		before: []string{"PreToolUse"}, after: []string{"PostToolUse"},
		mcp: "mcp__", divided: "__",
		answer:  withoutNotices,
		project: "FACTORY_PROJECT_DIR", detaches: []string{"fireAndForget"},
	}
}

// gooseRow: Goose from 1.38 on. It grants nothing; its own mode decides what
// it asks about. Tools are extension__tool, its own ones too.
func gooseRow() profile {
	return profile{
		can: heard("read: docs at 0825b57 (1.38)",
			Seat{Deny: true, Silence: Flows}, time.Second, `on_failure: "block"`),
		event: []string{"event"}, session: []string{"session_id"}, call: []string{"tool_call_id"},
		dir:  []string{"working_dir"},
		tool: []string{"tool_name"}, input: []string{"tool_input"},
		before: []string{"PreToolUse"}, after: []string{"PostToolUse"},
		divided: "__",
		answer:  codeTwo,
	}
}

// grokRow: Grok CLI. The payload names no event.
func grokRow() profile {
	return profile{
		can: heard("read: what others report of it",
			Seat{Deny: true, Silence: Flows}, time.Second, ""),
		single: true, before: []string{"PreToolUse"},
		session: []string{"sessionId", "session_id"}, dir: []string{"cwd"},
		tool: []string{"toolName", "tool_name"}, input: []string{"toolInput", "tool_input"},
		answer: codeTwo,
	}
}

// kiroRow: Kiro CLI, and the editor, which has the same hooks. The payload names no
// session. Version 2 of the CLI starts each command anew; the editor, and the CLI from
// version 3 on, may type it into a terminal that they have.
func kiroRow() profile {
	return profile{
		can: heard("read: kiro.dev/docs/cli/hooks",
			Seat{Deny: true, Silence: Flows}, time.Millisecond, ""),
		event: []string{"hook_event_name"}, dir: []string{"cwd"}, tool: []string{"tool_name"},
		input:  []string{"tool_input"},
		before: []string{"preToolUse", "PreToolUse"}, after: []string{"postToolUse", "PostToolUse"},
		keeps: true,
		mcp:   "@", divided: "/",
		answer: codeTwo,
	}
}

// openhandsRow: OpenHands software-agent-sdk. allow is no opinion there.
func openhandsRow() profile {
	return profile{
		can: heard("read: SDK 1.43.1",
			Seat{Deny: true, Silence: Flows}, time.Second, ""),
		event: []string{"event_type"}, session: []string{"session_id"}, dir: []string{"working_dir"},
		tool: []string{"tool_name"}, input: []string{"tool_input"},
		before: []string{"PreToolUse"}, after: []string{"PostToolUse"},
		typed: "is_input", keeps: true, rewrites: openhandsRewrites,
		answer: codeTwo,
	}
}

// vscodeRow: the local agent of VS Code, which newer versions replace by the
// runtime of Copilot CLI. An allow skips the prompt, also where the person's settings ask
// about the command; nod does not read them, and so is silent.
func vscodeRow() profile {
	return profile{
		can: heard("read: code.visualstudio.com/docs as of November 2026",
			Seat{Deny: true, Ask: true, Silence: Flows}, time.Second, ""),
		event: []string{"hookEventName", "hook_event_name"}, session: []string{"sessionId", "session_id"},
		call: []string{"tool_use_id"}, dir: []string{"cwd"}, tool: []string{"tool_name"}, input: []string{"tool_input"},
		before: []string{"PreToolUse"}, after: []string{"PostToolUse"},
		keeps: true, rewrites: vscodeRewrites,
		answer: withoutNotices, editor: true,
	}
}

// windsurfRow: Windsurf's Cascade. The event says what the call does. A third party
// reports that it types into a terminal.
func windsurfRow() profile {
	return profile{
		can: heard("read: docs.windsurf.com/windsurf/cascade/hooks",
			Seat{Deny: true, Silence: Flows}, time.Second, ""),
		event: []string{"agent_action_name"}, session: []string{"trajectory_id"}, input: []string{"tool_info"},
		before: []string{"pre_run_command", "pre_write_code", "pre_mcp_tool_use", "pre_read_code"},
		keeps:  true, rewrites: typedRewrites,
		answer: codeTwo,
	}
}

// codeTwo denies by exit code; all else is silence.
func codeTwo(_ Event, d nod.Decision, word string) Answer {
	if logged(word) == abstained {
		return Answer{Said: abstained}
	}
	return exit2Shown(reasonOf(d, word))
}

// withoutNotices answers as Claude Code's hooks do, in a place that has no notices.
func withoutNotices(_ Event, d nod.Decision, word string) Answer {
	d.Notices = nil
	return nestedBefore(Event{}, d, word)
}

// versioned is Crush's: {"version", "decision", "reason"}.
func versioned(_ Event, d nod.Decision, word string) Answer {
	a := Answer{Said: logged(word)}
	if a.Said != abstained {
		a.Stdout = []byte(`{"version":1,"decision":"` + a.Said + `","reason":` + quoted(reasonOf(d, word)) + `}`)
	}
	return a
}

// permission is Cursor's: {"permission", "user_message", "agent_message"}.
func permission(_ Event, d nod.Decision, word string) Answer {
	a := Answer{Said: logged(word)}
	if reason := quoted(reasonOf(d, word)); a.Said != abstained {
		a.Stdout = []byte(`{"permission":"` + a.Said + `","user_message":` + reason + `,"agent_message":` + reason +
			`}`)
	}
	return a
}
