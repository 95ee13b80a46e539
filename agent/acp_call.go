package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/transcript"
)

// acpFacts is what the source of an agent says.
type acpFacts struct {
	peer string // agentInfo.name
	// fresh: each command starts in the session's directory, or where its
	// arguments say. Not so where a shell lives on and remembers a cd.
	fresh bool
	// partial: rawInput of the request leaves arguments out that an earlier
	// update has.
	partial bool
	// titled is the version in which the title of kind execute is the whole
	// command, if its text begins with titledIn and the directory.
	titled string
}

// titledIn begins the text beside a command of gemini-cli that names no
// directory of its own; others begin with "[in ". A tool of a project's own,
// which has that kind too, has no text.
const titledIn = "[current working directory "

// acpAgents was read in the npm packages: @google/gemini-cli 0.61.0,
// @qwen-code/qwen-code 0.24.4, opencode-ai 1.18.33.
var acpAgents = [...]acpFacts{
	{peer: "gemini-cli", fresh: true, titled: "0.61.0"},
	{peer: "qwen-code", fresh: true},
	{peer: "OpenCode", fresh: true, partial: true},
}

func (a ACP) facts() acpFacts {
	for _, f := range acpAgents {
		if f.peer == a.Peer {
			return f
		}
	}
	return acpFacts{}
}

// Decode reads the params of session/request_permission. An error means that
// the request goes on to the editor.
func (a ACP) Decode(payload []byte, environ []string) (Event, error) {
	top, err := readPayload(payload)
	if err != nil {
		return Event{}, err
	}
	f := fieldsOf(top, &err)
	e := Event{Kind: Decide, Name: "session/request_permission", Project: a.Dir, Start: a.Dir, PromptFollows: true}
	e.Call = nod.Call{
		Agent: a.Name(), Session: f.word("sessionId"), Dir: a.Dir, Roots: slices.Clone(a.Roots),
		Environ: environ, Interactive: true,
	}
	a.decodeSubject(&e, f)
	if err != nil {
		return Event{}, err
	}
	e.Complete = func(e *Event) { e.Reserved = acpAsks(e, a.Peer) }
	if a.Turns != nil {
		turns, id := a.Turns, e.Call.ID
		e.Call.Transcript = func(context.Context) iter.Seq2[transcript.Turn, error] { return turns(id) }
	}
	if first := a.Opening; first != nil {
		e.Call.Opening = func(context.Context) (transcript.Turn, bool) { return *first, true }
	}
	return e, nil
}

// decodeSubject finds what the request is about: toolCall in version 1, a
// subject in version 2.
func (a ACP) decodeSubject(e *Event, f fields) {
	tool, subject := f.nonNull("toolCall"), f.nonNull("subject")
	switch {
	case tool != nil && subject != nil:
		f.wrong(subject, "either a toolCall or a subject")
	case tool != nil:
		in, _ := f.asObject(tool)
		a.decodeToolCall(e, in)
	case subject != nil:
		in, raw := f.asObject(subject)
		switch in.optional("type") {
		case "tool_call":
			call, _ := in.child("toolCall")
			a.decodeToolCall(e, call)
		case "command":
			decodeACPCommand(e, in, raw)
		default:
			e.Unproven, e.Call.RawTool, e.Call.Input = true, "unknown subject", raw
		}
	default:
		e.Unproven, e.Call.RawTool, e.Call.Input = true, "no subject", json.RawMessage(`{}`)
	}
}

// decodeACPCommand reads a v2 subject that is a command: by the protocol, the
// one that runs.
func decodeACPCommand(e *Event, in fields, raw json.RawMessage) {
	e.Call.Tool, e.Call.RawTool, e.Call.Input = "bash", "command", raw
	e.Call.Command, e.Call.Dir = in.word("command"), in.word("cwd")
	if m := in.nonNull("toolCallId"); m != nil {
		e.Call.ID = in.asText(m)
	}
	if *in.err == nil && !path.IsAbs(e.Call.Dir) {
		in.wrong(in.maybe("cwd"), "an absolute path")
	}
}

// acpCall is a tool call as far as it is known: the request first, then the
// updates before it, newest first.
type acpCall struct {
	ACP
	seen []fields
	err  *error
}

func (a ACP) decodeToolCall(e *Event, in fields) {
	c := acpCall{ACP: a, seen: []fields{in}, err: in.err}
	e.Call.ID = in.word("toolCallId")
	for _, update := range slices.Backward(a.Earlier) {
		if o, err := readPayload(update); err == nil {
			c.seen = append(c.seen, fieldsOf(o, in.err))
		} else {
			e.Unproven = true // it may have said where or how the call runs
		}
	}
	kind := c.text("kind")
	e.Call.RawTool, e.Call.Input = c.toolName(kind), c.input()
	if e.Call.MCP = acpMCP(e.Call.RawTool); e.Call.MCP != nil {
		e.Call.Tool = "mcp"
		return
	}
	switch kind {
	case "execute":
		c.command(e)
	case "edit":
		c.edit(e)
		c.mayCommand(e, true)
	case "switch_mode": // the prompt is the point of it
		e.Unproven = true
		fallthrough
	default:
		e.Call.Paths = c.paths()
		c.mayCommand(e, false)
	}
}

// mayCommand takes a command among the arguments for what runs, whatever the
// kind says: a question about a directory may be the only one that the agent
// asks. It proves nothing, so that the call may be denied for it and no more.
// The verbs of an editing tool ("create") are none.
func (c acpCall) mayCommand(e *Event, edits bool) {
	for _, f := range c.seen {
		in, _ := f.rawInput()
		if in.members == nil {
			continue
		}
		command := in.ran()
		if command == "" || edits && !strings.ContainsAny(command, " \t\n") {
			continue
		}
		e.Call.Tool, e.Call.Command, e.Unproven = "bash", command, true
		return
	}
}

// get returns the value that holds now: the newest that was sent.
func (c acpCall) get(key string) (fields, *member) {
	for _, f := range c.seen {
		if m := f.nonNull(key); m != nil {
			return f, m
		}
	}
	return fields{err: c.err}, nil
}

func (c acpCall) text(key string) string {
	f, m := c.get(key)
	return f.asText(m)
}

// toolName is the agent's name of the tool, or else the kind.
func (c acpCall) toolName(kind string) string {
	if f, m := c.get("_meta"); m != nil && m.value[0] == '{' {
		meta, _ := f.asObject(m)
		if name := meta.hint("toolName"); name != "" {
			return name
		}
		if own, err := meta.find("claudeCode"); err == nil && own != nil && own.value[0] == '{' {
			inner, _ := meta.asObject(own)
			if name := inner.hint("toolName"); name != "" {
				return name
			}
		}
	}
	return cmp.Or(kind, "tool call")
}

func acpMCP(name string) *nod.MCP {
	rest, prefixed := strings.CutPrefix(name, "mcp__")
	server, tool, split := strings.Cut(rest, "__")
	if !prefixed || !split || server == "" || tool == "" {
		return nil
	}
	return &nod.MCP{Server: server, Tool: tool}
}

// input is what a model is shown: everything that the person would see. The id of
// the call and how far it has come are left out: the same call tried again is the
// same call, and an approval holds for it.
func (c acpCall) input() json.RawMessage {
	if len(c.seen) == 1 {
		return c.seen[0].without("toolCallId", "status")
	}
	var parts []string
	for _, key := range []string{"kind", "title", "rawInput", "locations", "content"} {
		if _, m := c.get(key); m != nil {
			parts = append(parts, quoted(key)+":"+string(m.value))
		}
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

// without is the object as text, but for some of its members.
func (f fields) without(keys ...string) json.RawMessage {
	var parts []string
	for _, m := range f.members {
		if !slices.Contains(keys, string(m.key)) {
			parts = append(parts, quoted(string(m.key))+":"+string(m.value))
		}
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

// command reads a call of kind execute.
func (c acpCall) command(e *Event) {
	e.Call.Tool, e.Call.Paths = "bash", nil
	var found, dirs []string
	for _, f := range c.seen {
		in, _ := f.rawInput()
		if in.members == nil {
			continue
		}
		command, dir, plain := commandOf(in)
		if command == "" {
			continue // an update from before the arguments were known
		}
		found, e.Unproven = append(found, command), e.Unproven || !plain
		if dir != "" {
			dirs = append(dirs, dir)
		}
	}
	switch slices.Sort(found); {
	case len(found) == 0:
		c.titled(e)
		return
	case found[0] != found[len(found)-1]:
		e.Unproven = true
	}
	e.Call.Command = c.newest(found)
	c.startsIn(e, dirs, len(found))
}

// newest prefers the request's own command.
func (c acpCall) newest(found []string) string {
	for _, f := range c.seen {
		if in, _ := f.rawInput(); in.members != nil {
			if command, _, _ := commandOf(in); command != "" {
				return command
			}
		}
	}
	return found[0]
}

// startsIn sets the directory of a command, or takes it away.
func (c acpCall) startsIn(e *Event, dirs []string, seen int) {
	facts := c.facts()
	slices.Sort(dirs)
	switch {
	case len(dirs) > 0 && dirs[0] != dirs[len(dirs)-1]:
		e.Unproven = true
	case len(dirs) > 0 && path.IsAbs(dirs[0]):
		e.Call.Dir = dirs[0]
		return
	case len(dirs) > 0 && facts.fresh && c.Dir != "":
		e.Call.Dir = strings.TrimSuffix(c.Dir, "/") + "/" + dirs[0]
		return
	case len(dirs) == 0 && facts.fresh && (!facts.partial || seen > 1):
		return
	}
	e.Call.Dir = ""
}

// titled reads a command that stands in the title. One that does not prove to
// be the command may be denied for what it says, and no more.
func (c acpCall) titled(e *Event) {
	unread := e.Unproven
	e.Call.Command, e.Unproven = c.text("title"), true
	facts := c.facts()
	if unread || facts.titled == "" || facts.titled != c.Version || c.Dir == "" || len(c.seen) > 1 {
		return
	}
	_, content := c.get("content")
	if content == nil || content.value[0] != '[' {
		return
	}
	list := c.seen[0].list("content")
	if len(list) != 1 || list[0].hint("type") != "content" {
		return
	}
	inner, raw := list[0].maybeChild("content")
	if raw != nil && strings.HasPrefix(inner.hint("text"), titledIn+c.Dir+"]") {
		e.Unproven = false
	}
}

// commandOf reads the arguments of a shell tool. plain says that nothing
// stands in them that nod does not know: it might be where or how it runs.
func commandOf(in fields) (command, dir string, plain bool) {
	plain = true
	for _, m := range in.members {
		switch string(m.key) {
		case "command":
			if m.value[0] != '"' {
				return in.ran(), "", false
			}
			command = in.asText(in.maybe("command"))
		case "commands":
			plain = plain && onlyText(m.value, in.hint("command"))
		case "cwd", "workdir", "directory", "dir_path", "working_directory", "workingDirectory":
			if string(m.value) == "null" {
				continue
			}
			if dir != "" || m.value[0] != '"' {
				plain = false
				continue
			}
			dir = in.hint(string(m.key))
		case "description", "timeout", "is_background", "run_in_background", "background":
		default:
			plain = false
		}
	}
	if command == "" {
		command, plain = in.ran(), false
	}
	return command, dir, plain
}

// ran is the command that arguments speak of, as a text or as a list of words,
// under any of the names that agents have for it; "" where there is none.
func (f fields) ran() string {
	for _, key := range [...]string{"command", "cmd", "commandLine", "command_line", "script"} {
		var wrong error
		words := fieldsOf(f.object, &wrong).texts(key)
		switch {
		case wrong != nil || len(words) == 0:
		case len(words) == 1:
			return words[0]
		default:
			return quotedWords(words)
		}
	}
	return ""
}

// quotedWords is a line in which a shell takes each word as it is.
func quotedWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}

// onlyText reports whether a value is a list of that one text.
func onlyText(value json.RawMessage, text string) bool {
	if value[0] != '[' {
		return false
	}
	list := parts(value)
	if len(list) != 1 || list[0].value[0] != '"' {
		return false
	}
	return unescape(list[0].value[1:len(list[0].value)-1]) == text
}

// edit reads a call of kind edit.
func (c acpCall) edit(e *Event) {
	e.Call.Tool, e.Call.Paths = "file_edit", c.paths()
	e.Unproven = e.Unproven || len(e.Call.Paths) == 0
	for _, name := range e.Call.Paths {
		if !path.IsAbs(name) {
			e.Unproven = true // relative to what, the protocol does not say
		}
	}
	for _, f := range c.seen { // of what it was a moment ago
		e.Unproven = e.Unproven || f.nonNull("kind") != nil && f.optional("kind") != "edit"
	}
	described := c.diffs(e)
	_, raw := c.get("rawInput")
	if raw == nil && len(described) == 0 || raw != nil && raw.value[0] != '{' {
		e.Unproven = true // it may take the file away
	}
	for _, name := range e.Call.Paths {
		if described[name] || raw == nil {
			continue
		}
		// What it writes is not said, or said in the agent's own way.
		e.Call.Edits = append(e.Call.Edits, nod.Edit{Path: name, New: string(raw.value), Whole: true})
	}
	if raw != nil && (manyFiles(string(raw.value)) || !c.plainEdit()) {
		e.Unproven = true
	}
}

// diffs reads the changes that the call shows, and says which files they are
// of. What is shown in a shape that nod does not know proves nothing.
func (c acpCall) diffs(e *Event) (described map[string]bool) {
	described = map[string]bool{}
	f, m := c.get("content")
	if m == nil || m.value[0] != '[' {
		return described
	}
	for _, part := range f.list("content") {
		switch part.optional("type") {
		case "diff":
		case "content":
			continue
		default:
			e.Unproven = true // a terminal, say
			continue
		}
		name := part.optional("path")
		if name == "" || part.nonNull("newText") == nil {
			e.Unproven = true
			continue
		}
		one := nod.Edit{Path: name, New: part.text("newText")}
		if old := part.nonNull("oldText"); old != nil {
			one.Old = part.asText(old)
		}
		one.Whole = one.Old == ""
		e.Call.Edits, described[name] = append(e.Call.Edits, one), true
	}
	return described
}

// plainEdit reports whether no argument may say more of an edit than its name and texts:
// codex-acp has what it deletes and moves in "changes".
func (c acpCall) plainEdit() bool {
	for _, f := range c.seen {
		in, _ := f.rawInput()
		if slices.ContainsFunc(in.members, func(m member) bool {
			if string(m.key) == "diff" && m.value[0] == '"' {
				return !c.diffOfOne(in.hint("diff"))
			}
			return m.value[0] == '{' || m.value[0] == '[' && mayName(m.value) || !ofEdit(string(m.key))
		}) {
			return false
		}
	}
	return true
}

// diffOfOne reports whether a diff writes files that the call names, and takes none away.
func (c acpCall) diffOfOne(diff string) bool {
	paths := c.paths()
	for line := range strings.Lines(diff) {
		sign, name, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		switch sign {
		case "+++", "---":
			name, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(name, "a/"), "b/"), "\t")
			name = "/" + strings.TrimLeft(name, "/")
			if !slices.Contains(paths, name) && !(sign == "---" && name == "/dev/null") {
				return false
			}
		case "deleted", "rename", "copy", "***":
			return false
		}
	}
	return true
}

// mayName reports whether a list, still in its JSON spelling, may name files.
func mayName(list []byte) bool {
	text := strings.ToLower(string(list))
	return strings.Contains(text, "path") || strings.Contains(text, "file") || strings.Contains(text, `\u`)
}

// ofEdit reports whether an argument of that name is one of a plain edit, in the spelling
// of any agent that was seen.
func ofEdit(key string) bool {
	switch strings.ToLower(strings.ReplaceAll(key, "_", "")) {
	case "content", "contents", "filetext", "oldstr", "newstr", "oldstring", "newstring", "oldtext",
		"newtext", "replaceall", "expectedreplacements",
		"allowmultiple", "instruction", "description", "edits", "insertline", "aiproposedstring", "aiproposedcontent",
		"modifiedbyuser":
		return true
	case "source", "destination", "parentdir": // of more than an edit
		return false
	}
	return namesFile(key)
}

// manyFiles reports whether a patch in the arguments, still in its JSON
// spelling, may be of more than one file, or take one away. A removed line that looks like a
// header counts: that errs towards asking.
func manyFiles(raw string) bool {
	return strings.Count(raw, `\n+++ `) > 1 || strings.Count(raw, `diff --git `) > 1 ||
		strings.Count(raw, `*** Update File: `)+strings.Count(raw, `*** Add File: `) > 1 ||
		strings.Contains(raw, `*** Delete File: `) || strings.Contains(raw, `*** Move to: `) ||
		strings.Contains(raw, `\nrename to `)
}

// paths are all files that the call names, in whatever place.
func (c acpCall) paths() (names []string) {
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, f := range c.seen {
		for _, key := range []string{"locations", "content"} {
			m := f.nonNull(key)
			if m == nil || m.value[0] != '[' {
				continue
			}
			for _, part := range f.list(key) {
				if at := part.nonNull("path"); at != nil {
					add(part.asText(at))
				}
			}
		}
		in, _ := f.rawInput()
		for _, m := range in.members {
			if namesFile(string(m.key)) && m.value[0] == '"' {
				add(in.hint(string(m.key)))
			}
		}
	}
	return names
}

// namesFile reports whether an argument of that name is a path, in the
// spelling of any agent that was seen.
func namesFile(key string) bool {
	switch strings.ToLower(strings.ReplaceAll(key, "_", "")) {
	case "path", "file", "filepath", "filename", "absolutepath", "abspath", "notebookpath", "targetfile", "source",
		"destination", "parentdir":
		return true
	}
	return false
}

// rawInput returns the arguments where they are an object.
func (f fields) rawInput() (fields, json.RawMessage) {
	m := f.nonNull("rawInput")
	if m == nil || m.value[0] != '{' {
		return fields{err: f.err}, nil
	}
	return f.asObject(m)
}

// nonNull is maybe for keys of which null means absent.
func (f fields) nonNull(key string) *member {
	m := f.maybe(key)
	if m != nil && string(m.value) == "null" {
		return nil
	}
	return m
}

// ReadACPRequest reads of a permission request what surrounds the call: its
// session, the id of the call, "" where there is none, and the options.
func ReadACPRequest(params []byte) (session, call string, options []ACPOption, err error) {
	top, err := readPayload(params)
	if err != nil {
		return "", "", nil, err
	}
	f := fieldsOf(top, &err)
	session = f.word("sessionId")
	for _, o := range f.list("options") {
		options = append(options, ACPOption{ID: o.text("optionId"), Kind: o.word("kind")})
	}
	if m := f.nonNull("toolCall"); m != nil && m.value[0] == '{' {
		in, _ := f.asObject(m)
		call = in.hint("toolCallId")
	} else if m := f.nonNull("subject"); m != nil && m.value[0] == '{' {
		in, _ := f.asObject(m)
		if inner, raw := in.maybeChild("toolCall"); raw != nil {
			call = inner.hint("toolCallId")
		}
	}
	if err == nil && len(options) == 0 {
		err = badInput(fmt.Errorf("it offers no options"))
	}
	return session, call, options, err
}

// WithoutAlways takes the options of kind allow_always out of a permission
// request, since an agent that was told "always" does not ask again, and what
// it does not ask about no rule denies. The line stays as it is where no
// allow_once is offered beside them, or where it cannot be read.
func WithoutAlways(line []byte) []byte {
	var msg, params map[string]json.RawMessage
	var options []json.RawMessage
	if json.Unmarshal(line, &msg) != nil || json.Unmarshal(msg["params"], &params) != nil ||
		json.Unmarshal(params["options"], &options) != nil {
		return line
	}
	kept, once := options[:0:0], false
	for _, o := range options {
		var option struct{ Kind string }
		if json.Unmarshal(o, &option) != nil {
			return line
		}
		once = once || option.Kind == "allow_once"
		if option.Kind != "allow_always" {
			kept = append(kept, o)
		}
	}
	if !once || len(kept) == len(options) {
		return line
	}
	return rewritten(line, msg, params, kept)
}

// rewritten puts other options into a request; what else it says stays.
func rewritten(line []byte, msg, params map[string]json.RawMessage, options []json.RawMessage) []byte {
	list, err := json.Marshal(options)
	if err != nil {
		return line
	}
	if old := params["options"]; bytes.Count(line, old) == 1 {
		return bytes.Replace(line, old, list, 1)
	}
	params["options"] = list
	if msg["params"], err = json.Marshal(params); err != nil {
		return line
	}
	whole, err := json.Marshal(msg)
	if err != nil {
		return line
	}
	return append(whole, '\n')
}
