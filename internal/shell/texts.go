package shell

import (
	"errors"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// nested walks a text found inside the command: the argument of sh -c or of eval, a
// here-document that a shell reads. wrapper is what runs it.
func (a *analysis) nested(source string, in state, wrapper string) {
	switch {
	case a.limits.depth >= maxTexts:
		a.out.unknown(PartWords, source, "this nests more than 8 texts in each other")
		return
	case grammar.Malformed(source) != "":
		a.out.unknown(PartWords, source, "this runs a text that holds "+grammar.Malformed(source))
		return
	case grammar.Exceeded(source) != "":
		a.limits.over = grammar.Exceeded(source)
		return
	}
	src, lang, command := a.now.src, a.now.lang, a.out.command
	if other := grammar.Shell(wrapper); wrapper != "eval" && wrapper != "trap" {
		a.now.lang = other
	}
	a.now.src = source
	a.out.wrappers = append(a.out.wrappers, wrapper)
	a.limits.depth++
	file, err := grammar.As(source, a.now.lang)
	switch {
	case errors.Is(err, grammar.ErrDeep):
		a.limits.over = grammar.ErrDeep.Error()
	case err != nil:
		a.out.unread(source)
		a.out.unknown(PartWords, source, "this does not parse: "+grammar.Fault(err))
	default:
		a.whole(file.Stmts, in, input{})
	}
	a.limits.depth--
	a.out.wrappers = a.out.wrappers[:len(a.out.wrappers)-1]
	a.now.src, a.now.lang, a.out.command = src, lang, command
}

// script reports that a file is run.
func (a *analysis) script(w word, inv *invocation) {
	switch {
	case w.known && (w.text == "-" || w.text == "/dev/stdin"):
		a.standardInput(inv)
	case w.known && harmlessDevice(w.text) && w.text != "/dev/null":
		a.out.does(Run, "", inv.raw)
		a.out.unknown(PartWords, inv.raw, "this runs unread text from a pipe or a file")
	default:
		if name, ok := absolute(w, inv.st); ok && w.glob == 0 {
			a.out.defined(name)
		}
		w.raw = inv.raw
		a.out.path(Run, w, inv.st, 0)
	}
}

// standardInput reports an interpreter that runs what it is fed.
func (a *analysis) standardInput(inv *invocation) {
	if s, ok := a.machine.sheet(inv.name); ok && inv.in.kind == fromText && inv.in.text.known {
		switch {
		case s.is.Has(ShellProgram):
			a.nested(inv.in.text.text, inv.st, inv.name)
			a.out.unknown(PartWords, inv.raw, "this feeds a text to "+inv.name)
			return
		case s.interprets:
			a.out.runsCode(inv, inv.in.text)
			return
		}
	}
	switch inv.in.kind {
	case fromFile:
		if w := inv.in.text; !w.known || !harmlessDevice(w.text) || w.text == "/dev/null" {
			a.script(w, inv)
			return
		}
	case inherited:
		a.out.does(Run, "standard input", inv.raw)
		return
	}
	a.out.unread(a.now.src) // what feeds it may be written there
	a.out.does(Run, "standard input", inv.raw)
	a.out.unknown(PartWords, inv.raw, "this makes "+inv.name+" run unread text from a pipe or a file")
}
