package agent

import (
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
)

// Opencode is the adapter for opencode. What it states was measured on version
// 1.18.33 against a scripted model. opencode starts no program before a call,
// so nod installs a plugin, a file of JavaScript that calls nod-hook.
//
// # Where nod sits
//
//	tool.execute.before   every call, sub-agents' too; a denial is thrown, and
//	                      its text is what the model reads
//	permission.asked      opencode is about to ask: the plugin answers "once"
//	                      for a call that nod has allowed, else it is silent
//
//	                           allow   ask         deny
//	opencode asks next         grant   - (prompt)  deny
//	it does not, or may not    grant   deny        deny
//
// opencode asks about little by itself. The plugin has it ask about commands
// and addresses where the person has set nothing and can be asked (not under
// `opencode run`); the payload's "asks" says that it will, but for lines of shell in which
// it may see no command: those nod denies.
//
// # What the host does
//
//	the plugin throws            blocked
//	the plugin waits             so does the call, without limit
//	the plugin cannot be loaded  calls RUN, and nothing says so
//
// The last row is the host's, and nothing closes it: `nod install` names it.
// permission.ask is in the plugin's types and is never called.
//
// A tool that a repository defines itself, or another plugin, runs inside
// opencode and may take the name of a built-in one: such code needs no call to
// do anything.
type Opencode struct{}

// Name returns "opencode".
func (Opencode) Name() string { return "opencode" }

// Capabilities returns what was measured on 1.18.33.
func (Opencode) Capabilities() Capabilities {
	return Capabilities{
		Tried:         "1.18.33",
		Before:        Seat{Allow: true, Deny: true, Silence: Flows},
		ReasonReaches: true,
		TimeUnit:      time.Millisecond,
		SeesSubagents: true,
	}
}

// opencodeTools maps the tools of opencode 1.18.33 in the order of the raw
// name. Source: the tools that the program offered to a model.
var opencodeTools = [...]builtin{
	{"apply_patch", "apply_patch", patch},
	{"bash", "bash", command},
	{"edit", "file_edit", edit},
	{"glob", "glob", search},
	{"grep", "grep", textSearch},
	{"invalid", "tool_search", opaque}, // a call that could not be read; it returns the error
	{"plan_exit", "exit_plan_mode", opaque},
	{"question", "ask_user_question", opaque},
	{"read", "read_file", read},
	{"skill", "skill", opaque},
	{"task", "agent", opaque},
	{"todowrite", "todo_write", opaque},
	{"webfetch", "web_fetch", fetch},
	{"write", "file_write", write},
}

func (o Opencode) shim() shim {
	return shim{
		name: o.Name(), before: "tool.execute.before", after: "tool.execute.after",
		tools: opencodeTools[:], anyShell: true,
		spelled: spelling{command: "command", workdir: "workdir", file: "filePath", content: "content",
			old: "oldString", new: "newString", all: "replaceAll", dir: "path", pattern: "pattern", filter: "include",
			url: "url", patch: "patchText",
			beside: map[string][]string{"read": {"limit", "offset"}, "webfetch": {"format"}, "question": {"questions"},
				"invalid": {"error", "tool"},
				"task":    {"command", "prompt", "subagent_type", "task_id"}, "todowrite": {"todos"}}},
	}
}

// Decode reads one payload. Call.Input shares the payload's memory, which must
// not change afterwards. A sub-agent's payload carries its root's session.
func (o Opencode) Decode(payload []byte, environ []string) (Event, error) {
	e, err := o.shim().decode(payload, environ)
	e.PromptFollows = e.PromptFollows && (e.Call.RawTool != "bash" ||
		e.Call.Dialect != nod.PowerShell && opencodeAsks(e.Call.Command))
	if err != nil || e.Kind != Decide || e.Call.RawTool != "task" {
		return e, err
	}
	args, err := readPayload(e.Call.Input)
	prompt := fieldsOf(args, &err).optional("prompt")
	if err != nil {
		return Event{}, err
	}
	mentioned(&e.Call, prompt)
	e.Complete = opencodeTop
	return e, nil
}

// opencodeTop adds the names as they are read from the top of the repository, which
// opencode takes for their directory, or from / where there is none.
func opencodeTop(e *Event) {
	top := e.Call.Dir
	for top != "/" {
		if _, err := os.Lstat(top + "/.git"); err == nil {
			break
		}
		top = path.Dir(top)
	}
	for _, name := range slices.Clone(e.Call.Paths) {
		if !path.IsAbs(name) && !strings.HasPrefix(name, "~/") {
			e.Call.Paths = append(e.Call.Paths, strings.TrimSuffix(top, "/")+"/"+name)
		}
	}
}

// Encode says a decision as the comment on [Opencode] lays it down.
func (o Opencode) Encode(e Event, d nod.Decision, p Profile, model bool) Answer {
	if hands(o, e, d, p) {
		return Answer{Said: saysConfined, Stdout: []byte(`{"decision":"allow","reason":` +
			quoted(reasonOf(d, saysAllow)) + `,"command":` + quoted(d.Instead) + `}`)}
	}
	return o.shim().encode(o.Capabilities(), e, d, p, model)
}

// MayRewrite implements [Rewriter]: measured on 1.18.33. The plugin says where it puts a line in
// the place of the command: not where a rule of the person's or a client's speaks of commands,
// which opencode would hold to that line.
func (Opencode) MayRewrite(e Event) bool { return rewritable(e, "bash") && e.Rewrites }

// Block exits with 2 and a reason on standard error, which the plugin throws.
func (Opencode) Block(reason string) Answer { return exit2(reason) }
