package shell

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// inherits returns an inherited variable.
func (m *machine) inherits(name string) (string, bool) {
	if m.env.Lookup == nil {
		return "", false
	}
	return m.env.Lookup(name)
}

// exported reports a variable that a command inherits from the line, unless what it
// changes is known: what is printed, at most.
func (d *draft) exported(name string, v value, raw string) {
	if d.machine.plainVariable(name, v) {
		return
	}
	d.unknown(PartAssignment, raw,
		"this sets "+grammar.Escaped(name)+", and nod does not know what that makes the command do")
}

// assignment reads one assignment, and reports what it changes beyond a variable: names
// in capitals may be those of the shell or of programs, and zsh has some others.
func (a *analysis) assignment(as *syntax.Assign, st state) {
	if !grammar.PlainAssign(as) {
		a.unfollowed(as, "an assignment of this kind")
		a.within(as, st, input{})
		return
	}
	name, v := as.Name.Value, a.assigned(as, st)
	if _, exported := a.machine.inherits(name); a.machine.plainVariable(name, v) ||
		!exported && name[0] != '_' && strings.ToLower(name) == name && !a.machine.variableIs("shells-own", name) &&
			!strings.HasPrefix(name, "zle_") && !strings.HasPrefix(name, "zsh_") && !strings.HasPrefix(name, "dis_") {
		return
	}
	a.out.unknown(PartAssignment, a.now.raw(as),
		"this sets "+grammar.Escaped(name)+", and nod does not know what that changes")
}

// assigned is the value of an assignment: no splitting, no globs, and a
// tilde after a colon is expanded (such a value is left unknown).
func (a *analysis) assigned(as *syntax.Assign, st state) value {
	if as.Value == nil {
		return value{known: true}
	}
	w := a.single(as.Value, st)
	if w.glob = 0; strings.Contains(w.raw, "~") {
		return value{}
	}
	return w.value
}

// plainVariable reports whether a variable with this value changes what programs print, at most.
func (m *machine) plainVariable(name string, v value) bool {
	is := func(list string) bool { return v.known && m.variableIs(list, name) }
	return m.variableIs("plain-variables", name) || is("locale") && plainLocale(v.text) ||
		is("pagers") && (v.text == "" || v.text == "cat") || is("editors") && (v.text == "true" || v.text == ":")
}

// variableIs reports whether a list of the sheet of env names a variable.
func (m *machine) variableIs(list, name string) bool {
	s, ok := m.sheet("env")
	return ok && lists(s.all, list, name)
}

// plainLocale reports whether a locale has the characters in which nod reads. In those of others a byte below 0x80 may
// be part of a letter: of GBK, Shift_JIS and Big5 a backslash (bash 5.2 and 3.2, GNU sed 4.9).
func plainLocale(text string) bool {
	text = strings.ToLower(text)
	return text == "c" || text == "posix" || !strings.Contains(text, "/") &&
		(strings.HasSuffix(text, ".utf-8") || strings.HasSuffix(text, ".utf8"))
}

// secretVariable reports whether a variable of that name usually holds a secret.
func (m *machine) secretVariable(name string) bool {
	upper := strings.ToUpper(name)
	env, ok := m.sheet("env")
	holds := func(part string) bool { return strings.Contains(upper, part) }
	if !ok || slices.ContainsFunc(listed(env.all, "secret-parts"), holds) {
		return true
	}
	last := upper[strings.LastIndexByte(upper, '_')+1:]
	return (last == "KEY" || last == "PWD") && last != upper || // but PWD itself, and OLDPWD
		lists(env.all, "secret-ends", last) || strings.HasSuffix(last, "PASS")
}
