package agent

import (
	"cmp"
	"errors"
	"path"
	"strings"

	"github.com/nodgate/nod"
)

// shim is what the adapters have in common whose agent starts no program by
// itself: nod installs a few lines of JavaScript that run inside the agent,
// hand each call to nod-hook in one shape and do what it answers. Those lines
// are in internal/install/plugin; the payload and the answer are nod's own:
//
//	{"hook", "tool", "session", "call", "directory", "args",
//	 "server"?, "interactive"?, "asks"?, "rewrites"?, "failed"?,
//	 "said"?: [{"by", "text", "tool"?}], "first"?, "cut"?}
//	{"decision": "allow" | "ask" | "deny", "reason", "command"?}
//
// rewrites says that a command of the answer's runs in the place of the call's.
// said is the conversation as the lines in the agent heard it, oldest first
// and bounded there, without what tools returned; first is what the person
// said first, and cut says that turns are left out. See saidTranscript.
//
// The lines block where nod-hook exits with anything but 0, is killed, is too
// slow or prints something else. Nothing printed is no decision.
type shim struct {
	name    string
	before  string // the host's name of what comes before a call
	after   string
	tools   []builtin
	spelled spelling
	// prefixed says that an MCP tool is mcp__server__tool; else the payload
	// names the server.
	prefixed bool
	// anyShell says that commands run in the shell of the payload, or else of SHELL.
	anyShell bool
}

func (s shim) decode(payload []byte, environ []string) (Event, error) {
	top, err := readPayload(payload)
	if err != nil {
		return Event{}, err
	}
	f := fieldsOf(top, &err)
	e := Event{Name: f.word("hook")}
	switch e.Name {
	case s.before:
		e.Kind = Decide
	case s.after:
		e.Kind = Outcome
		e.Failed = f.flag("failed")
	}
	if e.Kind == Unexpected {
		e.Call = nod.Call{Agent: s.name, Session: top.hint("session"), RawTool: f.optional("tool")}
	} else {
		s.decodeCall(&e, f, environ)
	}
	if err != nil {
		return Event{}, err
	}
	return e, nil
}

// decodeCall takes the directory for the workspace: it is where the agent was
// started, and no call moves it.
func (s shim) decodeCall(e *Event, f fields, environ []string) {
	e.Project = f.word("directory")
	e.Start = e.Project
	e.PromptFollows, e.Rewrites = f.flag("asks"), f.flag("rewrites")
	e.Call = nod.Call{
		ID: f.word("call"), Agent: s.name, Session: f.word("session"), RawTool: f.word("tool"),
		Dir: e.Project, Environ: environ, Interactive: f.flag("interactive"),
	}
	if m := f.maybe("directory"); m != nil && !path.IsAbs(e.Project) {
		f.wrong(m, "an absolute path")
	}
	s.decodeSaid(&e.Call, f)
	if s.anyShell && !readsAsShell(path.Base(cmp.Or(f.optional("shell"), variable(environ, "SHELL"), "sh"))) {
		e.Call.Dialect = nod.PowerShell // no shell that nod reads
	}
	in, raw := f.child("args")
	e.Call.Input = raw
	if *f.err != nil || s.decodeMCP(&e.Call, f) {
		return
	}
	s.decodeTool(&e.Call, in)
}

func (s shim) decodeTool(call *nod.Call, in fields) {
	tool, as := lookUp(s.tools, call.RawTool), s.spelled
	if tool.shape == edits {
		severalEdits(call, tool, as, in)
		call.Tool = tool.canonical
		return
	}
	arguments(call, tool, as, in)
}

// readsAsShell reports whether a program reads a line as nod does, or is none in which
// opencode runs commands (fish and nu, for which it takes another; 1.18.33, read).
func readsAsShell(name string) bool {
	switch name {
	case "bash", "zsh", "sh", "dash", "ksh", "fish", "nu":
		return true
	}
	return false
}

// severalEdits reads the replacements of one file.
func severalEdits(call *nod.Call, tool builtin, as spelling, in fields) {
	lookFurther(call, in, as, tool)
	name := in.word(as.file)
	for _, one := range in.list("edits") {
		call.Edits = append(call.Edits, nod.Edit{Path: name, Old: one.text(as.old), New: one.text(as.new)})
	}
	call.Paths = []string{name}
}

// decodeMCP recognises a call to an MCP server. Where the name does not say
// where the server's ends, it is the one that the lines in the agent found in
// its settings.
func (s shim) decodeMCP(call *nod.Call, f fields) bool {
	if s.prefixed {
		mcp, ok, wrong := claudeMCP(call.RawTool, "")
		if wrong != "" {
			*f.err = badInput(errors.New(wrong))
		} else if ok {
			call.Tool, call.MCP = "mcp", mcp
		}
		return ok || wrong != ""
	}
	server := f.optional("server")
	if server == "" {
		return false
	}
	tool, found := strings.CutPrefix(call.RawTool, server+"_")
	if !found || tool == "" {
		f.wrong(f.get("server"), "the beginning of the tool's name")
	}
	call.Tool, call.MCP = "mcp", &nod.MCP{Server: server, Tool: tool, Named: true}
	return true
}

func (s shim) encode(can Capabilities, e Event, d nod.Decision, p Profile, model bool) Answer {
	switch e.Kind {
	case Decide:
		return flatDecision(d, says(can, e, d, p, model))
	}
	return notDecided(e, exit2)
}

// flatDecision answers with a decision and a reason at the top.
func flatDecision(d nod.Decision, word string) Answer {
	a := Answer{Said: logged(word)}
	if word != abstained {
		a.Stdout = []byte(`{"decision":"` + a.Said + `","reason":` + quoted(reasonOf(d, word)) + `}`)
	}
	return a
}
