package agent

import (
	"errors"
	"path"
	"strings"
	"time"
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
type ClaudeCode struct{ profiled[claude] }

type claude struct{}

func (claude) name() string { return "claude-code" }

// What it asks was measured in a terminal. A sub-agent's payload carries the session id of
// its root. The events are those of the vendor's hooks page; those without a fixture were
// read.
func (claude) profile() profile {
	return profile{
		can: Capabilities{
			Tried:               "2.1.329",
			Before:              Seat{Allow: true, Deny: true, Ask: true, Silence: Flows},
			Asking:              Seat{Allow: true, Deny: true, Silence: Prompts},
			ReasonReaches:       true,
			FailClosed:          `onFailure: "block"`,
			TimeUnit:            time.Second,
			SeesSubagents:       true,
			HearsAfter:          Nested,
			PromptsAnswerOthers: true,
		},
		own: claudeOwn, special: claudeSpecial, quirk: claudeQuirk,
		answer: claudeBefore, prompt: nestedInstead, mayAllow: claudeMayAllow,
		mayRewrite: ClaudeCode{}.MayRewrite, confined: nestedConfined,
	}
}

func claudeQuirk(e *Event, in, f fields) {
	environ := e.Call.Environ
	e.Child = f.optional("agent_id") != ""
	e.PromptFollows = false
	e.Call.Interactive = claudeAttended(variable(environ, "CLAUDE_CODE_ENTRYPOINT"), e.Mode)
	e.Call.HostJudges = e.Mode == "auto"
	if name := f.optional("transcript_path"); name != "" {
		claudeRecord(e.Call.ID, f.optional("prompt_id")).of(&e.Call, name)
	}
	if e.Call.MCP == nil {
		claudeOddities(&e.Call, in)
	}
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

// claudeOwn recognises a call to an MCP server.
func claudeOwn(e *Event, f fields, input *member) bool {
	server, source := "", ""
	if from, given := f.maybeChild("mcp_server"); given != nil {
		server, source = from.word("name"), from.optional("source")
	}
	return claudeServer(e, f, input, server, source)
}

// claudeServer recognises a call to an MCP server by the tool's name and, where the payload
// has it, by the server's.
func claudeServer(e *Event, f fields, input *member, server, source string) bool {
	mcp, ok, wrong := claudeMCP(e.Call.RawTool, server)
	switch {
	case wrong != "" && *f.err == nil:
		*f.err = badInput(errors.New(wrong))
	case ok:
		f.asObject(input) // free-form, but an object
		mcp.Named, mcp.Brought = server != "", source == "project"
		e.Call.Tool, e.Call.MCP = "mcp", mcp
	}
	return ok || wrong != ""
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
