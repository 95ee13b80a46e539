package agent

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod"
)

// profile is what differs between hosts: how the payload spells what all payloads say,
// the host's tools, and how an answer is written. What a host does beyond that stands in
// a few functions of its own. A host without a profile has the zero value: it has no
// events, so everything is blocked.
type profile struct {
	agent string
	can   Capabilities
	// facts are the host's, of hosts.txt. The payload's keys are at its top, but for the
	// tool and its input, which are in the object "within". An agent without a key for the
	// session is remembered by its directory. "fixed" says that the directory has to be in
	// the payload: else it may be where the agent started the hook, or what the arguments
	// say. "single" says that the payload names no event: it is that of before. "mcp" and
	// "divided" stand before and between server and tool in the name of an MCP tool.
	// "typed" is the argument that makes a command text for a program that runs, "detaches"
	// are those by which a command may outlive the session, and "keeps" says that the shell
	// outlives the call. "editor" says that a person is always there, and "project" is the
	// variable that names the workspace.
	facts facts
	// kinds tells the event by something else than a name.
	kinds func(f fields) (Kind, string)
	// shell is the grammar in which a command is read, and rewrites why a command may
	// become another one; nil where none does.
	shell    nod.Dialect
	rewrites func(command string) string

	// own reads a call that the rest of the row does not describe, an MCP tool for
	// instance; input is its arguments. special reads the tools of that shape.
	own     func(e *Event, f fields, input *member) bool
	special func(call *nod.Call, raw string, in fields)
	// quirk adds what the host does beyond the row, once the call is read. in are the
	// arguments, top the whole payload.
	quirk func(e *Event, in, top fields)

	answer  func(e Event, d nod.Decision, says string) Answer // to a Decide event
	prompt  func(e Event, d nod.Decision, says string) Answer // to a Prompt event
	blocked func(reason string) Answer                        // nil: exit code 2
	// mayAllow says in which modes an allow may be said; nil is all but plan.
	mayAllow func(e Event, d nod.Decision) bool
	// mayRewrite is [Rewriter]'s MayRewrite, and confined hands the host another command in
	// the place of the call's; nil where it takes none.
	mayRewrite func(e Event) bool
	confined   func(e Event, d nod.Decision) Answer
}

// facts are what hosts.txt says of a host beside its tools.
type facts string

func factsOf(host string) facts {
	text, _, _ := strings.Cut(section(host), "\n=")
	return facts(text + "\n")
}

// list is what stands for a key.
func (f facts) list(key string) (all []string) {
	for rest := string(f); ; {
		_, after, found := strings.Cut(rest, " "+key+"=")
		if !found {
			return all
		}
		value, _, _ := strings.Cut(after[:max(strings.IndexByte(after, '\n'), 0)], " ")
		all, rest = append(all, strings.Split(value, ",")...), after
	}
}

// fact is one of which there is one, "" for none.
func (p profile) fact(key string) string {
	if _, text, free := strings.Cut(string(p.facts), "/ "+key+": "); free {
		text, _, _ = strings.Cut(text, "\n")
		return text
	}
	if list := p.facts.list(key); len(list) > 0 {
		return list[0]
	}
	return ""
}

// is reports a fact that is a yes.
func (p profile) is(key string) bool { return p.fact(key) == "yes" }

// profiled gives an adapter the methods that a profile describes.
type profiled[P described] struct{}

type described interface {
	name() string
	profile() profile
}

func (h profiled[P]) row() profile {
	var host P
	p := host.profile()
	p.agent, p.facts = host.name(), factsOf(host.name())
	return p
}

// Name is the host's.
func (h profiled[P]) Name() string {
	var host P
	return host.name()
}

// Capabilities returns what was measured or read, on the version that it names.
func (h profiled[P]) Capabilities() Capabilities { return h.row().can }

// Decode reads one payload. Call.Input shares the payload's memory, which must
// not change afterwards.
func (h profiled[P]) Decode(payload []byte, environ []string) (Event, error) {
	return h.row().decode(payload, environ)
}

// Encode says a decision as the comment on the adapter lays it down.
func (h profiled[P]) Encode(e Event, d nod.Decision, how Profile, model bool) Answer {
	return h.row().encode(e, d, how, model)
}

// Block denies in the way of which it is certain that it blocks.
func (h profiled[P]) Block(reason string) Answer { return h.row().block(reason) }

func (p profile) block(reason string) Answer {
	if p.blocked != nil {
		return p.blocked(reason)
	}
	return exit2(reason)
}

func (p profile) encode(e Event, d nod.Decision, how Profile, model bool) Answer {
	word := p.says(e, d, how, model)
	switch {
	case p.hands(e, d, how):
		return p.confined(e, d)
	case e.Kind == Decide && p.answer != nil:
		return p.answer(e, d, word)
	case e.Kind == Prompt && p.prompt != nil:
		return p.prompt(e, d, word)
	}
	return notDecided(e, p.block)
}

// hands reports whether the host is handed another command in the place of the call's.
func (p profile) hands(e Event, d nod.Decision, how Profile) bool {
	return p.mayRewrite != nil && e.Kind == Decide && d.Verdict == nod.Allow && d.Instead != "" && how != Reinforce &&
		p.mayRewrite(e)
}

func (p profile) decode(payload []byte, environ []string) (Event, error) {
	top, err := readPayload(payload)
	halved := err
	if errors.Is(err, errHalf) { // what a program printed may be cut in the middle of a character
		top, err = readReport(payload)
	}
	if err != nil {
		return Event{}, err
	}
	f := fieldsOf(top, &err)
	var e Event
	if e.Kind, e.Name = p.kindOf(f); halved != nil && e.Kind != Outcome && e.Kind != Other {
		return Event{}, halved
	}
	switch e.Kind {
	case Other:
		e.Call = nod.Call{Agent: p.agent, Session: f.asText(f.maybeOf(p.facts.list("session")))}
		if p.kinds != nil { // nothing else says that it is a payload
			f.oneOf(p.facts.list("session"))
		}
	case Unexpected:
		e.Call = nod.Call{Agent: p.agent, Session: f.asText(f.maybeOf(p.facts.list("session"))),
			RawTool: unplaced(f, f.asText(f.maybeOf(p.facts.list("tool"))))}
	default:
		p.decodeCall(&e, f, payload, environ)
	}
	if err != nil {
		return Event{}, err
	}
	return e, nil
}

func (p profile) kindOf(f fields) (Kind, string) {
	switch {
	case p.kinds != nil:
		return p.kinds(f)
	case p.is("single"):
		return Decide, p.facts.list("before")[0]
	}
	name := f.asWord(f.oneOf(p.facts.list("event")))
	switch {
	case slices.Contains(p.facts.list("before"), name):
		return Decide, name
	case slices.Contains(p.facts.list("asking"), name):
		return Prompt, name
	case slices.Contains(p.facts.list("after"), name):
		return Outcome, name
	case slices.Contains(p.facts.list("denied"), name):
		return HostDenied, name
	case slices.Contains(p.facts.list("others"), name):
		return Other, name
	}
	return Unexpected, name
}

func (p profile) decodeCall(e *Event, f fields, payload []byte, environ []string) {
	if dir := variable(environ, p.fact("project")); p.fact("project") != "" && path.IsAbs(dir) {
		e.Project = dir
	}
	e.Mode = f.asText(f.maybeOf(p.facts.list("mode")))
	e.Plan = e.Mode == "plan" || e.Mode == "spec"
	e.PromptFollows = e.Kind == Prompt
	e.Call = nod.Call{Agent: p.agent, Environ: environ, Interactive: p.is("editor") || e.Kind == Prompt,
		ID: f.asText(f.maybeOf(p.facts.list("call")))}
	e.Theirs = p.is("editor") && e.Kind == Decide
	input := p.decodeInput(e, f, payload)
	in := fields{err: f.err}
	if input != nil && input.value[0] == '{' {
		in, _ = f.asObject(input)
	}
	stands := p.decodeDir(e, f, in, environ)
	e.Call.Session = e.Call.Dir
	if len(p.facts.list("session")) > 0 {
		e.Call.Session = f.asWord(f.oneOf(p.facts.list("session")))
	}
	before := path.Clean(e.Call.Dir)
	if *f.err == nil {
		in = p.decodeTool(e, f, input, in)
	}
	p.decodeCommand(e, in, stands, before)
	if p.quirk != nil && *f.err == nil {
		p.quirk(e, in, f)
	}
}

// decodeCommand says what the host does with a command. before is where it would
// start without its arguments.
func (p profile) decodeCommand(e *Event, in fields, stands bool, before string) {
	if p.is("keeps") && len(p.facts.list("dir")) > 0 && path.Clean(e.Call.Dir) != before {
		e.Call.Rewritten = cmp.Or(e.Call.Rewritten, leftElsewhere)
	}
	if !p.is("fixed") && winds(e.Call.Dir) {
		e.Call.Rewritten = windingDir
	}
	if e.Call.Command == "" {
		return
	}
	if e.Call.Dialect == nod.Unstated {
		e.Call.Dialect = p.shell
	}
	e.Call.Keeps = p.is("keeps") || !stands
	e.Call.Outlives = e.Call.Outlives || slices.ContainsFunc(p.facts.list("detaches"), in.flag)
	if p.rewrites != nil && e.Call.Rewritten == "" {
		e.Call.Rewritten = p.rewrites(e.Call.Command)
	}
}

// decodeInput returns the arguments. An event that is a call of its own has them under
// the input's key or at the top.
func (p profile) decodeInput(e *Event, f fields, payload []byte) *member {
	if p.fact("within") != "" {
		f, _ = f.child(p.fact("within"))
	}
	act := lookUpAct(p.agent, e.Name)
	if e.Call.RawTool = act.raw; act.raw == "" {
		e.Call.RawTool = f.asWord(f.oneOf(p.facts.list("tool")))
	}
	m := f.maybeOf(p.facts.list("input"))
	switch {
	case m == nil && act.raw != "":
		return &member{value: payload[strings.IndexByte(string(payload), '{'):]}
	case m == nil:
		m = f.oneOf(p.facts.list("input"))
	case act.shape == text: // an object that is written into a string
		inner := f.asText(m)
		if _, err := readPayload([]byte(inner)); err != nil {
			f.wrong(m, "an object in a string")
			return nil
		}
		e.Call.Input = m.value
		return &member{value: []byte(inner)}
	}
	if m != nil {
		e.Call.Input = m.value
	}
	return m
}

// decodeDir takes the directory from the payload, from the list of workspaces, from
// where the agent started the hook, or else from the arguments, which say nothing about
// the workspace. stands reports whether payload or arguments say where a command starts:
// a shell of which nobody says that may be one that is kept.
func (p profile) decodeDir(e *Event, f, in fields, environ []string) (stands bool) {
	at, named := f.asText(f.maybeOf(p.facts.list("dir"))), ""
	for _, key := range p.facts.list("roots") {
		if roots := f.texts(key); len(roots) > 0 {
			e.Start = roots[0]
		}
	}
	if !p.is("fixed") {
		named = in.maybeNamed(spellingOf(p.agent)["workdir"])
		stands = at+named != ""
		if at == "" && len(p.facts.list("roots")) == 0 {
			at = variable(environ, "PWD")
		}
	}
	at = cmp.Or(at, e.Start)
	e.Start = cmp.Or(e.Start, at)
	e.Call.Dir = cmp.Or(at, named)
	if *f.err == nil && !path.IsAbs(e.Call.Dir) {
		*f.err = badInput(errors.New("there is no absolute directory"))
	}
	return stands || p.is("fixed")
}

// decodeTool reads the call, and returns its arguments.
func (p profile) decodeTool(e *Event, f fields, input *member, in fields) fields {
	call := &e.Call
	if act := lookUpAct(p.agent, e.Name); act.raw != "" {
		if call.Input == nil {
			call.Input = input.value
		}
		p.decodeAct(call, act, in, f)
		return in
	}
	if p.own != nil && p.own(e, f, input) {
		return in
	}
	if in, _ = f.asObject(input); *f.err != nil {
		return in
	}
	tool := lookUp(p.agent, call.RawTool)
	if tool.raw == "" && p.decodeMCP(call) {
		return in
	}
	switch {
	case p.fact("sends") != "" && tool.shape == command && in.flag(p.fact("sends")): // an unknown tool
	case tool.shape == editor:
		decodeEditor(call, tool, in)
	default:
		arguments(call, tool, in)
		if tool.shape == special && p.special != nil {
			p.special(call, tool.raw, in)
		}
	}
	return in
}

func (p profile) decodeMCP(call *nod.Call) bool {
	rest, found := strings.CutPrefix(call.RawTool, p.fact("mcp"))
	if !found || p.fact("divided") == "" {
		return false
	}
	server, tool, found := strings.Cut(rest, p.fact("divided"))
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
		server := cmp.Or(top.optional("url")+top.optional("command"), "unnamed")
		call.RawTool = top.word("tool_name")
		call.Tool, call.MCP = "mcp", &nod.MCP{Server: server, Tool: call.RawTool}
	case special: // an MCP call
		mcp := &nod.MCP{Server: in.word("mcp_server_name"), Tool: in.word("mcp_tool_name"), Named: true}
		call.Tool, call.MCP, call.RawTool = "mcp", mcp, mcp.Server+"/"+mcp.Tool
	default:
		arguments(call, act, in)
	}
}

// decodeEditor reads a tool that views, creates and edits, as its first
// argument says. A word that is not known leaves the tool unknown.
func decodeEditor(call *nod.Call, tool builtin, in fields) {
	lookFurther(call, in, tool)
	row := builtin{as: tool.as}
	switch in.word("command") {
	case "view":
		row.canonical, row.shape = "read_file", read
	case "create", "write":
		row.canonical, row.shape = "file_write", write
	case "str_replace":
		row.canonical, row.shape = "file_edit", edit
	}
	arguments(call, row, in)
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

// Name returns the row's.
func (g Generic) Name() string { return g.Agent }

// Capabilities returns what the row says.
func (g Generic) Capabilities() Capabilities { return g.row().can }

// Decode reads one payload, as any adapter.
func (g Generic) Decode(payload []byte, environ []string) (Event, error) {
	return g.row().decode(payload, environ)
}

// Encode says a decision as the comment on [Generic] lays it down.
func (g Generic) Encode(e Event, d nod.Decision, how Profile, model bool) Answer {
	return g.row().encode(e, d, how, model)
}

// Block exits with 2 and a reason on standard error.
func (Generic) Block(reason string) Answer { return exit2(reason) }
