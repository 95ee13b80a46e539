package code

import "strings"

// pyKind is the kind of a token of Python.
type pyKind uint8

const (
	pyEnd pyKind = iota
	pyNewline
	pyIndent
	pyDedent
	pyName
	pyNumber
	pyString
	pyOp
)

type pyToken struct {
	kind pyKind
	text string // name, operator, digits, or what is between the quotes
	pre  string // prefix of a string, in lower case
	at   int    // where the text of a string begins in the source
}

// pyLexer takes Python apart. What it does not know fails, characters beyond
// ASCII outside strings and comments too: Python folds identifiers, so that
// they may be names in disguise.
type pyLexer struct {
	src     string
	pos     int
	depth   int // of brackets
	indents []int
	queue   []pyToken // dedents to come
	start   bool      // of a line
	tabs    byte      // what indentation is made of
	field   bool      // inside an f-string
	fault   string
}

func (l *pyLexer) fail(why string) pyToken {
	if l.fault == "" {
		l.fault = why
	}
	l.pos = len(l.src)
	return pyToken{kind: pyEnd}
}

func (l *pyLexer) next() pyToken {
	if n := len(l.queue); n > 0 {
		t := l.queue[n-1]
		l.queue = l.queue[:n-1]
		return t
	}
	if l.start && l.depth == 0 && !l.field {
		if t, ok := l.indentation(); ok {
			return t
		}
	}
	l.blanks()
	if l.fault != "" || l.pos >= len(l.src) {
		return l.end()
	}
	c := l.src[l.pos]
	switch {
	case c == '\n':
		l.pos++
		l.start = true
		return pyToken{kind: pyNewline}
	case nameStart(c):
		return l.name()
	case c >= '0' && c <= '9', c == '.' && l.pos+1 < len(l.src) && l.src[l.pos+1] >= '0' && l.src[l.pos+1] <= '9':
		return l.number()
	case c == '"' || c == '\'':
		return l.quoted("")
	}
	return l.operator()
}

// end closes what is open: the line, and every indented block.
func (l *pyLexer) end() pyToken {
	if l.fault == "" && !l.start && !l.field {
		l.start = true
		return pyToken{kind: pyNewline}
	}
	if n := len(l.indents); n > 0 {
		l.indents = l.indents[:n-1]
		return pyToken{kind: pyDedent}
	}
	return pyToken{kind: pyEnd}
}

// indentation reads the blanks before a line that holds something.
func (l *pyLexer) indentation() (pyToken, bool) {
	for {
		from := l.pos
		for l.pos < len(l.src) && (l.src[l.pos] == ' ' || l.src[l.pos] == '\t') {
			l.pos++
		}
		width := l.pos - from
		if l.pos < len(l.src) && l.src[l.pos] == '#' {
			l.comment()
		}
		if l.pos < len(l.src) && l.src[l.pos] == '\n' {
			l.pos++
			continue
		}
		l.start = false
		if l.pos < len(l.src) && l.src[l.pos] == '\\' {
			return l.fail("a backslash before the line begins"), true
		}
		if l.pos >= len(l.src) {
			l.start = true
			return pyToken{}, false
		}
		for _, c := range []byte(l.src[from : from+width]) {
			if l.tabs != 0 && l.tabs != c {
				return l.fail("tabs and blanks are mixed"), true
			}
			l.tabs = c
		}
		return l.indented(width)
	}
}

func (l *pyLexer) indented(width int) (pyToken, bool) {
	top := 0
	if n := len(l.indents); n > 0 {
		top = l.indents[n-1]
	}
	if width > top {
		if len(l.indents) >= maxDepth {
			return l.fail("it is nested too deeply"), true
		}
		l.indents = append(l.indents, width)
		return pyToken{kind: pyIndent}, true
	}
	for n := len(l.indents); n > 0 && l.indents[n-1] > width; n = len(l.indents) {
		l.indents = l.indents[:n-1]
		l.queue = append(l.queue, pyToken{kind: pyDedent})
		top = 0
		if n > 1 {
			top = l.indents[n-2]
		}
	}
	if top != width {
		return l.fail("its indentation cannot be read"), true
	}
	if n := len(l.queue); n > 0 {
		t := l.queue[n-1]
		l.queue = l.queue[:n-1]
		return t, true
	}
	return pyToken{}, false
}

// blanks skips what separates tokens.
func (l *pyLexer) blanks() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == ' ' || c == '\t' || c == '\n' && (l.depth > 0 || l.field):
			l.pos++
		case c == '\\' && strings.HasPrefix(l.src[l.pos+1:], "\n") && !l.field:
			l.pos += 2
			if l.pos >= len(l.src) {
				l.fail("it ends in a backslash")
			}
		case c == '#':
			if l.field {
				l.fail("a comment inside a string")
			}
			l.comment()
		default:
			return
		}
	}
}

func (l *pyLexer) comment() {
	end := strings.IndexByte(l.src[l.pos:], '\n')
	if end < 0 {
		end = len(l.src) - l.pos
	}
	// A comment may set the encoding in which the rest is read.
	if strings.Contains(l.src[l.pos:l.pos+end], "coding") && strings.Count(l.src[:l.pos], "\n") < 2 {
		l.fail("a comment that may set its encoding")
		return
	}
	if strings.IndexByte(l.src[l.pos:l.pos+end], '\f') >= 0 {
		l.fail("a form feed")
		return
	}
	l.pos += end
}

func (l *pyLexer) name() pyToken {
	from := l.pos
	for l.pos < len(l.src) && nameByte(l.src[l.pos]) {
		l.pos++
	}
	name := l.src[from:l.pos]
	if l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c >= 0x80:
			return l.fail("a name with characters beyond ASCII")
		case c == '"' || c == '\'':
			return l.quoted(strings.ToLower(name))
		}
	}
	return pyToken{kind: pyName, text: name}
}

func (l *pyLexer) number() pyToken {
	from := l.pos
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		signed := (c == '+' || c == '-') && (l.src[l.pos-1]|0x20) == 'e' && !strings.HasPrefix(strings.ToLower(l.src[from:l.pos]), "0x")
		if !nameByte(c) && c != '.' && !signed || l.pos == from && c == '+' {
			break
		}
		l.pos++
	}
	if l.pos < len(l.src) && l.src[l.pos] >= 0x80 {
		return l.fail("a name with characters beyond ASCII")
	}
	text := l.src[from:l.pos]
	if !pyNumeral(text) {
		return l.fail("a number that cannot be read")
	}
	return pyToken{kind: pyNumber, text: text}
}

// pyNumeral reports whether a text is all of one number: "1if" is not.
func pyNumeral(text string) bool {
	lower := strings.ToLower(text)
	if strings.HasSuffix(lower, "_") || strings.Contains(lower, "__") {
		return false
	}
	for _, base := range [...]struct{ prefix, digits string }{{"0x", "0123456789abcdef_"}, {"0o", "01234567_"}, {"0b", "01_"}} {
		if digits, ok := strings.CutPrefix(lower, base.prefix); ok {
			return digits != "" && strings.Trim(digits, base.digits) == ""
		}
	}
	lower = strings.TrimSuffix(lower, "j")
	mantissa, exponent, has := strings.Cut(lower, "e")
	exponent = strings.TrimLeft(exponent, "+-")
	if has && (exponent == "" || strings.Trim(exponent, "0123456789") != "") {
		return false
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if len(whole) > 1 && whole[0] == '0' && !has && !strings.Contains(mantissa, ".") && strings.Trim(whole, "0_") != "" {
		return false
	}
	return whole+fraction != "" && strings.Trim(whole+fraction, "0123456789_") == ""
}

// quoted reads a string. Its end is where the first quote is that no backslash
// protects, in f-strings too: newer versions look for one outside the braces,
// and where the braces are balanced there, both agree.
func (l *pyLexer) quoted(prefix string) pyToken {
	if !among(prefix, " r u b f br rb fr rf ") && prefix != "" {
		return l.fail("a string with an unknown prefix")
	}
	quote := l.src[l.pos : l.pos+1]
	if strings.HasPrefix(l.src[l.pos:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	l.pos += len(quote)
	from := l.pos
	for l.pos < len(l.src) {
		switch {
		case l.src[l.pos] == '\\':
			l.pos += 2
		case strings.HasPrefix(l.src[l.pos:], quote):
			t := pyToken{kind: pyString, text: l.src[from:l.pos], pre: prefix, at: from}
			l.pos += len(quote)
			return t
		case l.src[l.pos] == '\n' && len(quote) == 1:
			return l.fail("a string that does not end")
		default:
			l.pos++
		}
	}
	return l.fail("a string that does not end")
}

func (l *pyLexer) operator() pyToken {
	rest := l.src[l.pos:]
	for _, op := range [...]string{"**=", "//=", ">>=", "<<=", "...", ":=", "->", "**", "//", ">>", "<<", "<=", ">=", "==", "!=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@="} {
		if strings.HasPrefix(rest, op) {
			if l.field && op == ":=" {
				break // a colon of the format
			}
			l.pos += len(op)
			return pyToken{kind: pyOp, text: op}
		}
	}
	c := rest[0]
	switch c {
	case '(', '[', '{':
		l.depth++
	case ')', ']', '}':
		l.depth--
		if l.depth < 0 && !l.field {
			return l.fail("a bracket that nothing opens")
		}
	}
	if strings.IndexByte("()[]{}+-*/%@<>=,:.;&|^~", c) < 0 && !(l.field && c == '!') {
		return l.fail("a character that cannot be read")
	}
	l.pos++
	return pyToken{kind: pyOp, text: rest[:1]}
}
