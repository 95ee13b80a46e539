package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/variables"
	"mvdan.cc/sh/v3/syntax"
)

// makefile is what is read of a Makefile: a plain subset of the language of
// GNU make. Anything else in the file makes it unreadable as a whole, since a
// line anywhere can change what a target runs.
type makefile struct {
	vars    []variable
	rules   []rule
	phony   []string
	first   string // the target that make takes by itself
	bash    bool   // SHELL names bash
	found   string // SHELL looks for it in PATH
	shelled []string
	// inherited reports whether the environment may hold a variable.
	inherited func(name string) bool
	steps     int // variables looked up so far
}

type variable struct {
	name, text string
	fixed      bool // given on the command line
	opaque     bool // a value that is not known
}

type rule struct {
	target  string
	prereqs []string
	recipe  []recipeLine
	has     bool // a recipe was given, if an empty one
}

type recipeLine struct {
	text string
	line int
}

// makeCall is a call of make.
type makeCall struct {
	dir, file string
	targets   []string
	vars      []variable
	ok        bool
}

// makeTargets walks the recipes that make would run.
func (a *analysis) makeTargets(inv *invocation) (done bool) {
	c := a.makeArguments(inv)
	if c.dir == "" {
		a.define("make", "")
		return false
	}
	file := a.makeFile(c)
	real, data, ok := a.defined(file)
	if !ok {
		return false
	}
	c.ok = c.ok && a.settledFile(real) && !a.throughLinks(file) && a.plainMake(c, file, inv) && len(data) <= grammar.MaxBytes && a.afford(string(data))
	var m makefile
	if c.ok {
		m.vars, m.inherited = slices.Clone(c.vars), a.mayInherit
		c.ok = m.parse(string(data))
	}
	mark := a.mark()
	if !c.ok || !a.makeRun(&m, c, file, inv) {
		a.rollback(mark)
		a.namedFiles(path.Dir(file), []string{string(data)}, 0)
		return false
	}
	return true
}

func (a *analysis) mayInherit(name string) bool {
	_, ok := a.inherits(name)
	return ok || a.env.Lookup == nil
}

// makeArguments reads the arguments. ok is false where some are not followed,
// dir is "" where even the Makefile is not known.
func (a *analysis) makeArguments(inv *invocation) (c makeCall) {
	c.dir, c.ok = inv.st.dir, true
	for i := 0; i < len(inv.args); i++ {
		w := inv.args[i]
		if !w.known || w.many || w.glob > 0 {
			c.ok = false
			if strings.HasPrefix(w.text, "-") || w.text == "" {
				c.dir = ""
				return c
			}
			continue
		}
		name, value, assigned := strings.Cut(w.text, "=")
		switch {
		case w.text == "-C" || w.text == "-f":
			if i++; i >= len(inv.args) || !inv.args[i].known || inv.args[i].text == "" || inv.args[i].text == "-" || c.file != "" && w.text == "-f" {
				c.dir = ""
				return c
			}
			if w.text == "-f" {
				c.file = inv.args[i].text
			} else {
				c.dir = below(c.dir, inv.args[i].text)
			}
		case quietMake(w.text):
		case w.text == "-j" || w.text == "-l":
			if i+1 < len(inv.args) && inv.args[i+1].known && inv.args[i+1].isNumber() {
				i++
			}
		case strings.HasPrefix(w.text, "-"):
			c.ok = false
			if placesMake(w.text) {
				c.dir = ""
				return c
			}
		case assigned:
			if !makeName(name) || strings.ContainsAny(value, "$") || specialMake(name) {
				c.ok = false
				continue
			}
			a.exported(name, constant(value), w.raw, nil)
			c.vars = append(c.vars, variable{name: name, text: value, fixed: true})
		default:
			c.targets = append(c.targets, w.text)
		}
	}
	return c
}

// below is a name as seen from a directory.
func below(dir, name string) string {
	if path.IsAbs(name) {
		return name
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}

func quietMake(option string) bool {
	switch option {
	case "-s", "--silent", "--quiet", "-k", "-B", "-w", "--no-print-directory", "--print-directory", "-j1", "-j2", "-j4", "-j8", "-j16", "-i", "--keep-going", "--always-make":
		return true
	}
	return false
}

// placesMake recognises options after which another file counts.
func placesMake(option string) bool {
	for _, prefix := range [...]string{"-C", "-f", "-I", "--directory", "--file", "--makefile", "--include", "--eval", "-E", "--dir", "--fil", "--mak"} {
		if strings.HasPrefix(option, prefix) {
			return true
		}
	}
	return !strings.HasPrefix(option, "--") && strings.ContainsAny(option, "fCIE")
}

// makeFile is the file that make reads: the first of three names.
func (a *analysis) makeFile(c makeCall) string {
	if c.file != "" {
		return below(c.dir, c.file)
	}
	start := strings.TrimSuffix(c.dir, "/") + "/"
	for _, name := range [...]string{"GNUmakefile", "makefile"} {
		if a.exists(start + name) {
			return start + name
		}
		a.watch(start + name)
	}
	return start + "Makefile"
}

// plainMake reports whether nothing around the Makefile changes what it says:
// the environment, or rules of make's own that would make it anew.
func (a *analysis) plainMake(c makeCall, file string, inv *invocation) bool {
	for _, name := range [...]string{"MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "MAKELEVEL", "MAKESHELL"} {
		if text, ok := a.inherits(name); ok && text != "" || inv.st.lookup(name) != nil {
			return false
		}
	}
	base, dir := path.Base(file), path.Dir(path.Clean(file))
	for _, rule := range [...]string{base + ".", base + ",v", "s." + base, "RCS", "SCCS"} { // make makes its file by these
		a.watches(watched{path: below(dir, rule), command: a.command, begins: true})
	}
	names, err := a.env.Files.List(dir, 4096)
	return err == nil && !slices.ContainsFunc(names, func(n string) bool {
		return strings.HasPrefix(n, base+".") || strings.HasPrefix(n, base+",") || n == "s."+base || n == "RCS" || n == "SCCS"
	})
}

// makeRun walks the recipes of the targets and of what they need.
func (a *analysis) makeRun(m *makefile, c makeCall, file string, inv *invocation) bool {
	if len(c.targets) == 0 {
		c.targets = []string{m.first}
	}
	if !plainTargets(c.targets) {
		return false
	}
	for _, text := range m.shelled { // run while the file is read
		if !a.makeText(m, c, file, recipeLine{text, 1}, inv) {
			return false
		}
	}
	for _, v := range m.vars {
		if _, inherited := a.inherits(v.name); inherited && !v.fixed { // make hands it on
			a.exported(v.name, value{text: v.text, known: !v.opaque}, v.name, nil)
		}
	}
	var done []string
	for len(c.targets) > 0 {
		target := c.targets[0]
		c.targets = c.targets[1:]
		if slices.Contains(done, target) {
			continue
		}
		done = append(done, target)
		needs, recipe, ok := m.find(target)
		if !ok || len(done) > 256 {
			return false
		}
		c.targets = append(c.targets, needs...)
		for _, l := range recipe {
			text, ok := m.recipeText(l.text, target, needs)
			if !ok || !a.makeText(m, c, file, recipeLine{text, l.line}, inv) {
				return false
			}
		}
	}
	return true
}

// makeText walks one line of a recipe.
func (a *analysis) makeText(m *makefile, c makeCall, file string, l recipeLine, inv *invocation) bool {
	if strings.TrimSpace(l.text) == "" {
		return true
	}
	langs := grammar.Shells("sh")
	if m.bash {
		langs = []syntax.LangVariant{syntax.LangBash}
	}
	st := state{dir: path.Clean(c.dir)}
	if b := inv.st.lookup("PATH"); b != nil {
		st = st.assign("PATH", b.value)
	}
	if m.found != "" && a.suspect(m.found, st) {
		return false
	}
	if strings.Contains(l.text, "make") && len(c.vars) > 0 {
		return false // what is given to make is handed on to make
	}
	return a.readText(passage{file: file, text: l.text, langs: langs, line: l.line}, st, inv)
}

// find returns what a target needs and its recipe. A target without a recipe
// that is not phony could be made by a rule of make's own.
func (m *makefile) find(target string) (needs []string, recipe []recipeLine, ok bool) {
	found, has := false, false
	for _, r := range m.rules {
		if r.target != target {
			continue
		}
		if has && r.has {
			return nil, nil, false
		}
		found, has = true, has || r.has
		needs = append(needs, r.prereqs...)
		recipe = append(recipe, r.recipe...)
	}
	return needs, recipe, found && (has || slices.Contains(m.phony, target)) || slices.Contains(m.phony, target)
}

// parse reads the whole file; false where it holds anything but the plain
// subset.
func (m *makefile) parse(text string) bool {
	if strings.ContainsAny(text, "\r\x00") || strings.HasPrefix(text, "\uFEFF") {
		return false
	}
	lines := strings.Split(text, "\n")
	var open []int // the rules that a recipe line belongs to
	for i := 0; i < len(lines); i++ {
		start := i + 1
		line := lines[i]
		if strings.HasSuffix(line, `\\`) {
			return false // an even number of backslashes goes on nowhere
		}
		for strings.HasSuffix(line, "\\") && i+1 < len(lines) {
			i++
			next := lines[i]
			if strings.HasSuffix(next, `\\`) {
				return false
			}
			if line[0] == '\t' {
				line += "\n" + strings.TrimPrefix(next, "\t")
				continue
			}
			line = strings.TrimRight(strings.TrimSuffix(line, "\\"), " \t") + " " + strings.TrimLeft(next, " \t")
		}
		if strings.HasSuffix(line, "\\") {
			return false
		}
		switch {
		case strings.HasPrefix(line, "\t"):
			if open == nil {
				return false
			}
			for _, r := range open {
				m.rules[r].recipe = append(m.rules[r].recipe, recipeLine{line[1:], start})
				m.rules[r].has = true
			}
		case strings.TrimSpace(line) == "" || strings.TrimSpace(line)[0] == '#':
		default:
			var ok bool
			if open, ok = m.statement(line, start); !ok {
				return false
			}
		}
	}
	return true
}

// statement reads an assignment or the head of a rule, and returns the rules
// that recipe lines behind it belong to.
func (m *makefile) statement(line string, number int) (open []int, ok bool) {
	if strings.HasPrefix(line, " ") {
		return nil, false
	}
	if i := strings.IndexByte(line, '#'); i >= 0 {
		if i > 0 && line[i-1] == '\\' || strings.IndexByte(line[:i], ';') >= 0 {
			return nil, false // a recipe behind ; has no comments of make's
		}
		line = line[:i]
	}
	name, op, text, ok := makeAssignment(line)
	if ok {
		return nil, m.assign(name, op, text)
	}
	head, rest, ok := strings.Cut(line, ":")
	first := strings.FieldsFunc(head, func(r rune) bool { return r <= ' ' })
	if !ok || len(first) == 0 || makeKeyword(first[0]) || strings.ContainsAny(rest, ":=|") || strings.ContainsAny(line, "%&*?[~!") {
		return nil, false
	}
	needsText, recipe, inline := strings.Cut(rest, ";")
	targets, ok1 := m.words(head)
	needs, ok2 := m.words(needsText)
	if !ok1 || !ok2 || len(targets) == 0 || !plainTargets(targets) || !plainTargets(needs) {
		return nil, false
	}
	if slices.ContainsFunc(targets, func(t string) bool { return t[0] == '.' && !strings.Contains(t, "/") }) {
		switch {
		case len(targets) > 1 || inline:
			return nil, false
		case targets[0] == ".PHONY":
			m.phony = append(m.phony, needs...)
			return nil, true
		}
		return nil, len(needs) == 0 && (targets[0] == ".SILENT" || targets[0] == ".NOTPARALLEL")
	}
	for _, t := range targets {
		if path.Base(t) == "Makefile" || path.Base(t) == "makefile" || path.Base(t) == "GNUmakefile" {
			return nil, false
		}
		if m.first == "" && (t[0] != '.' || strings.Contains(t, "/")) {
			m.first = t
		}
		r := rule{target: t, prereqs: needs, has: inline}
		if inline {
			r.recipe = []recipeLine{{strings.TrimLeft(recipe, " \t"), number}}
		}
		open = append(open, len(m.rules))
		m.rules = append(m.rules, r)
	}
	return open, len(m.rules) < 4096
}

// plainTargets reports whether names are what make takes them for without a
// thought: none that it writes anew (./all is all), and no sign of its own.
func plainTargets(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return name != path.Clean(name) || strings.HasPrefix(name, "..") || strings.HasPrefix(name, "-") || strings.Trim(name, plainTarget) != ""
	})
}

const plainTarget = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+@,"

// makeKeyword recognises lines that are neither rules nor assignments.
func makeKeyword(word string) bool {
	switch word {
	case "include", "-include", "sinclude", "define", "endef", "ifeq", "ifneq", "ifdef", "ifndef", "else", "endif", "export", "unexport", "override", "private", "vpath", "undefine", "load", "-load":
		return true
	}
	return false
}

// makeAssignment splits NAME := text. ok is false for anything else.
func makeAssignment(line string) (name, op, text string, ok bool) {
	eq := strings.IndexByte(line, '=')
	if eq < 1 {
		return "", "", "", false
	}
	start := eq
	for start > 0 && strings.IndexByte(":?+!", line[start-1]) >= 0 {
		start--
	}
	name = strings.TrimRight(line[:start], " \t")
	return name, line[start : eq+1], strings.TrimLeft(line[eq+1:], " \t"), makeName(name)
}

func makeName(name string) bool {
	for i := 0; i < len(name); i++ {
		if !grammar.Letter(name[i]) && name[i] != '-' && name[i] != '.' {
			return false
		}
	}
	return name != ""
}

// specialMake recognises variables that change how make works.
func specialMake(name string) bool {
	switch name {
	case "SHELL", "MAKE", "MAKEFLAGS", "MFLAGS", "MAKEFILES", "MAKEFILE_LIST", "MAKEOVERRIDES", "MAKECMDGOALS", "MAKELEVEL", "VPATH", "GPATH", "CURDIR", "SUFFIXES", "PATH", "HOME", "GNUMAKEFLAGS", "MAKESHELL", "COMSPEC":
		return true
	}
	return strings.HasPrefix(name, ".")
}

// assign binds a variable.
func (m *makefile) assign(name, op, text string) bool {
	switch name {
	case "SHELL", ".SHELLFLAGS", ".DEFAULT_GOAL":
		if op != "=" && op != ":=" && op != "::=" {
			return false
		}
	}
	switch name {
	case "SHELL":
		m.bash = strings.HasSuffix(text, "bash")
		_, m.found, _ = strings.Cut(text, " ")
		switch text {
		case "/bin/sh", "/usr/bin/sh", "/bin/bash", "/usr/bin/bash", "/usr/bin/env bash":
			return true
		}
		return false
	case ".SHELLFLAGS":
		switch text {
		case "-c", "-ec", "-euc", "-eu -c", "-e -c", "-euo pipefail -c", "-eu -o pipefail -c", "-e -u -o pipefail -c":
			return true
		}
		return false
	case ".DEFAULT_GOAL":
		m.first = text
		return makeName(text)
	}
	if specialMake(name) || variables.Of(name) == variables.BreaksShell {
		return false
	}
	v := variable{name: name, text: text}
	old := m.lookup(name)
	switch op {
	case "=":
	case ":=", "::=":
		var ok bool
		if v.text, ok = m.expand(text, 0); !ok {
			v.opaque = true
			if !m.computed(text) {
				return false
			}
		} else if strings.Contains(v.text, "$") {
			return false // it would be expanded again
		}
	case "+=":
		if old == nil || old.opaque || strings.Contains(text, "$") {
			return false
		}
		v.text = old.text + " " + text
	case "?=":
		if old != nil {
			return true
		}
		v.opaque = m.inherited(name)
	default:
		return false
	}
	if old != nil && old.fixed {
		return true // the command line wins
	}
	m.vars = append(m.vars, v)
	return len(m.vars) < 4096
}

// computed takes a value that make computes at once: by a shell, whose text is
// kept to be walked, or by functions that only look at text and names.
func (m *makefile) computed(text string) bool {
	if inner, ok := strings.CutPrefix(text, "$(shell "); ok && strings.HasSuffix(inner, ")") {
		body := strings.TrimSuffix(inner, ")")
		if strings.Contains(body, "$") || strings.Count(body, "(") != strings.Count(body, ")") {
			return false
		}
		m.shelled = append(m.shelled, body)
		return len(m.shelled) < 64
	}
	inner, ok := strings.CutPrefix(text, "$(wildcard ")
	return ok && strings.HasSuffix(inner, ")") && !strings.Contains(inner, "$")
}

// lookup returns the newest binding.
func (m *makefile) lookup(name string) *variable {
	for i := len(m.vars) - 1; i >= 0; i-- {
		if m.vars[i].name == name {
			return &m.vars[i]
		}
	}
	return nil
}

// expand replaces the variables of a text. ok is false where it holds one
// that the file does not define, or a function.
func (m *makefile) expand(text string, depth int) (string, bool) {
	if strings.IndexByte(text, '$') < 0 {
		return text, true
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' {
			b.WriteByte(text[i])
			continue
		}
		name, n := makeReference(text[i+1:])
		i += n
		m.steps++
		switch v := m.lookup(name); {
		case name == "$":
			b.WriteByte('$')
		case name == "MAKE":
			b.WriteString("make")
		case v == nil || v.opaque || depth > 8 || b.Len() > grammar.MaxBytes || m.steps > 4*maxWork:
			return "", false
		default:
			inner, ok := m.expand(v.text, depth+1)
			if v.fixed {
				inner, ok = v.text, true
			}
			if !ok || len(inner) > grammar.MaxBytes {
				return "", false
			}
			b.WriteString(inner)
		}
	}
	return b.String(), b.Len() <= grammar.MaxBytes
}

// makeReference reads what follows a dollar sign: the name, and how many
// bytes it takes. An empty name is one that is not followed.
func makeReference(s string) (name string, n int) {
	switch {
	case s == "":
		return "", 0
	case s[0] == '(' || s[0] == '{':
		end := strings.IndexByte(s, ")}"[strings.IndexByte("({", s[0])])
		if end < 0 || !makeName(s[1:end]) {
			return "", len(s)
		}
		return s[1:end], end + 1
	}
	return s[:1], 1
}

func (m *makefile) words(text string) ([]string, bool) {
	expanded, ok := m.expand(text, 0)
	if !ok || strings.ContainsAny(expanded, "%:=*?[~\\$|") {
		return nil, false
	}
	return strings.Fields(expanded), true
}

// recipeText is one line of a recipe as make hands it to the shell.
func (m *makefile) recipeText(text, target string, needs []string) (string, bool) {
	first := ""
	if len(needs) > 0 {
		first = needs[0]
	}
	auto := makefile{steps: m.steps, vars: append(slices.Clip(m.vars), variable{name: "@", text: target, fixed: true}, variable{name: "<", text: first, fixed: true}, variable{name: "^", text: strings.Join(needs, " "), fixed: true})}
	text, ok := auto.expand(text, 0)
	m.steps = auto.steps
	return strings.TrimLeft(text, "@+- \t"), ok
}
