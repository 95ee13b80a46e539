package shell

import (
	"slices"
	"strings"

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

func (a *analysis) raw(n syntax.Node) string {
	start, end := int(n.Pos().Offset()), int(n.End().Offset())
	if start > end || end > len(a.src) {
		return ""
	}
	return a.src[start:end]
}

// expand returns what a list of words becomes.
func (a *analysis) expand(words []*syntax.Word, st state) []word {
	out := make([]word, 0, len(words))
	for _, w := range words {
		before := len(out)
		out = a.fields(out, w, st)
		a.counts(len(out) - before)
		if len(out) > maxWords {
			a.over = "1024 words after expansion"
			return out[:maxWords]
		}
		if a.over != "" {
			break
		}
	}
	return out
}

// fields appends what one word becomes.
func (a *analysis) fields(out []word, w *syntax.Word, st state) []word {
	raw := a.raw(w)
	if lit, ok := simpleLit(w); ok {
		return append(out, a.checked(word{value: constant(lit), raw: raw, empty: lit}))
	}
	if a.both || a.lang == syntax.LangZsh {
		if name, ok := strings.CutPrefix(w.Lit(), "{"); ok && plainIdentifier("_"+strings.TrimSuffix(name, "}")) && name != "}" {
			a.unfollowed(w, "a word that zsh takes for a descriptor before a redirection")
		}
	}
	if a.oddRange(w) || oddBraces(w) {
		a.unfollowed(w, "braces of this kind")
	}
	if homeBehindEquals(w) {
		a.unfollowed(w, "a ~ behind = or :")
	}
	if strings.IndexByte(raw, '{') >= 0 {
		depth := braceDepth(w)
		if depth > 1 && strings.Contains(raw, "..") {
			a.unfollowed(w, "a range inside of braces")
		}
		if depth > maxBraces {
			a.over = "8 levels of braces in one word"
			return out
		}
		copied := syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}
		switch {
		case !syntax.SplitBraces(&copied) || !hasBraces(&copied):
		case a.lang == syntax.LangPOSIX: // some of those shells know braces, some do not
			a.joined(nil, w.Parts, raw, st)
			return append(out, word{raw: raw, many: true})
		default:
			if bracesBesideName(&copied) {
				a.unfollowed(w, "braces beside $NAME or ~")
			}
			if slices.ContainsFunc(copied.Parts, mixedRange) {
				a.unfollowed(w, "a range over more than letters of one case")
			}
			return a.braced(out, &copied, raw, st)
		}
	}
	return a.joined(out, w.Parts, raw, st)
}

// braceDepth returns how deep braces nest in the unquoted text of a word.
func braceDepth(w *syntax.Word) int {
	var n nest
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		for i := 0; i < len(lit.Value); i++ {
			switch lit.Value[i] {
			case '{':
				n.open()
			case '}':
				n.close()
			}
		}
	}
	return n.max
}

// simpleLit returns the text of a word that no expansion can change.
func simpleLit(w *syntax.Word) (string, bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		return p.Value, !strings.ContainsAny(p.Value, "\\*?[~{=^#<($")
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	}
	return "", false
}

// checked makes a word unknown that bash and zsh read differently.
func (a *analysis) checked(w word) word {
	if (a.both || a.lang == syntax.LangZsh) && !w.quoted && len(w.text) > 1 && w.text[0] == '=' {
		return word{raw: w.raw, empty: w.empty}
	}
	return w
}

func (a *analysis) braced(out []word, w *syntax.Word, raw string, st state) []word {
	alternatives := braces(w)
	if alternatives == nil {
		a.over = "1024 words after expansion"
		return out
	}
	for _, parts := range alternatives {
		before := len(out)
		if out = a.joined(out, parts, raw, st); len(out) == before { // zsh makes an empty word of it, bash none
			out = append(out, word{raw: raw, many: true})
		}
	}
	return out
}

func hasBraces(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		_, ok := p.(*syntax.BraceExp)
		return ok
	})
}

// bracesBesideName reports whether braces stand right behind $NAME, or hold a
// $NAME or a ~: bash expands braces first, so that what they yield may belong to
// the name, and zsh looks for ~ in what they yield.
func bracesBesideName(w *syntax.Word) bool {
	for i, part := range w.Parts {
		b, ok := part.(*syntax.BraceExp)
		if ok && (i > 0 && shortName(w.Parts[i-1]) || slices.ContainsFunc(b.Elems, nameOrHome)) {
			return true
		}
	}
	return false
}

// mixedRange reports a range such as {A..a}, in which a shell meets signs that
// mean something to it.
func mixedRange(p syntax.WordPart) bool {
	b, ok := p.(*syntax.BraceExp)
	if !ok || !b.Sequence {
		return false
	}
	first, last := b.Elems[0].Lit(), b.Elems[1].Lit()
	lower, upper := first+last == strings.ToLower(first+last), first+last == strings.ToUpper(first+last)
	return !lower && !upper || len(first) != 1 && !decimal(strings.TrimPrefix(first, "-"))
}

func nameOrHome(elem *syntax.Word) bool {
	return bracesBesideName(elem) || slices.ContainsFunc(elem.Parts, func(p syntax.WordPart) bool {
		lit, ok := p.(*syntax.Lit)
		return shortName(p) || ok && strings.Contains(lit.Value, "~")
	})
}

func shortName(p syntax.WordPart) bool {
	name, ok := p.(*syntax.ParamExp)
	return ok && name.Short
}

// homeBehindEquals reports whether a word looks like an assignment with a ~ in
// its value: bash expands it in an argument too, other shells do not.
func homeBehindEquals(w *syntax.Word) bool {
	assigns := false
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		_, value, found := strings.Cut(lit.Value, "=")
		if assigns {
			value = lit.Value
		}
		assigns = assigns || found
		if assigns && strings.Contains(value, "~") && (strings.HasPrefix(value, "~") || strings.ContainsAny(value, "=:")) {
			return true
		}
	}
	return false
}

// builder joins the parts of a word.
type builder struct {
	word
	started bool // something stands here, be it an empty string in quotes
	alone   bool // the word has one part
	a       *analysis
	all     joint // backs text
	rest    joint // backs empty, where that differs
}

func (b *builder) add(v value, quoted bool) {
	if !b.started && quoted {
		b.quoted = true
	}
	b.started = true
	same := b.known && b.empty == b.text
	if v.known && !(same && b.known) {
		b.empty = b.rest.join(b.a, b.empty, v.text)
	}
	alone := b.text == "" && b.known
	if !b.known {
		b.from, b.to = 0, 0
		return
	}
	if v.glob > 0 && b.glob == 0 {
		b.glob = len(b.text) + v.glob
	}
	b.text = b.all.join(b.a, b.text, v.text)
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
func (j *joint) join(a *analysis, text, more string) string {
	if text == "" || more == "" {
		return text + more
	}
	if j.String() != text {
		if !a.makes(len(text)) {
			return text
		}
		j.Reset()
		j.WriteString(text)
	}
	if !a.makes(len(more)) {
		return text
	}
	j.WriteString(more)
	return j.String()
}

func (b *builder) lose() { b.add(value{}, false) }

func (a *analysis) joined(out []word, parts []syntax.WordPart, raw string, st state) []word {
	b := builder{a: a, alone: len(parts) == 1, word: word{value: value{known: true}, raw: raw}}
	a.modified(parts)
	a.dollars(parts)
	for i, part := range parts {
		if a.part(&b, part, i == 0, st); a.over != "" {
			break
		}
	}
	if !b.started && !b.many {
		return out // an unquoted expansion of nothing
	}
	if !b.known && b.glob > 0 {
		b.glob = 0
	}
	b.word.raw = raw
	return append(out, a.checked(b.word))
}

// single returns what a word becomes where the shell neither splits nor globs
// (assignments, here-strings, case words, redirection targets).
func (a *analysis) single(w *syntax.Word, st state) word {
	if w == nil {
		return word{value: value{known: true}}
	}
	raw := a.raw(w)
	if lit, ok := simpleLit(w); ok {
		return word{value: constant(lit), raw: raw, empty: lit}
	}
	b := builder{a: a, alone: len(w.Parts) == 1, word: word{value: value{known: true}, raw: raw}}
	a.modified(w.Parts)
	a.dollars(w.Parts)
	for i, part := range w.Parts {
		if a.over != "" {
			break
		}
		if p, ok := part.(*syntax.ParamExp); ok {
			b.add(a.param(p, st), true)
			continue
		}
		a.part(&b, part, i == 0, st)
	}
	b.many = false
	if strings.Contains(raw, ":=") && (a.both || a.lang == syntax.LangZsh) { // zsh expands =NAME there
		return word{raw: raw}
	}
	return a.checked(b.word)
}

func (a *analysis) part(b *builder, part syntax.WordPart, first bool, st state) {
	switch p := part.(type) {
	case *syntax.Lit:
		a.literal(b, p.Value, first)
	case *syntax.SglQuoted:
		text := p.Value
		if p.Dollar {
			var ok bool
			if a.both && strings.Contains(text, `\'`) { // other shells end the text there
				a.unfollowed(p, `a quote inside of $'...'`)
			}
			if text, ok = ansiC(text); !ok || a.lang == syntax.LangPOSIX {
				b.add(value{}, true)
				return
			}
		}
		b.add(constant(text), true)
	case *syntax.DblQuoted:
		a.doubleQuoted(b, p, st)
	case *syntax.ParamExp:
		a.split(b, a.param(p, st))
	case *syntax.CmdSubst:
		v := a.substitute(p, st)
		b.empty += v.text
		a.split(b, v)
	case *syntax.ArithmExp:
		b.add(a.arithmetic(p, st), false)
	case *syntax.ProcSubst:
		a.processSubst(b, p, st)
	case *syntax.BraceExp:
		b.lose()
	default:
		a.unfollowed(part, "a word of this kind")
		a.within(part, st, input{})
		b.lose()
		b.many = true
	}
}

func (a *analysis) processSubst(b *builder, p *syntax.ProcSubst, st state) {
	if p.Op != syntax.CmdIn {
		a.unfollowed(p, p.Op.String()+" )")
	}
	if a.documentOutside(p) {
		a.unfollowed(p, "a here-document that begins behind its substitution")
	}
	a.pipes++
	a.again = true
	a.subshell(p.Stmts, st, input{})
	a.pipes--
	if p.Op == syntax.CmdInTemp {
		b.lose()
	} else {
		b.add(constant("/dev/fd/63"), false)
	}
	b.output = true
}

// literal adds unquoted text: backslashes, tilde, globs.
func (a *analysis) literal(b *builder, text string, first bool) {
	if first && !b.started && strings.HasPrefix(text, "~") {
		text = a.tilde(b, text)
	}
	if a.lang == syntax.LangZsh && (bare(text, '(') || bare(text, '<')) {
		a.unknown(PartWords, b.raw, "a glob of zsh that can run code, or stand for numbers")
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
			if glob == 0 && (c != '[' || !b.alone || bracketGlob(text[i:])) { // its ] may stand behind a quote
				glob = plain.Len() + 1
			}
		}
		plain.WriteByte(text[i])
	}
	// bash drops slashes, other shells do not; those of an address match nothing
	if glob > 0 && strings.Contains(strings.Replace(plain.String(), "://", "", 1), "//") {
		a.unknown(PartWords, b.raw, "a glob with two slashes")
	}
	b.add(value{text: plain.String(), known: true, glob: glob}, quoted)
}

// dollars looks for a $ that the parser took for itself, though some shell may
// expand what stands behind it.
func (a *analysis) dollars(parts []syntax.WordPart) {
	behind := byte(0) // what precedes: a $ or nothing
	for _, part := range parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			if behind == '$' {
				a.unknown(PartWords, a.raw(part), "a $ that some shells expand")
			}
			behind = 0
			continue
		}
		for i := 0; i < len(lit.Value); i++ {
			c := lit.Value[i]
			if behind == '$' && (c >= 0x80 || letter(c) || strings.IndexByte("[({+=^~#:<", c) >= 0) {
				a.unknown(PartWords, a.raw(lit), "a $ that some shells expand")
			}
			if behind = c; c == '\\' {
				i, behind = i+1, 0
			}
		}
	}
}

// bare reports whether c stands in unquoted text without a backslash.
func bare(text string, c byte) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case c:
			return true
		}
	}
	return false
}

func bracketGlob(s string) bool { return strings.IndexByte(s, ']') > 0 }

// tilde expands a leading ~ and returns what is left of the text.
func (a *analysis) tilde(b *builder, text string) string {
	user, _, _ := strings.Cut(text[1:], "/")
	rest := text[1+len(user):]
	switch {
	case rest == "" && !b.alone: // what follows belongs to the name, or keeps ~ from being a home
		b.lose()
	case user == "" && a.env.Home != "":
		b.add(constant(strings.TrimSuffix(a.env.Home, "/")), false)
	case user == "root":
		b.add(constant("/root"), false)
	default:
		b.lose()
	}
	b.empty = text[:1+len(user)]
	return rest
}

func (a *analysis) doubleQuoted(b *builder, q *syntax.DblQuoted, st state) {
	if q.Dollar {
		a.unfollowed(q, `$"..."`)
		b.lose()
	}
	if len(q.Parts) == 0 {
		b.add(constant(""), true)
	}
	a.modified(q.Parts)
	a.dollars(q.Parts)
	for _, part := range q.Parts {
		if a.over != "" {
			break
		}
		switch p := part.(type) {
		case *syntax.Lit:
			b.add(constant(unescape(p.Value)), true)
		case *syntax.ParamExp:
			b.add(a.param(p, st), true)
		case *syntax.CmdSubst:
			b.add(a.substitute(p, st), true)
		case *syntax.ArithmExp:
			b.add(a.arithmetic(p, st), true)
		default:
			a.part(b, part, false, st)
		}
	}
}

// modified reports $NAME with a colon and a letter behind it: zsh changes the
// value by that.
func (a *analysis) modified(parts []syntax.WordPart) {
	if !a.both && a.lang != syntax.LangZsh {
		return
	}
	for i, part := range parts[min(1, len(parts)):] {
		p, name := parts[i].(*syntax.ParamExp)
		lit, ok := part.(*syntax.Lit)
		if name && p.Short && ok && len(lit.Value) > 1 && lit.Value[0] == ':' && letter(lit.Value[1]) {
			a.unfollowed(p, "a value that zsh changes by what stands behind it")
		}
	}
}

// unescape removes the backslashes that double quotes give a meaning.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '$', '`', '"', '\\':
				i++
			case '\n':
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// split adds the value of an unquoted expansion.
func (a *analysis) split(b *builder, v value) {
	switch {
	case !v.known && v.numeric:
		b.add(v, false)
		return
	case !v.known:
		b.add(v, false)
		b.many = true
		return
	}
	switch {
	case v.text == "":
	case v.glob == 0 && !strings.ContainsAny(v.text, " \t\n*?[\\"):
		b.add(v, true)
	default: // shells differ in what they split, and names may hold blanks
		b.lose()
		b.many = true
	}
}

// ansiC decodes the inside of $'...'. ok is false for an escape that shells
// differ on.
func ansiC(s string) (string, bool) {
	if strings.IndexByte(s, '\\') < 0 {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'a':
			b.WriteByte(7)
		case 'b':
			b.WriteByte(8)
		case 'f':
			b.WriteByte(12)
		case 'v':
			b.WriteByte(11)
		case 'e', 'E':
			b.WriteByte(27)
		case '\\', '\'', '"', '?':
			b.WriteByte(c)
		case 'x':
			n, r := digits(s[i+1:], 16, 2)
			if n == 0 || r == 0 {
				return "", false
			}
			b.WriteByte(byte(r))
			i += n
		case 'u', 'U':
			limit := 4
			if c == 'U' {
				limit = 8
			}
			n, r := digits(s[i+1:], 16, limit)
			if n == 0 || r == 0 || r >= 0x80 { // beyond ASCII the locale decides
				return "", false
			}
			b.WriteRune(rune(r))
			i += n
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, r := digits(s[i:], 8, 3)
			if r == 0 || r > 255 {
				return "", false
			}
			b.WriteByte(byte(r))
			i += n - 1
		default:
			return "", false
		}
	}
	return b.String(), true
}

// digits reads at most limit digits and returns how many, and their value.
func digits(s string, base, limit int) (n, v int) {
	for n < len(s) && n < limit {
		c := s[n]
		if c >= 'A' && c <= 'F' {
			c |= 0x20
		}
		d := strings.IndexByte("0123456789abcdef", c)
		if d < 0 || d >= base {
			break
		}
		v = v*base + d
		n++
	}
	return n, v
}
