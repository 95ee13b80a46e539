package agent

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/nodgate/nod"
)

// ClaudeCode is the adapter for Claude Code. What it states was measured on
// version 2.1.329 in print mode, against a scripted model; the rows marked
// "read" are from the vendor's documentation.
//
// # What the host does with an answer
//
//	exit 0, nothing printed         no decision: the host's normal flow
//	exit 0, JSON                    applied; deny beats ask beats allow of other hooks
//	exit 2, text on stderr          blocks, and the model reads the text;
//	                                PermissionRequest ignores it
//	exit 1, rubbish, time-out       the tool RUNS, unless the handler has
//	                                onFailure: "block" (since 2.1.295)
//	allow                           skips prompt and classifier; no deny rule, ask
//	                                rule or protected path gives way to it
//	ask, nobody there               denied
//
// So nothing here ever exits 1, and an ask where nobody can answer is said as
// a denial that names the way to approve.
//
// # What is said before a tool runs (PreToolUse)
//
// "open" is an ask that nothing but the missing model caused, of a call of which
// nod knows nothing that loses work, gives away a secret or cannot be undone
// ([nod.Decision.Deferrable]); "ask" is any other. "-" is silence, logged as
// abstained.
//
//	mode                  allow    ask     ask, nobody   open          deny
//	default, acceptEdits  allow    ask     deny          as ask        deny
//	dontAsk               allow    deny    deny          deny          deny
//	bypassPermissions     allow    ask     deny          as ask        deny
//	auto, a model         allow    ask     deny          not possible  deny
//	auto, no model        allow    ask     deny          -             deny
//	plan                  reads: allow, else -
//	                               ask     deny          as ask        deny
//	any other, or none    -        ask     deny          as ask        deny
//
// Who decides then: under allow and deny nod; under ask the person; under "-"
// the host, which in auto is its own judge. With a model of nod's nothing is
// left open, in no mode: the model decides it. An explicit Replace says ask for
// what is open in auto too. Reinforce says "-" for allow in every mode, so that
// no rule of the person's lets anything run under it.
//
// # Its sandbox
//
// A command that Claude Code runs in its own sandbox is left to it as in mode
// auto, where nothing is known against it ([Event.Contained]).
//
// # Several prompts
//
// An answer to one prompt that changes the mode or the rules ("and switch to
// accept edits", "and don't ask again") has the host look at the prompts that
// wait behind it again, by its own rules and without the hook's ask: the call
// then runs unasked (measured in a terminal; docs/agents.md). So where another
// prompt may be open an ask about something grave is a denial, see
// [nod.Call].Asking.
//
// In mode "plan" the host's own judge decides what nod leaves it, and may let a
// command run that changes something (measured: touch ran); what nod denies
// does not run. Where the prompt is the point of a tool (AskUserQuestion,
// EnterPlanMode, ExitPlanMode), allow is "-": an allow would skip the person.
//
// # What is said when the host is about to ask (PermissionRequest)
//
// allow and deny are said, under the same conditions; ask is "-", since the
// prompt is on its way. The hook decides whether the call was seen before.
//
// All other events get silence; an event that is not known and carries a tool
// call is blocked.
type ClaudeCode struct{}

// Name returns "claude-code".
func (ClaudeCode) Name() string { return "claude-code" }

// Capabilities returns what was measured on 2.1.329, what it asks in a terminal.
func (ClaudeCode) Capabilities() Capabilities {
	return Capabilities{
		Tried:         "2.1.329",
		Before:        Seat{Allow: true, Deny: true, Ask: true, Silence: Flows},
		Asking:        Seat{Allow: true, Deny: true, Silence: Prompts},
		ReasonReaches: true,
		FailClosed:    `onFailure: "block"`,
		TimeUnit:      time.Second,
		SeesSubagents: true,
		HearsAfter:    Nested,

		PromptsAnswerOthers: true,
	}
}

// Decode reads one payload. Call.Input shares the payload's memory, which
// must not change afterwards. A sub-agent's payload carries the session id of
// its root, as Call.Session wants it.
func (c ClaudeCode) Decode(payload []byte, environ []string) (Event, error) {
	top, err := claudeTop(payload)
	if err != nil {
		return Event{}, err
	}
	return claudeShaped(c.Name(), top, claudeEvent, func(e *Event, f fields) { c.decodeCall(e, f, environ) })
}

// claudeTop reads the payload, less strictly where it only reports: a
// program's output is often cut in the middle of a character.
func claudeTop(payload []byte) (object, error) {
	top, err := readPayload(payload)
	if !errors.Is(err, errHalf) {
		return top, err
	}
	loose, again := readReport(payload)
	if again != nil {
		return top, err
	}
	switch claudeEvent(loose.hint("hook_event_name")) {
	case Outcome, Other:
		return loose, nil
	}
	return top, err
}

// claudeEvent says what is wanted of nod. The names are those of the vendor's
// hooks page; those without a fixture were read.
func claudeEvent(name string) Kind {
	switch name {
	case "PreToolUse":
		return Decide
	case "PermissionRequest":
		return Prompt
	case "PostToolUse", "PostToolUseFailure":
		return Outcome
	case "PermissionDenied":
		return HostDenied
	case "SessionStart", "SessionEnd", "Setup", "InstructionsLoaded",
		"UserPromptSubmit", "UserPromptExpansion", "MessageDisplay", "Notification",
		"PostToolBatch", "SubagentStart", "SubagentStop", "Stop", "StopFailure",
		"TaskCreated", "TaskCompleted", "TeammateIdle",
		"ConfigChange", "CwdChanged", "DirectoryAdded", "FileChanged",
		"WorktreeCreate", "WorktreeRemove", "PreCompact", "PostCompact",
		"PreModelSwitch", "PostModelSwitch", "Elicitation", "ElicitationResult":
		return Other
	}
	return Unexpected
}

func (c ClaudeCode) decodeCall(e *Event, f fields, environ []string) {
	e.Mode = f.optional("permission_mode")
	e.Plan = e.Mode == "plan"
	e.Child = f.optional("agent_id") != ""
	if dir := variable(environ, "CLAUDE_PROJECT_DIR"); path.IsAbs(dir) {
		e.Project = dir
	}
	e.Call = nod.Call{
		ID:          f.optional("tool_use_id"),
		Agent:       c.Name(),
		Session:     f.word("session_id"),
		RawTool:     f.word("tool_name"),
		Dir:         f.place("cwd"),
		Environ:     environ,
		Interactive: claudeAttended(variable(environ, "CLAUDE_CODE_ENTRYPOINT"), e.Mode),
		HostJudges:  e.Mode == "auto",
	}
	e.Start = e.Call.Dir
	if name := f.optional("transcript_path"); name != "" {
		e.Call.Transcript = claudeTranscript(name, e.Call.ID, f.optional("prompt_id"))
		e.Call.Opening = claudeRecord().opening(name)
	}
	c.decodeTool(&e.Call, f)
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

// claudeFlows reports whether the host decides by itself about what nod leaves it: a person
// is there, and the mode is one of which is known what becomes of a call. In dontAsk the
// host denies what no rule of the person's lets run, whoever is there.
func claudeFlows(e Event) bool {
	switch e.Mode {
	case "default", "acceptEdits", "plan", "auto", "bypassPermissions":
		return e.Call.Interactive
	}
	return e.Mode == "dontAsk"
}

// claudeAttended reports whether a question reaches a person. It does in the
// terminal, and in an editor that drives the Agent SDK in a mode in which it
// asks (seen with claude-agent-acp 0.100.0; of VS Code's extension only the name
// is known). A program on the SDK that passes no question on is denied by Claude
// Code itself. What an SDK does in the other modes is not known.
func claudeAttended(entry, mode string) bool {
	switch entry {
	case "cli":
		return mode != "dontAsk"
	case "sdk-ts", "claude-vscode":
		return mode == "default" || mode == "acceptEdits" || mode == "plan"
	}
	return false
}

// decodeTool recognises the tool, MCP first, and reads its arguments. Those
// of an MCP tool or an unknown one are free-form.
func (ClaudeCode) decodeTool(call *nod.Call, f fields) {
	in, raw := f.child("tool_input")
	call.Input = raw
	var server, source string
	if from, given := f.maybeChild("mcp_server"); given != nil {
		server, source = from.word("name"), from.optional("source")
	}
	if *f.err != nil {
		return
	}
	mcp, ok, wrong := claudeMCP(call.RawTool, server)
	switch {
	case wrong != "":
		*f.err = badInput(fmt.Errorf("%s", wrong))
	case ok:
		mcp.Named, mcp.Brought = server != "", source == "project"
		call.Tool, call.MCP = "mcp", mcp
	default:
		claudeArguments(call, in)
	}
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
