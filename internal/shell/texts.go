package shell

import (
	"errors"

	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// texts walks texts inside a command: what a shell is told or fed. Files that are
// run are code that nod does not read.
type texts struct {
	machine *machine
	out     *draft
	now     *reading
	limits  *limits
	defs    *definitions
	run     walker
}

// walker walks the statements of a text.
type walker interface {
	whole(list []*syntax.Stmt, st state, in input) state
}

// nested walks a text found inside the command: the argument of sh -c or of eval, a
// here-document that a shell reads. wrapper is what runs it.
func (t *texts) nested(source string, in state, wrapper string) {
	switch {
	case t.limits.depth >= maxTexts:
		t.out.unknown(PartWords, source, "this nests more than 8 texts in each other")
		return
	case grammar.Malformed(source) != "":
		t.out.unknown(PartWords, source, "this runs a text that holds "+grammar.Malformed(source))
		return
	case grammar.Exceeded(source) != "":
		t.limits.over = grammar.Exceeded(source)
		return
	}
	src, lang, command := t.now.src, t.now.lang, t.out.command
	if other := grammar.Shell(wrapper); wrapper != "eval" && wrapper != "trap" {
		t.now.lang = other
	}
	t.now.src = source
	t.out.wrappers = append(t.out.wrappers, wrapper)
	t.limits.depth++
	t.text(source, in)
	t.limits.depth--
	t.out.wrappers = t.out.wrappers[:len(t.out.wrappers)-1]
	t.now.src, t.now.lang, t.out.command = src, lang, command
}

// text walks a text in the grammar of now.
func (t *texts) text(source string, in state) {
	file, err := grammar.As(source, t.now.lang)
	switch {
	case errors.Is(err, grammar.ErrDeep):
		t.limits.over = grammar.ErrDeep.Error()
	case err != nil:
		t.out.unread(source)
		t.out.unknown(PartWords, source, "this does not parse: "+grammar.Fault(err))
	default:
		t.run.whole(file.Stmts, in, input{})
	}
}

// script reports that a file is run.
func (t *texts) script(w word, inv *invocation) {
	switch {
	case w.output:
		t.out.does(Run, "", inv.raw)
		t.out.unknown(PartWords, inv.raw, "this runs what another command prints")
	case w.known && (w.text == "-" || w.text == "/dev/stdin"):
		t.standardInput(inv)
	case w.known && harmlessDevice(w.text) && w.text != "/dev/null":
		t.out.does(Run, "", inv.raw)
		t.out.unknown(PartWords, inv.raw, "this runs what it is fed by a pipe or a file")
	default:
		if name, ok := absolute(w, inv.st); ok && w.glob == 0 {
			t.defs.defined(name)
		}
		w.raw = inv.raw
		t.out.path(Run, w, inv.st, 0)
	}
}

// standardInput reports an interpreter that runs what it is fed.
func (t *texts) standardInput(inv *invocation) {
	if s, ok := t.machine.sheet(inv.name); ok && inv.in.kind == fromText && inv.in.text.known {
		switch {
		case s.is.Has(ShellProgram):
			t.nested(inv.in.text.text, inv.st, inv.name)
			t.out.unknown(PartWords, inv.raw, "this feeds a text to "+inv.name)
			return
		case s.interprets:
			t.out.runsCode(inv, inv.in.text)
			return
		}
	}
	switch inv.in.kind {
	case fromFile:
		if w := inv.in.text; !w.output && (!w.known || !harmlessDevice(w.text) || w.text == "/dev/null") {
			t.script(w, inv)
			return
		}
	case inherited:
		t.out.does(Run, "standard input", inv.raw)
		return
	}
	t.out.unread(t.now.src) // what feeds it may be written there
	t.out.does(Run, "standard input", inv.raw)
	t.out.unknown(PartWords, inv.raw, "this makes "+inv.name+" run what it is fed by a pipe or a file")
}
