package code

import "strings"

// space skips blanks and comments.
func (p *plParser) space() {
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == ' ' || c == '\t' || c == '\n':
			p.skip(1)
		case c == '#':
			end := strings.IndexByte(p.src[p.pos:], '\n')
			if end < 0 {
				p.pos = len(p.src)
				return
			}
			p.skip(end)
		default:
			return
		}
	}
}

// peek is the next byte, 0 at the end.
func (p *plParser) peek() byte { return p.at(0) }

func (p *plParser) at(i int) byte {
	if p.pos+i < len(p.src) {
		return p.src[p.pos+i]
	}
	return 0
}

// skip moves on. A program that is not read any more has nothing left.
func (p *plParser) skip(n int) { p.pos = min(p.pos+n, len(p.src)) }

// next skips blanks and returns the byte that follows.
func (p *plParser) next() byte {
	p.space()
	return p.peek()
}

func (p *plParser) has(text string) bool { return strings.HasPrefix(p.src[p.pos:], text) }

// take skips a text if it follows.
func (p *plParser) take(text string) bool {
	p.space()
	if p.stopped || !p.has(text) {
		return false
	}
	p.skip(len(text))
	return true
}

// expect is take of what must follow.
func (p *plParser) expect(text string) {
	if !p.take(text) {
		p.stop("it cannot be read")
	}
}

// word is the name at the place, "" if there is none. It does not move.
func (p *plParser) word() string {
	if !nameStart(p.peek()) {
		return ""
	}
	end := p.pos
	for end < len(p.src) && nameByte(p.src[end]) {
		end++
	}
	return p.src[p.pos:end]
}

// keyword skips a word if it follows.
func (p *plParser) keyword(list string) string {
	p.space()
	word := p.word()
	if word == "" || !among(word, list) || p.arrow(len(word)) {
		return ""
	}
	p.skip(len(word))
	return word
}

// arrow reports whether => follows, on the same line, what is so long.
func (p *plParser) arrow(length int) bool {
	rest := strings.TrimLeft(p.src[min(p.pos+length, len(p.src)):], " \t")
	return strings.HasPrefix(rest, "=>")
}

// plDelimiters may stand around what is quoted. Of others it is not certain
// how they are read.
const plDelimiters = `/|!,#{([<~%:;^+?"'.`

// quoted reads a text between delimiters and returns it as written, and as it
// is where a backslash before a delimiter goes.
func (p *plParser) quoted() (raw, text string) {
	open := p.peek()
	if open == 0 || strings.IndexByte(plDelimiters, open) < 0 {
		p.stop("it quotes in a way that is not read")
		return "", ""
	}
	end := open
	if i := strings.IndexByte("([{<", open); i >= 0 {
		end = ")]}>"[i]
	}
	var b strings.Builder
	start, level := p.pos+1, 1
	for p.pos++; p.pos < len(p.src); p.pos++ {
		switch c := p.src[p.pos]; {
		case c == '\\' && p.pos+1 < len(p.src):
			p.skip(1)
			if d := p.src[p.pos]; d != open && d != end {
				b.WriteByte(c)
			}
		case c == end:
			if level--; level == 0 {
				p.skip(1)
				return p.src[start : p.pos-1], b.String()
			}
		case c == open:
			level++
		}
		b.WriteByte(p.src[p.pos])
	}
	p.stop("a text does not end")
	return "", ""
}

// again reads the second text of s and tr, whose first began with open.
func (p *plParser) again(open byte) (raw, text string) {
	if strings.IndexByte("([{<", open) >= 0 {
		for p.peek() == ' ' || p.peek() == '\n' || p.peek() == '\t' {
			p.skip(1)
		}
		if p.peek() != open {
			p.stop("it quotes in a way that is not read")
			return "", ""
		}
		return p.quoted()
	}
	p.pos-- // the delimiter is both
	return p.quoted()
}

// modifiers reads the letters behind a quoted text.
func (p *plParser) modifiers(allowed string) string {
	start := p.pos
	for nameByte(p.peek()) {
		if strings.IndexByte(allowed, p.peek()) < 0 {
			p.stop("it uses the modifier " + p.src[p.pos:p.pos+1])
			return ""
		}
		p.skip(1)
	}
	return p.src[start:p.pos]
}

// single is the value of a text in which only \\ is a character of its own.
func single(text string) string { return strings.ReplaceAll(text, `\\`, `\`) }

// interpolated reads what a text in double quotes holds.
func (p *plParser) interpolated(raw, text string) *node {
	if !strings.ContainsAny(text, `$@\`) && raw == text {
		return &node{op: "text", text: text}
	}
	p.within(raw, false)
	if raw != text {
		p.within(text, false)
	}
	if !strings.ContainsAny(text, `$@`) {
		if s, ok := plEscapes(text); ok {
			return &node{op: "text", text: s}
		}
	}
	return &node{op: "string"}
}

// plEscapes is the value of a text without variables, where that is simple.
func plEscapes(text string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		i++
		if i == len(text) {
			return "", false
		}
		switch c := text[i]; {
		case c == 'n':
			b.WriteByte('\n')
		case c == 't':
			b.WriteByte('\t')
		case nameByte(c):
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// pattern reads a regular expression: code in it runs.
func (p *plParser) pattern(raw, text string) {
	for _, s := range [...]string{raw, text} {
		plain := strings.NewReplacer(" ", "", "\t", "", "\n", "").Replace(s)
		for _, code := range [...]string{"(?{", "(??{", "(?p{", "(*{", "(**{"} {
			if strings.Contains(plain, code) {
				p.fail("a regular expression may hold code")
			}
		}
		p.within(s, true)
	}
}

// within checks the variables of a text or regular expression.
func (p *plParser) within(s string, regex bool) {
	t := plText{p: p, s: s, regex: regex}
	for t.i < len(s) && !p.stopped {
		switch s[t.i] {
		case '\\':
			if strings.HasPrefix(s[t.i:], `\N{`) && !strings.HasPrefix(s[t.i:], `\N{U+`) {
				p.stop("it names characters")
			}
			if strings.HasPrefix(s[t.i:], `\c`) { // \c\ takes two
				p.stop("it holds a control character")
			}
			t.i += 2
			if !regex && t.i <= len(s) && s[t.i-1] >= '1' && s[t.i-1] <= '9' { // $1, in what replaces
				t.pointed()
			}
		case '$':
			t.scalar()
		case '@':
			t.array()
		default:
			t.i++
		}
	}
}

// plText is a text with variables in it.
type plText struct {
	p     *plParser
	s     string
	i     int
	regex bool
	depth int
}

func (t *plText) at(i int) byte {
	if t.i+i < len(t.s) {
		return t.s[t.i+i]
	}
	return 0
}

func (t *plText) refuse() {
	t.p.stop("a text holds more than plain variables")
	t.i = len(t.s)
}

func (t *plText) name() string {
	start := t.i
	for t.i < len(t.s) && nameByte(t.s[t.i]) {
		t.i++
	}
	if strings.HasPrefix(t.s[t.i:], "::") || t.at(0) == '\'' && (nameStart(t.at(1)) || t.at(1) >= 0x80) || t.at(0) >= 0x80 {
		t.refuse() // the name may go on
	}
	return t.s[start:min(t.i, len(t.s))]
}

// braced reads {name}.
func (t *plText) braced() string {
	t.i++
	name := t.name()
	if name == "" || !nameStart(name[0]) || t.at(0) != '}' {
		t.refuse()
		return ""
	}
	t.i++
	return name
}

// scalar reads a variable behind a dollar and what is taken out of it.
func (t *plText) scalar() {
	t.i++
	c := t.at(0)
	switch {
	case t.regex && (c == 0 || strings.IndexByte("()| \r\n\t", c) >= 0), c == 0:
		return
	case nameStart(c):
		t.subscripts(&node{op: "scalar", text: t.name()})
	case c >= '0' && c <= '9':
		start := t.i
		for t.at(0) >= '0' && t.at(0) <= '9' {
			t.i++
		}
		t.subscripts(&node{op: "scalar", text: t.s[start:t.i]})
	case c == '{':
		t.subscripts(&node{op: "scalar", text: t.braced()})
	case c == '#' && nameStart(t.at(1)):
		t.i++
		t.p.array(t.name())
		t.pointed()
	case c == '$':
		t.i++
		if nameByte(t.at(0)) || t.at(0) >= 0x80 || strings.IndexByte("{$:'[^-", t.at(0)) >= 0 && t.at(0) != 0 {
			t.refuse()
		}
	case strings.IndexByte("&`'+.,/\\;!?@0|\"])(<>-", c) >= 0:
		t.i++
		if c == '+' && t.at(0) == '{' {
			t.subscripts(&node{op: "scalar", text: "+"})
			return
		}
		if t.at(0) == '[' || t.at(0) == '{' || t.at(0) == '-' && t.at(1) == '>' {
			t.refuse()
		}
	default:
		t.refuse()
	}
}

// array reads a variable behind an at sign.
func (t *plText) array() {
	t.i++
	c := t.at(0)
	switch {
	case nameStart(c):
		name := t.name()
		switch t.at(0) {
		case '[':
			t.p.array(name)
			t.index(']')
		case '{':
			t.p.hash(name)
			t.index('}')
		default:
			t.p.array(name)
		}
		t.pointed()
	case nameByte(c), (c == '-' || c == '+') && strings.IndexByte("[{-", t.at(1)) >= 0 && t.at(1) != 0:
		t.refuse()
	case c == '$' && nameStart(t.at(1)):
		t.i++
		t.dereference(t.name())
	case c == '{' && t.at(1) == '$' && nameStart(t.at(2)):
		t.i += 2
		name := t.name()
		if t.at(0) != '}' {
			t.refuse()
			return
		}
		t.i++
		t.dereference(name)
	case c == '{':
		t.p.array(t.braced())
		t.pointed()
	case c == ':' || c == '\'' || c == '$' || c >= 0x80:
		t.refuse()
	}
}

func (t *plText) dereference(name string) {
	t.p.deref('@', &node{op: "scalar", text: name})
	if t.at(0) == '[' || t.at(0) == '{' {
		t.refuse()
	}
	t.pointed()
}

// pointed refuses what an array might be taken for a reference by.
func (t *plText) pointed() {
	if t.at(0) == '-' && t.at(1) == '>' || t.at(0) == '[' || t.at(0) == '{' {
		t.refuse()
	}
}

// subscripts reads what follows a variable: [1], {key}, ->[1], ->{key}.
func (t *plText) subscripts(n *node) {
	first := true
	for !t.p.stopped {
		arrow := t.at(0) == '-' && t.at(1) == '>'
		if arrow && strings.IndexByte("@$%*&", t.at(2)) >= 0 && t.at(2) != 0 {
			t.refuse()
			return
		}
		if arrow && (t.at(2) == '[' || t.at(2) == '{') {
			t.i += 2
		} else if arrow || t.at(0) != '[' && t.at(0) != '{' {
			return
		}
		open := t.at(0)
		key := t.index("]}"[strings.IndexByte("[{", open)])
		n = t.p.elem(n, open, key, arrow || !first)
		first = false
	}
}

// index reads an index or a key: nothing that calls anything.
func (t *plText) index(end byte) *node {
	t.depth++
	defer func() { t.depth-- }()
	t.i++
	start := t.i
	if word := t.bareKey(end); word != "" {
		return &node{op: "text", text: word}
	}
	t.i = start
	for items := 0; t.i < len(t.s) && t.depth < 8; items++ {
		c := t.s[t.i]
		switch {
		case c == end:
			t.i++
			if text := t.s[start : t.i-1]; items == 1 && text[0] == '\'' {
				return &node{op: "text", text: strings.Trim(text, "'")}
			}
			return &node{op: "string"}
		case c == '$' && t.at(1) == '#' && nameStart(t.at(2)), c == '$' && (nameByte(t.at(1))):
			t.scalar()
		case c >= '0' && c <= '9':
			for nameByte(t.at(0)) {
				if t.at(0) > '9' {
					t.refuse()
				}
				t.i++
			}
		case c == '\'':
			close := strings.IndexAny(t.s[t.i+1:], `'\`)
			if close < 0 || t.s[t.i+1+close] != '\'' {
				t.refuse()
				return &node{op: "string"}
			}
			t.i += close + 2
		case strings.IndexByte(" +-*,.", c) >= 0 && !(c != '.' && c != ' ' && t.at(1) == c):
			t.i++
		default:
			t.refuse()
			return &node{op: "string"}
		}
	}
	t.refuse()
	return &node{op: "string"}
}

// bareKey is a key that is a single word.
func (t *plText) bareKey(end byte) string {
	if end != '}' {
		return ""
	}
	start := t.i
	if t.at(0) == '-' {
		t.i++
	}
	if !nameStart(t.at(0)) {
		return ""
	}
	for nameByte(t.at(0)) {
		t.i++
	}
	if t.at(0) != '}' {
		return ""
	}
	t.i++
	return t.s[start : t.i-1]
}
