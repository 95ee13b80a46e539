package recipe

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/variables"
)

// maxSteps bounds how many variables of one file are looked up.
const maxSteps = 4096

// Makefile is what is read of a Makefile: a plain subset of the language of
// GNU make. Anything else in the file makes it unreadable as a whole, since a
// line anywhere can change what a target runs.
type Makefile struct {
	Vars    []variable
	rules   []rule
	phony   []string
	First   string // the target that make takes by itself
	Bash    bool   // SHELL names bash
	Found   string // SHELL looks for it in PATH
	Shelled []string
	// inherited reports whether the environment may hold a variable.
	inherited func(name string) bool
	steps     int // variables looked up so far
}

type variable struct {
	Name, Text string
	Raw        string // as it was given on the command line
	Fixed      bool   // given on the command line
	Opaque     bool   // a value that is not known
}

type rule struct {
	target  string
	prereqs []string
	recipe  []Line
	has     bool // a recipe was given, if an empty one
}

type Line struct {
	Text string
	Line int
}

// MakeCall is a call of make.
type MakeCall struct {
	Dir, File string
	Targets   []string
	Vars      []variable
	OK        bool
}

// MakeArguments reads the arguments of a make that is started in a directory. ok is false where some are not followed,
// dir is "" where even the Makefile is not known.
func MakeArguments(dir string, args []Arg) (c MakeCall) {
	c.Dir, c.OK = dir, true
	for i := 0; i < len(args); i++ {
		w := args[i]
		if !w.Known {
			c.OK = false
			if strings.HasPrefix(w.Text, "-") || w.Text == "" {
				c.Dir = ""
				return c
			}
			continue
		}
		name, value, assigned := strings.Cut(w.Text, "=")
		switch {
		case w.Text == "-C" || w.Text == "-f":
			if i++; i >= len(args) || !args[i].Known || args[i].Text == "" || args[i].Text == "-" ||
				c.File != "" && w.Text == "-f" {
				c.Dir = ""
				return c
			}
			if w.Text == "-f" {
				c.File = args[i].Text
			} else {
				c.Dir = Below(c.Dir, args[i].Text)
			}
		case quietMake(w.Text):
		case w.Text == "-j" || w.Text == "-l":
			if i+1 < len(args) && args[i+1].Known && integerText(args[i+1].Text) {
				i++
			}
		case strings.HasPrefix(w.Text, "-"):
			c.OK = false
			if placesMake(w.Text) {
				c.Dir = ""
				return c
			}
		case assigned:
			if !makeName(name) || strings.ContainsAny(value, "$") || specialMake(name) {
				c.OK = false
				continue
			}
			c.Vars = append(c.Vars, variable{Name: name, Text: value, Raw: w.Raw, Fixed: true})
		default:
			c.Targets = append(c.Targets, w.Text)
		}
	}
	return c
}

// integerText reports whether a text is an integer, or nothing.
func integerText(s string) bool {
	return strings.Trim(strings.TrimPrefix(s, "-"), "0123456789") == ""
}

// Below is a name as seen from a directory.
func Below(dir, name string) string {
	if path.IsAbs(name) {
		return name
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}

func quietMake(option string) bool {
	switch option {
	case "-s", "--silent", "--quiet", "-k", "-B", "-w", "--no-print-directory", "--print-directory", "-j1", "-j2",
		"-j4", "-j8", "-j16", "-i", "--keep-going", "--always-make":
		return true
	}
	return false
}

// placesMake recognises options after which another file counts.
func placesMake(option string) bool {
	for _, prefix := range [...]string{"-C", "-f", "-I", "--directory", "--file", "--makefile", "--include", "--eval",
		"-E", "--dir", "--fil", "--mak"} {
		if strings.HasPrefix(option, prefix) {
			return true
		}
	}
	return !strings.HasPrefix(option, "--") && strings.ContainsAny(option, "fCIE")
}

// Find returns what a target needs and its recipe. A target without a recipe
// that is not phony could be made by a rule of make's own.
func (m *Makefile) Find(target string) (needs []string, recipe []Line, ok bool) {
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

// ParseMakefile reads a Makefile, with what the command line sets.
func ParseMakefile(text string, vars []variable, inherited func(name string) bool) (m Makefile, ok bool) {
	m.Vars, m.inherited = vars, inherited
	return m, m.parse(text)
}

// parse reads the whole file; false where it holds anything but the plain
// subset.
func (m *Makefile) parse(text string) bool {
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
				m.rules[r].recipe = append(m.rules[r].recipe, Line{line[1:], start})
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
func (m *Makefile) statement(line string, number int) (open []int, ok bool) {
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
	if !ok || len(first) == 0 || makeKeyword(first[0]) || strings.ContainsAny(rest, ":=|") ||
		strings.ContainsAny(line, "%&*?[~!") {
		return nil, false
	}
	needsText, recipe, inline := strings.Cut(rest, ";")
	targets, ok1 := m.words(head)
	needs, ok2 := m.words(needsText)
	if !ok1 || !ok2 || len(targets) == 0 || !PlainTargets(targets) || !PlainTargets(needs) {
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
		if m.First == "" && (t[0] != '.' || strings.Contains(t, "/")) {
			m.First = t
		}
		r := rule{target: t, prereqs: needs, has: inline}
		if inline {
			r.recipe = []Line{{strings.TrimLeft(recipe, " \t"), number}}
		}
		open = append(open, len(m.rules))
		m.rules = append(m.rules, r)
	}
	return open, len(m.rules) < 4096
}

// PlainTargets reports whether names are what make takes them for without a
// thought: none that it writes anew (./all is all), and no sign of its own.
func PlainTargets(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return name != path.Clean(name) || strings.HasPrefix(name, "..") || strings.HasPrefix(name, "-") ||
			strings.Trim(name, plainTarget) != ""
	})
}

const plainTarget = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+@,"

// makeKeyword recognises lines that are neither rules nor assignments.
func makeKeyword(word string) bool {
	switch word {
	case "include", "-include", "sinclude", "define", "endef", "ifeq", "ifneq", "ifdef", "ifndef", "else", "endif",
		"export", "unexport", "override", "private", "vpath", "undefine", "load", "-load":
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
	case "SHELL", "MAKE", "MAKEFLAGS", "MFLAGS", "MAKEFILES", "MAKEFILE_LIST", "MAKEOVERRIDES", "MAKECMDGOALS",
		"MAKELEVEL", "VPATH", "GPATH", "CURDIR", "SUFFIXES", "PATH", "HOME", "GNUMAKEFLAGS", "MAKESHELL", "COMSPEC":
		return true
	}
	return strings.HasPrefix(name, ".")
}

// assign binds a variable.
func (m *Makefile) assign(name, op, text string) bool {
	switch name {
	case "SHELL", ".SHELLFLAGS", ".DEFAULT_GOAL":
		return (op == "=" || op == ":=" || op == "::=") && m.heed(name, text)
	}
	if specialMake(name) || variables.Of(name) == variables.BreaksShell {
		return false
	}
	v := variable{Name: name, Text: text}
	old := m.lookup(name)
	if op == "?=" && old != nil {
		return true
	}
	if !m.value(&v, op, old) {
		return false
	}
	if old != nil && old.Fixed {
		return true // the command line wins
	}
	m.Vars = append(m.Vars, v)
	return len(m.Vars) < 4096
}

// heed takes a variable that make itself heeds.
func (m *Makefile) heed(name, text string) bool {
	switch name {
	case "SHELL":
		m.Bash = strings.HasSuffix(text, "bash")
		_, m.Found, _ = strings.Cut(text, " ")
		switch text {
		case "/bin/sh", "/usr/bin/sh", "/bin/bash", "/usr/bin/bash", "/usr/bin/env bash":
			return true
		}
	case ".SHELLFLAGS":
		switch text {
		case "-c", "-ec", "-euc", "-eu -c", "-e -c", "-euo pipefail -c", "-eu -o pipefail -c", "-e -u -o pipefail -c":
			return true
		}
	case ".DEFAULT_GOAL":
		m.First = text
		return makeName(text)
	}
	return false
}

// value gives v what an assignment by op makes of it. old is the variable so far.
func (m *Makefile) value(v *variable, op string, old *variable) bool {
	switch op {
	case "=":
		return true
	case ":=", "::=":
		text := v.Text
		var ok bool
		if v.Text, ok = m.expand(text, 0); !ok {
			v.Opaque = true
			return m.computed(text)
		}
		return !strings.Contains(v.Text, "$") // it would be expanded again
	case "+=":
		if old == nil || old.Opaque || strings.Contains(v.Text, "$") {
			return false
		}
		v.Text = old.Text + " " + v.Text
		return true
	case "?=":
		v.Opaque = m.inherited(v.Name)
		return true
	}
	return false
}

// computed takes a value that make computes at once: by a shell, whose text is
// kept to be walked, or by functions that only look at text and names.
func (m *Makefile) computed(text string) bool {
	if inner, ok := strings.CutPrefix(text, "$(shell "); ok && strings.HasSuffix(inner, ")") {
		body := strings.TrimSuffix(inner, ")")
		if strings.Contains(body, "$") || strings.Count(body, "(") != strings.Count(body, ")") {
			return false
		}
		m.Shelled = append(m.Shelled, body)
		return len(m.Shelled) < 64
	}
	inner, ok := strings.CutPrefix(text, "$(wildcard ")
	return ok && strings.HasSuffix(inner, ")") && !strings.Contains(inner, "$")
}

// lookup returns the newest binding.
func (m *Makefile) lookup(name string) *variable {
	for i := len(m.Vars) - 1; i >= 0; i-- {
		if m.Vars[i].Name == name {
			return &m.Vars[i]
		}
	}
	return nil
}

// expand replaces the variables of a text. ok is false where it holds one
// that the file does not define, or a function.
func (m *Makefile) expand(text string, depth int) (string, bool) {
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
		case v == nil || v.Opaque || depth > 8 || b.Len() > grammar.MaxBytes || m.steps > 4*maxSteps:
			return "", false
		default:
			inner, ok := m.expand(v.Text, depth+1)
			if v.Fixed {
				inner, ok = v.Text, true
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

func (m *Makefile) words(text string) ([]string, bool) {
	expanded, ok := m.expand(text, 0)
	if !ok || strings.ContainsAny(expanded, "%:=*?[~\\$|") {
		return nil, false
	}
	return strings.Fields(expanded), true
}

// Expanded is one line of a recipe as make hands it to the shell.
func (m *Makefile) Expanded(text, target string, needs []string) (string, bool) {
	first := ""
	if len(needs) > 0 {
		first = needs[0]
	}
	auto := Makefile{steps: m.steps, Vars: append(slices.Clip(m.Vars), variable{Name: "@", Text: target, Fixed: true},
		variable{Name: "<", Text: first, Fixed: true},
		variable{Name: "^", Text: strings.Join(needs, " "), Fixed: true})}
	text, ok := auto.expand(text, 0)
	m.steps = auto.steps
	return strings.TrimLeft(text, "@+- \t"), ok
}
