package agent

import (
	"cmp"
	_ "embed" // the tables of the hosts' tools
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod"
)

// hostsTable has the tools of each host; its beginning says how it is written.
//
//go:embed hosts.txt
var hostsTable string

// section is the part of the table with that name, the end of its last line included.
func section(name string) string {
	_, text, _ := strings.Cut(hostsTable, "\n["+name+"]")
	if next := strings.Index(text, "\n["); next >= 0 {
		return text[:next+1]
	}
	return text
}

// builtin is one of a host's own tools.
type builtin struct {
	raw       string // the host's name, exactly
	canonical string // what layer 1 and 2 know it by; a name of its own where it does more
	shape     shape
	as        spelling
	beside    []string // further arguments that nod knows
}

// shape says which arguments nod reads. The zero value reads none, and is an unknown tool's.
type shape string

const (
	opaque     shape = "opaque"
	command    shape = "command"     // a shell command, and where it starts
	read       shape = "read"        // one file
	search     shape = "search"      // a directory, and a pattern or filter below it
	textSearch shape = "text-search" // a directory and a filter below it; its pattern is a text, and no place
	edit       shape = "edit"        // a file, a text in it and its replacement
	write      shape = "write"       // a file and its whole content
	fetch      shape = "fetch"       // an address
	patch      shape = "patch"       // a text in the format of apply_patch
	cell       shape = "cell"        // a file, and what one part of it becomes
	edits      shape = "edits"       // a file, and several texts in it with their replacements
	editor     shape = "editor"      // a word that says which of read, write and edit it is
	text       shape = "text"        // an MCP call whose arguments are written into a string
	special    shape = "special"     // what the adapter reads by itself
)

// spelling is how a host calls the arguments that nod reads: "command", "workdir", "file",
// "content", "old", "new", "all", "dir", "pattern", "filter", "url" and "patch". bare says that a
// word of a search may be taken for an option of the program that the host searches with.
type spelling map[string]string

// spellingOf is how a host calls them in most tools.
func spellingOf(host string) spelling {
	as := spelling{}
	_, line, _ := strings.Cut(section(host), "\n= ")
	line, _, _ = strings.Cut(line, "\n")
	for _, word := range strings.Fields(line) {
		key, name, _ := strings.Cut(word, "=")
		as[key] = name
	}
	return as
}

// lookUp returns the row of a host's tool by its raw name; the zero row for an unknown name.
// A canonical name ("read_file") is no built-in unless the host has a tool of that name.
func lookUp(host, raw string) builtin {
	if raw == "" || strings.ContainsAny(raw, " \t\r\n") || strings.ContainsAny(raw[:1], "=!#[/") {
		return builtin{}
	}
	return row(host, raw)
}

// lookUpAct returns the row of an event that is a call of its own.
func lookUpAct(host, event string) builtin {
	if strings.ContainsAny(event, " \t\r\n") {
		return builtin{}
	}
	t := row(host, "! "+event)
	t.raw = strings.TrimPrefix(t.raw, "! ")
	return t
}

func row(host, begin string) builtin {
	_, line, found := strings.Cut(section(host), "\n"+begin+" ")
	line, _, _ = strings.Cut(line, "\n")
	words := strings.Fields(line)
	if !found || len(words) < 2 {
		return builtin{}
	}
	t := builtin{raw: begin, canonical: strings.TrimPrefix(words[0], "-"), shape: shape(words[1]), as: spellingOf(host)}
	for _, word := range words[2:] {
		if key, name, own := strings.Cut(word, "="); own {
			t.as[key] = name
		} else {
			t.beside = append(t.beside, word)
		}
	}
	return t
}

// arguments fills in what the call would do from its arguments.
func arguments(c *nod.Call, tool builtin, in fields) {
	as := tool.as
	c.Tool = tool.canonical
	if tool.raw != "" {
		lookFurther(c, in, tool)
	}
	switch tool.shape {
	case command:
		c.Command = in.word(as["command"])
		startIn(c, as, in)
	case read:
		c.Paths = []string{in.word(as["file"])}
	case search, textSearch:
		searchedFor(c, tool, in)
	case edit:
		one := changeOf(in.word(as["file"]), as, in)
		c.Edits, c.Paths = []nod.Edit{one}, []string{one.Path}
	case cell:
		c.Edits = []nod.Edit{{Path: in.word(as["file"]), New: in.optional(as["content"])}}
		c.Paths = []string{c.Edits[0].Path}
	case write:
		c.Edits = []nod.Edit{{Path: in.word(as["file"]), New: in.text(as["content"]), Whole: true}}
		c.Paths = []string{c.Edits[0].Path}
	case edits: // there is always at least one
		name := in.word(as["file"])
		c.Paths = []string{name}
		for _, one := range in.list("edits") {
			c.Edits = append(c.Edits, changeOf(name, as, one))
		}
		if len(c.Edits) == 0 {
			c.Edits = []nod.Edit{{Path: name}}
		}
	case fetch:
		c.URL = in.word(as["url"])
	case patch:
		patched(c, in.text(as["patch"]))
	}
}

// changeOf reads one replacement.
func changeOf(name string, as spelling, in fields) nod.Edit {
	one := nod.Edit{Path: name, Old: in.text(as["old"]), New: in.text(as["new"])}
	if as["all"] != "" {
		one.All = in.flag(as["all"])
	}
	return one
}

// searchedFor reads where a search looks.
func searchedFor(c *nod.Call, tool builtin, in fields) {
	as := tool.as
	if as["needs"] != "" {
		_ = in.word(as["needs"])
	}
	dir, filter, pattern := in.maybeNamed(as["dir"]), in.maybeNamed(as["filter"]), ""
	if tool.shape == textSearch {
		pattern = in.text(as["pattern"])
		c.Paths = searched(c.Dir, dir, filter)
	} else {
		pattern = in.maybeNamed(as["pattern"])
		c.Paths = searched(c.Dir, dir, pattern, filter)
	}
	option := func(word string) bool { return strings.HasPrefix(word, "-") }
	if as["bare"] != "" && slices.ContainsFunc([]string{dir, pattern, filter}, option) {
		c.Rewritten = takenForOption
	}
}

// maybeNamed is optional for an argument that the host may not have at all.
func (f fields) maybeNamed(key string) string {
	if key == "" {
		return ""
	}
	return f.optional(key)
}

// startIn moves the call to the directory that the command names for itself.
func startIn(c *nod.Call, as spelling, in fields) {
	dir := in.maybeNamed(as["workdir"])
	if winds(dir) || strings.HasPrefix(dir, "~") { // a host may take ~ for the home directory
		c.Rewritten = windingDir
	}
	switch {
	case dir == "":
	case path.IsAbs(dir):
		c.Dir = dir
	default: // a link on the way may lead to another directory; names are resolved later
		c.Dir = strings.TrimSuffix(c.Dir, "/") + "/" + dir
	}
}

// lookFurther looks for an argument that nod does not know, which may name a directory, a shell, a file or a machine
// (_host of Claude Code, diff of Goose). A command with such an argument is denied, since some hosts run what nod
// does not deny; another call is left open. Of those a number, true and false are no such argument. The keys of a
// payload itself are no arguments, and those of a tool that is not listed are not looked at.
func lookFurther(c *nod.Call, in fields, tool builtin) {
	if in.path == "" || !tool.listed() {
		return
	}
	known := tool.known()
	for _, m := range in.members {
		key := m.key // a key that differs in case only is refused where the key is read
		if slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, key) }) ||
			!saysSomething(m.value, tool.shape == command) {
			continue
		}
		why := fmt.Sprintf("nod does not know the argument %q of this tool, which may say where or how the call runs; "+
			"leave it out", key)
		if tool.shape == command {
			c.Rewritten = why
		} else {
			c.Unread = why
		}
	}
}

// listed reports whether nod knows the arguments of a tool. Of each such tool nod reads some.
func (t builtin) listed() bool { return t.shape != "" && t.shape != opaque }

// known are the arguments of a tool that nod reads or need not read. Most hosts use the same names
// for the description that a person sees and for the time limit.
func (t builtin) known() []string {
	shapes := factsOf("shapes")
	known := slices.Concat(shapes.list("known"), shapes.list("also-"+string(t.shape)), t.beside)
	for _, key := range shapes.list(string(t.shape)) {
		if name := t.as[key]; name != "" {
			known = append(known, name)
		}
	}
	return known
}

// saysSomething reports whether an argument may say something: a text, a list or an
// object that is not empty, and for a command all but false.
func saysSomething(value json.RawMessage, runs bool) bool {
	switch string(value) {
	case "null", "false", `""`, "[]", "{}":
		return false
	}
	return runs || strings.IndexByte("\"[{", value[0]) >= 0
}

// searched names where a search would look: the directory, and the patterns below it, so that a
// search for ".ssh/id_*" is seen as what it is. A pattern that begins with "!" leaves out.
func searched(cwd, base string, patterns ...string) []string {
	base = cmp.Or(base, cwd)
	paths := []string{base}
	for _, p := range patterns {
		switch {
		case p == "" || strings.HasPrefix(p, "!"):
		case path.IsAbs(p) || strings.HasPrefix(p, "~"):
			paths = append(paths, p)
		default:
			paths = append(paths, strings.TrimSuffix(base, "/")+"/"+p)
		}
	}
	return paths
}

// patched reads a patch. The tool of an unreadable patch becomes "", so that
// nothing takes it for an edit of the files that could be read.
func patched(c *nod.Call, text string) {
	edits, ok := readPatch(text)
	if !ok {
		c.Tool = ""
		return
	}
	c.Edits = edits
	for _, e := range edits {
		if !slices.Contains(c.Paths, e.Path) {
			c.Paths = append(c.Paths, e.Path)
		}
	}
}

// Class says what becomes of a call of one of a host's own tools. The names
// that [ClassOf] knows are those of hosts.txt; every row has a class.
type Class uint8

const (
	// Unclassified is the zero value: nobody has looked at the tool. Layer 1
	// does not know it, so the call is left open.
	Unclassified Class = iota
	// Read tells by the call's arguments: a command, a file, a search, an address.
	Read
	// Idle changes nothing outside of the session and starts no code: lists, notes, reports,
	// notices, and what starts an agent each of whose calls comes to nod. It is on the allow-list,
	// and nod says nothing, so that the host does what it does without nod.
	Idle
	// Persons is for the person alone: the host's prompt is its point. It is on the allow-list, and nod says nothing.
	Persons
	// Acts changes something, starts code or sends something out, and its arguments do not say
	// enough. Nothing but a model, a rule or a person settles it.
	Acts
)

// ClassOf returns the class of a host's own tool by the host's name of it.
func ClassOf(host, raw string) Class { return classOf(lookUp(host, raw).canonical) }

// Names reports whether some host has a tool that nod calls by this name.
func Names(tool string) bool { return classOf(tool) != Unclassified }

// classOf goes by nod's own name of a tool.
func classOf(tool string) Class {
	text := section("class")
	at := max(strings.Index(text, " "+tool+" "), strings.Index(text, " "+tool+"\n"))
	if tool == "" || at < 0 {
		return Unclassified
	}
	class, _, _ := strings.Cut(text[strings.LastIndexByte(text[:at], '\n')+1:], " ")
	// In the order of the constants.
	return Class(max(0, slices.Index([]string{"", "read", "idle", "persons", "acts"}, class)))
}

// Arguments are what nod knows of the arguments of a host's own tool, by the name under which a
// model is offered it; nil for a tool that nod settles by no argument. A call with an unknown
// argument is not settled: the argument may say where or how the call runs.
func Arguments(host, offered string) []string {
	if tool := lookUp(host, offered); tool.listed() {
		return tool.known()
	}
	return nil
}
