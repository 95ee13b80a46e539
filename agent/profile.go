package agent

import (
	"cmp"
	"errors"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/strict"
	"github.com/nodgate/nod/internal/view"
)

// profile is what differs between hosts: what hosts.txt says of a host, and in a few functions what the host
// does beyond that. A host without a section there has no events, so everything is blocked.
type profile struct {
	agent string
	facts
	windows bool // names of files are Windows'
	// kinds tells the event by something else than a name.
	kinds func(f fields) (Kind, string)
	// rewrites says why the host may change a command; nil if it never does.
	rewrites func(command string) string
	// own reads a call that the table does not describe, an MCP tool for instance; input is
	// its arguments. special reads the tools of that shape.
	own     func(e *Event, f fields, input *member) bool
	special func(call *nod.Call, raw string, in fields)
	// quirk adds what the host does beyond the table, once the call is read. in are the
	// arguments, top the whole payload.
	quirk func(e *Event, in, top fields)
	// mayAllow says in which modes an allow may be said; nil is all but plan.
	mayAllow func(e Event, d nod.Decision) bool
	// mayRewrite is [Host.MayRewrite]; nil where the host takes no other command.
	mayRewrite func(e Event) bool
	// notice is what the person is told beside an ask; "" for nothing.
	notice func(e Event, reason string) string
}

// facts are what hosts.txt says of a host beside its tools; its beginning lists the keys.
type facts string

// speakers is a list of who speaks in the hosts' records.
func speakers(list string) []string { return factsOf("speakers").list(list) }

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

// fact is the first of a list, "" for none.
func (f facts) fact(key string) string { return append(f.list(key), "")[0] }

// is reports a fact that is a yes.
func (f facts) is(key string) bool { return f.fact(key) == "yes" }

// text is what a line of its own says.
func (f facts) text(key string) string {
	_, text, _ := strings.Cut(string(f), "\n/ "+key+": ")
	text, _, _ = strings.Cut(text, "\n")
	return text
}

func (f facts) capabilities() Capabilities {
	seat := func(key string) Seat {
		may := f.list(key)
		return Seat{Allow: slices.Contains(may, "allow"), Deny: true, Ask: slices.Contains(may, "ask"),
			AskHeadless: slices.Contains(may, "headless"), Silence: Flows}
	}
	can := Capabilities{Tried: f.text("tried"), FailClosed: f.text("closed"), SeesSubagents: f.is("children"),
		StdinUnseen: f.is("stdin"), Rewrites: f.text("handed") != "",
		PromptsAnswerOthers: f.is("answersothers"), Before: seat("seat")}
	if f.is("silent") {
		can.Before.Silence = Runs
	}
	if len(f.list("prompt")) > 0 {
		can.Asking = seat("prompt")
		can.Asking.Silence = Prompts
	}
	return can
}

// Host is the adapter for the agent that a section of hosts.txt describes. What differs beyond the
// section stands in functions in a file of the host's own.
//
// Claude Code, Codex, Copilot CLI, Gemini CLI, Qwen Code, opencode and Pi were run here, and the
// comment above each section has what was measured. Of the others the sections say what was read
// in their sources and on vendors' pages: no transcript of theirs is read, and names of tools that
// are not certain are left out, so that such a call is an unknown tool, and nothing settles it.
type Host string

// profile is the host's row with its functions.
func (h Host) profile() profile {
	p := profile{agent: string(h), facts: factsOf(string(h)), windows: runtime.GOOS == "windows"}
	switch h {
	case "claude-code":
		p.own, p.special, p.quirk = claudeOwn, claudeSpecial, claudeQuirk
		p.notice, p.mayAllow, p.mayRewrite = claudeNotice, claudeMayAllow, claudeMayRewrite
	case "codex":
		p.own, p.special, p.quirk, p.mayRewrite = claudeOwn, codexItems, codexQuirk, codexMayRewrite
	case "copilot":
		p.kinds, p.own, p.special = copilotEvent, copilotOwn, copilotSearch
		p.quirk, p.mayRewrite = copilotQuirk, copilotMayRewrite
	case "gemini":
		p.rewrites, p.own, p.special = geminiRewrites, geminiMCP, geminiSpecial
		p.quirk, p.mayRewrite = geminiQuirk, geminiMayRewrite
	case "qwen":
		p.rewrites, p.own, p.special, p.quirk = qwenRewrites, qwenOwn, qwenSpecial, qwenQuirk
	case "opencode":
		p.own, p.quirk, p.mayRewrite = opencodeMCP, opencodeQuirk, opencodeMayRewrite
	case "pi":
		p.own, p.quirk = claudeOwn, piQuirk
	}
	if p.is("typed") {
		p.rewrites = typedRewrites
	}
	return p
}

// Name is the section's.
func (h Host) Name() string { return string(h) }

// Capabilities returns what was measured or read, on the version that it names.
func (h Host) Capabilities() Capabilities { return h.profile().capabilities() }

// MayRewrite reports whether the host would run for this call, in its mode, a command that a hook
// hands it in the place of the call's, and no rule of the person's in the host's settings is lost
// by that. Whether the program at hand does, nod doctor proves.
func (h Host) MayRewrite(e Event) bool {
	p := h.profile()
	return p.mayRewrite != nil && p.mayRewrite(e)
}

// Decode reads one payload.
func (h Host) Decode(payload []byte, environ []string) (Event, error) {
	return h.profile().decode(payload, environ)
}

func (p profile) decode(payload []byte, environ []string) (Event, error) {
	f, halved := readPayload(payload)
	if halved != nil && !errors.Is(halved, strict.ErrHalf) {
		return Event{}, halved
	}
	var e Event
	if e.Kind, e.Name = p.kindOf(f); halved != nil && e.Kind != Outcome && e.Kind != Other {
		return Event{}, halved
	}
	switch e.Kind {
	case Other:
		e.Call = nod.Call{Agent: p.agent, Session: f.asText(f.maybeOf(p.list("session")))}
		if p.kinds != nil { // nothing else says that it is a payload
			f.oneOf(p.list("session"))
		}
	case Unexpected:
		e.Call = nod.Call{Agent: p.agent, Session: f.asText(f.maybeOf(p.list("session"))),
			RawTool: f.asText(f.maybeOf(p.list("tool")))}
		if e.Call.RawTool == "" && carriesCall(f) {
			e.Call.RawTool = "unnamed" // such a call is blocked, also if it names no tool
		}
	default:
		p.decodeCall(&e, f, payload, environ)
	}
	if *f.err != nil {
		return Event{}, *f.err
	}
	return e, nil
}

func (p profile) kindOf(f fields) (Kind, string) {
	switch {
	case p.kinds != nil:
		return p.kinds(f)
	case p.is("single"):
		return Decide, p.list("before")[0]
	}
	name := f.asWord(f.oneOf(p.list("event")))
	for key, kind := range map[string]Kind{"before": Decide, "asking": Prompt, "after": Outcome, "denied": HostDenied,
		"others": Other} {
		if slices.Contains(p.list(key), name) {
			return kind, name
		}
	}
	return Unexpected, name
}

func (p profile) decodeCall(e *Event, f fields, payload []byte, environ []string) {
	if p.windows {
		environ = view.Environ(environ)
	}
	if dir := variable(environ, p.fact("project")); p.fact("project") != "" && path.IsAbs(dir) {
		e.Project = dir
	}
	e.Mode = f.asText(f.maybeOf(p.list("mode")))
	e.Plan = e.Mode == "plan" || e.Mode == "spec"
	e.PromptFollows = e.Kind == Prompt
	e.Call = nod.Call{Agent: p.agent, Environ: environ, Interactive: p.is("editor") || e.Kind == Prompt,
		ID: f.asText(f.maybeOf(p.list("call")))}
	e.Theirs = p.is("editor") && e.Kind == Decide
	input := p.decodeInput(e, f, payload)
	in := fields{err: f.err}
	if input != nil && input.value[0] == '{' {
		in, _ = f.asObject(input)
	}
	stands := p.decodeDir(e, f, in, environ)
	e.Call.Session = e.Call.Dir
	if len(p.list("session")) > 0 {
		e.Call.Session = f.asWord(f.oneOf(p.list("session")))
	}
	before := path.Clean(e.Call.Dir)
	if *f.err == nil {
		in = p.decodeTool(e, f, input, in)
	}
	if p.windows {
		p.slashed(&e.Call, in)
	}
	p.decodeCommand(e, in, stands, before)
	if p.quirk != nil && *f.err == nil {
		p.quirk(e, in, f)
	}
}

// otherShell is the dialect of a shell that is neither bash nor one of its kin.
func otherShell(name string) nod.Dialect {
	base := strings.ToLower(name[strings.LastIndexAny(name, `/\`)+1:])
	if base = strings.TrimSuffix(base, ".exe"); base == "powershell" || base == "pwsh" {
		return nod.PowerShell
	}
	return nod.Unread
}

// slashed holds the names of a call as nod does ([view.Slashed]). Where nobody can say where one leads it stays.
func (p profile) slashed(c *nod.Call, in fields) {
	named, _ := view.Slashed(in.maybeNamed(spellingOf(p.agent)["workdir"]))
	if path.IsAbs(named) {
		c.Dir = named
	}
	for i, name := range c.Paths {
		c.Paths[i], _ = view.Slashed(name)
	}
	for i, edit := range c.Edits {
		c.Edits[i].Path, _ = view.Slashed(edit.Path)
	}
}

// decodeCommand says what the host does with a command. before is where it would start without its arguments.
func (p profile) decodeCommand(e *Event, in fields, stands bool, before string) {
	if p.is("keeps") && len(p.list("dir")) > 0 && path.Clean(e.Call.Dir) != before {
		e.Call.Rewritten = cmp.Or(e.Call.Rewritten, leftElsewhere)
	}
	if !p.is("fixed") && winds(e.Call.Dir) {
		e.Call.Rewritten = windingDir
	}
	if e.Call.Command == "" {
		return
	}
	if p.windows && p.agent != "claude-code" { // whose tool Bash is Git Bash; others start PowerShell, or cmd
		e.Call.Dialect = otherShell(e.Call.RawTool)
	}
	if p.windows && p.agent == "codex" {
		e.Call.Dialect = nod.PowerShell
	}
	if p.fact("shell") == "interp" {
		e.Call.Dialect = nod.Interp
	}
	e.Call.Keeps = p.is("keeps") || !stands
	e.Call.Outlives = e.Call.Outlives || slices.ContainsFunc(p.list("detaches"), in.flag)
	if p.rewrites != nil && e.Call.Rewritten == "" {
		e.Call.Rewritten = p.rewrites(e.Call.Command)
	}
}

// decodeInput returns the arguments. An event that is a call of its own has them under the input's key or at the top.
func (p profile) decodeInput(e *Event, f fields, payload []byte) *member {
	if p.fact("within") != "" {
		f, _ = f.child(p.fact("within"))
	}
	act := lookUpAct(p.agent, e.Name)
	if e.Call.RawTool = act.raw; act.raw == "" {
		e.Call.RawTool = f.asWord(f.oneOf(p.list("tool")))
	}
	m := f.maybeOf(p.list("input"))
	switch {
	case m == nil && act.raw != "":
		return &member{value: payload[strings.IndexByte(string(payload), '{'):]}
	case m == nil:
		m = f.oneOf(p.list("input"))
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

// decodeDir takes the directory from the payload, from the list of workspaces, from where the agent started the hook,
// or else from the arguments, which say nothing about the workspace. stands reports whether payload or arguments say
// where a command starts. If they do not, the shell may be kept from an earlier call.
func (p profile) decodeDir(e *Event, f, in fields, environ []string) (stands bool) {
	at, named := f.asText(f.maybeOf(p.list("dir"))), ""
	for _, key := range p.list("roots") {
		if roots := f.texts(key); len(roots) > 0 {
			e.Start = roots[0]
		}
	}
	if !p.is("fixed") {
		named = in.maybeNamed(spellingOf(p.agent)["workdir"])
		stands = at+named != ""
		if at == "" && len(p.list("roots")) == 0 {
			at = variable(environ, "PWD")
		}
	}
	if p.windows {
		at, _ = view.Slashed(at)
		e.Start, _ = view.Slashed(e.Start)
		named, _ = view.Slashed(named)
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
	if tool.raw == "" && p.fact("divided") != "" && serversTool(call, p.fact("mcp"), p.fact("divided")) {
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

// serversTool makes a call one to an MCP server, where the tool's name is a prefix, the server's name, what divides
// them, and the tool's.
func serversTool(call *nod.Call, prefix, divides string) bool {
	rest, found := strings.CutPrefix(call.RawTool, prefix)
	server, tool, _ := strings.Cut(rest, divides)
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

// oneOf returns a value that must be there under one of several spellings, and only under one.
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
