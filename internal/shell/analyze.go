package shell

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// Analyze reads one shell command and states what it does. It starts nothing, writes nothing, and reads only through
// env.Files. It keeps no state between calls, may be called concurrently, and never panics on any input.
func Analyze(source string, env Env) Report {
	if what := grammar.Malformed(source); what != "" {
		return Report{Malformed: what}
	}
	if bound := grammar.Exceeded(source); bound != "" {
		return Report{Exceeded: bound}
	}
	lang := syntax.LangBash // a text in which zsh differs is outside of the language
	switch env.Dialect {
	case PowerShell:
		return powerShell(source, &machine{env: env})
	case Unread:
		r := unreadable(source, "nod does not read this shell")
		r.Possible = possible([]string{source}, &machine{env: env})
		return r
	case Posix:
		lang = syntax.LangPOSIX
	case Zsh:
		lang = syntax.LangZsh
	}
	return read(source, &machine{env: env}, lang)
}

// both holds what could be commands in either reading.
func both(a, b *Report) *Report {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	s := suspects{report: *a}
	s.add(*b)
	return &s.report
}

func unreadable(source, what string) Report {
	return Report{Unknowns: []Unknown{{What: what, Words: grammar.Shorten(source), Command: -1}}}
}

// read is one reading of a command.
func read(source string, m *machine, lang syntax.LangVariant) Report {
	file, err := grammar.Line(source, lang)
	if errors.Is(err, grammar.ErrDeep) {
		return Report{Exceeded: grammar.ErrDeep.Error()}
	}
	if err != nil {
		r := unreadable(source, "this does not parse as "+lang.String()+": "+grammar.Fault(err))
		r.Possible = possible([]string{source}, m)
		return r
	}
	a := newAnalysis(m, source, lang)
	after := a.whole(file.Stmts, state{dir: m.env.Dir})
	if a.limits.over != "" {
		return Report{Exceeded: a.limits.over}
	}
	a.out.report.Lasts = !slices.Equal(after.dirs(), []string{m.env.Dir}) || a.out.sets
	a.out.unstable()
	a.out.swapped()
	if m.env.Dialect == Interp && (strings.ContainsAny(source, `\*?[`) || strings.Contains(source, "..")) {
		a.out.unknown(PartOther, source, notFollowed("what the shell of Crush reads otherwise"))
	}
	if a.out.beyond {
		a.out.unread(source)
	}
	a.out.report.Possible = both(both(possible(a.out.texts, m), supposed(source, m, lang)), a.out.report.Handed)
	return a.out.report
}

// analysis is one reading of one command, and the evaluator of its statements. It is used once.
type analysis struct {
	machine *machine
	limits  limits
	now     reading
	out     draft
}

// newAnalysis is the reading of a text in one grammar.
func newAnalysis(m *machine, source string, lang syntax.LangVariant) *analysis {
	return &analysis{machine: m, now: reading{src: source, lang: lang}, out: draft{machine: m, command: -1}}
}

// reading is the text that is being walked, and the grammar in which it is read.
type reading struct {
	src  string // the command, or a text found inside it
	lang syntax.LangVariant
}

// limits is the work that one analysis has done so far.
type limits struct {
	over  string // the bound that was hit; stops everything
	work  int    // simple commands and expansions
	depth int    // how many texts deep the walk is
}

// Limits of one analysis, beyond those of the text.
const (
	maxWork  = 4096 // simple commands walked, loops and calls unrolled
	maxTexts = 8    // sh -c in eval in sh -c ...
)

// spend counts one step of work and reports whether there is any left.
func (l *limits) spend() bool {
	l.work++
	if l.work > maxWork {
		l.over = "4096 commands after expansion"
	}
	return l.over == ""
}
