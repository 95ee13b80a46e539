package agent

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
)

// Generic is the adapter for an agent that one row of a table describes: it
// runs a hook with a JSON object on standard input before a call, and takes
// exit code 2 with a reason on standard error for no. The rows are in
// generic_table.go. None of these agents was run here: what the rows say is
// from their sources and vendors' pages, as each names.
//
// # What is said
//
// A row says whether an allow skips the agent's prompt and whether it can be
// made to ask; where it does not say so, nod only denies:
//
//	            the row allows   it asks, and is an editor   else
//	allow       allow            -                           -
//	ask         deny             ask                         deny
//	deny        deny             deny                        deny
//
// No transcript is read: docs/agents.md says of each agent why not.
type Generic struct {
	// Agent is the name of a row.
	Agent string
}

// profile is a row: facts about one agent, and nothing that runs.
type profile struct {
	agent string
	tried string // what was read, and in which state
	// The payload's keys, at its top, each with the spellings that occur. An agent
	// without a key for the session is remembered by its directory.
	event, session, call, dir, roots, tool, input, mode []string
	before, after                                       []string // events
	// single says that the payload names no event: it is the first of before.
	single bool
	// acts are events that carry a call without a tool's name: what they do.
	acts    []builtin
	tools   []builtin
	spelled spelling
	// mcp is what stands before, between and after server and tool in the
	// name of an MCP tool; divided is the second.
	mcp, divided string
	// typed is the argument that makes a command text for a program that runs.
	typed string
	// shell is the grammar in which a command is read, keeps that the shell outlives the
	// call, and rewrites why a command may become another one; nil where none does.
	shell    nod.Dialect
	keeps    bool
	detaches []string // the arguments by which a command may outlive the session
	rewrites func(command string) string

	answer  dialect
	seat    Seat
	editor  bool   // a person is always there
	project string // the variable that names the workspace
	closed  string // the agent's own fail-closed switch
	unit    time.Duration
}

// dialect is how an answer is written.
type dialect uint8

const (
	codeTwo    dialect = iota // deny by exit code, all else is silence
	nested                    // as Claude Code, at an event of the same name: PreToolUse
	versioned                 // Crush: {"version", "decision", "reason"}
	permission                // Cursor: {"permission", "user_message", "agent_message"}
)

// Name returns the row's.
func (g Generic) Name() string { return g.Agent }

// Capabilities returns what the row says.
func (g Generic) Capabilities() Capabilities {
	p := g.row()
	return Capabilities{Tried: p.tried, Before: p.seat, ReasonReaches: true, NeedsReason: true,
		FailClosed: p.closed, TimeUnit: p.unit}
}

// Decode reads one payload. Call.Input shares the payload's memory, which must
// not change afterwards.
func (g Generic) Decode(payload []byte, environ []string) (Event, error) {
	top, err := readPayload(payload)
	if err != nil {
		return Event{}, err
	}
	p, f := g.row(), fieldsOf(top, &err)
	e := Event{Kind: Decide}
	if p.single {
		e.Name = p.before[0]
	} else {
		e.Name = f.asText(f.oneOf(p.event))
		e.Kind = p.kind(e.Name)
	}
	switch {
	case e.Kind == Unexpected && !p.single:
		e.Call = nod.Call{Agent: g.Agent, Session: f.asText(f.maybeOf(p.session)),
			RawTool: unplaced(f, f.asText(f.maybeOf(p.tool)))}
	default:
		p.decodeCall(&e, f, payload, environ)
	}
	if err != nil {
		return Event{}, err
	}
	return e, nil
}

func (p profile) kind(event string) Kind {
	for _, name := range p.before {
		if name == event {
			return Decide
		}
	}
	for _, name := range p.after {
		if name == event {
			return Outcome
		}
	}
	return Unexpected
}

func (p profile) decodeCall(e *Event, f fields, payload []byte, environ []string) {
	if dir := variable(environ, p.project); p.project != "" && path.IsAbs(dir) {
		e.Project = dir
	}
	e.Mode = f.asText(f.maybeOf(p.mode))
	e.Plan = e.Mode == "plan" || e.Mode == "spec"
	e.Call = nod.Call{Agent: p.agent, Environ: environ, Interactive: p.editor, ID: f.asText(f.maybeOf(p.call))}
	e.Theirs = p.editor && e.Kind == Decide
	in := p.decodeInput(e, f, payload)
	stands := p.decodeDir(e, f, in, environ)
	e.Call.Session = e.Call.Dir
	if len(p.session) > 0 {
		m := f.oneOf(p.session)
		if e.Call.Session = f.asText(m); m != nil && e.Call.Session == "" {
			f.wrong(m, "a text that is not empty")
		}
	}
	before := path.Clean(e.Call.Dir)
	if *f.err == nil {
		p.decodeTool(&e.Call, e.Name, in, f)
	}
	if p.keeps && len(p.dir) > 0 && path.Clean(e.Call.Dir) != before {
		e.Call.Rewritten = cmp.Or(e.Call.Rewritten, leftElsewhere)
	}
	if e.Call.Command != "" {
		e.Call.Dialect, e.Call.Keeps = p.shell, p.keeps || !stands
		e.Call.Outlives = slices.ContainsFunc(p.detaches, in.flag)
	}
	if winds(e.Call.Dir) {
		e.Call.Rewritten = windingDir
	}
	if e.Call.Command != "" && p.rewrites != nil && e.Call.Rewritten == "" {
		e.Call.Rewritten = p.rewrites(e.Call.Command)
	}
}

// decodeInput returns the arguments: an object, or one that is written into a
// string. An event that is a call of its own has them under the input's key or
// at the top.
func (p profile) decodeInput(e *Event, f fields, payload []byte) fields {
	act := lookUp(p.acts, e.Name)
	if act.raw != "" {
		e.Call.RawTool = act.raw
	} else {
		m := f.oneOf(p.tool)
		if e.Call.RawTool = f.asText(m); m != nil && e.Call.RawTool == "" {
			f.wrong(m, "a text that is not empty")
		}
	}
	m := f.maybeOf(p.input)
	switch {
	case m == nil && act.raw != "":
		e.Call.Input = payload
		return f
	case m == nil:
		m = f.oneOf(p.input)
	case act.shape == text:
		return p.writtenInput(e, f, m)
	}
	in, raw := f.asObject(m)
	e.Call.Input = raw
	return in
}

// writtenInput reads an object that is written into a string.
func (p profile) writtenInput(e *Event, f fields, m *member) fields {
	inner, err := readPayload([]byte(f.asText(m)))
	if err != nil {
		f.wrong(m, "an object in a string")
	}
	e.Call.Input = m.value
	return fieldsOf(inner, f.err)
}

// decodeDir takes the directory from the payload, from the list of workspaces, from
// where the agent started the hook, or else from the arguments, which say nothing about
// the workspace. stands reports whether payload or arguments say where a command starts:
// a shell of which nobody says that may be one that is kept.
func (p profile) decodeDir(e *Event, f, in fields, environ []string) (stands bool) {
	at := f.asText(f.maybeOf(p.dir))
	stands = cmp.Or(at, in.maybeNamed(p.spelled.workdir)) != ""
	for _, key := range p.roots {
		if roots := f.texts(key); len(roots) > 0 {
			at, e.Start = cmp.Or(at, roots[0]), roots[0]
		}
	}
	if at == "" && len(p.roots) == 0 {
		at = variable(environ, "PWD")
	}
	e.Start = cmp.Or(e.Start, at)
	e.Call.Dir = cmp.Or(at, in.maybeNamed(p.spelled.workdir))
	if *f.err == nil && !path.IsAbs(e.Call.Dir) {
		*f.err = badInput(errors.New("there is no absolute directory"))
	}
	return stands
}

func (p profile) decodeTool(call *nod.Call, event string, in, top fields) {
	if act := lookUp(p.acts, event); act.raw != "" {
		p.decodeAct(call, act, in, top)
		return
	}
	tool := lookUp(p.tools, call.RawTool)
	if tool.raw == "" && p.decodeMCP(call) {
		return
	}
	switch {
	case p.typed != "" && tool.shape == command && in.flag(p.typed): // an unknown tool
	case tool.shape == editor:
		decodeEditor(call, tool, p.spelled, in)
	default:
		arguments(call, tool, p.spelled, in)
	}
}

func (p profile) decodeMCP(call *nod.Call) bool {
	rest, found := strings.CutPrefix(call.RawTool, p.mcp)
	if !found || p.divided == "" {
		return false
	}
	server, tool, found := strings.Cut(rest, p.divided)
	if !found || server == "" || tool == "" {
		return false
	}
	call.Tool, call.MCP = "mcp", &nod.MCP{Server: server, Tool: tool}
	return true
}

// decodeAct reads an event that is a call of its own.
func (p profile) decodeAct(call *nod.Call, act builtin, in, top fields) {
	switch act.shape {
	case text: // an MCP call whose server the payload names by its address or command
		server := top.optional("url") + top.optional("command")
		if server == "" {
			server = "unnamed"
		}
		call.RawTool = top.word("tool_name")
		call.Tool, call.MCP = "mcp", &nod.MCP{Server: server, Tool: call.RawTool}
	case special: // an MCP call
		mcp := &nod.MCP{Server: in.word("mcp_server_name"), Tool: in.word("mcp_tool_name"), Named: true}
		call.Tool, call.MCP, call.RawTool = "mcp", mcp, mcp.Server+"/"+mcp.Tool
	case edits:
		severalEdits(call, act, p.spelled, in)
		call.Tool = act.canonical
	default:
		arguments(call, act, p.spelled, in)
	}
}

// decodeEditor reads a tool that views, creates and edits, as its first
// argument says. A word that is not known leaves the tool unknown.
func decodeEditor(call *nod.Call, tool builtin, as spelling, in fields) {
	lookFurther(call, in, as, tool)
	row := builtin{}
	switch in.word("command") {
	case "view":
		row = builtin{"", "read_file", read}
	case "create", "write":
		row = builtin{"", "file_write", write}
	case "str_replace":
		row = builtin{"", "file_edit", edit}
	}
	arguments(call, row, as, in)
}

// oneOf returns a value that must be there under one of several spellings, and
// only under one.
func (f fields) oneOf(keys []string) *member {
	m := f.maybeOf(keys)
	if m == nil && *f.err == nil {
		return f.get(append(keys, "the event's name")[0])
	}
	return m
}

// maybeOf is oneOf for a value that may be absent.
func (f fields) maybeOf(keys []string) (found *member) {
	for _, key := range keys {
		m := f.maybe(key)
		if m != nil && found != nil {
			f.wrong(m, "one spelling of "+keys[0])
		}
		if m != nil {
			found = m
		}
	}
	return found
}

// Encode says a decision as the comment on [Generic] lays it down.
func (g Generic) Encode(e Event, d nod.Decision, how Profile, model bool) Answer {
	switch e.Kind {
	case Decide:
		return g.encodeCall(e, d, how, model)
	}
	return notDecided(e, g.Block)
}

func (g Generic) encodeCall(e Event, d nod.Decision, how Profile, model bool) Answer {
	p := g.row()
	word := says(g.Capabilities(), e, d, how, model)
	reason := reasonOf(d, word)
	a := Answer{Said: logged(word)}
	switch {
	case a.Said == abstained:
	case p.answer == nested:
		d.Notices = nil
		return nestedBefore(d, word)
	case p.answer == versioned:
		a.Stdout = []byte(`{"version":1,"decision":"` + a.Said + `","reason":` + quoted(reason) + `}`)
	case p.answer == permission:
		a.Stdout = []byte(`{"permission":"` + a.Said + `","user_message":` + quoted(reason) + `,"agent_message":` +
			quoted(reason) + `}`)
	default:
		return exit2Shown(reason)
	}
	return a
}

// Block exits with 2 and a reason on standard error.
func (Generic) Block(reason string) Answer { return exit2(reason) }
