package shell

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// texts walks texts inside a command: what a shell is told or fed, and the files
// that are run.
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

// nested walks a text found inside the command: the argument of sh -c, of
// eval, a here-document that a shell reads.
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
	lang, both, m := t.now.lang, t.now.both, t.defs.mark()
	langs := t.now.readers(wrapper)
	var first Report
	for i, l := range langs {
		if i > 0 {
			first = t.out.since(m)
			t.defs.rollback(m)
		}
		t.now.lang, t.now.both = l, both && len(langs) == 1 && l == lang
		t.text(source, in, wrapper)
		if i > 0 && !t.out.since(m).same(first) {
			t.out.unknown(PartWords, source, "this is read differently by the shells that may run it")
		}
	}
	t.now.lang, t.now.both = lang, both
}

// text walks a text found inside the command, in the grammar of now.
func (t *texts) text(source string, in state, wrapper string) {
	if t.now.both && !grammar.Same(source) {
		t.compareNested(source)
	}
	file, err := grammar.As(source, t.now.lang)
	if errors.Is(err, grammar.ErrDeep) {
		t.limits.over = grammar.ErrDeep.Error()
		return
	}
	if err != nil {
		t.out.unread(source)
		t.out.unknown(PartWords, source, "this does not parse: "+grammar.Fault(err))
		return
	}
	src, command := t.now.src, t.out.command
	if wrapper != "" {
		t.out.wrappers = append(t.out.wrappers, wrapper)
	}
	where := t.out.where
	t.now.src, t.out.where.fixed = source, true
	t.limits.depth++
	t.run.whole(file.Stmts, in, input{})
	t.limits.depth--
	t.now.src, t.out.command, t.out.where = src, command, where
	if wrapper != "" {
		t.out.wrappers = t.out.wrappers[:len(t.out.wrappers)-1]
	}
}

// compareNested says so where a text inside has no meaning common to bash and
// zsh, as far as its grammar shows.
func (t *texts) compareNested(source string) {
	other := syntax.LangZsh
	if t.now.lang == syntax.LangZsh {
		other = syntax.LangBash
	}
	if _, err := grammar.As(source, other); err != nil {
		t.out.unknown(PartWords, source, "this does not parse as "+other.String())
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
		w.raw = inv.raw
		t.out.path(Run, w, inv.st, 0)
	}
}

// standardInput reports an interpreter that runs what it is fed.
func (t *texts) standardInput(inv *invocation) {
	if s, ok := t.machine.sheet(inv.name); ok && inv.in.kind == fromText && inv.in.text.known {
		switch {
		case s.is.Has(ShellProgram):
			t.nested(inv.in.text.text, inv.st.child(), inv.name)
			t.out.unknown(PartWords, inv.raw, "this feeds a text to "+inv.name)
			return
		case s.interprets:
			t.out.runsCode(inv, inv.in.text)
			return
		}
	}
	switch inv.in.kind {
	case fromFile:
		w := inv.in.text
		if w.output || w.known && harmlessDevice(w.text) && w.text != "/dev/null" {
			t.out.does(Run, "standard input", inv.raw)
			t.out.unknown(PartWords, inv.raw, "this makes "+inv.name+" run what it is fed by a pipe or a file")
			return
		}
		w.raw = inv.raw
		t.out.path(Run, w, inv.st, 0)
	case inherited:
		t.out.does(Run, "standard input", inv.raw)
	default:
		t.out.unread(t.now.src) // what feeds it may be written there
		t.out.does(Run, "standard input", inv.raw)
		t.out.unknown(PartWords, inv.raw, "this makes "+inv.name+" run what it is fed by a pipe or a file")
	}
}

// runScript walks a file as one of the shells of these grammars would run it,
// in a process of its own. ok is false where it stays code that was not read.
func (t *texts) runScript(s source, langs []syntax.LangVariant, w word, inv *invocation) bool {
	m := t.defs.mark()
	w.raw = inv.raw
	t.out.path(Read, w, inv.st, 0)
	if t.readText(passage{file: s.real, name: s.name, text: s.text, langs: langs}, inv.st.child(), inv) {
		return true
	}
	t.defs.rollback(m)
	if len(langs) > 0 { // what it names may be what it runs, from where it is started or where it lies
		for _, dir := range []string{inv.st.dir, path.Dir(s.real)} {
			if dir != "" {
				t.defs.namedFiles(dir, []string{s.text}, 0)
			}
		}
	}
	return false
}

// readText walks a text in every grammar given. Where they differ, or a bound
// is met, nothing of it is kept but what defines it, and it counts as not
// read.
func (t *texts) readText(p passage, st state, inv *invocation) bool {
	if len(p.langs) == 0 || !t.defs.readable(p) {
		return false
	}
	defer t.ownProcess()()
	t.out.inItsCharacters(p.text)
	var first Report
	for i, lang := range p.langs {
		mark := t.defs.mark()
		t.now.lang = lang
		if !t.walkText(p, st, inv) {
			t.defs.rollback(mark)
			return false
		}
		if i == 0 && len(p.langs) > 1 {
			first = Report{Effects: slices.Clone(t.out.report.Effects), Unknowns: slices.Clone(t.out.report.Unknowns)}
			t.defs.rollback(mark)
			continue
		}
		if i > 0 && !(slices.Equal(first.Effects, t.out.report.Effects) &&
			slices.Equal(first.Unknowns, t.out.report.Unknowns)) {
			t.defs.rollback(mark)
			return false
		}
	}
	return true
}

// ownProcess sets aside what a process of its own does not hand back, and
// returns what restores it.
func (t *texts) ownProcess() (restore func()) {
	lang, both, wrappers, beyond := t.now.lang, t.now.both, t.out.wrappers, t.out.beyond
	lasting, finder := t.out.lasting, t.out.finder
	t.now.both, t.out.wrappers, t.out.lasting, t.out.finder = false, nil, 0, 0
	return func() {
		t.now.lang, t.now.both, t.out.wrappers, t.out.beyond = lang, both, wrappers, beyond
		t.out.lasting, t.out.finder = lasting, finder
	}
}

// walkText walks a text as part of the current command. ok is false where it
// does not parse or is more than is followed.
func (t *texts) walkText(p passage, st state, inv *invocation) (ok bool) {
	file, err := grammar.As(p.text, t.now.lang)
	if err != nil || t.limits.over != "" {
		return false
	}
	t.out.beyond = false
	command, caller, src, where, parts, work := t.out.command, t.out.caller, t.now.src, t.out.where, t.out.parts,
		t.limits.work
	if len(t.defs.walking) == 0 {
		t.limits.work = t.limits.scripted
	}
	t.out.caller, t.now.src, t.out.parts = command+1, p.text, 0
	t.out.where = whereOf(p)
	t.defs.walking = append(t.defs.walking, p.file)
	t.out.enter(p.file)
	t.out.report.Commands[t.out.command].Dir = st.dir
	t.run.whole(file.Stmts, st, inv.in)
	t.defs.walking = t.defs.walking[:len(t.defs.walking)-1]
	if len(t.defs.walking) == 0 {
		t.limits.scripted, t.limits.work = t.limits.work, work
	}
	t.out.command, t.out.caller, t.now.src, t.out.where, t.out.parts = command, caller, src, where, parts
	if t.out.beyond {
		t.out.unread(p.text)
	}
	return t.limits.over == "" && !t.out.beyond
}

// runFile walks a program of the workspace that its path names, if it is a
// script that can be read. ok is false where it is not.
func (t *texts) runFile(inv *invocation, p program) (ok bool) {
	if strings.IndexByte(inv.name, '/') < 0 || t.out.away != "" || t.machine.env.Files == nil || p.real == "" ||
		!path.IsAbs(p.real) {
		return false
	}
	return t.startFile(word{value: constant(inv.name), raw: inv.raw}, inv)
}

// startFile walks a file as the kernel starts it, by its first line: a program
// named by its path, or what another program starts so (a hook of git). The
// directory is that of inv. ok is false where it stays code that was not read,
// which the caller states; what defines the command is recorded all the same.
func (t *texts) startFile(w word, inv *invocation) (ok bool) {
	s, ok := t.defs.load(w, inv)
	if !ok || !t.machine.runnable(s.real) {
		return false
	}
	return t.runScript(s, t.machine.shebang(s.text, inv.st), w, inv)
}
