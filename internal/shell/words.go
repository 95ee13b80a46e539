package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// word is one argument after expansion.
type word struct {
	value
	// many: it may be no argument or several.
	many bool
	// one: it is exactly one of the names that its glob matches.
	one bool
	// picked is the test that picks it out, as in Effect.
	picked string
	// output: it names the output of a command (process substitution).
	output bool
	raw    string // as written
}

func (w word) shown() string {
	if w.known {
		return w.text
	}
	return w.raw
}

// dashed reports whether the word is, or may turn out to be, an option.
func (w word) dashed() bool {
	if w.text != "" && w.glob != 1 {
		return w.text[0] == '-'
	}
	return !w.known || w.glob == 1
}

func (rd *reading) raw(n syntax.Node) string { return grammar.Raw(rd.src, n) }

// expander says what words become, and what their expansion runs.
type expander struct {
	machine *machine
	out     *draft
	limits  *limits
	now     *reading
	vars    *environment
	repos   *repositories
	texts   *texts
	run     runner

	given    map[string]value // constants that the text assigns, wherever that stands
	supposed map[string]value // what variables hold where it is only supposed that all runs
}

// runner walks what an expansion runs.
type runner interface {
	// subshell walks a list in a shell of its own.
	subshell(list []*syntax.Stmt, st state, in input)
	// within walks every command that stands in what is not followed.
	within(n syntax.Node, st state, in input) state
}

// expand returns what a list of words becomes.
func (e *expander) expand(words []*syntax.Word, st state) []word {
	out := make([]word, 0, len(words))
	for _, w := range words {
		if len(out) >= grammar.MaxWords {
			e.limits.over = "1024 words of one command"
		}
		if e.limits.over != "" {
			break
		}
		out = e.joined(out, w, st)
	}
	return out
}

// builder joins the parts of a word.
type builder struct {
	word    // its text is in all
	all     []byte
	started bool // something stands here, be it an empty string in quotes
	alone   bool // the word has one part
	globbed bool // a glob stands somewhere in it
}

func (b *builder) add(v value) {
	alone := !b.started
	b.started, b.globbed = true, b.globbed || v.glob > 0
	if !b.known { // what stands behind is lost
		b.from, b.to = 0, 0
		return
	}
	if v.glob > 0 && b.glob == 0 {
		b.glob = len(b.all) + v.glob
	}
	b.all = append(b.all, v.text...)
	if b.known = v.known && len(b.all) <= grammar.MaxBytes; !v.known {
		b.numeric = v.numeric && alone
		if alone {
			b.from, b.to = v.from, v.to
		}
	}
}

func (b *builder) lose() { b.add(value{}) }

// joined appends what one word becomes.
func (e *expander) joined(out []word, w *syntax.Word, st state) []word {
	raw := e.now.raw(w)
	if lit, ok := grammar.Constant(w); ok {
		return append(out, word{value: constant(lit), raw: raw})
	}
	b := builder{alone: len(w.Parts) == 1, word: word{value: value{known: true}, raw: raw}}
	for i, part := range w.Parts {
		e.part(&b, part, i == 0, st)
	}
	if b.output && b.glob > 0 { // shells name the pipe differently, so that it matches something else
		e.unfollowed(w, "a glob beside <( )")
	}
	if !b.known && b.globbed { // l"$x"*: each name that it matches is a word, and begins so
		if b.glob > 0 {
			b.all, b.glob = b.all[:b.glob-1], 0
		}
		b.many = true
	}
	if grammar.HoldsBraces(w) {
		b.known, b.many, b.all, b.glob = false, true, nil, 0
	}
	b.text = string(b.all)
	return append(out, b.word)
}

// single returns what a word becomes where the shell neither splits nor globs
// (assignments, here-strings).
func (e *expander) single(w *syntax.Word, st state) word {
	if w == nil {
		return word{value: value{known: true}}
	}
	words := e.joined(nil, w, st)
	words[0].many = false
	return words[0]
}

// target returns what the target of a redirection becomes: bash splits and globs
// what expands in it, and opens the one name that comes out.
func (e *expander) target(w *syntax.Word, st state) word { return e.single(w, st) }

func (e *expander) part(b *builder, part syntax.WordPart, first bool, st state) {
	switch p := part.(type) {
	case *syntax.Lit:
		e.literal(b, p.Value, first)
	case *syntax.SglQuoted:
		text, plain := p.Value, true
		if p.Dollar {
			text, plain = grammar.Escapes(text)
		}
		b.add(value{text: text, known: plain && !(p.Dollar && e.now.lang == syntax.LangPOSIX)})
	case *syntax.DblQuoted:
		e.doubleQuoted(b, p, st)
	case *syntax.ParamExp:
		b.split(e.param(p, st))
	case *syntax.CmdSubst:
		b.split(e.substitute(p, st))
	case *syntax.ArithmExp:
		b.add(e.arithmetic(p, st))
	case *syntax.ProcSubst:
		e.run.subshell(p.Stmts, st, input{})
		b.add(constant("/dev/fd/63"))
		b.output = true
	default:
		e.unfollowed(part, "a word of this kind")
		e.run.within(part, st, input{})
		b.lose()
		b.many = true
	}
}

// literal adds unquoted text: backslashes, tilde, globs.
func (e *expander) literal(b *builder, text string, first bool) {
	if first && strings.HasPrefix(text, "~") {
		text = e.tilde(b, text)
	}
	if !strings.ContainsAny(text, "\\*?[") {
		if text != "" {
			b.add(constant(text))
		}
		return
	}
	glob := 0
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			if i++; i < len(text) && text[i] != '\n' {
				plain.WriteByte(text[i])
			}
			continue
		case '*', '?', '[':
			if glob == 0 && text != "[" && text != "[[" {
				glob = plain.Len() + 1
			}
		}
		plain.WriteByte(text[i])
	}
	// zsh 5.9 follows links behind ***; bash drops slashes, other shells do not; those
	// of an address match nothing
	if glob > 0 && (strings.Contains(plain.String(), "***") ||
		strings.Contains(strings.Replace(plain.String(), "://", "", 1), "//")) {
		e.out.unknown(PartWords, b.raw, "this uses *** or two slashes in a glob, which shells read differently")
	}
	b.add(value{text: plain.String(), known: true, glob: glob})
}

// tilde expands a leading ~ and returns what is left of the text.
func (e *expander) tilde(b *builder, text string) string {
	user, _, _ := strings.Cut(text[1:], "/")
	rest := text[1+len(user):]
	switch {
	case rest == "" && !b.alone: // what follows belongs to the name, or keeps ~ from being a home
		b.lose()
	case user == "" && e.machine.env.Home != "":
		b.add(constant(strings.TrimSuffix(e.machine.env.Home, "/")))
	case user == "root":
		b.add(constant("/root"))
	default:
		b.lose()
	}
	return rest
}

func (e *expander) doubleQuoted(b *builder, q *syntax.DblQuoted, st state) {
	if q.Dollar {
		e.unfollowed(q, `$"..."`)
		b.lose()
	}
	if len(q.Parts) == 0 {
		b.add(constant(""))
	}
	for _, part := range q.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.add(constant(grammar.Unescape(p.Value)))
		case *syntax.ParamExp:
			b.add(e.param(p, st))
		case *syntax.CmdSubst:
			b.add(e.substitute(p, st))
		case *syntax.ArithmExp:
			b.add(e.arithmetic(p, st))
		default:
			e.part(b, part, false, st)
		}
	}
}

// split adds the value of an unquoted expansion, which may be several words: of ./$x
// with blanks in it only the first begins with ./, so of the word nothing is said then.
func (b *builder) split(v value) {
	if b.add(v); !v.known && !v.numeric || strings.ContainsAny(v.text, " \t\n*?[\\") {
		b.many, b.known = true, false
		b.all, b.glob = nil, 0
	}
}
