package shell

import (
	"path"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
	"mvdan.cc/sh/v3/syntax"
)

// invocation is one simple command being looked at.
type invocation struct {
	name string // the program's base name
	args []word // without the program
	raw  string
	st   state
	in   input
	// outside: a program runs it, so that builtins and functions do not apply.
	outside bool
}

// call walks a simple command in one directory, and returns where the shell stands after it.
func (a *analysis) call(c *syntax.CallExpr, st state, in input) state {
	if !a.limits.spend() {
		return st
	}
	if len(c.Args) == 0 {
		for _, as := range c.Assigns {
			a.out.sets = true
			a.assignment(as, st)
		}
		return st
	}
	raw := a.now.raw(c)
	index := a.out.enter(raw)
	words := a.expand(c.Args, st)
	a.out.command = index
	a.out.report.Commands[index].Words, a.out.report.Commands[index].Dir = exposed(words), st.dir
	for _, as := range c.Assigns {
		if as.Name == nil || !grammar.PlainAssign(as) {
			a.assignment(as, st)
		} else {
			a.out.exported(as.Name.Value, a.assigned(as, st), a.now.raw(as))
		}
		a.out.command = index
	}
	if len(words) == 0 { // every word expanded to nothing
		return st
	}
	return a.run(words, raw, st, in, false)
}

// enter starts an entry in Report.Commands.
func (d *draft) enter(raw string) int {
	d.command = len(d.report.Commands)
	d.report.Commands = append(d.report.Commands, Command{
		Source: grammar.Shorten(raw), Wrappers: append([]string(nil), d.wrappers...),
		Is: d.lasting,
	})
	return d.command
}

func exposed(words []word) []Word {
	out := make([]Word, len(words))
	for i, w := range words {
		known := w.known && !w.many
		out[i] = Word{Value: w.shown(), Known: known, Pattern: w.glob > 0}
	}
	return out
}

// run analyses words as a command. outside says that a program starts it.
func (a *analysis) run(words []word, raw string, st state, in input, outside bool) state {
	first := words[0]
	if !first.known || first.many || first.glob > 0 {
		a.out.beyond = true
		a.out.unknown(PartWords, raw, "this runs a program, and nod cannot tell which")
		a.out.effect(Effect{Kind: Run, Words: raw, Part: PartWords})
		return st.in("")
	}
	name := first.text
	if what := grammar.Disguise(name); what != "" {
		a.out.unknown(PartWords, grammar.Escaped(raw),
			"this runs a program whose name has "+what+": "+grammar.Escaped(name))
		return st
	}
	inv := &invocation{name: name, args: words[1:], raw: raw, st: st, in: in, outside: outside}
	if !outside {
		if after, ok := a.builtin(inv); ok {
			return after
		}
	}
	a.external(inv)
	return st
}

// external analyses a program found in PATH. It changes nothing of the shell that started it.
func (a *analysis) external(inv *invocation) {
	base := path.Base(inv.name)
	if a.machine.isCmdlet(inv.name) {
		a.out.report.Commands[a.out.command].Program = inv.name
	} else if (inv.outside || !shellOwns(inv.name)) && !a.out.identified(inv) {
		return
	}
	if view.Windows(a.machine.env.Files) && !a.machine.isCmdlet(inv.name) {
		base = strings.ToLower(base[strings.LastIndexByte(base, '\\')+1:])
		base = strings.TrimSuffix(base, ".exe")
	}
	inv.name = base
	sheet, ok := a.machine.sheet(base)
	if !ok {
		a.out.unknown(PartWords, inv.raw, "this runs "+grammar.Escaped(base)+", which nod does not know")
		return
	}
	a.out.trait(sheet.is, 0)
	a.apply(sheet, inv)
}

// identified resolves the program and reports whether its name says what it does.
func (d *draft) identified(inv *invocation) bool {
	p := d.machine.find(inv.name, inv.st)
	cmd := &d.report.Commands[d.command]
	cmd.Program, cmd.Foreign = p.real, p.foreign
	switch {
	case p.fault != "":
		d.unknown(PartWords, inv.raw, p.fault)
		// What it would do is stated all the same, for there may be one.
		return true
	case p.foreign:
		d.defined(p.real)
		real, place := d.machine.place(p.real)
		d.effect(Effect{Kind: Run, Target: real, Place: place, Words: inv.raw, Part: PartWords})
		return false
	}
	return true
}

// inside analyses the command that a wrapper starts.
func (a *analysis) inside(inv *invocation, words []word) {
	if len(words) == 0 || !a.limits.spend() {
		return
	}
	a.out.wrappers = append(a.out.wrappers, inv.name)
	cmd := &a.out.report.Commands[a.out.command]
	cmd.Words, cmd.Dir = exposed(words), inv.st.dir
	cmd.Wrappers = append([]string(nil), a.out.wrappers...)
	cmd.Program, cmd.Foreign, cmd.Is, cmd.Not, cmd.Search, cmd.Told = "", false, a.out.lasting, 0, nil, nil
	raw := inv.raw
	if i := strings.Index(raw, words[0].raw); i >= 0 && words[0].raw != "" {
		raw = raw[i:]
	}
	a.run(words, raw, inv.st, inv.in, true)
	a.out.wrappers = a.out.wrappers[:len(a.out.wrappers)-1]
}

// redirects reports what the redirections of one statement open, and returns what its command then reads.
func (a *analysis) redirects(list []*syntax.Redirect, st state, in input) input {
	for _, r := range list {
		if !a.limits.spend() {
			break
		}
		stdin := r.N == nil || r.N.Value == "0"
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			w := a.hereText(r, st)
			if stdin {
				in = input{kind: fromText, text: w}
			}
		default:
			w := a.single(r.Word, st)
			a.opens(r, w, st)
			if stdin && (r.Op == syntax.RdrIn || r.Op == syntax.RdrInOut) {
				in = input{kind: fromFile, text: w}
			}
		}
	}
	return in
}

// hereText returns what a here-document or here-string feeds. What it substitutes runs.
func (a *analysis) hereText(r *syntax.Redirect, st state) word {
	switch {
	case r.Op == syntax.WordHdoc:
		return a.single(r.Word, st)
	case r.Hdoc == nil:
		return word{value: value{known: true}}
	case strings.ContainsAny(a.now.raw(r.Word), "'\"\\"):
		text := grammar.HereText(r.Hdoc)
		return word{value: constant(text), raw: text} // what reads it takes the tabs of <<- for blanks
	}
	b := builder{word: word{value: value{known: true}}}
	a.doubleQuoted(&b, &syntax.DblQuoted{Parts: r.Hdoc.Parts}, st)
	b.text = string(b.all)
	return b.word
}

// opens reports the file that a redirection opens.
func (a *analysis) opens(r *syntax.Redirect, w word, st state) {
	parts := a.out.parts
	a.out.parts = PartRedirection
	defer func() { a.out.parts = parts }()
	raw := a.now.raw(r)
	if r.Op == syntax.DplIn || r.Op == syntax.DplOut && grammar.Descriptor(w.text) {
		return
	}
	if kind, host, _ := strings.Cut(strings.TrimPrefix(w.text, "/dev/"), "/"); kind == "tcp" || kind == "udp" {
		host, _, _ = strings.Cut(host, "/")
		a.out.does(Send, host, raw) // bash connects there
		return
	}
	if strings.HasPrefix(a.now.raw(r.Word), "!") {
		a.out.unknown(PartRedirection, raw, "zsh reads this as >|, and other shells open a file named !")
	}
	if w.glob > 0 {
		w = word{value: value{text: w.text[:w.glob-1]}, raw: w.raw}
	}
	w.raw = raw
	if r.Op == syntax.RdrIn {
		if name, ok := a.machine.absolute(w, st); ok && a.machine.isDir(name) {
			a.out.unknown(PartRedirection, raw, "this opens a directory, below which a command may go on")
		}
		a.out.path(Read, w, st, 0)
		return
	}
	if r.Op == syntax.RdrInOut {
		a.out.path(Read, w, st, 0)
	}
	var f flags
	if r.Op == syntax.AppOut || r.Op == syntax.AppAll {
		f = appends
	}
	a.out.path(Write, w, st, f)
}
