package code

import "strings"

// expression reads an expression with commas and the words and, or, xor, not.
func (p *plParser) expression() *node {
	if !p.deeper() {
		return &node{op: "other"}
	}
	defer func() { p.depth-- }()
	for p.keyword(" not ") != "" {
	}
	list := p.commas()
	n := &node{op: "list", kids: list}
	if len(list) == 1 {
		n = list[0]
	}
	for !p.stopped && p.keyword(" and or xor ") != "" {
		for p.keyword(" not ") != "" {
		}
		p.commas()
		n = &node{op: "ops"}
	}
	return n
}

// ends reports whether no further term follows in a list.
func (p *plParser) ends() bool {
	c := p.next()
	return p.stopped || c == 0 || strings.IndexByte(")]};:", c) >= 0 ||
		among(p.word(), " if unless while until for foreach and or xor ") && !p.arrow(len(p.word()))
}

func (p *plParser) commas() []*node {
	var list []*node
	for !p.ends() {
		list = append(list, p.assigned(true))
		comma := false
		for p.take("=>") || p.peek() == ',' && p.take(",") {
			comma = true
		}
		if !comma {
			break
		}
	}
	return list
}

// assigned reads an expression without commas. The order in which operators
// bind does not matter to what a program can do, but for assignments: those
// change the term before them.
func (p *plParser) assigned(assigns bool) *node {
	if !p.deeper() {
		return &node{op: "other"}
	}
	defer func() { p.depth-- }()
	t := p.unary()
	single := true
	for !p.stopped {
		op := p.operator()
		switch {
		case op == "":
			if !single {
				return &node{op: "ops"}
			}
			return t
		case plAssigns(op):
			if !assigns {
				p.stop("it assigns to a choice")
				return t
			}
			value := p.assigned(true)
			if op != "=" && op != "||=" && op != "&&=" && op != "//=" {
				value = plNumeric(op, value)
			}
			p.lvalue(t, value)
			return &node{op: "assign", kids: []*node{t, value}}
		case op == "=~" || op == "!~":
			p.binds(t)
			t = &node{op: "number"}
		case op == "?":
			p.assigned(true)
			p.expect(":")
			p.assigned(false)
			return &node{op: "ops"}
		default:
			t, single = p.unary(), false
		}
	}
	return t
}

// plNumeric is the value of an assignment that computes: a number can name
// nothing.
func plNumeric(op string, value *node) *node {
	if strings.Trim(op, "+-*/%&|^<>=") == "" {
		return &node{op: "number"}
	}
	return value
}

func plAssigns(op string) bool {
	return op == "=" || strings.HasSuffix(op, "=") && !among(op, " == != <= >= ")
}

// plOperators are tried in order: longer ones first.
const plOperators = "<=> **= ||= &&= //= <<= >>= ... == != =~ !~ <= >= && || // .. ** += -= *= /= .= %= &= |= ^= << >> + - * / % . < > & | ^ ? ="

// operator takes the operator that follows, "" if there is none.
func (p *plParser) operator() string {
	c := p.next()
	if word := p.word(); word != "" {
		if c == 'x' && strings.Trim(word[1:], "0123456789") == "" {
			p.skip(1)
			if p.peek() == '=' && p.at(1) != '=' && p.at(1) != '~' && p.at(1) != '>' {
				p.skip(1)
				return "x="
			}
			return "x"
		}
		if among(word, " eq ne lt gt le ge cmp ") {
			p.skip(len(word))
			return word
		}
		return ""
	}
	if p.has("=>") {
		return ""
	}
	if c == '-' && nameStart(p.at(1)) && !nameByte(p.at(2)) {
		p.stop("a test of files may stand where an operator does")
		return ""
	}
	for op := range strings.FieldsSeq(plOperators) {
		if p.has(op) {
			p.skip(len(op))
			return op
		}
	}
	return ""
}

// binds reads what is bound to a term by =~.
func (p *plParser) binds(t *node) {
	c := p.next()
	word := p.word()
	if c != '/' && (!among(word, " m s tr y qr ") || p.arrow(len(word))) {
		p.unary()
		return
	}
	if c == '/' {
		p.match()
		return
	}
	p.skip(len(word))
	p.quoteLike(word, t)
}

// unary reads a term with the operators before it.
func (p *plParser) unary() *node {
	if !p.deeper() {
		return &node{op: "other"}
	}
	defer func() { p.depth-- }()
	c := p.next()
	switch {
	case p.has("++") || p.has("--"):
		p.skip(2)
		n := p.unary()
		p.lvalue(n, &node{op: "counted"})
		return &node{op: "ops"}
	case c == '-' && nameStart(p.at(1)) && !nameByte(p.at(2)):
		return p.fileTest()
	case c == '!' || c == '~' || c == '+' || c == '-':
		p.skip(1)
		n := p.unary()
		if c == '+' {
			return n
		}
		return &node{op: "ops"}
	case c == '\\':
		p.skip(1)
		p.taken(p.unary())
		return &node{op: "anon"}
	}
	n := p.term()
	if p.has("++") || p.has("--") {
		p.skip(2)
		p.lvalue(n, &node{op: "counted"})
		return &node{op: "ops"}
	}
	return n
}

// taken notes that something may be changed by way of a reference to it.
func (p *plParser) taken(n *node) {
	switch n.op {
	case "list":
		for _, k := range n.kids {
			p.taken(k)
		}
	case "scalar", "array", "hash", "elem", "my", "slice":
		if n.op == "hash" && n.text == "ENV" {
			p.fail("it passes the environment on")
		}
		p.lvalue(n, nil)
	}
}

// fileTest reads -e and its kin, which look at names and status.
func (p *plParser) fileTest() *node {
	if strings.IndexByte("efdlrwxszMACTBpSbcugkoRWXOt", p.at(1)) < 0 || p.arrow(2) {
		p.stop("it tests a file in a way that is not read")
		return &node{op: "other"}
	}
	p.skip(2)
	p.operand()
	return &node{op: "number"}
}

// term reads one operand.
func (p *plParser) term() *node {
	c := p.next()
	switch {
	case c == '$':
		return p.scalar()
	case c == '@':
		return p.arrayTerm()
	case c == '%':
		return p.hashTerm()
	case c == '"':
		return p.interpolated(p.quoted())
	case c == '\'':
		_, text := p.quoted()
		return &node{op: "text", text: single(text)}
	case c == '`':
		return p.backticks()
	case c >= '0' && c <= '9' || c == '.' && p.at(1) >= '0' && p.at(1) <= '9':
		return p.number()
	case c == '(':
		return p.parenthesised()
	case c == '[':
		return p.anonymous("[", "]")
	case c == '{':
		return p.anonymous("{", "}")
	case c == '<':
		return p.line()
	case c == '/':
		p.match()
		return &node{op: "match"}
	case nameStart(c):
		return p.call()
	}
	p.stop("it cannot be read")
	return &node{op: "other"}
}

func (p *plParser) anonymous(open, close string) *node {
	p.expect(open)
	n := p.expression()
	p.expect(close)
	// What is in it may be a name.
	return p.postfix(&node{op: "anon", kids: []*node{n}})
}

func (p *plParser) parenthesised() *node {
	p.expect("(")
	n := p.expression()
	p.expect(")")
	if n.op != "list" {
		n = &node{op: "list", kids: []*node{n}}
	}
	if p.next() == '[' {
		p.expect("[")
		p.expression()
		p.expect("]")
		return &node{op: "ops"}
	}
	return p.postfix(n)
}

func (p *plParser) backticks() *node {
	p.skip(1)
	end := strings.IndexByte(p.src[p.pos:], '`')
	if end < 0 {
		p.stop("a text does not end")
		return &node{op: "other"}
	}
	text := p.src[p.pos : p.pos+end]
	p.skip(end + 1)
	p.shell(text, !strings.ContainsAny(text, `$@\`))
	return &node{op: "string"}
}

// shell reports a text that a shell runs.
func (p *plParser) shell(text string, known bool) {
	if !known {
		p.fail("it runs a command that is not known")
		return
	}
	p.effect(Shell, text, true)
}

// number reads a number.
func (p *plParser) number() *node {
	start := p.pos
	hex := p.has("0x") || p.has("0X")
	if hex {
		p.skip(2)
	}
	for c := p.peek(); c >= '0' && c <= '9' || c == '_' || c == '.' || hex && (c|0x20 >= 'a' && c|0x20 <= 'f') || c|0x20 == 'e' || (c == '-' || c == '+') && !hex && p.src[p.pos-1]|0x20 == 'e'; c = p.peek() {
		if c == '.' && (p.at(1) == '.' || strings.IndexByte(p.src[start:p.pos], '.') >= 0) {
			break
		}
		if c|0x20 == 'e' && !hex && !(p.at(1) >= '0' && p.at(1) <= '9' || (p.at(1) == '-' || p.at(1) == '+') && p.at(2) >= '0' && p.at(2) <= '9') {
			break
		}
		p.skip(1)
	}
	if next := p.peek(); nameByte(next) && next != 'x' || next == '.' && p.at(1) >= '0' && p.at(1) <= '9' {
		p.stop("it holds a number that is not read")
	}
	return &node{op: "number", text: p.src[start:p.pos]}
}

// line reads <STDIN>, <>, <$fh> and <FH>. Anything else between the brackets
// looks for files.
func (p *plParser) line() *node {
	if p.take("<<>>") || p.take("<>") {
		p.argv = true
		return &node{op: "string"}
	}
	end := strings.IndexByte(p.src[p.pos:], '>')
	if end < 0 {
		p.stop("it cannot be read")
		return &node{op: "other"}
	}
	name := p.src[p.pos+1 : p.pos+end]
	p.skip(end + 1)
	handle := strings.TrimPrefix(name, "$")
	switch {
	case !plainName(handle):
		p.stop("it looks for files or reads a text that is not known")
	case handle != name:
		p.lines = append(p.lines, handle)
	case name != "STDIN":
		p.argv = p.argv || name == "ARGV" || !among(name, " DATA ") && !p.opened[name]
	}
	return &node{op: "string"}
}

func plainName(s string) bool {
	for i := 0; i < len(s); i++ {
		if !nameByte(s[i]) {
			return false
		}
	}
	return s != "" && nameStart(s[0])
}

// match reads /.../.
func (p *plParser) match() {
	p.pattern(p.quoted())
	p.modifiers("msixpngcoadlu")
}

// quoteLike reads what follows q, qq, qw, qr, m, s, tr and y. target is what
// it works on, nil for $_.
func (p *plParser) quoteLike(word string, target *node) *node {
	open := p.peek()
	switch word {
	case "q":
		_, text := p.quoted()
		return &node{op: "text", text: single(text)}
	case "qq":
		return p.interpolated(p.quoted())
	case "qw":
		_, text := p.quoted()
		n := &node{op: "list"}
		for item := range strings.FieldsSeq(text) {
			n.kids = append(n.kids, &node{op: "text", text: item})
		}
		return n
	case "qx":
		raw, text := p.quoted()
		p.shell(text, raw == text && !strings.ContainsAny(text, `$@\`))
		return &node{op: "string"}
	case "m", "qr":
		p.match()
		return &node{op: "match"}
	}
	if target == nil {
		target = &node{op: "scalar", text: "_"}
	}
	raw, text := p.quoted()
	if word != "s" {
		p.again(open)
		p.changes(p.modifiers("cdsr"), target)
		return &node{op: "number"}
	}
	p.pattern(raw, text)
	raw, text = p.again(open)
	if p.stopped {
		return &node{op: "other"}
	}
	p.within(raw, false)
	p.within(text, false)
	p.changes(p.modifiers("msixpngcoadlur"), target)
	return &node{op: "string"}
}

// changes notes that s or tr changes what it works on, unless it has r.
func (p *plParser) changes(modifiers string, target *node) {
	if strings.IndexByte(modifiers, 'r') < 0 && !p.stopped {
		p.lvalue(target, nil)
	}
}
