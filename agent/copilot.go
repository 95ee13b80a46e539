package agent

import (
	"cmp"
	"path"
	"strings"
	"time"

	"github.com/nodgate/nod"
)

// Copilot is the adapter for the GitHub Copilot CLI, and for what runs on its
// runtime. What it states was measured on version 1.0.102 with a model of
// one's own (no account), in print mode, for hooks that are registered under
// event names with a small letter: their payloads and answers have one shape.
//
// # Two seats
//
// preToolUse comes before every call; an allow skips the prompt, and with it
// permissionRequest, which comes when a person is to be asked, and never for
// tools that only read.
//
//	                   allow    ask, person    ask, nobody    deny
//	preToolUse         allow    ask            ask            deny
//	permissionRequest  -        -              -              deny
//
// Where a rule of the person's may deny the call (--deny-tool, --deny-url, deniedUrls), an
// allow is silence: said in either seat, it would overrule that.
//
// A prompt shows less of a call than preToolUse, of a command not that it is detached or
// in which shell it runs; and what nod can allow it has allowed before.
//
// No payload says whether anybody is there, and none has to: where nobody is,
// the host denies what a hook asks about, and says that it could not ask. At
// permissionRequest "-" is silence, and the host asks, or denies where it
// cannot.
//
// # What the host does with an answer
//
//	exit 0, flat JSON      applied: permissionDecision, or behavior; modifiedArgs
//	                       run in the place of the call's
//	nested JSON            ignored: the call runs
//	exit 1, 3, killed      denied, "(hook errored)"
//	exit 2                 denied; the text on stderr does not reach the model
//	time-out, rubbish      the normal flow: the call may run
//	postToolUse            additionalContext at the top reaches the model with
//	                       the result
//
// # What differs from other hosts
//
//   - The payload does not name its event, permissionRequest apart: it is
//     told by the keys, and what is not known to report is a call to decide.
//   - Sub-agents' calls are seen. preToolUse carries the child's own session
//     and its parent's, which is the root's unless agents nest deeper;
//     permissionRequest carries the root's.
//   - An MCP tool is server-tool at preToolUse, server/tool later. Which
//     hyphen divides them nobody can say; the first is taken.
//   - Each shell command starts afresh in cwd, whatever an earlier one did.
//   - permissionRequest shows an edit as a file and a diff. A patch of several
//     files is asked about by one of them, so nod takes it for no edit.
type Copilot struct{}

// Name returns "copilot".
func (Copilot) Name() string { return "copilot" }

// Capabilities returns what was measured on 1.0.102.
func (Copilot) Capabilities() Capabilities {
	return Capabilities{
		Tried:         "1.0.102",
		Before:        Seat{Allow: true, Deny: true, Ask: true, AskHeadless: true, Silence: Flows},
		Asking:        Seat{Deny: true, Silence: Prompts},
		ReasonReaches: true,
		FailClosed:    "exit codes but 0 deny",
		HearsAfter:    Flat,
		TimeUnit:      time.Second,
		SeesSubagents: true,
	}
}

// copilotTools maps the tools of Copilot CLI 1.0.102 in the order of the raw
// name. Source: the tools that the program offered to a model, under a name of
// OpenAI's (apply_patch, rg) and one of Anthropic's (create, edit, grep), and
// payloads of its hooks. web_fetch and ask_user are offered with an account
// only; they are from the vendor's documentation.
var copilotTools = [...]builtin{
	{"apply_patch", "apply_patch", special},
	{"ask_user", "ask_user_question", opaque},
	{"bash", "bash", command},
	{"create", "file_write", write},
	{"edit", "file_edit", edit},
	{"fetch_copilot_cli_documentation", "host_docs", opaque},
	{"glob", "glob", special},
	{"grep", "grep", special},
	{"list_agents", "list_agents", opaque},
	{"list_bash", "task_list", opaque},
	{"read_agent", "read_agent", opaque},
	{"read_bash", "task_get", opaque},
	{"rg", "grep", special},
	{"session_store_sql", "session_store_sql", opaque},
	{"skill", "skill", opaque},
	{"sql", "session_sql", opaque},
	{"stop_bash", "task_stop", opaque},
	{"task", "agent", opaque},
	{"view", "read_file", read},
	{"web_fetch", "web_fetch", fetch},
	{"write_agent", "send_message", opaque},
}

func copilotSpelling() spelling {
	searched := []string{"-A", "-B", "-C", "-i", "-n", "glob", "head_limit", "multiline", "output_mode", "path",
		"paths", "pattern", "type"}
	return spelling{command: "command", file: "path", content: "file_text", old: "old_str", new: "new_str", url: "url",
		beside: map[string][]string{
			"bash": {"detach", "initial_wait", "mode", "shellId"}, "glob": {"path", "paths", "pattern"},
			"grep": searched, "rg": searched, "view": {"forceReadLargeFiles", "view_range"},
			"ask_user":    {"allow_freeform", "choices", "question", "message", "requestedSchema"},
			"list_agents": {"include_completed", "scope"}, "read_agent": {"agent_id", "since_turn", "wait"},
			"read_bash": {"delay", "shellId"}, "stop_bash": {"shellId"},
			"task":        {"agent_type", "context_tier", "mode", "model", "name", "prompt", "reasoning_effort"},
			"write_agent": {"agent_id", "agent_ids", "message", "scope"}}}
}

// Decode reads one payload. Call.Input shares the payload's memory, which must
// not change afterwards.
func (c Copilot) Decode(payload []byte, environ []string) (Event, error) {
	top, err := readPayload(payload)
	if err != nil {
		return Event{}, err
	}
	f := fieldsOf(top, &err)
	var e Event
	e.Kind, e.Name = copilotEvent(f)
	switch e.Kind {
	case Other:
		e.Call = nod.Call{Agent: c.Name(), Session: f.word("sessionId")}
	case Unexpected:
		e.Call = nod.Call{Agent: c.Name(), Session: top.hint("sessionId"),
			RawTool: unplaced(f, cmp.Or(f.optional("toolName"), f.optional("tool_name")))}
	default:
		c.decodeCall(&e, f, environ)
	}
	if err != nil {
		return Event{}, err
	}
	return e, nil
}

// copilotEvent tells the event from the keys.
func copilotEvent(f fields) (Kind, string) {
	name := f.optional("hookName")
	tool, result, failure := f.maybe("toolName"), f.maybe("toolResult"), f.maybe("error")
	switch {
	case name == "permissionRequest":
		return Prompt, name
	case name != "" || f.maybe("hook_event_name") != nil:
		return Unexpected, cmp.Or(name, f.optional("hook_event_name")) + " of another registration"
	case tool == nil && carriesCall(f):
		return Unexpected, cmp.Or(f.hint("hookEventName"), "unnamed")
	case tool == nil:
		return Other, "unnamed"
	case result != nil:
		return Outcome, "postToolUse"
	case failure != nil:
		return Outcome, "postToolUseFailure"
	}
	return Decide, "preToolUse"
}

func (c Copilot) decodeCall(e *Event, f fields, environ []string) {
	if dir := variable(environ, "COPILOT_PROJECT_DIR"); path.IsAbs(dir) {
		e.Project = dir
	}
	session := f.word("sessionId")
	if parent := f.optional("parentAgentId"); parent != "" && e.Kind != Prompt {
		session = parent
	}
	e.Call = nod.Call{Agent: c.Name(), Session: session, RawTool: f.word("toolName"), Dir: f.word("cwd"),
		Environ: copilotEnviron(environ)}
	e.Start = e.Call.Dir
	if m := f.maybe("cwd"); m != nil && !path.IsAbs(e.Call.Dir) {
		f.wrong(m, "an absolute path")
	}
	e.PromptFollows = e.Kind == Prompt
	e.Call.Transcript = copilotTranscript(environ, session)
	e.Call.Opening = lineOpening(copilotEvents(environ, session), copilotTurns)
	key := "toolArgs"
	if e.Kind == Prompt {
		key = "toolInput"
	}
	m := f.get(key)
	if m == nil {
		return
	}
	e.Call.Input = m.value
	if !copilotMCP(&e.Call, f, m) {
		c.decodeTool(e, f, m)
	}
	if e.Kind == Decide {
		e.Reserved, e.Complete = true, func(e *Event) {
			e.Reserved, e.Theirs = copilotDenies(e.Call, e.Project), attended("copilot", printsOnly)
		}
	}
	if e.Kind == Outcome {
		e.Error = f.nullable("error")
		e.Failed = e.Name == "postToolUseFailure"
		e.Returned = f.returned("toolResult")
	}
}

// copilotEnviron leaves out what Copilot itself sets for every command: git
// then takes no bare repository for one that it merely stands in, which only
// tightens. Any other setting by these variables stays.
func copilotEnviron(environ []string) []string {
	if variable(environ, "GIT_CONFIG_COUNT") != "1" || variable(environ, "GIT_CONFIG_KEY_0") != "safe.bareRepository" ||
		variable(environ, "GIT_CONFIG_VALUE_0") != "explicit" {
		return environ
	}
	var out []string
	for _, kv := range environ {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0":
		default:
			out = append(out, kv)
		}
	}
	return out
}

// copilotMCP recognises a call to an MCP server: no tool of the host's own has
// a hyphen or a slash in its name.
func copilotMCP(call *nod.Call, f fields, m *member) bool {
	i := strings.IndexAny(call.RawTool, "/-")
	if i < 0 {
		return false
	}
	if i == 0 || i == len(call.RawTool)-1 {
		f.wrong(f.get("toolName"), "a server and a tool")
		return true
	}
	f.asObject(m) // free-form, but an object
	call.Tool, call.MCP = "mcp", &nod.MCP{Server: call.RawTool[:i], Tool: call.RawTool[i+1:]}
	return true
}

func (Copilot) decodeTool(e *Event, f fields, m *member) {
	call := &e.Call
	tool := lookUp(copilotTools[:], call.RawTool)
	if tool.raw == "apply_patch" && m.value[0] == '"' {
		call.Tool = tool.canonical
		patched(call, f.asText(m))
		return
	}
	in, _ := f.asObject(m)
	switch {
	case *f.err != nil:
	case e.Kind == Prompt && tool.raw != "bash": // shown by its effects, not by its arguments
	case tool.shape == special:
		call.Tool = tool.canonical
		lookFurther(call, in, copilotSpelling(), tool)
		copilotSpecial(call, tool, f, m, in)
	default:
		arguments(call, tool, copilotSpelling(), in)
		if tool.shape == command {
			call.Outlives = in.flag("detach")
			copilotNamed(e, in)
		}
	}
}

// copilotNamed denies a command in a shell with a name, away from the directory of the
// project: such a shell, if it is there already, is where it was made (1.0.102, the
// description of the tool), and a person may have changed the directory since.
func copilotNamed(e *Event, in fields) {
	if in.optional("shellId") != "" && e.Call.Dir != e.Project {
		e.Call.Rewritten = cmp.Or(e.Call.Rewritten, copilotElsewhere)
	}
}

// copilotSpecial reads a search, whose paths may be one or a list, and refuses
// a patch that is no text.
func copilotSpecial(call *nod.Call, tool builtin, f fields, m *member, in fields) {
	if tool.raw == "apply_patch" {
		f.wrong(m, "a text")
		return
	}
	var pattern, filter string
	switch tool.raw {
	case "glob":
		pattern = in.word("pattern")
	default:
		_ = in.text("pattern") // what is looked for, not where
		filter = in.optional("glob")
	}
	bases := in.texts("paths")
	if one := in.optional("path"); one != "" || len(bases) == 0 {
		bases = append(bases, one)
	}
	for _, base := range bases { // a text that is no name is several (1.0.102, run)
		if pieces := strings.Fields(base); len(pieces) > 1 {
			bases = append(bases, pieces...)
		}
	}
	for _, base := range bases {
		call.Paths = append(call.Paths, searched(call.Dir, base, pattern, filter)...)
	}
}

// Encode says a decision as the comment on [Copilot] lays it down.
func (c Copilot) Encode(e Event, d nod.Decision, p Profile, model bool) Answer {
	word := says(c.Capabilities(), e, d, p, model)
	switch e.Kind {
	case Decide:
		if hands(c, e, d, p) {
			return handed(e, d, `{"permissionDecision":"allow","permissionDecisionReason":`+
				quoted(reasonOf(d, saysAllow))+`,"modifiedArgs":`, `}`)
		}
		return copilotBefore(d, word)
	case Prompt:
		return copilotInstead(d, word)
	}
	return notDecided(e, c.Block)
}

// copilotBefore answers preToolUse: flat, since what is nested is ignored. The
// host has no place for notices to the person.
func copilotBefore(d nod.Decision, word string) Answer {
	a := Answer{Said: logged(word)}
	if word != abstained {
		a.Stdout = []byte(`{"permissionDecision":"` + a.Said + `","permissionDecisionReason":` +
			quoted(reasonOf(d, word)) + `}`)
	}
	return a
}

// MayRewrite implements [Rewriter]: measured on 1.0.102. The program may run a later version
// of itself, which it has fetched meanwhile and says to its hooks: what nod doctor has
// tried is the one that it brings.
func (Copilot) MayRewrite(e Event) bool {
	runs := path.Base(variable(e.Call.Environ, "COPILOT_CLI_RESOLVED_DIST_DIR"))
	return rewritable(e, "bash") && runs == variable(e.Call.Environ, "COPILOT_CLI_BINARY_VERSION")
}

func copilotInstead(d nod.Decision, word string) Answer {
	a := Answer{Said: logged(word)}
	if a.Said == saysDeny {
		a.Stdout = []byte(`{"behavior":"deny","message":` + quoted(reasonOf(d, word)) + `}`)
	}
	return a
}

// Block exits with 2 and a reason on standard error, which blocks in both
// seats; the model reads that the hook failed, the person's log the reason.
func (Copilot) Block(reason string) Answer { return exit2(reason) }
