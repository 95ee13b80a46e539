package shell

import (
	"cmp"
	"errors"
	"slices"

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
	switch env.Dialect {
	case PowerShell:
		return unreadable(source, "PowerShell is not read")
	case Bash:
		return read(source, env, syntax.LangBash, nil)
	case Posix:
		return read(source, env, syntax.LangPOSIX, nil)
	case Zsh:
		return read(source, env, syntax.LangZsh, nil)
	}
	seen := &findings{}
	report := read(source, env, syntax.LangBash, seen)
	if grammar.Same(source) || report.Exceeded != "" {
		return report
	}
	return agree(source, report, read(source, env, syntax.LangZsh, seen))
}

// agree returns what two readings say, and that they differ if they do.
func agree(source string, bash, zsh Report) Report {
	if zsh.Exceeded != "" {
		return zsh
	}
	bash.Possible = both(bash.Possible, zsh.Possible)
	if bash.same(zsh) {
		return bash
	}
	for _, e := range zsh.Effects {
		if !slices.Contains(bash.Effects, e) {
			e.Command = -1
			bash.Effects = append(bash.Effects, e)
		}
	}
	bash.Unknowns = append(bash.Unknowns, Unknown{
		What: "bash and zsh read this differently", Words: grammar.Shorten(source), Command: -1,
	})
	return bash
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

// read is one reading of a command. What it looks up beside the text is left
// in seen, for another reading; nil: there is none.
func read(source string, env Env, lang syntax.LangVariant, seen *findings) Report {
	a := &analysis{env: env, lang: lang, both: env.Dialect == Unstated}
	if seen != nil {
		a.findings = *seen
	}
	a.src = source
	a.command = -1
	file, err := grammar.Line(source, lang)
	if errors.Is(err, grammar.ErrDeep) {
		return Report{Exceeded: grammar.ErrDeep.Error()}
	}
	if err != nil {
		r := unreadable(source, "does not parse as "+lang.String()+": "+grammar.Fault(err))
		r.Possible = possible([]string{source}, env)
		return r
	}
	a.inherited()
	a.whole(file.Stmts, state{dir: env.Dir}, input{outer: true})
	if seen != nil {
		*seen = a.findings
	}
	if a.over != "" {
		return Report{Exceeded: a.over}
	}
	a.unstable()
	a.openedAnew()
	a.swapped()
	if a.beyond {
		a.unread(source)
	}
	a.report.Possible = possible(a.texts, env)
	return a.report
}

// analysis is one reading of one command. It is used once.
type analysis struct {
	env    Env
	lang   syntax.LangVariant
	both   bool // bash and zsh must agree: what they treat differently is unknown
	report Report
	over   string // the bound that was hit; stops everything

	src      string   // the text being walked: the command, or one found inside it
	depth    int      // how many texts deep
	work     int      // simple commands and expansions so far
	made     int      // bytes that expansions have put together so far
	fielded  int      // words that expansions have made so far
	redirs   int      // redirections so far
	command  int      // index of the current command, -1 for none
	wrappers []string // taken off around what is walked now
	pipes    int      // pipes and background jobs around what is walked now
	beyond   bool     // something in the line is more shell than is followed
	texts    []string // in which any run of words may be a command
	anew     []anew   // what writes to the standard output by its name
	keeps    bool     // a redirection of the line opens a file
	exports  []string // variables that the text hands to the programs that it starts
	away     string   // the host or container in which the current text runs; "" is here
	changed  bool     // something before in the line writes or runs
	newLinks []taken  // links made anywhere in the line
	noDirs   []taken  // what was taken for no directory
	again    bool     // parts of the line run beside each other, or more than once
	rounds   int      // loops around this command whose rounds are not counted
	links    []string // links made earlier in the line
	parts    Part     // overrides the part of what is reported; 0 leaves it

	caller   int       // one more than the index of the command whose definition is walked
	where    spot      // what of a file is walked
	reading  []string  // definitions being walked
	scripted int       // work done for definitions, which has a bound of its own
	watching []watched // files whose content counts
	contents []kept    // and what they say
	parsed   int       // bytes of them that were parsed
	looked   int       // bytes of Go files that were looked through

	findings
	repos []*repository
}

// findings are what was found out about files and programs: the same however
// the text is read.
type findings struct {
	home     placed
	places   []placed
	programs []program
	elements []element
	sheets   []*sheet
	gits     []repository // as their files say
}

// Limits of one analysis, beyond those of the text.
const (
	maxWork   = 4096     // simple commands walked, loops and calls unrolled
	maxMade   = 8 << 20  // bytes put together by expansions
	maxFields = 32 << 10 // words of all commands
	maxRedirs = 4096     // redirections walked, loops and calls unrolled
	maxBraces = 8        // braces inside braces in one word
	maxTexts  = 8        // sh -c in eval in sh -c ...
)

// spend counts one step of work and reports whether there is any left.
func (a *analysis) spend() bool {
	a.work++
	if a.work > maxWork {
		a.over = "4096 commands after expansion"
	}
	return a.over == ""
}

// makes counts bytes that an expansion puts together, and reports whether
// they are within the bound: a value that doubles itself in every command
// outgrows any machine.
func (a *analysis) makes(bytes int) bool {
	a.made += bytes
	if a.made > maxMade {
		a.over = "8 MiB of expanded text"
	}
	return a.over == ""
}

// counts counts the words that an expansion made.
func (a *analysis) counts(words int) {
	a.fielded += words
	if a.fielded > maxFields {
		a.over = "32768 words after expansion"
	}
}

func (a *analysis) unknown(part Part, words, what string) {
	if a.parts != 0 {
		part = a.parts
	}
	u := Unknown{What: a.located(what), Words: grammar.Shorten(words), Command: a.command, Part: part}
	for i := len(a.report.Unknowns) - 1; i >= 0 && i > len(a.report.Unknowns)-8; i-- {
		if a.report.Unknowns[i] == u {
			return
		}
	}
	a.changed = true
	a.report.Unknowns = append(a.report.Unknowns, u)
}

func (a *analysis) effect(e Effect) {
	if a.parts != 0 {
		e.Part = a.parts
	}
	e.Words, e.Command = grammar.Shorten(a.located(e.Words)), a.command
	if a.away != "" && e.Place != Null {
		e.Place, e.Kept, e.Declared = Network, false, ""
	}
	if e.Kind != Read && e.Place != Null {
		a.changed = true
	}
	for i := len(a.report.Effects) - 1; i >= 0 && i > len(a.report.Effects)-8; i-- {
		if a.report.Effects[i] == e {
			return
		}
	}
	a.report.Effects = append(a.report.Effects, e)
}

// does reports an effect whose target is no path.
func (a *analysis) does(kind Kind, target, words string) {
	place := Elsewhere
	if kind == Fetch || kind == Send || kind == Remote {
		place = Network
	}
	a.effect(Effect{Kind: kind, Target: target, Place: place, Words: words, Part: PartWords})
}

// nested walks a text found inside the command: the argument of sh -c, of
// eval, a here-document that a shell reads.
func (a *analysis) nested(source string, in state, wrapper string) {
	switch {
	case a.depth >= maxTexts:
		a.unknown(PartWords, source, "more than 8 texts inside each other")
		return
	case grammar.Malformed(source) != "":
		a.unknown(PartWords, source, "a text inside holds "+grammar.Malformed(source))
		return
	case grammar.Exceeded(source) != "":
		a.over = grammar.Exceeded(source)
		return
	}
	lang, both, m := a.lang, a.both, a.mark()
	langs := a.readers(wrapper)
	var first Report
	for i, l := range langs {
		if i > 0 {
			first = a.since(m)
			a.rollback(m)
		}
		a.lang, a.both = l, both && len(langs) == 1 && l == lang
		a.text(source, in, wrapper)
		if i > 0 && !a.since(m).same(first) {
			a.unknown(PartWords, source, "the shells that may run it read it differently")
		}
	}
	a.lang, a.both = lang, both
}

// readers are the grammars in which the shell that a command starts may read a
// text; the one of the line where it is the line's own shell.
func (a *analysis) readers(wrapper string) []syntax.LangVariant {
	switch wrapper {
	case "", "eval", "trap":
		return []syntax.LangVariant{a.lang}
	}
	if langs := grammar.Shells(wrapper); langs != nil {
		return langs
	}
	return grammar.Shells("sh")
}

// since is what was reported behind a mark.
func (a *analysis) since(m mark) Report {
	r := &a.report
	return Report{
		Effects: slices.Clone(r.Effects[m.effects:]), Unknowns: slices.Clone(r.Unknowns[m.unknowns:]), Commands: slices.Clone(r.Commands[m.commands:]),
	}
}

// same reports whether two readings say the same of what runs and what it does.
func (r Report) same(o Report) bool {
	return slices.Equal(r.Effects, o.Effects) && slices.Equal(r.Unknowns, o.Unknowns) && slices.EqualFunc(r.Commands, o.Commands, func(x, y Command) bool {
		return slices.Equal(x.Words, y.Words) && x.Dir == y.Dir
	})
}

// text walks a text found inside the command, in the grammar of now.
func (a *analysis) text(source string, in state, wrapper string) {
	if a.both && !grammar.Same(source) {
		a.compareNested(source)
	}
	file, err := grammar.As(source, a.lang)
	if errors.Is(err, grammar.ErrDeep) {
		a.over = grammar.ErrDeep.Error()
		return
	}
	if err != nil {
		a.unread(source)
		a.unknown(PartWords, source, "does not parse: "+grammar.Fault(err))
		return
	}
	src, command := a.src, a.command
	if wrapper != "" {
		a.wrappers = append(a.wrappers, wrapper)
	}
	where := a.where
	a.src, a.where.fixed = source, true
	a.depth++
	a.whole(file.Stmts, in, input{})
	a.depth--
	a.src, a.command, a.where = src, command, where
	if wrapper != "" {
		a.wrappers = a.wrappers[:len(a.wrappers)-1]
	}
}

// compareNested says so where a text inside has no meaning common to bash and
// zsh, as far as its grammar shows.
func (a *analysis) compareNested(source string) {
	other := syntax.LangZsh
	if a.lang == syntax.LangZsh {
		other = syntax.LangBash
	}
	if _, err := grammar.As(source, other); err != nil {
		a.unknown(PartWords, source, "does not parse as "+other.String())
	}
}
