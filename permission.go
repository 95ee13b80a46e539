package nod

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// permission is a rule in the grammar of Claude Code's permissions: TOOL, or
// TOOL(SPEC). A bare tool is Claude Code's own and holds for its calls; a
// command, a file, a host or an MCP tool is the same whoever asks for it.
type permission struct {
	tool string
	spec string // "" is the whole tool
	dir  string // of the settings file; a path that starts with / may start there
}

// ParsePermission reads one permission rule of Claude Code's settings, which
// lie in dir: its deny rules into [ListHardDeny], its ask rules into
// [ListAsk]. In both a rule matches no less than Claude Code's does. The error
// is one line that says why nod cannot hold the rule; nothing is then matched.
//
// Its allow rules become patterns of nod's own, for [ListAllow]: the Text is
// the pattern, it clears calls of Claude Code only, and it is an error if the
// pattern would match more than the person wrote, or any code at all.
func ParsePermission(list RuleList, text, origin, dir string) (Rule, error) {
	p, err := readPermission(text)
	if err != nil {
		return Rule{}, err
	}
	p.dir = dir
	if list == ListAllow {
		return p.allow(origin)
	}
	if err := p.check(); err != nil {
		return Rule{}, err
	}
	return Rule{Text: text, Origin: origin, permission: &p}, nil
}

// readPermission takes a rule apart.
func readPermission(text string) (permission, error) {
	text = strings.TrimSpace(text)
	tool, spec, bracket := strings.Cut(text, "(")
	if strings.Trim(tool, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-*") != "" || tool == "" {
		return permission{}, fmt.Errorf("%q is no rule; it is TOOL or TOOL(WHAT)", text)
	}
	if !bracket {
		return permission{tool: tool}, nil
	}
	spec, closed := strings.CutSuffix(spec, ")")
	if !closed {
		return permission{}, fmt.Errorf("%q has no closing bracket", text)
	}
	spec = strings.NewReplacer(`\(`, "(", `\)`, ")").Replace(strings.TrimSpace(spec))
	if spec == "*" {
		spec = ""
	}
	return permission{tool: tool, spec: spec}, nil
}

// permissionKind says what a rule is about.
type permissionKind uint8

const (
	aboutNothing permissionKind = iota // nod does not know
	aboutTool
	aboutCommand
	aboutReading
	aboutEditing
	aboutHost
	aboutInput
	aboutServer
)

func (p permission) kind() permissionKind {
	switch {
	case strings.HasPrefix(p.tool, "mcp__"):
		return aboutServer
	case p.spec == "":
		return aboutTool
	case strings.Contains(p.tool, "*"):
		return aboutNothing
	}
	switch p.tool {
	case "Bash", "Monitor", "PowerShell":
		return aboutCommand
	case "Read", "Grep", "Glob", "LS", "NotebookRead":
		return aboutReading
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		return aboutEditing
	case "WebFetch":
		if strings.HasPrefix(p.spec, "domain:") {
			return aboutHost
		}
	}
	if _, _, ok := p.parameter(); ok {
		return aboutInput
	}
	return aboutNothing
}

// check says why nod cannot hold the rule, nil if it can.
func (p permission) check() error {
	switch k := p.kind(); {
	case k == aboutNothing:
		return fmt.Errorf("nod does not know what %s(%s) matches", p.tool, p.spec)
	case (k == aboutReading || k == aboutEditing) && strings.HasPrefix(p.spec, "!"):
		return fmt.Errorf("nod takes no exceptions (!) in paths")
	}
	return nil
}

// parameter is a rule about an argument of the call: NAME:VALUE, or for tools
// that have one main argument its value.
func (p permission) parameter() (name, value string, ok bool) {
	name, value, ok = strings.Cut(p.spec, ":")
	if ok && name != "" && value != "*" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" {
		return name, value, true
	}
	switch p.tool {
	case "Agent", "Task":
		return "subagent_type", p.spec, true
	case "Skill":
		return "skill", p.spec, true
	case "SlashCommand":
		return "command", p.spec, true
	}
	return "", "", false
}

// allow is the rule as a pattern of nod's.
func (p permission) allow(origin string) (Rule, error) {
	if p.kind() != aboutCommand || p.tool != "Bash" {
		if r, ok := p.allowTool(origin); ok {
			return r, nil
		}
		if p.spec == "" && p.tool == "Bash" {
			return Rule{}, fmt.Errorf("it would allow any command")
		}
		return Rule{}, fmt.Errorf("nod's allow patterns are commands")
	}
	pattern, open := openEnd(p.spec)
	if strings.ContainsAny(pattern, "*\\") {
		return Rule{}, fmt.Errorf("a * that does not stand at the end has no equal in nod")
	}
	if open {
		if runsWhatFollows(pattern) {
			return Rule{}, fmt.Errorf("it would allow any code that stands behind %s; name what may run", printable.Text(pattern))
		}
		pattern += " *"
	}
	r, err := ParseRule(ListAllow, pattern, origin)
	if err == nil && len(r.words) == 0 {
		err = fmt.Errorf("%q is not one simple command", pattern)
	}
	r.Agent = ClaudeCode
	return r, err
}

// allowTool is a rule for a tool of an MCP server, or for a tool of Claude Code's
// own of which nod reads no argument.
func (p permission) allowTool(origin string) (r Rule, ok bool) {
	switch p.kind() {
	case aboutServer:
		ok = p.allowsTools(p.tool) == nil && p.spec == ""
	case aboutTool:
		ok = !strings.Contains(p.tool, "*") && !readsArguments(p.tool)
	}
	return Rule{Text: p.tool, Origin: origin, Agent: ClaudeCode, permission: &p}, ok
}

// readsArguments reports whether nod decides calls of a tool of Claude Code's by
// their arguments, so that a rule for all of them would allow anything.
func readsArguments(tool string) bool {
	switch tool {
	case "Bash", "PowerShell", "Monitor", "Read", "Grep", "Glob", "LS", "LSP", "NotebookRead",
		"Edit", "Write", "MultiEdit", "NotebookEdit", "WebFetch":
		return true
	}
	return false
}

// openEnd takes ":*" or " *" off the end of a command's pattern.
func openEnd(spec string) (prefix string, open bool) {
	for _, end := range [...]string{":*", " *"} {
		if prefix, open = strings.CutSuffix(spec, end); open && strings.TrimSpace(prefix) != "" {
			return strings.TrimSpace(prefix), true
		}
	}
	return spec, false
}

// runsWhatFollows reports whether the words behind a prefix name the code that
// would run. Claude Code drops the like on entering its auto mode.
func runsWhatFollows(prefix string) bool {
	words := strings.Fields(prefix)
	switch path.Base(words[0]) {
	case "ssh":
		return true
	case "npm", "pnpm", "yarn", "bun", "uv", "poetry", "pipenv", "bundle", "docker", "podman", "kubectl", "nix", "mise", "direnv", "devbox",
		"conda", "tox", "nox", "go", "cargo", "find", "awk", "gawk", "git":
	default:
		return false
	}
	if len(words) == 1 || len(words) == 3 && words[1] == "exec" {
		return true
	}
	switch words[1] {
	case "run", "run-script", "exec", "x", "dlx", "tool", "shell", "develop", "-c", "-C", "-exec", "--":
		return len(words) == 2
	}
	return false
}

// degree says how well a call fits a rule. The zero value does not.
type degree uint8

const (
	misses  degree = iota
	mayFit         // something that nobody knows would have to be so
	fitsAll        // it is what the rule names
)

// ClaudeCode is the name of Claude Code's adapter.
const ClaudeCode = "claude-code"

// matches compares the call with a rule of hard_deny or ask.
func (t *trial) matches(r Rule) degree {
	switch {
	case r.permission != nil:
		return t.fits(*r.permission)
	case t.matchesHard(r):
		return fitsAll
	}
	return misses
}

// reserved finds a rule that leaves the call to a person. One that may be
// meant counts.
func (t *trial) reserved() (why string, rule Rule) {
	for _, r := range t.gate.rules.Ask {
		switch t.matches(r) {
		case fitsAll:
			return "ask rule: " + r.Text, r
		case mayFit:
			return "this may be what an ask rule leaves to a person: " + r.Text, r
		}
	}
	return t.self.Unproven, Rule{}
}

// fits compares the call with a permission rule.
func (t *trial) fits(p permission) degree {
	byInput := misses
	if p.spec != "" {
		byInput = t.inputFits(p)
	}
	switch p.kind() {
	case aboutTool:
		return t.toolFits(p)
	case aboutCommand:
		return max(byInput, t.commandFits(p))
	case aboutReading, aboutEditing:
		return max(byInput, t.pathFits(p))
	case aboutHost:
		return t.hostFits(strings.ToLower(strings.TrimPrefix(p.spec, "domain:")))
	case aboutServer:
		return t.serverFits(p, byInput)
	}
	return byInput
}

// toolFits compares with a built-in tool of Claude Code's.
func (t *trial) toolFits(p permission) degree {
	c := t.call
	fit := starMatch(p.tool, c.RawTool) && c.MCP == nil || starMatch(p.tool, c.RawTool) && strings.Contains(p.tool, "*")
	switch p.tool {
	case "Bash":
		fit = fit || c.Command != ""
	case "Edit":
		fit = fit || isEdit(c.Tool)
	case "Agent", "Task":
		fit = fit || c.Tool == "agent"
	}
	if fit && c.Agent == ClaudeCode {
		return fitsAll
	}
	return misses
}

// inputFits compares with an argument at the top of the call's input.
func (t *trial) inputFits(p permission) degree {
	name, value, ok := p.parameter()
	mcp := strings.HasPrefix(p.tool, "mcp__")
	if !ok || !mcp && (t.call.Agent != ClaudeCode || t.toolFits(permission{tool: p.tool}) == misses) {
		return misses
	}
	value, open := openEnd(value)
	for _, got := range argument(t.call.Input, name) {
		if starMatch(value, got) || open && strings.HasPrefix(got, value+" ") {
			return fitsAll
		}
	}
	return misses
}

// argument returns the plain values that an object has under a name.
func argument(input json.RawMessage, name string) (values []string) {
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	depth, key := 0, ""
	isKey := true
	for {
		tok, err := dec.Token()
		if err != nil {
			return values
		}
		switch x := tok.(type) {
		case json.Delim:
			if x == '{' || x == '[' {
				depth++
			} else {
				depth--
			}
			isKey = true
			continue
		case string:
			if depth == 1 && isKey {
				key, isKey = x, false
				continue
			}
		}
		if depth == 1 {
			if key == name {
				values = append(values, fmt.Sprint(tok))
			}
			isKey = true
		}
	}
}

// serverFits compares with the tools of an MCP server.
func (t *trial) serverFits(p permission, byInput degree) degree {
	if t.call.MCP == nil {
		return misses
	}
	names := []string{"mcp__" + serverName(t.call.MCP.Server) + "__" + t.call.MCP.Tool}
	if strings.HasPrefix(t.call.RawTool, "mcp__") {
		names = append(names, t.call.RawTool)
	}
	for _, name := range names {
		if !starMatch(p.tool, name) && !strings.HasPrefix(name, p.tool+"__") {
			continue
		}
		if p.spec == "" {
			return fitsAll
		}
		return byInput
	}
	return misses
}

// serverName spells a server as it stands in the name of a tool.
func serverName(name string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, name)
}

// hostFits compares with the host of a fetch. What a command fetches from
// there comes by another tool than the rule names.
func (t *trial) hostFits(want string) degree {
	if t.call.URL != "" {
		switch host := hostOf(t.call.URL); {
		case host == "":
			return mayFit
		case hostMatch(want, host):
			return fitsAll
		}
	}
	for _, e := range t.report.Effects {
		if (e.Kind == shell.Fetch || e.Kind == shell.Send) && hostMatch(want, hostOf(e.Target)) {
			return mayFit
		}
	}
	return misses
}

// hostMatch compares a host with a pattern whose * stands for a part of one
// label, or at the beginning for any labels.
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

// starMatch compares a text with a pattern whose * stands for any text and \*
// for a star.
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
func (t *trial) commandFits(p permission) degree {
	line := strings.Join(strings.Fields(t.call.Command), " ")
	if line == "" {
		return misses
	}
	w := newWanted(p.spec)
	best := misses
	if starMatch(p.spec, line) || w.open && (line == w.prefix || strings.HasPrefix(line, w.prefix+" ")) {
		return fitsAll
	}
	for i, c := range t.report.Commands {
		best = max(best, w.fits(c, t.hasUnknown(i)))
	}
	if len(t.report.Commands) == 0 && len(w.words) > 0 && strings.Contains(line, w.words[0]) {
		return mayFit // a line that nod cannot read
	}
	return best
}

// wanted is the command of a permission rule.
type wanted struct {
	spec, prefix string
	words        []string // of the prefix
	open         bool     // ends in ":*" or " *", and holds no other star
	exact        bool     // holds no star
	colon        bool     // ends in ":*"
}

func newWanted(spec string) wanted {
	w := wanted{spec: spec, colon: strings.HasSuffix(spec, ":*")}
	w.prefix, w.open = openEnd(spec)
	if len(stars(w.prefix)) > 1 {
		w.open = false
	}
	w.exact = !w.open && len(stars(spec)) == 1
	words, ok := splitWords(w.prefix)
	if !ok {
		words = strings.Fields(w.prefix)
	}
	w.words = words
	return w
}

// fits compares with one simple command. carries says that its program is not
// known and may run its arguments.
func (w wanted) fits(c shell.Command, carries bool) degree {
	texts, known := spelledOut(c)
	for _, text := range texts {
		if starMatch(w.spec, text) || w.open && (text == w.prefix || strings.HasPrefix(text, w.prefix+" ")) {
			return fitsAll
		}
	}
	if len(w.words) == 0 {
		return misses
	}
	if slices.ContainsFunc(c.Wrappers, func(name string) bool { return path.Base(name) == path.Base(w.words[0]) }) {
		if len(w.words) == 1 && w.open {
			return fitsAll
		}
		return mayFit
	}
	best := misses
	for i := range c.Words {
		fit := w.starts(c.Words[i:])
		if i > 0 {
			fit = min(fit, mayFit)
		}
		if best = max(best, fit); !carries {
			break
		}
	}
	if best == misses && !known && !w.open && !w.exact && w.begins(texts) {
		return mayFit
	}
	return best
}

// spelledOut are the ways to write a command. known is false where a word is
// not constant; the texts then end before it, but for the one as written.
func spelledOut(c shell.Command) (texts []string, known bool) {
	var words []string
	known = true
	for _, word := range c.Words {
		if known = known && word.Known; !known {
			break
		}
		words = append(words, word.Value)
	}
	texts = []string{strings.Join(strings.Fields(c.Source), " ")}
	if len(words) == 0 {
		return texts, known
	}
	texts = append(texts, strings.Join(words, " "))
	words = slices.Clone(words)
	words[0] = path.Base(words[0])
	return append(texts, strings.Join(words, " ")), known
}

// begins reports whether what is known of a command may be how a pattern with
// stars begins.
func (w wanted) begins(texts []string) bool {
	first := stars(w.spec)[0]
	return slices.ContainsFunc(texts[1:], func(text string) bool {
		return strings.HasPrefix(first, text) || strings.HasPrefix(text, first)
	})
}

// starts reports whether words are the rule's command: the same program, then
// the rule's words in their order, with options between them, and the rule's
// own options anywhere. A rule without a star wants nothing else.
func (w wanted) starts(words []shell.Word) degree {
	if !words[0].Known || words[0].Value != w.words[0] && path.Base(words[0].Value) != w.words[0] {
		return misses
	}
	if w.exact {
		return equalWords(w.words, words)
	}
	if !w.open {
		return misses
	}
	rest, unknown := words[1:], slices.ContainsFunc(words, func(x shell.Word) bool { return !x.Known })
	for i, want := range w.words[1:] {
		if strings.HasPrefix(want, "-") {
			if !hasWord(want, words[1:]) {
				return orUnknown(unknown)
			}
			continue
		}
		n, fit := w.next(rest, want, i == len(w.words)-2)
		if fit != fitsAll {
			return fit
		}
		rest = rest[n:]
	}
	return fitsAll
}

func orUnknown(unknown bool) degree {
	if unknown {
		return mayFit
	}
	return misses
}

func equalWords(want []string, words []shell.Word) degree {
	if len(want) != len(words) {
		return misses
	}
	fit := fitsAll
	for i, w := range want {
		switch got := words[i]; {
		case !got.Known:
			fit = mayFit
		case got.Value != w && (i > 0 || path.Base(got.Value) != w):
			return misses
		}
	}
	return fit
}

// next looks for a word behind options and what may be their values. n is how
// many words that took.
func (w wanted) next(words []shell.Word, want string, last bool) (n int, fit degree) {
	value := false
	for i, got := range words {
		switch {
		case !got.Known:
			return 0, mayFit
		case got.Value == want, last && w.colon && strings.HasPrefix(got.Value, want+":"):
			return i + 1, fitsAll
		case strings.HasPrefix(got.Value, "-"):
			value = !strings.Contains(got.Value, "=")
		case value:
			value = false
		default:
			return 0, misses
		}
	}
	return 0, misses
}
