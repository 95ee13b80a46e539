package shell

import (
	"path"
	"strings"

	"github.com/nodgate/nod/internal/shell/code"
	"github.com/nodgate/nod/internal/view"
)

// perlLine is a command line of perl of which all options are known.
type perlLine struct {
	code.Perl
	source  string
	given   bool // by -e
	inplace bool
	backup  string
	rest    []word
	guess   bool // the first of rest may turn out to be an option
}

// perl reports a program of Perl that is proven to do nothing beyond its
// effects. It reports nothing, and returns false, where that is not certain:
// what the data says of perl stands then.
func (a *analysis) perl(s *sheet, inv *invocation) bool {
	o, ok := perlOptions(inv.args)
	if !ok || a.away != "" || !a.asWritten() || a.perlTold() {
		return false
	}
	script, ok := a.perlSource(&o, inv)
	if !ok {
		return false
	}
	facts := code.Prove("perl", o.source, code.Env{Args: plainArgs(o.rest), Home: a.env.Home, Perl: o.Perl})
	reads := false
	for _, e := range facts.Effects {
		reads = reads || e.Kind == code.Arguments
	}
	if !facts.Proven || reads && !a.opensAll(o.rest, inv) || !reads && o.guess && !a.opensAll(o.rest[:1], inv) {
		return false
	}
	if script.raw != "" {
		script.raw = inv.raw
		a.path(Read, script, inv.st, 0)
	}
	a.codeEffects(inv, facts)
	if reads {
		a.perlFiles(s, o, inv)
	}
	return true
}

// perlTold reports whether a variable may tell perl what to load or where from.
func (a *analysis) perlTold() bool {
	for _, name := range a.env.Ambient {
		switch text, _ := a.inherits(name); {
		case text == "", !strings.HasPrefix(name, "PERL"), name == "PERL_UNICODE", name == "PERL_MM_OPT", name == "PERL_MB_OPT":
		default:
			return true
		}
	}
	return false
}

// perlSource finds the program where -e does not give it: a file, or what
// perl is fed. script is the file.
func (a *analysis) perlSource(o *perlLine, inv *invocation) (script word, ok bool) {
	if o.given {
		return script, true
	}
	if len(o.rest) == 0 || o.rest[0].known && o.rest[0].text == "-" {
		o.source, o.rest = inv.in.text.text, o.rest[min(1, len(o.rest)):]
		return script, inv.in.kind == fromText && inv.in.text.known
	}
	script, o.rest = o.rest[0], o.rest[1:]
	s, ok := a.load(script, inv)
	if !ok || !a.afford(s.text) {
		return script, false
	}
	o.source = s.text
	if line, rest, _ := strings.Cut(s.text, "\n"); strings.HasPrefix(line, "#!") {
		switch strings.TrimSuffix(line, " -w") {
		case "#!/usr/bin/perl", "#!/usr/bin/env perl", "#!/usr/local/bin/perl", "#!perl":
			o.source = "\n" + rest
		}
	}
	return script, true
}

// perlFiles reports the files that a program reads by way of its arguments.
func (a *analysis) perlFiles(s *sheet, o perlLine, inv *invocation) {
	u := use{analysis: a, sheet: s, inv: inv, st: inv.st, inplace: o.inplace}
	u.backup = word{value: constant(o.backup), raw: "-i"}
	for _, w := range o.rest {
		u.reads(w, 0)
	}
}

// opensAll reports whether perl reads files of all these names: it runs one
// that begins or ends with |, and writes one that begins with >.
func (a *analysis) opensAll(list []word, inv *invocation) bool {
	for _, w := range list {
		if !w.known || w.many && w.glob == 0 || w.output || !a.opensAs(w, inv) {
			return false
		}
	}
	return true
}

func (a *analysis) opensAs(w word, inv *invocation) bool {
	if w.glob == 0 {
		return w.text == "-" || plainFile(w.text)
	}
	if w.glob > 1 && plainFile(w.text[:1]) && plainFile(w.text[len(w.text)-1:]) && strings.IndexByte("*?]", w.text[len(w.text)-1]) < 0 {
		return true
	}
	// The names that the glob may stand for are looked at, and what the line
	// makes beside them.
	if strings.IndexByte(w.text, '/') >= 0 || a.env.Files == nil || inv.st.dir == "" {
		return false
	}
	dir, err := view.Resolve(a.env.Files, inv.st.dir)
	if err != nil {
		return false
	}
	names, err := a.env.Files.List(dir, maxNames)
	if err != nil || len(names) >= maxNames {
		return false
	}
	for _, name := range names {
		if !plainFile(name) {
			return false
		}
	}
	a.proven = append(a.proven, provenCode{dir: dir, command: a.command, raw: inv.raw, opens: true})
	return true
}

// plainFile reports whether perl opens a name as what it is.
func plainFile(name string) bool {
	if name == "" || disguise(name) != "" {
		return false
	}
	first, last := name[0], name[len(name)-1]
	return strings.IndexByte("<>|+&=- \t\n", first) < 0 && strings.IndexByte("| \t\n", last) < 0 && first > ' ' && last > ' '
}

// mayBeRun reports whether a file that the line writes lies in a directory
// under a name that perl would run, or may.
func (a *analysis) mayBeRun(e Effect, dir string) bool {
	switch {
	case e.Target == "", e.Target == dir, view.Below(e.Target, dir):
		return true
	case path.Dir(e.Target) != dir:
		return false
	}
	return e.Recursive || e.Pattern != "" || !plainFile(path.Base(e.Target))
}

// perlOptions reads the options of perl. ok is false where one is not known,
// or does more than shape how lines are read and printed.
func perlOptions(args []word) (o perlLine, ok bool) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case w.glob == 1 && w.known && o.given:
			o.rest, o.guess = args[i:], true
			return o, o.told()
		case (!w.known || w.many || w.glob > 0) && w.dashed():
			return o, false
		case !w.dashed() || w.text == "-":
			o.rest = args[i:]
			return o, o.told()
		case w.text == "--":
			o.rest = args[i+1:]
			return o, o.told()
		}
		next := word{}
		if i+1 < len(args) {
			next = args[i+1]
		}
		took, fine := o.cluster(w.text[1:], next)
		if !fine {
			return o, false
		}
		if took {
			i++
		}
	}
	return o, o.told()
}

// told marks the options as all there are.
func (o *perlLine) told() bool {
	o.Told = true
	return true
}

// cluster reads the letters of one word. took says that the next word belongs
// to it.
func (o *perlLine) cluster(text string, next word) (took, ok bool) {
	for text != "" {
		c := text[0]
		text = text[1:]
		switch c {
		case 'n', 'a':
			o.Loop = true
		case 'p':
			o.Loop, o.Print = true, true
		case 'w', 'W', 'X':
		case 'l', '0':
			text = strings.TrimLeft(text, "01234567")
			if c == '0' && strings.HasPrefix(text, "x") {
				return false, false
			}
		case 'i':
			o.inplace, o.backup = true, text
			return false, !strings.ContainsAny(text, " \t\n\v\f\r")
		case 'F':
			o.Loop, o.Split = true, text
			return false, text != "" && !strings.ContainsAny(text, " \t\n\v\f\r")
		case 'C':
			return false, strings.Trim(text, "IOEioADSLa0123456789") == ""
		case 'M':
			return false, o.module(text)
		case 'e', 'E':
			return o.program(text, next, c == 'E')
		default:
			return false, false
		}
	}
	return false, true
}

// module reads what -M loads.
func (o *perlLine) module(text string) bool {
	name, list, has := strings.Cut(text, "=")
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:") == "" && has {
		if strings.Trim(list, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:,()-") != "" {
			return false
		}
		quoted := "'" + strings.ReplaceAll(list, ",", "','") + "'"
		text = name + " " + quoted
	}
	o.Use = append(o.Use, text)
	return name != ""
}

// program reads the text of -e: the rest of the word, or the next one.
func (o *perlLine) program(text string, next word, say bool) (took, ok bool) {
	if text == "" {
		if !next.known || next.many || next.glob > 0 {
			return false, false
		}
		text, took = next.text, true
	}
	o.given, o.Say = true, o.Say || say
	o.source += text + "\n"
	return took, true
}
