package nod

import (
	"bytes"
	_ "embed" // the keys of arguments
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// NewCall returns the call of a tool, by its canonical name ("bash", "read_file", "grep", "file_write" ...), from
// the arguments that a model sent. dir, absolute, is where it runs and the workspace, environ what a command would
// inherit. Command, Paths, Edits and URL are read from the input, under the keys that agents commonly use. What
// cannot be read is said in Rewritten or Unread, so that nothing allows it.
func NewCall(tool string, input json.RawMessage, dir string, environ []string) Call {
	c := Call{Tool: tool, RawTool: tool, Input: input, Dir: dir, Environ: environ}
	if dir != "" {
		c.Roots = []string{dir}
	}
	return c.whole()
}

// whole is the call with what one half of it says of the other: an input says what
// runs and which files are meant, and a call without an input is shown by what it does.
func (c Call) whole() Call {
	if c.RawTool == "" && c.MCP != nil {
		c.RawTool = "mcp__" + c.MCP.Server + "__" + c.MCP.Tool
	} else if c.RawTool == "" {
		c.RawTool = c.Tool
	}
	switch said := saysSomething(c.Input); {
	case !said:
		c.Input = c.spelled()
	case c.MCP == nil:
		c.readInput()
	}
	return c
}

// saysSomething is false for an input without a value.
func saysSomething(input json.RawMessage) bool {
	switch string(bytes.TrimSpace(input)) {
	case "", "null", "{}", "[]", `""`, "false":
		return false
	}
	return true
}

// shown is the input as a model is shown it: with what runs or is fetched, where the input does not say that.
func (c Call) shown() json.RawMessage {
	var input any
	if json.Unmarshal(c.Input, &input) != nil {
		input = string(c.Input)
	}
	missing := func(what string) bool {
		found := what == ""
		eachText("", input, func(_, text string) { found = found || strings.Contains(text, what) })
		return !found
	}
	if !missing(c.Command) && !missing(c.URL) {
		return c.Input
	}
	text, err := json.Marshal(map[string]any{"command": c.Command, "url": c.URL, "input": input})
	if err != nil {
		return c.Input
	}
	return text
}

// spelled is the input of a call without an input; nil where the call says nothing.
func (c Call) spelled() json.RawMessage {
	text, err := json.Marshal(struct {
		Command string   `json:"command,omitempty"`
		Paths   []string `json:"paths,omitempty"`
		Edits   []Edit   `json:"edits,omitempty"`
		URL     string   `json:"url,omitempty"`
	}{c.Command, c.Paths, c.Edits, c.URL})
	if err != nil || string(text) == "{}" {
		return c.Input
	}
	return text
}

// readInput fills in what the layers need of the tool, where the caller did not.
func (c *Call) readInput() {
	switch c.Tool {
	case "bash":
		if c.Command == "" {
			c.readCommand()
		}
	case "read_file", "read_many_files", "lsp", "grep", "glob":
		if len(c.Paths) == 0 {
			c.readPlaces()
		}
	case "web_fetch":
		in, _ := readArguments(c.Input)
		if i := slices.IndexFunc(in, func(a argument) bool { return a.key == "url" }); i >= 0 && c.URL == "" {
			c.URL = in[i].one()
		}
	default:
		if c.IsEdit() && len(c.Paths) == 0 {
			c.readEdit()
		}
	}
}

func (c *Call) readCommand() {
	in, ok := readArguments(c.Input)
	c.Command = in.command()
	isEmpty := func(a argument) bool { return a.is("command") && a.value == "" }
	if ok && c.Command == "" && slices.ContainsFunc(in, isEmpty) {
		return
	}
	if !ok || c.Command == "" {
		c.Rewritten = `nod finds no command in this call; give it as one text under "command"`
		return
	}
	for _, a := range in {
		switch {
		case a.is("command") || a.is("remark"):
		case a.is("dir"):
			c.startIn(a.one())
		default:
			c.unread(a)
		}
	}
}

// startIn moves the call to the directory that its command names for itself.
func (c *Call) startIn(dir string) {
	switch {
	case dir == "":
	case strings.HasPrefix(dir, "~") || slices.Contains(strings.Split(dir, "/"), ".."):
		c.Rewritten = "the directory of this call winds; name it by its absolute path"
	case path.IsAbs(dir):
		c.Dir = dir
	default:
		c.Dir = strings.TrimSuffix(c.Dir, "/") + "/" + dir
	}
}

// readPlaces fills in where a tool that reads would look: each text of the input may be a file, but
// for what a search looks for. What else a search says may name files below each place.
func (c *Call) readPlaces() {
	in, ok := readArguments(c.Input)
	if !ok {
		c.Unread = "nod cannot read the input of this call: it is no object, or says something twice"
	}
	search := c.Tool == "grep" || c.Tool == "glob"
	var patterns []string
	for _, a := range in {
		switch {
		case a.is("remark"), c.Tool == "grep" && a.is("sought"):
		case search && !a.is("dir") && !a.is("file"):
			patterns = append(patterns, a.texts()...)
		default:
			c.Paths = append(c.Paths, a.texts()...)
		}
	}
	if search && len(c.Paths) == 0 {
		c.Paths = []string{c.Dir}
	}
	for _, dir := range slices.Clone(c.Paths) {
		for _, p := range patterns {
			if !path.IsAbs(p) && !strings.HasPrefix(p, "~") {
				p = strings.TrimSuffix(dir, "/") + "/" + p
			}
			c.Paths = append(c.Paths, p)
		}
	}
}

// readEdit fills in what an edit would change.
func (c *Call) readEdit() {
	in, ok := readArguments(c.Input)
	var e Edit
	for _, a := range in {
		switch key := a.key; {
		case a.is("file"):
			c.Paths = append(c.Paths, a.texts()...)
		case a.is("text"):
			e.New, e.Whole = a.one(), true
		case key == "old_string" || key == "old_str":
			e.Old = a.one()
		case key == "new_string" || key == "new_str" || key == "new_source":
			e.New = a.one()
		case key == "replace_all":
			e.All, _ = a.value.(bool)
		case !a.is("remark"):
			c.unread(a)
		}
	}
	namesNone := func(a argument) bool { return a.is("file") && len(a.texts()) == 0 }
	if ok && len(c.Paths) == 0 && slices.ContainsFunc(in, namesNone) {
		return // layer 2 says that it names no file
	}
	if !ok || len(c.Paths) == 0 || c.Tool == "apply_patch" {
		c.Rewritten = "nod does not find out which files this edit changes; name them under file_path, " +
			"or fill in Call.Paths and Call.Edits"
		return
	}
	if len(c.Paths) == 1 && c.Tool != "notebook_edit" {
		e.Path = c.Paths[0]
		c.Edits = []Edit{e}
	}
}

// unread notes an argument that may say where or how the call runs.
func (c *Call) unread(a argument) {
	switch a.value.(type) {
	case nil, float64:
		return
	case bool:
		if a.value == false || c.Tool != "bash" {
			return
		}
	}
	c.Unread = "nod does not know the argument \"" + a.key + "\" of this tool; leave it out"
}

// maybeRuns is what a tool that nod does not know may run as a command. Such a call is
// denied for what is denied of that command, and never allowed for it.
func (c Call) maybeRuns() string {
	if c.MCP != nil || !bytes.Contains(c.Input, []byte("c")) {
		return ""
	}
	in, _ := readArguments(c.Input)
	return in.command()
}

// argument is one of a call's arguments.
type argument struct {
	key   string
	value any
}

type arguments []argument

// readArguments reads the arguments of a call in their order; false where they are
// no object, or one of them stands there twice.
func readArguments(input json.RawMessage) (in arguments, ok bool) {
	d := json.NewDecoder(bytes.NewReader(input))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		var a argument
		key, err := d.Token()
		if err == nil {
			err = d.Decode(&a.value)
		}
		twice := func(b argument) bool { return strings.EqualFold(b.key, a.key) }
		if a.key, ok = key.(string); err != nil || !ok || slices.ContainsFunc(in, twice) {
			return nil, false
		}
		in = append(in, a)
	}
	return in, true
}

// command is the command among the arguments; "" for none, or for more than one.
func (in arguments) command() string {
	found := ""
	for _, a := range in {
		if !a.is("command") {
			continue
		}
		if found != "" {
			return ""
		}
		if found = a.one(); found == "" && len(a.texts()) > 0 { // word by word
			found = shell.QuoteWords(a.texts())
		}
	}
	return found
}

// one is the argument where it is a text.
func (a argument) one() string {
	text, _ := a.value.(string)
	return text
}

// texts are all texts of the argument, at any depth.
func (a argument) texts() (texts []string) {
	eachText("", a.value, func(_, text string) { texts = append(texts, text) })
	return texts
}

// argumentKeys are the keys that agents commonly use.
//
//go:embed argument_keys.txt
var argumentKeys string

// is reports whether a key is on a list of argument_keys.txt; what speaks of a path is on that of files.
func (a argument) is(list string) bool {
	key := strings.ToLower(a.key)
	_, line, _ := strings.Cut(argumentKeys, "\n"+list+":")
	line, _, _ = strings.Cut(line, "\n")
	return slices.Contains(strings.Fields(line), key) || list == "file" && strings.Contains(key, "path")
}

// named are the files that the call names: its paths, the files in URIs (file:///home/x/.env), and the
// arguments of a server's tool that may be paths. Nobody can say which schemes a server takes for files,
// so all schemes but the web's count.
func (c Call) named() []string {
	var input any
	low := bytes.ToLower(c.Input)
	if c.MCP == nil && !bytes.Contains(low, []byte("uri")) && !bytes.Contains(low, []byte(`\u`)) || // most calls
		json.Unmarshal(c.Input, &input) != nil {
		return c.Paths
	}
	names := slices.Clone(c.Paths)
	eachText("", input, func(key, text string) {
		if strings.Contains(strings.ToLower(key), "uri") || c.MCP != nil && strings.HasPrefix(text, "file:") {
			names = append(names, pathOfURI(text)...)
		}
		if c.MCP != nil && mayBePath(text) {
			names = append(names, strings.TrimSpace(text))
		}
	})
	return names
}

// eachText hands on the texts of a JSON value, at any depth, with the key before them.
func eachText(key string, value any, hand func(key, text string)) {
	switch value := value.(type) {
	case string:
		if value != "" {
			hand(key, value)
		}
	case []any:
		for _, v := range value {
			eachText(key, v, hand)
		}
	case map[string]any:
		for k, v := range value {
			eachText(k, v, hand)
		}
	}
}

// pathOfURI is what stands behind the scheme and the host, and, since some
// servers take the host for the first directory, with it too.
func pathOfURI(text string) []string {
	scheme, rest, found := strings.Cut(strings.TrimSpace(text), ":")
	if !found || strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https") {
		return nil
	}
	rest = percentDecoded(rest)
	below, hosted := strings.CutPrefix(rest, "//")
	if !hosted {
		return []string{rest}
	}
	_, behind, _ := strings.Cut(below, "/")
	return []string{"/" + behind, below}
}

// percentDecoded resolves %2e and its kin; other text stays as it is.
func percentDecoded(text string) string {
	parts := strings.Split(text, "%")
	for i, part := range parts[1:] {
		c, err := strconv.ParseUint(part[:min(2, len(part))], 16, 8)
		if err != nil || len(part) < 2 {
			parts[i+1] = "%" + part
			continue
		}
		parts[i+1] = string([]byte{byte(c)}) + part[2:]
	}
	return strings.Join(parts, "")
}

// mayBePath reports whether a text may be the path of a file and is no address, no
// text of several lines and no sentence.
func mayBePath(text string) bool {
	const longest = 1024
	text = strings.TrimSpace(text)
	return len(text) > 0 && len(text) <= longest && !strings.Contains(text, "://") &&
		!strings.ContainsAny(text, "\n\x00") &&
		(strings.ContainsAny(text[:1], "/~.") || strings.Contains(text, "/") && !strings.Contains(text, " "))
}
