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
	many   bool
	picked string // the test that picks it out, as in Effect
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

// expand returns what a list of words becomes.
func (a *analysis) expand(words []*syntax.Word, st state) []word {
	out := make([]word, 0, len(words))
	for _, w := range words {
		if len(out) >= grammar.MaxWords {
			a.limits.over = "1024 words of one command"
		}
		if a.limits.over != "" {
			break
		}
		out = a.joined(out, w, st)
	}
	return out
}

// builder joins the parts of a word.
type builder struct {
	word    // its text is in all
	all     []byte
	alone   bool // the word has one part
	globbed bool // a glob stands somewhere in it
}

func (b *builder) add(v value) {
	b.globbed = b.globbed || v.glob > 0
	if !b.known { // what stands behind is lost
		return
	}
	if v.glob > 0 && b.glob == 0 {
		b.glob = len(b.all) + v.glob
	}
	b.all = append(b.all, v.text...)
	b.known = v.known && len(b.all) <= grammar.MaxBytes
}

func (b *builder) lose() { b.add(value{}) }

// joined appends what one word becomes.
func (a *analysis) joined(out []word, w *syntax.Word, st state) []word {
	raw := a.now.raw(w)
	if lit, ok := grammar.Constant(w); ok {
		return append(out, word{value: constant(lit), raw: raw})
	}
	b := builder{alone: len(w.Parts) == 1, word: word{value: value{known: true}, raw: raw}}
	for i, part := range w.Parts {
		a.part(&b, part, i == 0, st)
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

// single returns what a word becomes where the shell neither splits nor globs (assignments, here-strings).
func (a *analysis) single(w *syntax.Word, st state) word {
	if w == nil {
		return word{value: value{known: true}}
	}
	words := a.joined(nil, w, st)
	words[0].many = false
	return words[0]
}

func (a *analysis) part(b *builder, part syntax.WordPart, first bool, st state) {
	switch p := part.(type) {
	case *syntax.Lit:
		a.out.literal(b, p.Value, first)
	case *syntax.SglQuoted:
		b.add(value{text: p.Value, known: !p.Dollar})
	case *syntax.DblQuoted:
		a.doubleQuoted(b, p, st)
	case *syntax.ParamExp:
		b.split(a.param(p, st))
	case *syntax.CmdSubst:
		a.substitute(p, st)
		b.split(value{})
	case *syntax.ArithmExp:
		if strings.Trim(a.now.raw(p), "$(0123456789 +-)") != "" { // names in it may hold commands
			a.unfollowed(part, grammar.Construct(part))
			a.within(part, st, input{})
		}
		b.lose()
	default:
		a.unfollowed(part, grammar.Construct(part))
		a.within(part, st, input{})
		b.lose()
		b.many = true
	}
}

// literal adds unquoted text: backslashes, tilde, globs.
func (d *draft) literal(b *builder, text string, first bool) {
	if first && strings.HasPrefix(text, "~") {
		text = d.tilde(b, text)
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
	// zsh 5.9 follows links behind ***; bash drops slashes, other shells do not; those of an address match nothing
	if glob > 0 && (strings.Contains(plain.String(), "***") ||
		strings.Contains(strings.Replace(plain.String(), "://", "", 1), "//")) {
		d.unknown(PartWords, b.raw, "this uses *** or two slashes in a glob, which shells read differently")
	}
	b.add(value{text: plain.String(), known: true, glob: glob})
}

// tilde expands a leading ~ and returns what is left of the text.
func (d *draft) tilde(b *builder, text string) string {
	user, _, _ := strings.Cut(text[1:], "/")
	rest := text[1+len(user):]
	switch {
	case rest == "" && !b.alone: // what follows belongs to the name, or keeps ~ from being a home
		b.lose()
	case user == "" && d.machine.env.Home != "":
		b.add(constant(strings.TrimSuffix(d.machine.env.Home, "/")))
	default:
		b.lose()
	}
	return rest
}

func (a *analysis) doubleQuoted(b *builder, q *syntax.DblQuoted, st state) {
	if q.Dollar {
		a.unfollowed(q, `$"..."`)
		b.lose()
	}
	for _, part := range q.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.add(constant(grammar.Unescape(p.Value)))
		case *syntax.ParamExp:
			b.add(a.param(p, st))
		case *syntax.CmdSubst:
			a.substitute(p, st)
			b.lose()
		default:
			a.part(b, part, false, st)
		}
	}
}

// split adds the value of an unquoted expansion, which may be several words: of ./$x
// with blanks in it only the first begins with ./, so of the word nothing is said then.
func (b *builder) split(v value) {
	if b.add(v); !v.known || strings.ContainsAny(v.text, " \t\n*?[\\") {
		b.many, b.known = true, false
		b.all, b.glob = nil, 0
	}
}

// param returns the value of $x or ${x}. Any other expansion is outside of what nod follows. What is inherited is not
// taken for known: the environment can be the repository's. HOME and PWD are.
func (a *analysis) param(p *syntax.ParamExp, st state) value {
	// By the text itself: a flag that the grammar knows and this package does not would be overlooked otherwise.
	raw := a.now.raw(p)
	if p.Param == nil || raw != "$"+p.Param.Value && raw != "${"+p.Param.Value+"}" {
		a.unfollowed(p, "an expansion with an operator")
		a.within(p, st, input{})
		return value{}
	}
	name := p.Param.Value
	switch name {
	case "HOME":
		if a.machine.env.Home != "" {
			return constant(a.machine.env.Home)
		}
	case "PWD":
		if st.dir == a.machine.env.Dir && len(st.more) == 0 { // where no cd has been
			return constant(st.dir)
		}
	case "?", "$":
		return value{}
	}
	if !grammar.Identifier(name) || name == "_" {
		a.unfollowed(p, "$"+grammar.Escaped(name))
	}
	if a.machine.secretVariable(name) {
		a.out.effect(Effect{Kind: Secret, Target: name, Words: raw, Part: PartWords})
	}
	return value{}
}

// substitute walks a command substitution. What it prints is not known.
func (a *analysis) substitute(p *syntax.CmdSubst, st state) {
	command := a.out.command
	a.subshell(p.Stmts, st, input{})
	a.out.command = command
}
