package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/variables"
	"mvdan.cc/sh/v3/syntax"
)

// environment judges what the line assigns, and hands to the programs that it starts.
// What the host's environment holds is the host's.
type environment struct {
	machine *machine
	out     *draft
}

// inherits returns an inherited variable.
func (m *machine) inherits(name string) (string, bool) {
	if m.env.Lookup == nil {
		return "", false
	}
	return m.env.Lookup(name)
}

// shellVariable reports an assignment that changes more than a variable.
func (e *environment) shellVariable(name string, v value, raw string) {
	if is := variables.Of(name); is == variables.Plain || v.known && variables.Harmless(name, v.text) {
		return
	} else if is == variables.Unknown && name != "_" && !variables.ShellsOwn(name) {
		if _, exported := e.machine.inherits(name); !exported {
			return
		}
	}
	e.out.unknown(PartAssignment, raw, "this sets "+grammar.Escaped(name)+", and nod does not know what that changes")
}

// exported reports a variable that a command inherits from the line.
func (e *environment) exported(name string, v value, raw string, words []word) {
	switch is := variables.Of(name); {
	case v.known && variables.Harmless(name, v.text):
		return
	case is == variables.Unknown && e.unheard(name, words):
		return
	case is == variables.Plain && (!variables.IsLocale(name) || v.known && variables.PlainLocale(name, v.text)):
		return
	}
	e.out.unknown(PartAssignment, raw,
		"this sets "+grammar.Escaped(name)+", and nod does not know what that makes the command do")
}

// unheard reports whether a variable of which nothing is known changes nothing of a
// program: the data says that it heeds none but those of the C library.
func (e *environment) unheard(name string, words []word) bool {
	if len(words) == 0 || !words[0].known || words[0].many || variables.ShellsOwn(name) {
		return false
	}
	s, ok := e.machine.sheet(words[0].text)
	return ok && s.deaf && !shellOwns(words[0].text)
}

// assignment reads one assignment, and reports what it changes beyond a variable.
func (e *expander) assignment(as *syntax.Assign, st state) {
	if !grammar.PlainAssign(as) {
		e.unfollowed(as, "an assignment of this kind")
		e.run.within(as, st, input{})
		return
	}
	e.vars.shellVariable(as.Name.Value, e.assignedWord(as, st).value, e.now.raw(as))
	if as.Value != nil && e.supposed == nil {
		e.gives(as.Name.Value, e.single(as.Value, st).value)
	}
}

// gives notes what a text gives a variable, for what is only supposed.
func (e *expander) gives(name string, v value) {
	if e.given == nil {
		e.given = map[string]value{}
	}
	if v.known || v.from < v.to {
		e.given[name] = v
	}
}

// assignedWord is the value of an assignment: no splitting, no globs, and a
// tilde after a colon is expanded (such a value is left unknown).
func (e *expander) assignedWord(as *syntax.Assign, st state) word {
	if as.Value == nil {
		return word{value: value{known: true}}
	}
	w := e.single(as.Value, st)
	w.glob = 0
	if strings.Contains(w.raw, "~") {
		w.value = value{}
	}
	return w
}
