package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// invocation is one simple command being looked at.
type invocation struct {
	name string // the program's base name
	args []word // without the program
	raw  string
	st   state
	in   input
	// outside: a program runs it, so that builtins and functions do not
	// apply.
	outside bool
	quiet   bool // git starts no editor: core.editor says so
}

// call walks a simple command.
func (a *analysis) call(c *syntax.CallExpr, st state, in input) (yes, no state) {
	if !a.spend() {
		return st, st
	}
	if len(c.Args) == 0 {
		st = a.assignments(c.Assigns, st)
		return st, st
	}
	raw := a.raw(c)
	index := a.enter(raw)
	words, st := a.expand(c.Args, st)
	a.command = index
	a.report.Commands[index].Words, a.report.Commands[index].Dir = exposed(words), st.dir
	inner := st
	if len(c.Assigns) > 0 {
		inner = a.prefixed(c, words, st)
	}
	if len(words) == 0 { // every word expanded to nothing
		return st, st
	}
	yes, no = a.run(words, raw, inner, in, false)
	if len(c.Assigns) > 0 {
		yes, no = a.unprefixed(c, yes, st, inner), a.unprefixed(c, no, st, inner)
	}
	return yes, no
}

// prefixed binds and judges the assignments before a command.
func (a *analysis) prefixed(c *syntax.CallExpr, words []word, st state) state {
	inner := st
	ifs := a.ifs
	for _, as := range c.Assigns {
		before := len(a.report.Unknowns)
		inner = a.assignment(as, inner)
		if len(a.report.Unknowns) > before || as.Name == nil {
			continue
		}
		b := inner.lookup(as.Name.Value)
		if as.Name.Value == "IFS" && len(words) > 0 && words[0].text == "read" {
			a.ifs = ifs
		}
		if b != nil {
			a.exported(as.Name.Value, b.value, a.raw(as), words)
		}
	}
	return inner
}

// unprefixed takes the assignments before a command away again, and keeps
// what the command itself assigned (IFS= read x).
func (a *analysis) unprefixed(c *syntax.CallExpr, out, before, inner state) state {
	if out.vars == inner.vars {
		out.vars = before.vars
		return out
	}
	for _, as := range c.Assigns {
		if as.Name == nil {
			continue
		}
		if b := before.lookup(as.Name.Value); b != nil {
			out = out.set(*b)
		} else {
			out = out.assign(as.Name.Value, value{})
		}
	}
	return out
}

// enter starts an entry in Report.Commands.
func (a *analysis) enter(raw string) int {
	a.command = len(a.report.Commands)
	a.report.Commands = append(a.report.Commands, Command{
		Source: shorten(raw), Wrappers: append([]string(nil), a.wrappers...), Caller: a.caller,
	})
	return a.command
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
func (a *analysis) run(words []word, raw string, st state, in input, outside bool) (yes, no state) {
	first := words[0]
	if !first.known || first.many || first.glob > 0 {
		a.unknown(PartWords, raw, "which program it runs is not known")
		a.effect(Effect{Kind: Run, Words: raw, Part: PartWords})
		return st.lost(), st.lost()
	}
	name := first.text
	if what := disguise(name); what != "" {
		a.unknown(PartWords, escaped(raw), "a program name with "+what+": "+escaped(name))
		return st, st
	}
	inv := &invocation{name: name, args: words[1:], raw: raw, st: st, in: in, outside: outside}
	if !outside {
		if f := st.function(name); f != nil {
			yes, no = a.callFunction(f, inv.args, raw, st, in)
			if !f.maybe {
				return yes, no
			}
			a.unknown(PartWords, raw, "whether the function "+escaped(name)+" exists is not known")
			return merge(st, yes), merge(st, no)
		}
		if a.lang != syntax.LangPOSIX || name != "source" {
			if yes, no, ok := a.builtin(inv); ok {
				return yes, no
			}
		}
	}
	return a.external(inv)
}

// external analyses a program found in PATH.
func (a *analysis) external(inv *invocation) (yes, no state) {
	st := inv.st
	base := inv.name
	if slash := strings.LastIndexByte(base, '/'); slash >= 0 {
		base = base[slash+1:]
	}
	if inv.outside || !shellOwns(inv.name) {
		if a.away == "" && !a.identified(inv) {
			return st, st
		}
	}
	inv.name = base
	sheet, ok := a.sheet(base)
	if !ok {
		a.unknown(PartWords, inv.raw, "nothing is known of "+escaped(base))
		return st, st
	}
	if a.task(inv) {
		return st, st
	}
	// A program changes nothing of the shell that started it: git -C x leaves
	// the directory of the next command as it was.
	a.apply(sheet, inv)
	return st, st
}

// identified resolves the program and reports whether its name says what it
// does.
func (a *analysis) identified(inv *invocation) bool {
	p := a.find(inv.name, inv.st)
	cmd := &a.report.Commands[a.command]
	cmd.Program, cmd.Foreign = p.real, p.foreign
	switch {
	case p.fault != "":
		a.unknown(PartWords, inv.raw, p.fault)
		// What it would do is stated all the same, for there may be one.
		return true
	case p.foreign && a.runFile(inv, p):
		return false
	case p.foreign:
		real, place := a.place(p.real)
		a.effect(Effect{Kind: Run, Target: real, Place: place, Words: inv.raw, Part: PartWords})
		return false
	}
	return true
}

// inside analyses the command that a wrapper starts.
func (a *analysis) inside(inv *invocation, words []word) (yes, no state) {
	if len(words) == 0 || !a.spend() {
		return inv.st, inv.st
	}
	a.wrappers = append(a.wrappers, inv.name)
	cmd := &a.report.Commands[a.command]
	cmd.Words, cmd.Dir = exposed(words), inv.st.dir
	cmd.Wrappers = append([]string(nil), a.wrappers...)
	cmd.Program, cmd.Foreign = "", false
	raw := inv.raw
	if i := strings.Index(raw, words[0].raw); i >= 0 && words[0].raw != "" {
		raw = raw[i:]
	}
	yes, no = a.run(words, raw, inv.st, inv.in, true)
	a.wrappers = a.wrappers[:len(a.wrappers)-1]
	return yes, no
}
