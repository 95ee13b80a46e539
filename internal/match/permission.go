package match

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// Permission is a rule in the grammar of Claude Code's permissions: TOOL, or TOOL(SPEC). A bare tool is Claude
// Code's own and holds for its calls; a command, a file, a host or an MCP tool is the same whoever asks for it.
type Permission struct {
	Tool string
	Spec string // "" is the whole tool
	Dir  string // of the settings file; a path that starts with / may start there
}

// ReadPermission takes a rule apart.
func ReadPermission(text string) (Permission, error) {
	text = strings.TrimSpace(text)
	tool, spec, bracket := strings.Cut(text, "(")
	if strings.Trim(tool, letters+"0123456789_-*") != "" || tool == "" {
		return Permission{}, fmt.Errorf("%q is no rule; it is TOOL or TOOL(WHAT)", text)
	}
	if !bracket {
		return Permission{Tool: tool}, nil
	}
	spec, closed := strings.CutSuffix(spec, ")")
	if !closed {
		return Permission{}, fmt.Errorf("%q has no closing bracket", text)
	}
	spec = strings.NewReplacer(`\(`, "(", `\)`, ")").Replace(strings.TrimSpace(spec))
	if spec == "*" {
		spec = ""
	}
	return Permission{Tool: tool, Spec: spec}, nil
}

// Kind says what a permission is about.
type Kind uint8

const (
	AboutNothing Kind = iota // nod does not know
	AboutTool                // any call of a tool
	AboutCommand             // commands
	AboutReading             // files that are read
	AboutEditing             // files that are changed
	AboutHost                // hosts that are fetched from
	AboutInput               // one argument of a call
	AboutServer              // tools of an MCP server
)

// Kind says what the rule is about.
func (p Permission) Kind() Kind {
	switch {
	case strings.HasPrefix(p.Tool, "mcp__"):
		return AboutServer
	case p.Spec == "":
		return AboutTool
	case strings.Contains(p.Tool, "*"):
		return AboutNothing
	}
	switch p.Tool {
	case "Bash", "Monitor", "PowerShell":
		return AboutCommand
	case "Read", "Grep", "Glob", "LS", "NotebookRead":
		return AboutReading
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		return AboutEditing
	case "WebFetch":
		if strings.HasPrefix(p.Spec, "domain:") {
			return AboutHost
		}
	}
	if _, _, ok := p.parameter(); ok {
		return AboutInput
	}
	return AboutNothing
}

// Check says why nod cannot hold the rule, nil if it can.
func (p Permission) Check() error {
	switch k := p.Kind(); {
	case k == AboutNothing:
		return fmt.Errorf("nod does not know what %s(%s) matches", p.Tool, p.Spec)
	case (k == AboutReading || k == AboutEditing) && strings.HasPrefix(p.Spec, "!"):
		return fmt.Errorf("nod takes no exceptions (!) in paths")
	}
	return nil
}

// parameter is a rule about an argument of the call: NAME:VALUE, or for tools that have one main argument its value.
func (p Permission) parameter() (name, value string, ok bool) {
	name, value, ok = strings.Cut(p.Spec, ":")
	if ok && name != "" && value != "*" && strings.Trim(name, letters+"0123456789_") == "" {
		return name, value, true
	}
	switch p.Tool {
	case "Agent", "Task":
		return "subagent_type", p.Spec, true
	case "Skill":
		return "skill", p.Spec, true
	case "SlashCommand":
		return "command", p.Spec, true
	}
	return "", "", false
}

// OpenEnd takes ":*" or " *" off the end of a command's pattern.
func OpenEnd(spec string) (prefix string, open bool) {
	for _, end := range [...]string{":*", " *"} {
		if prefix, open = strings.CutSuffix(spec, end); open && strings.TrimSpace(prefix) != "" {
			return strings.TrimSpace(prefix), true
		}
	}
	return spec, false
}

// Degree says how well a call fits a rule. The zero value does not.
type Degree uint8

const (
	Misses  Degree = iota // it is another call
	MayFit                // something that nobody knows would have to be so
	FitsAll               // it is what the rule names
)

// Fits compares the call with a permission rule.
func (m *Call) Fits(p Permission) Degree {
	byInput := Misses
	if p.Spec != "" {
		byInput = m.inputFits(p)
	}
	switch p.Kind() {
	case AboutTool:
		return max(m.toolFits(p), m.editToolFits(p))
	case AboutCommand:
		return max(byInput, m.commandFits(p))
	case AboutReading, AboutEditing:
		return max(byInput, m.filesFit(p, false))
	case AboutHost:
		return m.hostFits(strings.ToLower(strings.TrimPrefix(p.Spec, "domain:")))
	case AboutServer:
		return m.serverFits(p, byInput)
	}
	return byInput
}

// toolFits compares with a built-in tool of Claude Code's.
func (m *Call) toolFits(p Permission) Degree {
	fit := starMatch(p.Tool, m.RawTool) && (m.MCP == nil || strings.Contains(p.Tool, "*"))
	switch p.Tool {
	case "Bash":
		fit = fit || m.Command != ""
	case "Edit":
		fit = fit || m.IsEdit()
	case "Agent", "Task":
		fit = fit || m.Tool == "agent"
	}
	if fit && m.Agent == claudeCode {
		return FitsAll
	}
	return Misses
}

// editToolFits compares a bare edit tool with what commands do to files: Claude Code
// holds such a rule for them too, as it holds Edit(**).
func (m *Call) editToolFits(p Permission) Degree {
	p.Spec = "**"
	if m.Agent != claudeCode || p.Kind() != AboutEditing {
		return Misses
	}
	return m.filesFit(p, true)
}

// inputFits compares with an argument at the top of the call's input.
func (m *Call) inputFits(p Permission) Degree {
	name, value, ok := p.parameter()
	mcp := strings.HasPrefix(p.Tool, "mcp__")
	if !ok || !mcp && (m.Agent != claudeCode || m.toolFits(Permission{Tool: p.Tool}) == Misses) {
		return Misses
	}
	value, open := OpenEnd(value)
	got, ok := argument(m.Input, name)
	if ok && (starMatch(value, got) || open && strings.HasPrefix(got, value+" ")) {
		return FitsAll
	}
	return Misses
}

// argument returns the plain value that an object has under a name.
func argument(input json.RawMessage, name string) (value string, ok bool) {
	var fields map[string]json.RawMessage
	var plain any
	if json.Unmarshal(input, &fields) != nil {
		return "", false
	}
	dec := json.NewDecoder(bytes.NewReader(fields[name]))
	dec.UseNumber()
	if dec.Decode(&plain) != nil {
		return "", false
	}
	switch plain.(type) {
	case map[string]any, []any:
		return "", false
	}
	return fmt.Sprint(plain), true
}

// serverFits compares with the tools of an MCP server.
func (m *Call) serverFits(p Permission, byInput Degree) Degree {
	if m.MCP == nil {
		return Misses
	}
	names := []string{"mcp__" + ServerName(m.MCP.Server) + "__" + m.MCP.Tool}
	if strings.HasPrefix(m.RawTool, "mcp__") {
		names = append(names, m.RawTool)
	}
	for _, name := range names {
		if !starMatch(p.Tool, name) && !strings.HasPrefix(name, p.Tool+"__") {
			continue
		}
		if p.Spec == "" {
			return FitsAll
		}
		return byInput
	}
	return Misses
}

// ServerName spells a server as it stands in the name of a tool.
func ServerName(name string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, name)
}

// hostFits compares with the host of a fetch. What a command fetches from
// there comes by another tool than the rule names.
func (m *Call) hostFits(want string) Degree {
	if m.URL != "" {
		switch host := HostOf(m.URL); {
		case host == "":
			return MayFit
		case hostMatch(want, host):
			return FitsAll
		}
	}
	for _, e := range m.Report.Effects {
		if (e.Kind == shell.Fetch || e.Kind == shell.Send) && hostMatch(want, HostOf(e.Target)) {
			return MayFit
		}
	}
	return Misses
}

// hostMatch compares a host with a pattern whose * stands for a part of one label, or at the beginning for any labels.
func hostMatch(want, host string) bool {
	if host == "" {
		return false
	}
	if rest, any := strings.CutPrefix(want, "*."); any {
		return strings.HasSuffix(host, "."+rest) || host == rest
	}
	ok, err := path.Match(strings.ReplaceAll(want, ".", "/"), strings.ReplaceAll(host, ".", "/"))
	return ok || err != nil || want == "*"
}

// starMatch compares a text with a pattern whose * stands for any text and \* for a star.
func starMatch(pattern, text string) bool {
	pieces := stars(pattern)
	if len(pieces) == 1 {
		return text == pieces[0]
	}
	rest, ok := strings.CutPrefix(text, pieces[0])
	last := pieces[len(pieces)-1]
	for _, piece := range pieces[1 : len(pieces)-1] {
		i := strings.Index(rest, piece)
		if i < 0 {
			return false
		}
		rest = rest[i+len(piece):]
	}
	return ok && strings.HasSuffix(rest, last)
}

// stars splits a pattern at its stars.
func stars(pattern string) []string {
	const star = "\x00"
	pieces := strings.Split(strings.ReplaceAll(pattern, `\*`, star), "*")
	for i, piece := range pieces {
		pieces[i] = strings.ReplaceAll(piece, star, "*")
	}
	return pieces
}

// commandFits compares with the commands of the line, and with the line.
func (m *Call) commandFits(p Permission) Degree {
	w := newWanted(p.Spec)
	line := strings.Join(strings.Fields(m.Command), " ")
	switch {
	case line == "":
		return Misses
	case w.is(line):
		return FitsAll
	case len(m.Report.Commands) == 0 && len(w.Words) > 0 && strings.Contains(line, w.Words[0]):
		return MayFit // a line that nod cannot read
	}
	best := Misses
	for i, c := range m.Report.Commands {
		best = max(best, w.fits(c, m.HasUnknown(i)))
		if spelled, ok := m.asScript(w.Words, i); ok {
			best = max(best, w.fits(spelled, false))
		}
	}
	return best
}

// wanted is the command of a permission rule: its text, and the words of it as a pattern.
type wanted struct {
	Pattern      // Open: it ends in ":*" or " *"
	spec, prefix string
	exact        bool // it holds no star
	more         bool // it ends in one: further words may follow
}

func newWanted(spec string) (w wanted) {
	w.spec = spec
	w.prefix, w.Open = OpenEnd(spec)
	w.exact = !w.Open && len(stars(spec)) == 1
	w.more = strings.HasSuffix(spec, "*") && !strings.HasSuffix(spec, `\*`)
	words, ok := SplitWords(w.prefix)
	if !ok {
		words = strings.Fields(w.prefix)
	}
	w.Words = slices.DeleteFunc(words, func(word string) bool { return word == "*" })
	return w
}

// is compares with a text.
func (w wanted) is(text string) bool {
	return starMatch(w.spec, text) || w.Open && (starMatch(w.prefix, text) || starMatch(w.prefix+" *", text))
}

// fits compares with one simple command: with the ways to write it, or as a pattern. carries says that its program
// is not known and may run its arguments. Words that are not known may be those of the rule.
func (w wanted) fits(c shell.Command, carries bool) Degree {
	texts, known := spelledOut(c)
	unknownProgram := !known && len(w.Words) > 0 && strings.Contains(w.Words[0], "*")
	switch {
	case slices.ContainsFunc(texts, w.is), w.wraps(c) && w.Open && len(w.Words) == 1:
		return FitsAll
	case !w.exact && w.OccursIn(c, FirstWord) && !w.isOther(c) && w.inOrder(c.Words[1:]):
		return FitsAll
	case w.wraps(c), carries && w.OccursIn(c, AnyWord), !known && w.mayOccurIn(c), unknownProgram:
		return MayFit
	}
	return Misses
}

// inOrder reports whether the rule's words, but options, follow each other in those of a
// command, and none follows the last where the rule does not end in a star.
func (w wanted) inOrder(words []shell.Word) bool {
	option := func(want string) bool { return strings.HasPrefix(want, "-") }
	wanted := slices.DeleteFunc(slices.Clone(w.Words[1:]), option)
	last := -1
	for i, word := range words {
		if len(wanted) > 0 && starMatch(wanted[0], word.Value) {
			wanted, last = wanted[1:], i
		}
	}
	return len(wanted) == 0 && (w.more || last < 0 || last == len(words)-1)
}

// wraps reports whether the rule's program is a wrapper of the command: sudo.
func (w wanted) wraps(c shell.Command) bool {
	return len(w.Words) > 0 && slices.ContainsFunc(c.Wrappers,
		func(name string) bool { return path.Base(name) == path.Base(w.Words[0]) })
}

// spelledOut are the ways to write a command: as written, and where every word is constant,
// its words, with its program by its path or its name.
func spelledOut(c shell.Command) (texts []string, known bool) {
	texts = []string{strings.Join(strings.Fields(c.Source), " ")}
	var words []string
	for _, word := range c.Words {
		if !word.Known {
			return texts, false
		}
		words = append(words, word.Value)
	}
	if len(words) == 0 {
		return texts, true
	}
	texts = append(texts, strings.Join(words, " "))
	words[0] = path.Base(words[0])
	return append(texts, strings.Join(words, " ")), true
}
