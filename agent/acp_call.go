package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/strict"
	"github.com/nodgate/nod/transcript"
)

// Decode reads the params of session/request_permission. An error means that the request goes on to the editor.
func (a ACP) Decode(payload []byte, environ []string) (Event, error) {
	f, err := readPayload(payload)
	if err != nil {
		return Event{}, err
	}
	e := Event{Kind: Decide, Name: PermissionRequest, Project: a.Dir, Start: a.Dir, PromptFollows: true}
	e.Call = nod.Call{
		Agent: a.Name(), Session: f.word("sessionId"), Dir: a.Dir, Roots: slices.Clone(a.Roots),
		Environ: environ, Interactive: true,
	}
	call, old := askedAbout(f)
	e.Unproven = !old
	a.decodeCall(&e, call)
	if *f.err != nil {
		return Event{}, *f.err
	}
	e.Complete = func(e *Event) { e.Reserved = acpAsks(e, a.Peer) }
	if a.Turns != nil {
		e.Call.Transcript = transcript.Of(a.Turns...)
	}
	if first := a.Opening; first != nil {
		e.Call.Opening = func(context.Context) (transcript.Turn, bool) { return *first, true }
	}
	return e, nil
}

// askedAbout returns the call that a permission request asks about. Version 2 of the protocol has
// it in a subject, and there nod may deny and no more.
func askedAbout(params fields) (call fields, old bool) {
	if call, raw := params.maybeChild("toolCall"); raw != nil {
		return call, true
	}
	subject, _ := params.child("subject")
	call, _ = subject.child("toolCall")
	return call, false
}

// acpCall is a tool call as far as it is known: the request first, then the updates before it, newest first.
type acpCall struct {
	ACP
	seen []fields
	args []fields // of each, its arguments where they are an object
	err  *error
}

func (a ACP) decodeCall(e *Event, in fields) {
	c := acpCall{ACP: a, seen: []fields{in}, err: in.err}
	e.Call.ID = in.word("toolCallId")
	for _, update := range slices.Backward(a.Earlier) {
		if f, err := readPayload(update); err == nil {
			f.err = in.err
			c.seen = append(c.seen, f)
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
	kind := c.text("kind")
	e.Call.RawTool, e.Call.Input = c.toolName(kind), c.input()
	if serversTool(&e.Call, "mcp__", "__") {
		return
	}
	switch kind {
	case "execute":
		c.command(e)
		return
	case "edit":
		c.edit(e)
	default:
		e.Call.Paths = c.paths()
		e.Unproven = e.Unproven || kind == "switch_mode" // the prompt is the point of it
	}
	c.mayCommand(e, kind == "edit")
}

// mayCommand takes a command among the arguments for what runs, also if the kind says otherwise: before it runs
// the command, an agent may ask about its directory and nothing else. Such a command proves nothing: the call may
// be denied for it, never allowed. The verbs of an editing tool are no commands.
func (c acpCall) mayCommand(e *Event, edits bool) {
	for _, in := range c.args {
		if command := in.ran(); command != "" && (!edits || strings.ContainsAny(command, " \t\n")) {
			e.Call.Tool, e.Call.Command, e.Unproven = "bash", command, true
			return
		}
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
	var meta struct {
		ToolName   string
		ClaudeCode struct{ ToolName string }
	}
	if _, m := c.get("_meta"); m != nil {
		_ = json.Unmarshal(m.value, &meta) // it decides nothing where it is of another shape
	}
	return cmp.Or(meta.ToolName, meta.ClaudeCode.ToolName, kind, "tool call")
}

// input is what a model is shown: everything that the person would see, without the id of
// the call and how far it has come, so that the same call tried again is the same call.
func (c acpCall) input() json.RawMessage {
	var parts []string
	for _, key := range []string{"kind", "title", "rawInput", "locations", "content"} {
		if _, m := c.get(key); m != nil {
			parts = append(parts, quoted(key)+":"+string(m.value))
		}
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

// command reads a call of kind execute. The request's own command comes first, and any other
// one in an update before it leaves the call unproven.
func (c acpCall) command(e *Event) {
	e.Call.Tool, e.Call.Dir = "bash", ""
	var dirs []string
	said := 0
	for _, in := range c.args {
		command := in.ran()
		if command == "" {
			continue // an update from before the arguments were known
		}
		if said++; said == 1 {
			e.Call.Command = command
		}
		dir, plain := placeOf(in)
		e.Unproven = e.Unproven || !plain || command != e.Call.Command
		if dir != "" {
			dirs = append(dirs, dir)
		}
	}
	if said == 0 { // gemini-cli has the command in the title, where any text may stand
		e.Call.Command, e.Call.Dir, e.Unproven = c.text("title"), c.Dir, true
		return
	}
	e.Unproven = e.Unproven || len(slices.Compact(slices.Clone(dirs))) > 1
	e.Call.Dir = c.startsIn(dirs, said)
}

// startsIn is the directory of a command, "" where it is not certain. Qwen Code and opencode
// start each command in the session's directory, or where its arguments say; a request of
// opencode's leaves arguments out that an earlier update has (0.24.4 and 1.18.33, read).
func (c acpCall) startsIn(dirs []string, said int) string {
	fresh := c.Peer == "qwen-code" || c.Peer == "OpenCode" && (len(dirs) > 0 || said > 1)
	switch {
	case len(dirs) > 0 && path.IsAbs(dirs[0]):
		return dirs[0]
	case len(dirs) > 0 && fresh && c.Dir != "":
		return strings.TrimSuffix(c.Dir, "/") + "/" + dirs[0]
	case len(dirs) == 0 && fresh:
		return c.Dir
	}
	return ""
}

// placeOf reads where a shell tool's arguments say that a command runs. plain says that
// nothing stands in them that nod does not know: it might be where or how it runs.
func placeOf(in fields) (dir string, plain bool) {
	plain = true
	for _, m := range in.members {
		switch m.key {
		case "command":
			plain = plain && m.value[0] == '"'
		case "commands": // Copilot CLI says the command twice
			all := in.apart().texts("commands")
			plain = plain && m.value[0] == '[' && len(all) == 1 && all[0] == in.hint("command")
		case "cwd", "workdir", "directory", "dir_path", "working_directory", "workingDirectory":
			if string(m.value) != "null" {
				plain = plain && dir == "" && m.value[0] == '"'
				dir = in.hint(m.key)
			}
		case "description", "timeout", "is_background", "run_in_background", "background":
		default:
			plain = false
		}
	}
	return dir, plain
}

// ran is the command in the arguments, a text or a list of words, under any of the names that
// agents have for it; "" without a command.
func (f fields) ran() string {
	for _, key := range [...]string{"command", "cmd", "commandLine", "command_line", "script"} {
		in := f.apart()
		words := in.texts(key)
		switch {
		case *in.err != nil || len(words) == 0:
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
	for _, f := range c.seen { // of what it was a moment ago
		raw := f.nonNull("rawInput")
		e.Unproven = e.Unproven || f.nonNull("kind") != nil && f.optional("kind") != "edit" ||
			raw != nil && raw.value[0] != '{'
	}
	for _, in := range c.args {
		e.Unproven = e.Unproven || slices.ContainsFunc(in.members, saysMore)
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

// saysMore reports whether an argument may say more of an edit than what is shown: codex-acp
// has what it deletes and moves in "changes", opencode all of it in "diff".
func saysMore(m member) bool {
	opens := func(brackets string) bool { return strings.IndexByte(brackets, m.value[0]) >= 0 }
	switch {
	case spelledIn("acptexts", m.key):
		return opens("{[")
	case strings.EqualFold(m.key, "diff"):
		further := regexp.MustCompile(`(?m)^(deleted |rename |copy |\*\*\*|\+\+\+ /dev/null)|(?s)\n\+\+\+ .*\n\+\+\+ `)
		return !opens(`"`) || further.MatchString("\n"+strict.Unquoted(m.value))
	}
	return spelledIn("acpmore", m.key) || !opens(`"`) || !namesFile(m.key)
}

// paths are all files that the call names, in any place.
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
			if namesFile(m.key) && m.value[0] == '"' {
				add(strict.Unquoted(m.value))
			}
		}
	}
	return names
}

// namesFile reports whether an argument of that name is a path, in the spelling of any agent that was seen.
func namesFile(key string) bool { return spelledIn("acpfiles", key) }

func spelledIn(list, key string) bool {
	return slices.Contains(factsOf("shapes").list(list), strings.ToLower(strings.ReplaceAll(key, "_", "")))
}
