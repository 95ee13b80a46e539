package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Command is what a host starts: a program and its arguments, or a line that
// a shell reads.
type Command struct {
	Words []string
	Shell string // "" where Words are meant
}

// Registered is one hook of nod's in a settings file.
type Registered struct {
	Event   string
	Decides bool // nod answers there before a call runs
	// Group and Index are its place in the event's list.
	Group, Index int
	// Matcher is what it is asked about: "" or "*" is every tool.
	Matcher string
	// Written says that the hook is, member for member, what this nod writes
	// for the paths in it.
	Written bool
	// line is its command as it stands there.
	line string
}

// Installed is what a settings file says of nod.
type Installed struct {
	Path string
	// Options are the paths on the command line of the first hook.
	Options Options
	Hooks   []Registered
	// Code says that the file is code that the agent loads, with nod's command
	// line in it; Hooks then are the events under which such code may ask.
	Code bool
	// Again is what installing once more would change, as lines; "" if nothing.
	Again string
	// Findings are what [PlanInstall] finds in this file and around it.
	Findings []Finding
}

// Inspect reads the settings file that o names. It returns nil where nothing
// of nod is in it. A file that mentions nod in no way that this nod writes has
// no Hooks.
func Inspect(o Options) (*Installed, error) {
	if !o.HasLevel() {
		return nil, nil
	}
	f, err := o.read()
	if err != nil || !bytes.Contains(f.data, []byte(HookName)) {
		return nil, err
	}
	if o.byLines() {
		return o.inspectLines(f), nil
	}
	if !strings.HasSuffix(f.path, ".json") {
		return o.inspectCode(f), nil
	}
	doc, err := parse(f.path, f.data)
	if err != nil {
		return &Installed{Path: f.path, Options: o,
			Findings: []Finding{{Kind: Unread, Path: f.path, Text: err.Error()}}}, nil
	}
	doc.under = o.host().under()
	in := &Installed{Path: f.path, Options: o, Findings: slices.Concat(f.weaknesses(), unread(doc, o.host()))}
	in.collect(doc)
	if len(in.Hooks) == 0 {
		return in, nil
	}
	in.again()
	return in, nil
}

// inspectCode reads a file of code that nod has written as a whole and the
// agent loads: it holds nod-hook's command line as a list of strings.
func (o Options) inspectCode(f file) *Installed {
	in := &Installed{Path: f.path, Options: o, Findings: f.weaknesses(), Code: true}
	_, after, found := strings.Cut(string(f.data), "\nconst words = ")
	line, _, _ := strings.Cut(after, "\n")
	var words []string
	if !found || json.Unmarshal([]byte(line), &words) != nil || len(words) == 0 {
		return in
	}
	in.Options = o.withPaths(words)
	in.again()
	for _, event := range []string{"tool.execute.before", "tool_call"} {
		in.Hooks = append(in.Hooks, Registered{Event: event, Decides: true, Written: in.Again == ""})
	}
	return in
}

// again says what installing once more would change.
func (in *Installed) again() {
	plan, err := PlanInstall(in.Options)
	if err != nil {
		in.Again = err.Error()
		return
	}
	in.Again = plan.Diff()
}

// collect finds nod's hooks, reads the paths off the first, and compares each
// with what nod would write.
func (in *Installed) collect(doc *document) {
	h := in.Options.host()
	eachHook(doc, func(r Registered, v *hujson.Value) {
		r.line = commandText(v)
		if len(in.Hooks) == 0 {
			in.Options = in.Options.paths(v)
		}
		for _, e := range h.events {
			if e.name == r.Event {
				r.Decides = e.decides
				r.Written = h.handler != nil && in.Options.check() == nil &&
					doc.holds(v, h.handler(in.Options, e.decides))
			}
		}
		in.Hooks = append(in.Hooks, r)
	})
}

// eachHook calls visit for each hook of nod's, in the order of the file.
func eachHook(doc *document, visit func(Registered, *hujson.Value)) {
	root, ok := doc.root.Value.(*hujson.Object)
	if !ok {
		return
	}
	v := find(root, doc.under)
	if v == nil {
		return
	}
	hooks, ok := v.Value.(*hujson.Object)
	if !ok {
		return
	}
	for i := range hooks.Members {
		list, ok := arrayOf(&hooks.Members[i].Value)
		if !ok {
			continue
		}
		event := nameOf(&hooks.Members[i])
		for g := range list.Elements {
			eachInGroup(list, g, event, visit)
		}
	}
}

func eachInGroup(list *hujson.Array, g int, event string, visit func(Registered, *hujson.Value)) {
	if v := &list.Elements[g]; isNod(v) { // a list without groups
		visit(Registered{Event: event, Group: g, Matcher: textOf(v, "matcher")}, v)
		return
	}
	_, handlers := groupAt(list, g)
	if handlers == nil {
		return
	}
	for i := range handlers.Elements {
		if v := &handlers.Elements[i]; isNod(v) {
			visit(Registered{Event: event, Group: g, Index: i, Matcher: textOf(&list.Elements[g], "matcher")}, v)
		}
	}
}

// textOf returns a member that is a string, else "".
func textOf(v *hujson.Value, name string) string {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return ""
	}
	m := find(o, name)
	if m == nil {
		return ""
	}
	lit, ok := m.Value.(hujson.Literal)
	if !ok || lit.Kind() != '"' {
		return ""
	}
	return lit.String()
}

// commandText is the hook's command as a shell reads it, "" where none does.
func commandText(v *hujson.Value) string {
	if o, ok := v.Value.(*hujson.Object); ok && find(o, "args") != nil {
		return ""
	}
	for _, name := range []string{"command", "bash"} {
		if s := textOf(v, name); s != "" {
			return s
		}
	}
	return ""
}

// paths reads the paths off a hook's command line. What it does not
// understand shows in that nod would write another line.
func (o Options) paths(v *hujson.Value) Options {
	return o.withPaths(wordsOf(v))
}

func (o Options) withPaths(words []string) Options {
	if len(words) > 0 {
		o.Hook = words[0]
	}
	for i := 2; i+1 < len(words); i += 2 {
		switch words[i] {
		case "--settings":
			o.Settings = words[i+1]
		case "--managed":
			o.Managed = words[i+1]
		case "--state":
			o.State = words[i+1]
		case "--nod":
			o.Nod = words[i+1]
		}
	}
	return o
}

// wordsOf is nod-hook's command line in a hook: its arguments, or what a shell
// is handed behind the guard script.
func wordsOf(v *hujson.Value) []string {
	o := v.Value.(*hujson.Object)
	if args, ok := arrayOf(find(o, "args")); ok {
		words := []string{textOf(v, "command")}
		for i := range args.Elements {
			if lit, ok := args.Elements[i].Value.(hujson.Literal); ok && lit.Kind() == '"' {
				words = append(words, lit.String())
			}
		}
		return words
	}
	return lineWords(commandText(v))
}

// lineWords is wordsOf for a line that a shell reads.
func lineWords(line string) (words []string) {
	for rest := line; rest != ""; {
		before := rest
		var word string
		if word, rest = cutWord(rest); rest == before {
			break // an operator of the shell
		}
		words = append(words, word)
	}
	if len(words) > 3 && words[0] == "/bin/sh" && words[1] == "-c" {
		words = words[3:]
	}
	return words
}

// Command returns what the host starts for r, with other programs or paths in
// it: a copy of the line in the settings, which must be as nod writes it. A
// limit of the guard script is replaced by the given one, unless it is 0.
func (in *Installed) Command(r Registered, o Options, seconds int) (Command, error) {
	h := in.Options.host()
	if in.Code && r.Written {
		return Command{Words: o.words()}, nil
	}
	if !r.Written || h.handler == nil {
		return Command{}, fmt.Errorf("the hook of %s is not as this nod writes it", r.Event)
	}
	c := Command{}
	for _, m := range h.handler(o, r.Decides) {
		text, isText := m.value.(string)
		switch {
		case (m.name == "command" || m.name == "bash") && isText:
			c.Shell = text
		case m.name == "args":
			c.Words, _ = m.value.([]string)
		}
	}
	if c.Words != nil {
		return Command{Words: append([]string{c.Shell}, c.Words...)}, nil
	}
	if seconds > 0 {
		c.Shell = strings.Replace(c.Shell, fmt.Sprintf("-s KILL %d", decideTimeout-5),
			fmt.Sprintf("-s KILL %d", seconds), 1)
	}
	return c, nil
}

// Failure is one way for nod-hook to fail.
type Failure uint8

const (
	Missing Failure = iota // it is not there
	Killed                 // it is killed
	Hangs                  // it does not end
	Rubbish                // it prints what is no answer
)

// Failing is what becomes of a call, measured on the released program.
type Failing struct {
	Failure Failure
	Runs    bool
}

// Bare returns what was measured of hooks without the guard script.
func Bare(agent string) []Failing {
	switch agent {
	case "claude-code":
		return []Failing{{Missing, false}, {Killed, false}, {Hangs, false}, {Rubbish, true}}
	case "opencode", "pi":
		return []Failing{{Missing, false}, {Killed, false}, {Hangs, false}, {Rubbish, false}}
	}
	return nil
}

// Guarded reports whether the hooks that decide stand behind the guard script,
// which turns whatever becomes of nod-hook into a denial.
func (in *Installed) Guarded() bool {
	for _, r := range in.Hooks {
		if r.Decides {
			return strings.HasPrefix(r.line, "/bin/sh -c '")
		}
	}
	return false
}

// Missing lists the events that decide and have no hook of nod's which is
// asked about every tool.
func (in *Installed) Missing() (events []string) {
	if in.Code {
		return nil
	}
	for _, e := range in.Options.host().events {
		has := slices.ContainsFunc(in.Hooks, func(r Registered) bool {
			return r.Event == e.name && (r.Matcher == "" || r.Matcher == "*" || r.Matcher == in.Options.host().matcher)
		})
		if e.decides && !has {
			events = append(events, e.name)
		}
	}
	return events
}

// OnlyRoots reports whether nobody but root can replace a program.
func OnlyRoots(path string) bool { return plainPath(path) == nil && replaceable(path) == "" }

// Parents lists a directory and those above it, up to the root.
func Parents(dir string) []string {
	if !filepath.IsAbs(dir) {
		return nil
	}
	var all []string
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		all = append(all, at)
		if at == "/" {
			return all
		}
	}
}
