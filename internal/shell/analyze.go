package shell

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// Analyze reads one shell command and states what it does. It starts nothing,
// writes nothing, and reads only through env.Files. It keeps no state
// between calls, may be called concurrently, and never panics on any input.
func Analyze(source string, env Env) Report {
	if what := grammar.Malformed(source); what != "" {
		return Report{Malformed: what}
	}
	if bound := grammar.Exceeded(source); bound != "" {
		return Report{Exceeded: bound}
	}
	m := &machine{env: env}
	switch env.Dialect {
	case PowerShell:
		return unreadable(source, "PowerShell is not read")
	case Bash, Interp:
		return read(source, m, syntax.LangBash)
	case Posix:
		return read(source, m, syntax.LangPOSIX)
	case Zsh:
		return read(source, m, syntax.LangZsh)
	}
	return read(source, m, syntax.LangBash) // a text in which zsh differs is outside of the language
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
	after := a.whole(file.Stmts, state{dir: m.env.Dir}, input{outer: true})
	if a.limits.over != "" {
		return Report{Exceeded: a.limits.over}
	}
	a.out.report.Lasts = !slices.Equal(after.dirs(), []string{m.env.Dir}) || grammar.Sets(file.Stmts)
	a.defs.unstable()
	a.out.swapped()
	if m.env.Dialect == Interp && (strings.ContainsAny(source, `\*?[`) || strings.Contains(source, "..")) {
		a.out.unknown(PartOther, source, notFollowed("what the shell of Crush reads otherwise"))
	}
	if a.out.beyond {
		a.out.unread(source)
	}
	a.out.report.Handed = handedReport(a.out.handed, m)
	a.out.report.Possible = both(both(possible(a.out.texts, m), a.supposing(file.Stmts)), a.out.report.Handed)
	return a.out.report
}

// supposing is what the text would do if each variable held what the text gives it
// somewhere: a=~ && rm -rf $a.
func (a *analysis) supposing(list []*syntax.Stmt) *Report {
	if len(a.words.given) == 0 {
		return nil
	}
	b := newAnalysis(a.machine, a.now.src, a.now.lang)
	b.words.supposed = a.words.given
	if b.whole(list, state{dir: a.machine.env.Dir}, input{outer: true}); b.limits.over != "" {
		return nil
	}
	return &Report{Commands: b.out.report.Commands, Effects: b.out.report.Effects}
}

// analysis is one reading of one command, and the evaluator of its statements.
// It is used once. What it works on is held by parts that know only what they
// need of one another, and of it what runs a text (runner).
type analysis struct {
	machine *machine
	limits  limits
	now     reading
	out     draft
	defs    definitions
	vars    environment
	repos   repositories
	words   expander
	texts   texts
}

// newAnalysis is the reading of a text in one grammar.
func newAnalysis(m *machine, source string, lang syntax.LangVariant) *analysis {
	a := &analysis{machine: m, now: reading{src: source, lang: lang}}
	a.out = draft{machine: m, command: -1}
	a.defs = definitions{machine: m, out: &a.out}
	a.vars = environment{machine: m, out: &a.out}
	a.texts = texts{machine: m, out: &a.out, now: &a.now, limits: &a.limits, defs: &a.defs, run: a}
	a.repos = repositories{machine: m, out: &a.out, defs: &a.defs}
	a.words = expander{
		machine: m, out: &a.out, limits: &a.limits, now: &a.now, vars: &a.vars, repos: &a.repos, texts: &a.texts,
		run: a,
	}
	return a
}

// reading is the text that is being walked, and the grammar in which it is read.
type reading struct {
	src  string // the command, or a text found inside it
	lang syntax.LangVariant
}

// limits is the work that one analysis has done so far.
type limits struct {
	over   string // the bound that was hit; stops everything
	work   int    // simple commands and expansions
	redirs int    // redirections
	depth  int    // how many texts deep the walk is

}

// Limits of one analysis, beyond those of the text.
const (
	maxWork   = 4096 // simple commands walked, loops and calls unrolled
	maxRedirs = 4096 // redirections walked, loops and calls unrolled
	maxBraces = 8    // braces inside braces in one word
	maxTexts  = 8    // sh -c in eval in sh -c ...
)

// spend counts one step of work and reports whether there is any left.
func (l *limits) spend() bool {
	l.work++
	if l.work > maxWork {
		l.over = "4096 commands after expansion"
	}
	return l.over == ""
}
