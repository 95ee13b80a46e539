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
	// empty is what it would be if every unknown variable in it were empty.
	empty string
	raw   string // as written
	// quoted: the first character was quoted, or came out of an expansion.
	quoted bool
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
		before := len(out)
		out = e.fields(out, w, st)
		e.limits.counts(len(out) - before)
		if len(out) > grammar.MaxWords {
			e.limits.over = "1024 words after expansion"
			return out[:grammar.MaxWords]
		}
		if e.limits.over != "" {
			break
		}
	}
	return out
}

// fields appends what one word becomes.
func (e *expander) fields(out []word, w *syntax.Word, st state) []word {
	raw := e.now.raw(w)
	if lit, ok := grammar.Constant(w); ok {
		return append(out, e.checked(word{value: constant(lit), raw: raw, empty: lit}))
	}
	if strings.IndexByte(raw, '{') >= 0 {
		if grammar.BraceDepth(w) > maxBraces {
			e.limits.over = "8 levels of braces in one word"
			return out
		}
		copied := syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}
		switch {
		case !syntax.SplitBraces(&copied) || !grammar.HasBraces(&copied):
		case e.now.lang == syntax.LangPOSIX: // some of those shells know braces, some do not
			e.joined(nil, w.Parts, raw, st)
			return append(out, word{raw: raw, many: true})
		default:
			return e.braced(out, &copied, raw, st)
		}
	}
	return e.joined(out, w.Parts, raw, st)
}

// checked makes a word unknown that bash and zsh read differently.
func (e *expander) checked(w word) word {
	if e.now.zsh() && !w.quoted && len(w.text) > 1 && w.text[0] == '=' {
		return word{raw: w.raw, empty: w.empty}
	}
	return w
}

func (e *expander) braced(out []word, w *syntax.Word, raw string, st state) []word {
	alternatives := grammar.Alternatives(w)
	if alternatives == nil {
		e.limits.over = "1024 words after expansion"
		return out
	}
	for _, parts := range alternatives {
		before := len(out)
		if out = e.joined(out, parts, raw, st); len(out) == before { // zsh makes an empty word of it, bash none
			out = append(out, word{raw: raw, many: true})
		}
	}
	return out
}

// builder joins the parts of a word.
type builder struct {
	word
	started bool // something stands here, be it an empty string in quotes
	alone   bool // the word has one part
	globbed bool // a glob stands somewhere in it
	limits  *limits
	all     joint // backs text
	rest    joint // backs empty, where that differs
}

func (b *builder) add(v value, quoted bool) {
	if !b.started && quoted && v.text != "" { // of $'' nothing is left in zsh
		b.quoted = true
	}
	b.started = true
	b.globbed = b.globbed || v.glob > 0
	same := b.known && b.empty == b.text
	if v.known && !(same && b.known) {
		b.empty = b.rest.join(b.limits, b.empty, v.text)
	}
	alone := b.text == "" && b.known
	if !b.known {
		b.from, b.to = 0, 0
		return
	}
	if v.glob > 0 && b.glob == 0 {
		b.glob = len(b.text) + v.glob
	}
	b.text = b.all.join(b.limits, b.text, v.text)
	if same && v.known {
		b.empty = b.text
	}
	b.known = v.known
	if !v.known {
		b.numeric = v.numeric && b.text == v.text
		if alone {
			b.from, b.to = v.from, v.to
		}
	}
}

// joint is a text that grows. What it returned stays as it was, since bytes
// are only ever put behind it.
type joint struct{ strings.Builder }

// join returns text and more, and counts the bytes that were copied.
func (j *joint) join(l *limits, text, more string) string {
	if text == "" || more == "" {
		return text + more
	}
	if j.String() != text {
		if !l.makes(len(text)) {
			return text
		}
		j.Reset()
		j.WriteString(text)
	}
	if !l.makes(len(more)) {
		return text
	}
	j.WriteString(more)
	return j.String()
}

func (b *builder) lose() { b.add(value{}, false) }

func (e *expander) joined(out []word, parts []syntax.WordPart, raw string, st state) []word {
	b := builder{limits: e.limits, alone: len(parts) == 1, word: word{value: value{known: true}, raw: raw}}
	for i, part := range parts {
		if e.part(&b, part, i == 0, st); e.limits.over != "" {
			break
		}
	}
	if !b.started && !b.many {
		return out // an unquoted expansion of nothing
	}
	if b.output && b.glob > 0 { // shells name the pipe differently, so that it matches something else
		e.unfollowed(parts[0], "a glob beside <( )")
	}
	if !b.known && b.globbed { // l"$x"*: each name that it matches is a word, and begins so
		if b.glob > 0 {
			b.text, b.glob = b.text[:b.glob-1], 0
		}
		b.many = true
	}
	b.word.raw = raw
	out = append(out, e.checked(b.word))
	if e.now.interp && b.glob > 0 {
		out = b.word.hidden(out)
	}
	return out
}

// hidden adds what else a glob is to [Interp]: there *.env is .env, too.
func (w word) hidden(out []word) []word {
	parts, found := strings.Split(w.text, "/"), false
	for i, part := range parts {
		if rest := strings.TrimLeft(part, "*"); rest != part && strings.HasPrefix(rest, ".") {
			parts[i], found = rest, true
		}
	}
	if !found {
		return out
	}
	text := strings.Join(parts, "/")
	if n := len(text) - 1; !strings.ContainsAny(text, "*?[") && n >= 0 {
		text = text[:n] + "[" + text[n:] + "]" // no argument where there is no such file
	}
	other := word{value: constant(text), raw: w.raw}
	other.glob = strings.IndexAny(text, "*?[") + 1
	return append(out, other)
}

// single returns what a word becomes where the shell neither splits nor globs
// (assignments, here-strings, case words).
func (e *expander) single(w *syntax.Word, st state) word {
	return e.unsplit(w, st, func(b *builder, v value) { b.add(v, true) })
}

// target returns what the target of a redirection becomes: bash splits and globs
// what expands in it, and opens the one name that comes out.
func (e *expander) target(w *syntax.Word, st state) word {
	return e.unsplit(w, st, func(b *builder, v value) {
		text := b.text
		e.split(b, v)
		if !b.known && text != "" {
			b.text = text // of several words nothing is opened
		}
	})
}

// unsplit returns what a word becomes that stays one word. expanded adds what a
// variable without quotes holds.
func (e *expander) unsplit(w *syntax.Word, st state, expanded func(*builder, value)) word {
	if w == nil {
		return word{value: value{known: true}}
	}
	raw := e.now.raw(w)
	if lit, ok := grammar.Constant(w); ok {
		return word{value: constant(lit), raw: raw, empty: lit}
	}
	b := builder{limits: e.limits, alone: len(w.Parts) == 1, word: word{value: value{known: true}, raw: raw}}
	for i, part := range w.Parts {
		if e.limits.over != "" {
			break
		}
		if p, ok := part.(*syntax.ParamExp); ok {
			expanded(&b, e.param(p, st))
			continue
		}
		e.part(&b, part, i == 0, st)
	}
	b.many = false
	return e.checked(b.word)
}

func (e *expander) part(b *builder, part syntax.WordPart, first bool, st state) {
	switch p := part.(type) {
	case *syntax.Lit:
		if st.homeless && first && strings.HasPrefix(p.Value, "~") {
			b.lose()
			return
		}
		e.literal(b, p.Value, first)
	case *syntax.SglQuoted:
		text, plain := p.Value, true
		if p.Dollar {
			text, plain = grammar.Escapes(text)
		}
		b.add(value{text: text, known: plain && !(p.Dollar && e.now.lang == syntax.LangPOSIX)}, true)
	case *syntax.DblQuoted:
		e.doubleQuoted(b, p, st)
	case *syntax.ParamExp:
		e.split(b, e.param(p, st))
	case *syntax.CmdSubst:
		v := e.substitute(p, st)
		b.empty += v.text
		e.split(b, v)
	case *syntax.ArithmExp:
		b.add(e.arithmetic(p, st), false)
	case *syntax.ProcSubst:
		e.processSubst(b, p, st)
	case *syntax.BraceExp:
		b.lose()
	default:
		e.unfollowed(part, "a word of this kind")
		e.run.within(part, st, input{})
		b.lose()
		b.many = true
	}
}

func (e *expander) processSubst(b *builder, p *syntax.ProcSubst, st state) {
	e.out.again = true
	e.run.subshell(p.Stmts, st, input{})
	b.add(constant("/dev/fd/63"), false)
	b.output = true
}

// literal adds unquoted text: backslashes, tilde, globs.
func (e *expander) literal(b *builder, text string, first bool) {
	if first && !b.started && strings.HasPrefix(text, "~") {
		text = e.tilde(b, text)
	}
	if !strings.ContainsAny(text, "\\*?[") {
		if text != "" {
			b.add(constant(text), false)
		}
		return
	}
	glob := 0
	var plain strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			if i++; i < len(text) && text[i] != '\n' {
				quoted = quoted || plain.Len() == 0
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
	if glob > 0 && strings.Contains(plain.String(), "***") { // zsh 5.9 follows links behind it
		e.out.unknown(PartWords, b.raw, "this uses ***, which shells read differently")
	}
	// bash drops slashes, other shells do not; those of an address match nothing
	if glob > 0 && strings.Contains(strings.Replace(plain.String(), "://", "", 1), "//") {
		e.out.unknown(PartWords, b.raw, "this uses a glob with two slashes, which shells read differently")
	}
	b.add(value{text: plain.String(), known: true, glob: glob}, quoted)
}

// dollars looks for a $ that the parser took for itself, though some shell may
// expand what stands behind it.
func (e *expander) dollars(parts []syntax.WordPart) {
	behind := byte(0) // what precedes: a $ or nothing
	for _, part := range parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			if behind == '$' {
				e.out.unknown(PartWords, e.now.raw(part), "this has a $ that some shells expand")
			}
			behind = 0
			continue
		}
		for i := 0; i < len(lit.Value); i++ {
			c := lit.Value[i]
			if behind == '$' && (c >= 0x80 || grammar.Letter(c) || strings.IndexByte("[({+=^~#:<", c) >= 0) {
				e.out.unknown(PartWords, e.now.raw(lit), "this has a $ that some shells expand")
			}
			if behind = c; c == '\\' {
				i, behind = i+1, 0
			}
		}
	}
}

// tilde expands a leading ~ and returns what is left of the text.
func (e *expander) tilde(b *builder, text string) string {
	user, _, _ := strings.Cut(text[1:], "/")
	rest := text[1+len(user):]
	switch {
	case rest == "" && !b.alone: // what follows belongs to the name, or keeps ~ from being a home
		b.lose()
	case user == "" && e.machine.env.Home != "":
		b.add(constant(strings.TrimSuffix(e.machine.env.Home, "/")), false)
	case user == "root":
		b.add(constant("/root"), false)
	default:
		b.lose()
	}
	b.empty = text[:1+len(user)]
	return rest
}

func (e *expander) doubleQuoted(b *builder, q *syntax.DblQuoted, st state) {
	if q.Dollar {
		e.unfollowed(q, `$"..."`)
		b.lose()
	}
	if len(q.Parts) == 0 {
		b.add(constant(""), true)
	}
	e.dollars(q.Parts)
	for _, part := range q.Parts {
		if e.limits.over != "" {
			break
		}
		switch p := part.(type) {
		case *syntax.Lit:
			b.add(constant(grammar.Unescape(p.Value)), true)
		case *syntax.ParamExp:
			b.add(e.param(p, st), true)
		case *syntax.CmdSubst:
			b.add(e.substitute(p, st), true)
		case *syntax.ArithmExp:
			b.add(e.arithmetic(p, st), true)
		default:
			e.part(b, part, false, st)
		}
	}
}

// split adds the value of an unquoted expansion.
func (e *expander) split(b *builder, v value) {
	switch {
	case !v.known && v.numeric:
		b.add(v, false)
		return
	case !v.known:
		b.add(v, false)
		b.scatter()
		return
	}
	switch {
	case v.text == "":
	case v.glob == 0 && !strings.ContainsAny(v.text, " \t\n*?[\\"):
		b.add(v, true)
	default: // shells differ in what they split, and names may hold blanks
		b.lose()
		b.scatter()
	}
}

// scatter notes that a word may be several, of which the beginning of the word
// says nothing: of ./$x with blanks in it only the first begins with ./.
func (b *builder) scatter() {
	b.many = true
	b.text, b.glob = "", 0
}
