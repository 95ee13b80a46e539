package agent

import (
	"bytes"
	"encoding/hex"
	"path"
	"strings"
	"time"

	"github.com/nodgate/nod"
)

// Gemini is the adapter for Google's Gemini CLI. What it states was measured
// on version 0.61.0 in print mode, against a scripted model; what is marked
// "read" stands in the program's source.
//
// # One seat
//
// BeforeTool comes before every call, a sub-agent's too, and can only veto:
// the host's own policy decides afterwards, and no hook can grant.
//
//	             allow    ask     deny
//	BeforeTool   -        deny    deny
//
// "-" is silence. The host could be told to ask, but no payload says whether
// anybody is there, and where nobody is, it then hangs for ever. So an ask is
// a denial that says how to approve. A command of which nod knows nothing grave,
// without a model, is left to the host where it certainly asks about it
// ([Event.Contained]): where the person has set security.disableYoloMode.
//
// # What the host does with an answer
//
//	{"decision":"deny","reason"}        blocked; the model reads the reason
//	"systemMessage" beside it           the person reads it; of the reason nothing is shown to them
//	{"decision":"ask"}                  asks a person, even in yolo mode; hangs
//	                                    where there is none
//	{"decision":"allow"}                nothing: the policy decides
//	hookSpecificOutput.tool_input       the policy decides about that, and that runs
//	exit 2 or more, text on stderr      blocked; the model reads it
//	exit 2 without text, exit 0 and 1,
//	killed, time-out, cut-off JSON      the call RUNS as far as the policy lets it
//
// After a call the model reads hookSpecificOutput.additionalContext with the
// result. What is printed is read as JSON first, from standard error where standard
// output is empty. There is no switch that makes a failing hook block, so nod
// is registered behind a line of shell that turns every failure into exit 2
// with a reason.
//
// # What no hook is shown
//
//   - Everything in `gemini --acp`: hooks do not run there.
//   - Everything in a folder that is not trusted: there the host runs no hook,
//     the user's own included (read). It then asks before it acts.
//   - google_web_search, which the vendor's servers run, is shown as a call.
//
// # What the host makes of a call (read)
//
//	sh -c '...' and its like   both are taken away, with the first and the last quote
//	_bgpids_file               a variable of its own around the command, to which it writes
//	%2e in a path              is decoded
//	replace of a missing file  looks for one whose name ends so
//
// # MCP
//
// A tool is mcp_<server>_<tool>, which can be divided in several ways. The
// payload's mcp_context names both; without it a name that is not certain is
// no tool that nod knows.
type Gemini struct{}

// Name returns "gemini".
func (Gemini) Name() string { return "gemini" }

// Capabilities returns what was measured on 0.61.0.
func (Gemini) Capabilities() Capabilities {
	return Capabilities{
		Tried:         "0.61.0",
		Before:        Seat{Deny: true, Silence: Flows},
		ReasonReaches: true,
		NeedsReason:   true,
		TimeUnit:      time.Millisecond,
		SeesSubagents: true,
		HearsAfter:    Nested,
	}
}

// geminiTools maps the tools of Gemini CLI 0.61.0 in the order of the raw
// name. Source: the tools that the program offered to a model; those that it
// did not offer (ask_user, complete_task, exit_plan_mode, get_internal_docs,
// the resources of MCP servers, read_many_files, the tracker) are from the
// list in its source. The two that have no like elsewhere and end or head
// nearly every turn are what the allow-list's tools are: complete_task says a
// sub-agent's result to the agent that started it, update_topic says what the
// agent is at.
var geminiTools = [...]builtin{
	{"activate_skill", "skill", opaque},
	{"ask_user", "ask_user_question", opaque},
	{"complete_task", "send_message", opaque},
	{"enter_plan_mode", "enter_plan_mode", opaque},
	{"exit_plan_mode", "exit_plan_mode", opaque},
	{"get_internal_docs", "host_docs", opaque},
	{"glob", "glob", special},
	{"google_web_search", "web_search", opaque},
	{"grep_search", "grep", special},
	{"invoke_agent", "agent", special},
	{"list_background_processes", "task_list", opaque},
	{"list_directory", "glob", special},
	{"list_mcp_resources", "list_mcp_resources", opaque},
	{"read_background_output", "task_get", opaque},
	{"read_file", "read_file", read},
	{"read_many_files", "read_many_files", special},
	{"read_mcp_resource", "read_mcp_resource", opaque},
	{"replace", "file_edit", edit},
	{"run_shell_command", "bash", command},
	{"tracker_add_dependency", "task_update", opaque},
	{"tracker_create_task", "task_create", opaque},
	{"tracker_get_task", "task_get", opaque},
	{"tracker_list_tasks", "task_list", opaque},
	{"tracker_update_task", "task_update", opaque},
	{"tracker_visualize", "task_list", opaque},
	{"update_topic", "todo_write", opaque},
	{"web_fetch", "web_fetch", opaque}, // the addresses stand in a prompt
	{"write_file", "file_write", write},
	{"write_todos", "todo_write", opaque},
}

func geminiSpelling() spelling {
	task := []string{"dependencies", "id", "parentId", "status", "title", "type"}
	return spelling{command: "command", workdir: "dir_path", file: "file_path", content: "content",
		old: "old_string", new: "new_string", all: "allow_multiple",
		beside: map[string][]string{
			"invoke_agent": {"agent_name", "prompt", "wait_for_previous"},
			"glob":         {"case_sensitive", "dir_path", "pattern", "respect_gemini_ignore", "respect_git_ignore"},
			"grep_search": {"after", "before", "case_sensitive", "context", "dir_path", "exclude_pattern",
				"fixed_strings", "include_pattern", "max_matches_per_file", "names_only", "no_ignore", "pattern",
				"total_max_matches"},
			"read_file":       {"end_line", "limit", "offset", "start_line"},
			"list_directory":  {"dir_path", "file_filtering_options", "ignore"},
			"read_many_files": {"exclude", "file_filtering_options", "include"},
			"replace":         {"ai_proposed_content", "instruction"}, "write_file": {"ai_proposed_content"},
			"run_shell_command": {"additional_permissions", "delay_ms", "is_background", "wait_for_previous"},
			"ask_user":          {"questions"}, "complete_task": {"result", "response", "Result", "Response"},
			"exit_plan_mode": {"plan_filename", "plan_path"}, "get_internal_docs": {"path"},
			"list_background_processes": {"wait_for_previous"},
			"list_mcp_resources":        {"serverName"},
			"read_background_output":    {"delay_ms", "lines", "pid", "wait_for_previous"},
			"read_mcp_resource":         {"uri"},
			"tracker_add_dependency":    {"dependencyId", "taskId"}, "tracker_create_task": task,
			"tracker_get_task": {"id"}, "tracker_list_tasks": {"parentId", "status", "type"},
			"tracker_update_task": task, "update_topic": {"strategic_intent", "title", "wait_for_previous"},
			"web_fetch":   {"prompt"},
			"write_todos": {"todos"}}}
}

// Decode reads one payload. Call.Input shares the payload's memory, which must
// not change afterwards. A sub-agent's payload is as its root's in all but the
// call.
func (g Gemini) Decode(payload []byte, environ []string) (Event, error) {
	top, err := readPayload(payload)
	if err != nil {
		return Event{}, err
	}
	return claudeShaped(g.Name(), top, geminiEvent, func(e *Event, f fields) { g.decodeCall(e, f, environ) })
}

// geminiEvent knows the events of 0.61.0 (read, but for the two of tools).
func geminiEvent(name string) Kind {
	switch name {
	case "BeforeTool":
		return Decide
	case "AfterTool":
		return Outcome
	case "BeforeAgent", "AfterAgent", "Notification", "SessionStart", "SessionEnd",
		"PreCompress", "BeforeModel", "AfterModel", "BeforeToolSelection":
		return Other
	}
	return Unexpected
}

func (g Gemini) decodeCall(e *Event, f fields, environ []string) {
	if dir := variable(environ, "GEMINI_PROJECT_DIR"); path.IsAbs(dir) {
		e.Project = dir
	}
	e.Call = nod.Call{
		Agent:   g.Name(),
		Session: f.word("session_id"),
		RawTool: f.word("tool_name"),
		Dir:     f.word("cwd"),
		Environ: environ,
	}
	e.Start = e.Call.Dir
	if m := f.maybe("cwd"); m != nil && !path.IsAbs(e.Call.Dir) {
		f.wrong(m, "an absolute path")
	}
	if name := f.optional("transcript_path"); name != "" {
		e.Call.Transcript = geminiTranscript(name)
		e.Call.Opening = lineOpening(name, geminiLine)
	}
	g.decodeTool(&e.Call, f)
	if e.Call.Tool == "bash" && geminiUnwraps(e.Call.Command) {
		e.Call.Rewritten = geminiUnwrapped
	}
	e.Complete = func(e *Event) {
		geminiContained(e, variable(environ, "HOME"))
		e.Theirs = e.Kind == Decide && attended("gemini", printsOnly)
		geminiSought(e)
	}
	if e.Kind == Outcome {
		geminiOutcome(e, f)
	}
}

// geminiOutcome reads how a call ended: a failure is an error with a message.
func geminiOutcome(e *Event, f fields) {
	e.Returned = f.returned("tool_response")
	response, given := f.maybeChild("tool_response")
	if given == nil {
		return
	}
	if failure, given := response.maybeChild("error"); given != nil {
		e.Failed, e.Error = true, failure.optional("message")
	}
}

// decodeTool recognises the tool, MCP first, and reads its arguments. Those
// of an MCP tool or an unknown one are free-form.
func (Gemini) decodeTool(call *nod.Call, f fields) {
	in, raw := f.child("tool_input")
	call.Input = raw
	from, given := f.maybeChild("mcp_context")
	if given != nil {
		call.Tool, call.MCP = "mcp", &nod.MCP{Server: from.word("server_name"), Tool: from.word("tool_name"),
			Named: true}
		return
	}
	if rest, found := strings.CutPrefix(call.RawTool, "mcp_"); found {
		server, tool, _ := strings.Cut(rest, "_")
		if server != "" && tool != "" && !strings.Contains(tool, "_") && !strings.Contains(tool, "...") {
			call.Tool, call.MCP = "mcp", &nod.MCP{Server: server, Tool: tool}
		}
		return
	}
	tool := lookUp(geminiTools[:], call.RawTool)
	if tool.shape != special || *f.err != nil {
		arguments(call, tool, geminiSpelling(), in)
		call.Outlives = tool.shape == command && in.flag("is_background")
		geminiTracked(call, in)
	} else {
		call.Tool = tool.canonical
		lookFurther(call, in, geminiSpelling(), tool)
		geminiSearch(call, tool.raw, in)
	}
	geminiSigns(call)
}

// geminiTracked looks at the ids of tasks: each is the name of a file below Gemini's own
// directory, which is read and written, and is not looked at there (read in 0.61.0).
func geminiTracked(call *nod.Call, in fields) {
	if !strings.HasPrefix(call.RawTool, "tracker_") {
		return
	}
	for _, key := range []string{"dependencies", "dependencyId", "id", "parentId", "taskId"} {
		if m := in.maybe(key); m != nil && bytes.ContainsAny(m.value, `/\.`) {
			call.Unread = "the id of a task that names a file elsewhere; give it as tracker_list_tasks does"
		}
	}
}

// geminiSought marks an edit of a file that is not there: the host then looks for one
// whose name ends so, anywhere in the workspace (read in 0.61.0, correctPath).
func geminiSought(e *Event) {
	if e.Kind != Decide || e.Call.RawTool != "replace" {
		return
	}
	if len(e.Call.Edits) > 0 && absent(e.Call, e.Call.Edits[0].Path) {
		e.Call.Rewritten = geminiSearched
	}
}

// geminiSigns adds the names that the host may take instead of those that begin with
// the sign for a mention: it leaves @ and slashes out where nothing lies there under
// the whole name (read in resolveDefensiveToolPath, and seen).
func geminiSigns(call *nod.Call) {
	for _, name := range call.Paths {
		call.Paths = append(call.Paths, otherNames(name)...)
	}
	for _, e := range call.Edits {
		for _, name := range otherNames(e.Path) {
			e.Path = name
			call.Edits = append(call.Edits, e)
		}
	}
}

// otherNames are those that the host may take instead of one: without its signs, and
// with %2e and its kin decoded (read in 0.61.0, resolveToRealPath).
func otherNames(name string) (names []string) {
	for _, given := range append([]string{name}, withoutSigns(name)...) {
		one := given
		names = append(names, belowHome(one)...)
		for plain := percentDecoded(one); plain != one; one, plain = plain, percentDecoded(plain) {
			names = append(names, plain) // its sandbox decodes what is decoded once more
		}
		if given != name {
			names = append(names, given)
		}
	}
	return names
}

// belowHome are the names that one with backslashes may mean to a search: ~\.ssh\x is
// taken apart at both kinds of slashes (read in Qwen Code 0.24.4, expandTilde).
func belowHome(name string) (names []string) {
	if below, ok := strings.CutPrefix(name, `~\`); ok {
		return []string{"~/" + below, "~/" + strings.ReplaceAll(below, `\`, "/")}
	}
	return nil
}

// percentDecoded is a name with %2e and its kin as the bytes that they stand for.
func percentDecoded(name string) string {
	parts := strings.Split(name, "%")
	for i, part := range parts[1:] {
		if code, err := hex.DecodeString(part[:min(2, len(part))]); err == nil && len(code) == 1 {
			parts[i+1] = string(code) + part[2:]
		} else {
			parts[i+1] = "%" + part
		}
	}
	return strings.Join(parts, "")
}

// withoutSigns are the names that are left of one as its signs go, one by one.
func withoutSigns(name string) (names []string) {
	name = strings.ReplaceAll(name, "\x00", "")
	for strings.HasPrefix(name, "@") && len(name) > 1 {
		name = name[1:]
		names = append(names, name)
		if name = strings.TrimLeft(name, `/\`); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// geminiSearch reads where a search looks; what it looks for is a regular
// expression in grep_search, and part of the place in glob.
func geminiSearch(call *nod.Call, raw string, in fields) {
	where := func(dir, pattern, filter string) {
		for _, dir := range append([]string{dir}, withoutSigns(dir)...) {
			call.Paths = append(call.Paths, searched(call.Dir, dir, pattern, filter)...)
		}
	}
	switch raw {
	case "invoke_agent":
		if in.optional("agent_name") == "browser_agent" { // which starts a browser (0.61.0, read)
			call.Tool = "remote_agent"
		}
	case "glob":
		where(in.optional("dir_path"), in.word("pattern"), "")
	case "grep_search":
		if isOption(in.text("pattern")) { // to git grep and grep, where there is no rg (read in 0.61.0, and run)
			call.Rewritten = takenForOption
		}
		where(in.optional("dir_path"), "", in.optional("include_pattern"))
	case "list_directory":
		where(in.word("dir_path"), "", "")
	case "read_many_files":
		for _, pattern := range in.texts("include") {
			call.Paths = append(call.Paths, searched(call.Dir, "", pattern, "")...)
		}
	}
}

// Encode says a decision as the comment on [Gemini] lays it down. The host
// has no place for notices to the person.
func (g Gemini) Encode(e Event, d nod.Decision, p Profile, model bool) Answer {
	switch e.Kind {
	case Decide:
		if hands(g, e, d, p) {
			return handed(e, d, `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":`, `}}`)
		}
		word := says(g.Capabilities(), e, d, p, model)
		a := Answer{Said: logged(word)}
		if a.Said == saysDeny {
			why := reasonOf(d, word)
			a.Stdout = []byte(`{"decision":"deny","reason":` + quoted(why) +
				`,"systemMessage":` + quoted(blocking(why)) + `}`)
		}
		return a
	}
	return notDecided(e, g.Block)
}

// MayRewrite implements [Rewriter]: measured on 0.61.0. The policy is asked afterwards, about
// the line that the host is handed: so it is handed none where a rule of the person's is
// there for commands.
func (Gemini) MayRewrite(e Event) bool {
	return rewritable(e, "run_shell_command") && !geminiSpeaks(e.Call, e.Project)
}

// Block exits with 2 and a reason on standard error, which blocks; the model
// reads it.
func (Gemini) Block(reason string) Answer { return exit2(reason) }
