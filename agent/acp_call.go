package agent

import (
	"cmp"
	"context"
	"encoding/json"
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
}

// acpAgents was read in the npm packages @qwen-code/qwen-code 0.24.4 and opencode-ai 1.18.33.
var acpAgents = [...]acpFacts{
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
	args []fields // of each, its arguments where they are an object
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
	for _, f := range c.seen {
		if m := f.nonNull("rawInput"); m != nil && m.value[0] == '{' {
			args, _ := f.asObject(m)
			c.args = append(c.args, args)
		}
	}
	f, m := c.get("kind")
	kind := f.asText(m)
	e.Call.RawTool, e.Call.Input = c.toolName(kind), c.input()
	if rest, found := strings.CutPrefix(e.Call.RawTool, "mcp__"); found {
		if server, tool, _ := strings.Cut(rest, "__"); server != "" && tool != "" {
			e.Call.Tool, e.Call.MCP = "mcp", &nod.MCP{Server: server, Tool: tool}
			return
		}
	}
	switch kind {
	case "execute":
		c.command(e)
		return
	case "edit":
		c.edit(e)
	case "switch_mode": // the prompt is the point of it
		e.Unproven = true
		fallthrough
	default:
		e.Call.Paths = c.paths()
	}
	c.mayCommand(e, kind == "edit")
}

// mayCommand takes a command among the arguments for what runs, whatever the
// kind says: a question about a directory may be the only one that the agent
// asks. It proves nothing, so that the call may be denied for it and no more.
// The verbs of an editing tool ("create") are none.
func (c acpCall) mayCommand(e *Event, edits bool) {
	for _, in := range c.args {
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

// toolName is the agent's name of the tool, or else the kind.
func (c acpCall) toolName(kind string) string {
	f, m := c.get("_meta")
	if m != nil && m.value[0] == '{' {
		meta, _ := f.asObject(m)
		name := meta.hint("toolName")
		if own, err := meta.find("claudeCode"); name == "" && err == nil && own != nil && own.value[0] == '{' {
			inner, _ := meta.asObject(own)
			name = inner.hint("toolName")
		}
		if name != "" {
			return name
		}
	}
	return cmp.Or(kind, "tool call")
}

// input is what a model is shown: everything that the person would see. The id of
// the call and how far it has come are left out: the same call tried again is the
// same call, and an approval holds for it.
func (c acpCall) input() json.RawMessage {
	var parts []string
	add := func(key string, m *member) { parts = append(parts, quoted(key)+":"+string(m.value)) }
	if len(c.seen) == 1 {
		for _, m := range c.seen[0].members {
			if key := string(m.key); key != "toolCallId" && key != "status" {
				add(key, &m)
			}
		}
	} else {
		for _, key := range []string{"kind", "title", "rawInput", "locations", "content"} {
			if _, m := c.get(key); m != nil {
				add(key, m)
			}
		}
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

// command reads a call of kind execute. The request's own command comes first, and any
// other one in an update before it leaves the call unproven.
func (c acpCall) command(e *Event) {
	e.Call.Tool, e.Call.Paths = "bash", nil
	var dirs []string
	said := 0
	for _, in := range c.args {
		command, dir, plain := commandOf(in)
		if command == "" {
			continue // an update from before the arguments were known
		}
		if said++; said == 1 {
			e.Call.Command = command
		}
		e.Unproven = e.Unproven || !plain || command != e.Call.Command
		if dir != "" {
			dirs = append(dirs, dir)
		}
	}
	if said == 0 { // gemini-cli has the command in the title, where any text may stand
		f, m := c.get("title")
		e.Call.Command, e.Unproven = f.asText(m), true
		return
	}
	e.Call.Dir = c.startsIn(e, dirs, said)
}

// startsIn is the directory of a command, "" where it is not certain.
func (c acpCall) startsIn(e *Event, dirs []string, said int) string {
	facts := c.facts()
	switch {
	case len(dirs) == 0 && facts.fresh && (!facts.partial || said > 1):
		return c.Dir
	case len(dirs) == 0:
		return ""
	case slices.ContainsFunc(dirs, func(dir string) bool { return dir != dirs[0] }):
		e.Unproven = true
		return ""
	case path.IsAbs(dirs[0]):
		return dirs[0]
	case facts.fresh && c.Dir != "":
		return strings.TrimSuffix(c.Dir, "/") + "/" + dirs[0]
	}
	return ""
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
			command = in.text("command")
		case "commands":
			all := fields{object: in.object, err: new(error)}.texts("commands")
			plain = plain && m.value[0] == '[' && len(all) == 1 && all[0] == in.hint("command")
		case "cwd", "workdir", "directory", "dir_path", "working_directory", "workingDirectory":
			switch {
			case string(m.value) == "null":
			case dir != "" || m.value[0] != '"':
				plain = false
			default:
				dir = in.hint(string(m.key))
			}
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
		words := fields{object: f.object, err: &wrong}.texts(key)
		switch {
		case wrong != nil || len(words) == 0:
			continue
		case len(words) == 1:
			return words[0]
		}
		for i, word := range words { // a shell takes each as it is
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		return strings.Join(words, " ")
	}
	return ""
}

// edit reads a call of kind edit. It is proven where diffs show all that it writes, under
// absolute paths, and its arguments name no other file and say nothing else.
func (c acpCall) edit(e *Event) {
	e.Call.Tool, e.Call.Paths = "file_edit", c.paths()
	shown := c.diffs(e)
	hidden := func(name string) bool { return !path.IsAbs(name) || !shown[name] }
	e.Unproven = e.Unproven || len(shown) == 0 || slices.ContainsFunc(e.Call.Paths, hidden)
	more := func(m member) bool { return saysMore(m, len(shown)) }
	for _, f := range c.seen { // of what it was a moment ago
		raw := f.nonNull("rawInput")
		e.Unproven = e.Unproven || f.nonNull("kind") != nil && f.optional("kind") != "edit" ||
			raw != nil && raw.value[0] != '{'
	}
	for _, in := range c.args {
		e.Unproven = e.Unproven || slices.ContainsFunc(in.members, more)
	}
}

// diffs reads the changes that the call shows, and says which files they are of. What is
// shown in a shape that nod does not know proves nothing.
func (c acpCall) diffs(e *Event) (shown map[string]bool) {
	shown = map[string]bool{}
	f, m := c.get("content")
	if m == nil || m.value[0] != '[' {
		return shown
	}
	for _, part := range f.list("content") {
		kind, name := part.optional("type"), part.optional("path")
		switch {
		case kind == "content":
		case kind != "diff", name == "", part.nonNull("newText") == nil: // a terminal, say
			e.Unproven = true
		default:
			one := nod.Edit{Path: name, New: part.text("newText"), Old: part.nullable("oldText")}
			one.Whole = one.Old == ""
			e.Call.Edits, shown[name] = append(e.Call.Edits, one), true
		}
	}
	return shown
}

// saysMore reports whether an argument may say more of an edit than the diffs of so many
// files: codex-acp has what it deletes and moves in "changes".
func saysMore(m member, files int) bool {
	switch strings.ToLower(strings.ReplaceAll(string(m.key), "_", "")) {
	case "diff":
		return m.value[0] != '"' || diffsMore(unquoted(m.value), files)
	case "content", "contents", "filetext", "oldstr", "newstr", "oldstring", "newstring", "oldtext", "newtext",
		"replaceall", "expectedreplacements", "allowmultiple", "instruction", "description", "insertline",
		"aiproposedstring", "aiproposedcontent", "modifiedbyuser":
		return m.value[0] == '{' || m.value[0] == '['
	case "source", "destination", "parentdir": // of more than an edit
		return true
	}
	return m.value[0] != '"' || !namesFile(string(m.key))
}

// diffsMore reports whether a diff is of more files than so many, or takes one away.
func diffsMore(diff string, files int) bool {
	begins := func(sign string) bool { return strings.Contains("\n"+diff, "\n"+sign) }
	return strings.Count("\n"+diff, "\n+++ ") > files ||
		slices.ContainsFunc([]string{"deleted ", "rename ", "copy ", "***", "+++ /dev/null"}, begins)
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
			if m := f.nonNull(key); m == nil || m.value[0] != '[' {
				continue
			}
			for _, part := range f.list(key) {
				add(part.nullable("path"))
			}
		}
	}
	for _, in := range c.args {
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
