package agent

import (
	"errors"
	"path"
	"strings"
	"time"

	"github.com/nodgate/nod"
)

// Codex is the adapter for OpenAI's Codex CLI. What it states was measured on
// version 0.169.0, in `codex exec` and through its app-server, against a
// scripted model.
//
// # Two seats
//
// PreToolUse comes before every call and can only veto; PermissionRequest
// comes when Codex is about to ask a person, and can grant as well. Codex runs
// most commands in its sandbox without asking, and PreToolUse cannot make it
// ask. So what nod would ask about is denied there, with the reason, and left
// to the prompt at PermissionRequest:
//
//	                        allow    ask       deny
//	PreToolUse              -        deny (1)  deny
//	PermissionRequest       allow    -         deny
//
// "-" is silence. An allow is silence where a rule of the person's has Codex ask, or may
// ([Event.Reserved]): they ask at PermissionRequest, also about what runs in the sandbox.
// (1) silence where the rollout says that the call asks to
// leave the sandbox, since PermissionRequest then follows; and, for what nod
// knows nothing against and no model is there to judge, where the turn's record
// says that Codex runs commands in its sandbox, or asks about the tools of MCP
// servers that change something ([Event.Contained]). In mode "bypassPermissions" (approval policy never, and
// always under `codex exec`) PermissionRequest never comes.
//
// # What the host does with an answer
//
//	PreToolUse: deny with a reason      blocked; the model reads the reason
//	allow with updatedInput.command     that runs in the place of the command
//	deny without a reason, an unknown key, "allow", "ask", exit 1, killed,
//	time-out, cut-off JSON, plain text, exit 2 without text   the command RUNS
//	exit 2, text on stderr              blocked in both seats; the model reads it
//	PermissionRequest: anything else    the person is asked
//	PostToolUse: additionalContext      the model reads it with the result
//
// There is no switch that makes a failing hook block, so nod is registered
// behind a line of shell that turns every failure into exit 2 with a reason.
//
// # What no hook is shown
//
//   - write_stdin: text typed into a program that runs already. It works for
//     commands that were started with tty alone.
//   - web_search, which the vendor's servers run.
//   - the arguments tty, shell, workdir and sandbox_permissions of a command. They
//     stand in the rollout, where Codex has written the call before it asks
//     the hook, and [Event.Complete] reads them there. shell picks among the
//     system's own shells: a path elsewhere is not started.
//
// PermissionRequest also asks whether a command may reach a host. The payload
// then is the command's, told apart by its description, and an allow would be
// for the network: such a request is no shell command here.
type Codex struct{}

// Name returns "codex".
func (Codex) Name() string { return "codex" }

// Capabilities returns what was measured on 0.169.0.
func (Codex) Capabilities() Capabilities {
	return Capabilities{
		Tried:         "0.169.0",
		Before:        Seat{Deny: true, Silence: Flows},
		Asking:        Seat{Allow: true, Deny: true, Silence: Prompts},
		ReasonReaches: true,
		StrictJSON:    true,
		NeedsReason:   true,
		TimeUnit:      time.Second,
		SeesSubagents: true,
		StdinUnseen:   true,
		HearsAfter:    Nested,
	}
}

// codexTools maps the tools of Codex 0.169.0, as its hooks name them, in the
// order of the raw name. Source: the tools that the program offered to a model
// and the payloads of its hooks; those of its second set of tools for agents
// (followup_task, interrupt_agent, list_agents, send_message), which some models
// are offered, were read. A shell command is "Bash" whatever tool of
// Codex's runs it.
var codexTools = [...]builtin{
	{"Bash", "bash", command},
	{"apply_patch", "apply_patch", patch},
	{"close_agent", "close_agent", opaque},
	{"create_goal", "create_goal", opaque},
	{"followup_task", "send_message", special},
	{"get_goal", "get_goal", opaque},
	{"interrupt_agent", "close_agent", opaque},
	{"list_agents", "list_agents", opaque},
	{"list_mcp_resource_templates", "list_mcp_resources", opaque},
	{"list_mcp_resources", "list_mcp_resources", opaque},
	{"read_mcp_resource", "read_mcp_resource", opaque},
	{"request_user_input", "ask_user_question", opaque},
	{"resume_agent", "resume_agent", opaque},
	{"send_input", "send_message", special},
	{"send_message", "send_message", special},
	{"spawn_agent", "agent", special},
	{"update_goal", "update_goal", opaque},
	{"update_plan", "todo_write", opaque},
	{"view_image", "read_file", read},
	{"wait_agent", "wait_agent", opaque},
}

func codexSpelling() spelling {
	return spelling{command: "command", patch: "command", file: "path",
		beside: map[string][]string{"view_image": {"detail"},
			"close_agent": {"target"}, "interrupt_agent": {"target"}, "list_agents": {"path_prefix"},
			"followup_task": {"message", "target"}, "send_message": {"message", "target"},
			"create_goal":                 {"objective", "token_budget"},
			"list_mcp_resource_templates": {"cursor", "server"}, "list_mcp_resources": {"cursor", "server"},
			"read_mcp_resource": {"server", "uri"}, "request_user_input": {"questions"}, "resume_agent": {"id"},
			"send_input": {"id", "interrupt", "items", "message", "target"},
			"spawn_agent": {"agent_type", "fork_context", "fork_turns", "items", "message", "model", "reasoning_effort",
				"task_name"},
			"update_goal": {"status"}, "update_plan": {"plan"}, "wait_agent": {"ids", "targets", "timeout_ms"}}}
}

// codexItems looks at what an agent is told in pieces: a piece that is no text names a
// file, which the host reads.
func codexItems(call *nod.Call, in fields) {
	if in.maybe("items") == nil {
		return
	}
	for _, item := range in.list("items") {
		if item.optional("type") != "text" || len(item.members) > 2 {
			call.Unread = "an item that is no plain text may name a file, which Codex reads by itself; give a message"
		}
	}
}

// Decode reads one payload. Call.Input shares the payload's memory, which must
// not change afterwards. The workspace is where Codex started the hook: cwd
// follows the directory that the model names for a command.
func (c Codex) Decode(payload []byte, environ []string) (Event, error) {
	top, err := readPayload(payload)
	if err != nil {
		return Event{}, err
	}
	return claudeShaped(c.Name(), top, codexEvent, func(e *Event, f fields) { c.decodeCall(e, f, environ) })
}

// codexEvent knows the events of the schemas that 0.169.0 carries.
func codexEvent(name string) Kind {
	switch name {
	case "PreToolUse":
		return Decide
	case "PermissionRequest":
		return Prompt
	case "PostToolUse":
		return Outcome
	case "SessionStart", "SessionEnd", "Stop", "SubagentStart", "SubagentStop",
		"UserPromptSubmit", "PreCompact", "PostCompact", "Interrupt":
		return Other
	}
	return Unexpected
}

func (c Codex) decodeCall(e *Event, f fields, environ []string) {
	e.Mode = f.optional("permission_mode")
	e.Plan = e.Mode == "plan"
	if dir := variable(environ, "PWD"); path.IsAbs(dir) {
		e.Project = dir
	}
	child := f.optional("agent_id") != ""
	e.PromptFollows = e.Kind == Prompt
	e.Call = nod.Call{
		ID:          f.optional("tool_use_id"),
		Agent:       c.Name(),
		Session:     f.word("session_id"),
		RawTool:     f.word("tool_name"),
		Dir:         f.word("cwd"),
		Environ:     environ,
		Interactive: e.Kind == Prompt, // else nothing says so
		StdinUnseen: true,
	}
	e.Start = e.Call.Dir
	if m := f.maybe("cwd"); m != nil && !path.IsAbs(e.Call.Dir) {
		f.wrong(m, "an absolute path")
	}
	if name := f.nullable("transcript_path"); name != "" {
		e.Call.Transcript = codexTranscript(name, e.Call.ID, child)
		e.Call.Opening = lineOpening(name, codexLine(e.Call.ID, child))
	}
	command := ""
	if e.Call.RawTool == "Bash" {
		in, _ := f.child("tool_input")
		command = in.hint("command")
	}
	c.decodeTool(&e.Call, f, e.Kind)
	if e.Kind == Outcome {
		e.Returned = f.returned("tool_response")
	}
	name, read := f.nullable("transcript_path"), command != "" || e.Call.MCP != nil
	e.Reserved = read && e.Kind == Prompt && e.Call.Tool != "apply_patch"
	e.Complete = func(e *Event) {
		e.Theirs = e.Kind == Decide && attended("codex", commandsCodex)
		if read {
			codexComplete(e, name, command)
		}
	}
}

// decodeTool recognises the tool, MCP first, and reads its arguments. Those
// of an MCP tool or an unknown one are free-form.
func (Codex) decodeTool(call *nod.Call, f fields, kind Kind) {
	in, raw := f.child("tool_input")
	call.Input = raw
	if *f.err != nil {
		return
	}
	mcp, ok, wrong := claudeMCP(call.RawTool, "")
	switch {
	case wrong != "":
		*f.err = badInput(errors.New(wrong))
	case ok:
		call.Tool, call.MCP = "mcp", mcp
	default:
		tool := lookUp(codexTools[:], call.RawTool)
		arguments(call, tool, codexSpelling(), in)
		if kind == Prompt && call.Tool == "bash" {
			codexNetwork(call, in)
		}
		codexPatch(call)
		if tool.shape == special {
			codexItems(call, in)
		}
	}
}

// codexNetwork tells a request for the network from one to run the command.
func codexNetwork(call *nod.Call, in fields) {
	target, found := strings.CutPrefix(in.optional("description"), "network-access ")
	if found {
		call.Tool, call.Command, call.URL = "network_access", "", target
	}
}

// codexPatch recognises `apply_patch <<'EOF'`, which Codex does not hand to a
// shell but applies itself, in the one form that can be read in one way only.
func codexPatch(call *nod.Call) {
	if call.Tool != "bash" {
		return
	}
	first, body, _ := strings.Cut(call.Command, "\n")
	word, found := strings.CutPrefix(first, "apply_patch <<'")
	word, closed := strings.CutSuffix(word, "'")
	if !found || !closed || word == "" || strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return
	}
	text, found := strings.CutSuffix(strings.TrimSuffix(body, "\n"), "\n"+word)
	if !found || strings.HasSuffix(text, "\n") || strings.Contains("\n"+text+"\n", "\n"+word+"\n") {
		return
	}
	if edits, ok := readPatch(text); ok {
		patched(call, text)
		call.Tool, call.Command, call.Edits = "apply_patch", "", edits
	}
}

// Encode says a decision as the comment on [Codex] lays it down.
func (c Codex) Encode(e Event, d nod.Decision, p Profile, model bool) Answer {
	switch e.Kind {
	case Decide:
		if hands(c, e, d, p) {
			return nestedConfined(e, d)
		}
		return nestedBefore(d, says(c.Capabilities(), e, d, p, model))
	case Prompt:
		return nestedInstead(d, says(c.Capabilities(), e, d, p, model))
	}
	return notDecided(e, c.Block)
}

// MayRewrite implements [Rewriter]: measured on 0.169.0. Codex holds its own rules to the
// line that it is handed, and asks a person about that line: so it is handed none where a
// rule of theirs speaks of the command, or a prompt follows.
func (Codex) MayRewrite(e Event) bool {
	return rewritable(e, "Bash") && e.Mode == "bypassPermissions" && !codexAsks(&e, e.Project)
}

// Block exits with 2 and a reason on standard error, which blocks in both
// seats.
func (Codex) Block(reason string) Answer { return exit2(reason) }
