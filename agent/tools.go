package agent

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod"
)

// builtin is one row of a host's table of its own tools. Tables are sorted by
// raw and carry the version and the source that they were taken from.
type builtin struct {
	raw       string // the host's name, exactly
	canonical string // what layer 1 and 2 know it by; a name of its own where it does more
	shape     shape
}

// shape says which arguments nod reads. The zero value reads none.
type shape uint8

const (
	opaque     shape = iota
	command          // a shell command, and where it starts
	read             // one file
	search           // a directory, and a pattern or filter below it
	textSearch       // a directory and a filter below it; its pattern is a text, and no place
	edit             // a file, a text in it and its replacement
	write            // a file and its whole content
	fetch            // an address
	patch            // a text in the format of apply_patch
	edits            // a file, and several texts in it with their replacements
	editor           // a word that says which of read, write and edit it is
	text             // an MCP call whose arguments are written into a string
	special          // what the adapter reads by itself
)

// spelling is how a host calls the arguments. "" is one that it does not have.
type spelling struct {
	command, workdir string
	// beside are further arguments of a tool, by its raw name: they say neither in which
	// directory, shell and environment it runs, nor which file it means or that it does
	// something else, or the adapter reads them by itself.
	beside                 map[string][]string
	file                   string
	content, old, new, all string
	dir, pattern, filter   string
	url, patch             string
	// bare says that a word of a search may be taken for an option of the program that
	// the host searches with.
	bare bool
}

// lookUp returns the row of a raw name, the zero row where there is none. A
// canonical name ("read_file") is no built-in unless the host has one of that
// name.
func lookUp(table []builtin, raw string) builtin {
	i, found := slices.BinarySearchFunc(table, raw, func(t builtin, name string) int {
		return strings.Compare(t.raw, name)
	})
	if !found {
		return builtin{}
	}
	return table[i]
}

// arguments fills in what the call would do from its arguments.
func arguments(c *nod.Call, tool builtin, as spelling, in fields) {
	c.Tool = tool.canonical
	if tool.raw != "" {
		lookFurther(c, in, as, tool)
	}
	switch tool.shape {
	case command:
		c.Command = in.word(as.command)
		startIn(c, as, in)
	case read:
		c.Paths = []string{in.word(as.file)}
	case search, textSearch:
		searchedFor(c, tool, as, in)
	case edit:
		one := nod.Edit{Path: in.word(as.file), Old: in.text(as.old), New: in.text(as.new)}
		if as.all != "" {
			one.All = in.flag(as.all)
		}
		c.Edits, c.Paths = []nod.Edit{one}, []string{one.Path}
	case write:
		c.Edits = []nod.Edit{{Path: in.word(as.file), New: in.text(as.content), Whole: true}}
		c.Paths = []string{c.Edits[0].Path}
	case edits:
		severalEdits(c, as, in)
	case fetch:
		c.URL = in.word(as.url)
	case patch:
		patched(c, in.text(as.patch))
	}
}

// severalEdits reads the replacements of one file; there is always at least one.
func severalEdits(c *nod.Call, as spelling, in fields) {
	name := in.word(as.file)
	c.Paths = []string{name}
	for _, one := range in.list("edits") {
		edit := nod.Edit{Path: name, Old: one.text(as.old), New: one.text(as.new)}
		if as.all != "" {
			edit.All = one.flag(as.all)
		}
		c.Edits = append(c.Edits, edit)
	}
	if len(c.Edits) == 0 {
		c.Edits = []nod.Edit{{Path: name}}
	}
}

// searchedFor reads where a search looks.
func searchedFor(c *nod.Call, tool builtin, as spelling, in fields) {
	dir, filter, pattern := in.maybeNamed(as.dir), in.maybeNamed(as.filter), ""
	if tool.shape == textSearch {
		pattern = in.text(as.pattern)
		c.Paths = searched(c.Dir, dir, filter)
	} else {
		pattern = in.maybeNamed(as.pattern)
		c.Paths = searched(c.Dir, dir, pattern, filter)
	}
	if as.bare && slices.ContainsFunc([]string{dir, pattern, filter}, isOption) {
		c.Rewritten = takenForOption
	}
}

// isOption reports whether a program may take a word for an option.
func isOption(word string) bool { return strings.HasPrefix(word, "-") }

// maybeNamed is optional for an argument that the host may not have at all.
func (f fields) maybeNamed(key string) string {
	if key == "" {
		return ""
	}
	return f.optional(key)
}

// startIn moves the call to the directory that the command names for itself.
func startIn(c *nod.Call, as spelling, in fields) {
	dir := in.maybeNamed(as.workdir)
	if winds(dir) || strings.HasPrefix(dir, "~") { // a host may take ~ for the home directory
		c.Rewritten = windingDir
	}
	switch {
	case dir == "":
	case path.IsAbs(dir):
		c.Dir = dir
	default: // a link on the way may make this another one; names are resolved later
		c.Dir = strings.TrimSuffix(c.Dir, "/") + "/" + dir
	}
}

// lookFurther looks for an argument that nod does not know, which may name a directory, a
// shell, a file or a machine (_host of Claude Code, diff of Goose). A command with such an
// argument is denied, since some hosts run what nod does not deny; another call is left
// open. Of those a number, true and false are no such argument. The keys of a payload
// itself are no arguments, and those of a tool that is not listed are not looked at.
func lookFurther(c *nod.Call, in fields, as spelling, tool builtin) {
	if in.path == "" || !tool.listed() {
		return
	}
	known := as.known(tool)
	for _, m := range in.members {
		key := string(m.key) // one that differs in case only is refused where the key is read
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

// listed reports whether nod knows the arguments of a tool: of each of which it reads some.
func (t builtin) listed() bool { return t.shape != opaque }

// known are the arguments of a tool that nod reads or need not read: what is said of a
// call to a person, and how long it is waited for, most hosts call alike.
func (as spelling) known(tool builtin) []string {
	known := []string{"description", "explanation", "reason", "summary", "timeout"}
	var own []string
	switch tool.shape {
	case command:
		own = []string{as.command, as.workdir}
	case read:
		own = []string{as.file}
	case search, textSearch:
		own = []string{as.dir, as.pattern, as.filter}
	case edit:
		own = []string{as.file, as.old, as.new, as.all}
	case write:
		own = []string{as.file, as.content}
	case edits:
		own = []string{as.file, "edits"}
	case editor:
		own = []string{"command", as.file, as.content, as.old, as.new}
	case fetch:
		own = []string{as.url}
	case patch:
		own = []string{as.patch}
	}
	own = slices.DeleteFunc(own, func(key string) bool { return key == "" })
	return slices.Concat(known, own, as.beside[tool.raw])
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

// searched names where a search would look: the directory, and the patterns
// below it, so that a search for ".ssh/id_*" is seen as what it is. A pattern
// that begins with "!" leaves out.
func searched(cwd, base string, patterns ...string) []string {
	if base == "" {
		base = cwd
	}
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

// patched reads a patch. One that cannot be read has the canonical name "",
// so nothing takes it for an edit of the files that could be read.
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
