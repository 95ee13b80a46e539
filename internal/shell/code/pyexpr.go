package code

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// exprList reads expressions with commas between them.
func (p *pyParser) exprList() *node {
	if p.word("yield") {
		return p.yield()
	}
	return p.list(p.starred)
}

func (p *pyParser) list(one func() *node) *node {
	first := one()
	if !p.is(",") {
		return first
	}
	n := p.node("tuple", "", first)
	for p.takes(",") && p.alive() && !p.closes() {
		n.kids = append(n.kids, one())
	}
	return n
}

// closes reports whether a list of expressions ends here.
func (p *pyParser) closes() bool {
	switch p.tok.kind {
	case pyNewline, pyEnd:
		return true
	case pyOp:
		return among(p.tok.text, " ) ] } = : ; ! ") || strings.HasSuffix(p.tok.text, "=")
	}
	return p.word("in")
}

func (p *pyParser) starred() *node {
	if p.takes("*") {
		return p.node("star", "", p.test())
	}
	return p.named()
}

func (p *pyParser) yield() *node {
	p.advance()
	n := p.node("tuple", "")
	if p.takesWord("from") {
		n.kids = append(n.kids, p.test())
	} else if !p.closes() {
		n.kids = append(n.kids, p.exprList())
	}
	return n
}

func (p *pyParser) named() *node {
	x := p.test()
	if p.is(":=") {
		p.advance()
		if x.op != "name" {
			p.strange()
		}
		return p.node("walrus", "", x, p.test())
	}
	return x
}

func (p *pyParser) test() *node {
	if !p.enter() {
		return p.node("const", "")
	}
	defer func() { p.depth-- }()
	if p.takesWord("lambda") {
		params := p.params(":")
		p.expect(":")
		return p.node("lambda", "", params, p.test())
	}
	x := p.operators()
	if p.takesWord("if") {
		cond := p.operators()
		if !p.takesWord("else") {
			p.strange()
		}
		return p.node("either", "", cond, x, p.test())
	}
	return x
}

// operators reads operands and what stands between them. Which binds tighter
// does not matter here: all of them are evaluated, or may be.
func (p *pyParser) operators() *node {
	first := p.operand(true)
	n := first
	for p.alive() {
		op := p.operator()
		if op == "" {
			return n
		}
		if n == first {
			n = p.node("ops", " ", first)
		}
		if !strings.Contains(n.text, " "+op+" ") {
			n.text += op + " "
		}
		n.kids = append(n.kids, p.operand(op == "and" || op == "or"))
	}
	return n
}

// operator takes a binary operator; "" where there is none.
func (p *pyParser) operator() string {
	op := p.tok.text
	switch {
	case p.tok.kind == pyOp && among(op, " + - * / // % @ ** << >> & | ^ < > <= >= == != "), p.word("and"), p.word("or"), p.word("in"):
		p.advance()
	case p.word("is"):
		p.advance()
		p.takesWord("not")
	case p.word("not"):
		p.advance()
		if !p.takesWord("in") {
			p.strange()
		}
		return "in"
	default:
		return ""
	}
	return op
}

func (p *pyParser) operand(not bool) *node {
	signed := false
	for p.alive() {
		switch {
		case p.word("not") && not:
			p.advance()
			signed = true
			continue
		case p.is("-"), p.is("+"), p.is("~"):
			p.advance()
			signed, not = true, false
			continue
		}
		break
	}
	x := p.postfix()
	if signed {
		return p.node("ops", " not ", x)
	}
	return x
}

func (p *pyParser) postfix() *node {
	x := p.atom()
	for range maxDepth {
		switch {
		case p.is("."):
			p.advance()
			x = p.node("attr", p.name(), x)
		case p.is("("):
			x = p.call(x)
		case p.is("["):
			x = p.index(x)
		default:
			return x
		}
	}
	p.fail("it is nested too deeply")
	return x
}

// call reads arguments: nodes "arg" whose text is the keyword, * or **.
func (p *pyParser) call(fn *node) *node {
	p.advance()
	n := p.node("call", "", fn)
	for p.alive() && !p.is(")") {
		arg := p.node("arg", "")
		switch {
		case p.takes("*"):
			arg.text = "*"
			arg.kids = append(arg.kids, p.test())
		case p.takes("**"):
			arg.text = "**"
			arg.kids = append(arg.kids, p.test())
		default:
			x := p.named()
			if x.op == "name" && p.takes("=") {
				arg.text, x = x.text, p.test()
			} else if p.word("for") {
				x = p.comprehension(x)
			}
			arg.kids = append(arg.kids, x)
		}
		n.kids = append(n.kids, arg)
		if !p.takes(",") {
			break
		}
	}
	p.expect(")")
	return n
}

func (p *pyParser) index(x *node) *node {
	p.advance()
	n := p.node("index", "", x)
	for p.alive() && !p.is("]") {
		part := p.node("slice", "")
		colon := false
		for p.alive() && !p.is("]") && !p.is(",") {
			if p.takes(":") {
				colon = true
				continue
			}
			part.kids = append(part.kids, p.named())
			if !p.is(":") {
				break
			}
		}
		if !colon && len(part.kids) == 1 {
			part = part.kids[0]
		}
		n.kids = append(n.kids, part)
		if !p.takes(",") {
			break
		}
	}
	p.expect("]")
	if len(n.kids) < 2 {
		p.strange()
	}
	return n
}

// targets reads what a loop assigns to.
func (p *pyParser) targets() *node { return p.list(p.target) }

func (p *pyParser) target() *node {
	if !p.enter() {
		return p.node("const", "")
	}
	defer func() { p.depth-- }()
	p.takes("*")
	return p.postfix()
}

// comprehension reads the clauses after its element.
func (p *pyParser) comprehension(element ...*node) *node {
	n := p.node("comp", "", element...)
	for p.alive() {
		switch {
		case p.takesWord("for"):
			clause := p.node("for", "", p.targets())
			if !p.takesWord("in") {
				p.strange()
			}
			clause.kids = append(clause.kids, p.operators())
			n.kids = append(n.kids, clause)
		case p.takesWord("if"):
			n.kids = append(n.kids, p.operators())
		default:
			return n
		}
	}
	return n
}

func (p *pyParser) atom() *node {
	switch p.tok.kind {
	case pyNumber:
		n := p.node("number", p.tok.text)
		p.advance()
		return n
	case pyString:
		return p.strings()
	case pyName:
		if among(p.tok.text, " None True False ") {
			p.advance()
			return p.node("const", "")
		}
		return p.node("name", p.name())
	}
	switch {
	case p.is("("):
		return p.bracket(")", "tuple")
	case p.is("["):
		return p.bracket("]", "list")
	case p.is("{"):
		return p.brace()
	case p.takes("..."):
		return p.node("const", "")
	}
	p.strange()
	return p.node("const", "")
}

func (p *pyParser) bracket(end, op string) *node {
	if !p.enter() {
		return p.node("const", "")
	}
	defer func() { p.depth-- }()
	p.advance()
	n := p.node(op, "")
	if p.takes(end) {
		return n
	}
	if end == ")" && p.word("yield") {
		n.kids = append(n.kids, p.yield())
		p.expect(end)
		return n
	}
	first, commas := p.starred(), false
	if p.word("for") {
		n = p.comprehension(first)
		p.expect(end)
		return n
	}
	n.kids = append(n.kids, first)
	for p.takes(",") && p.alive() {
		commas = true
		if p.is(end) {
			break
		}
		n.kids = append(n.kids, p.starred())
	}
	p.expect(end)
	if end == ")" && !commas {
		return first
	}
	return n
}

// brace reads a dictionary or a set.
func (p *pyParser) brace() *node {
	if !p.enter() {
		return p.node("const", "")
	}
	defer func() { p.depth-- }()
	p.advance()
	n := p.node("set", "")
	for p.alive() && !p.is("}") {
		if p.takes("**") {
			n.kids = append(n.kids, p.operators())
		} else {
			item := []*node{p.starred()}
			if p.takes(":") {
				item = append(item, p.test())
			}
			if p.word("for") {
				n = p.comprehension(item...)
				break
			}
			n.kids = append(n.kids, item...)
		}
		if !p.takes(",") {
			break
		}
	}
	p.expect("}")
	return n
}

// strings reads strings that stand side by side.
func (p *pyParser) strings() *node {
	n := p.node("string", "")
	for p.tok.kind == pyString && p.alive() {
		t := p.tok
		if strings.Contains(t.pre, "f") {
			p.formatted(n, t)
		} else {
			n.kids = append(n.kids, p.literal(t.text, strings.Contains(t.pre, "r")))
		}
		p.advance()
	}
	if len(n.kids) == 1 && n.kids[0].op == "text" {
		return n.kids[0]
	}
	return n
}

// literal is a constant piece of a string; op "const" where what it says is
// not worked out.
func (p *pyParser) literal(raw string, asIs bool) *node {
	if asIs || strings.IndexByte(raw, '\\') < 0 {
		return p.node("text", raw)
	}
	text, ok := unescape(raw)
	if !ok {
		return p.node("const", "")
	}
	return p.node("text", text)
}

// unescape works out the escapes that Python, JavaScript and Perl share.
func unescape(raw string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			b.WriteByte(raw[i])
			continue
		}
		i++
		if i >= len(raw) {
			return "", false
		}
		switch c := raw[i]; c {
		case '\n':
		case '\\', '\'', '"', '`':
			b.WriteByte(c)
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'x', 'u':
			width := 2
			if c == 'u' {
				width = 4
			}
			if i+width >= len(raw) {
				return "", false
			}
			v, err := strconv.ParseUint(raw[i+1:i+1+width], 16, 32)
			if err != nil || v >= utf8.RuneSelf {
				return "", false
			}
			b.WriteByte(byte(v))
			i += width
		default:
			return "", false
		}
	}
	return b.String(), true
}

// formatted reads an f-string: constant pieces and fields.
func (p *pyParser) formatted(n *node, t pyToken) {
	if !p.enter() {
		return
	}
	defer func() { p.depth-- }()
	rest, raw := t.text, strings.Contains(t.pre, "r")
	p.pieces(n, &rest, raw, false)
	if rest != "" && p.alive() {
		p.fail("a string that cannot be read")
	}
}

// pieces reads to the end, or inside a format to the brace that ends it.
func (p *pyParser) pieces(n *node, rest *string, raw, spec bool) {
	var text strings.Builder
	flush := func() {
		n.kids = append(n.kids, p.literal(text.String(), raw))
		text.Reset()
	}
	for *rest != "" && p.alive() {
		s := *rest
		switch {
		case spec && s[0] == '}':
			flush()
			return
		case s[0] == '\\' && !raw:
			if strings.HasPrefix(s, `\N`) || strings.HasPrefix(s, `\{`) || strings.HasPrefix(s, `\}`) || len(s) < 2 {
				p.fail("a string with an escape that cannot be read")
				return
			}
			text.WriteString(s[:2])
			*rest = s[2:]
		case !spec && (strings.HasPrefix(s, "{{") || strings.HasPrefix(s, "}}")):
			text.WriteByte(s[0])
			*rest = s[2:]
		case s[0] == '{' && p.specs > 1:
			p.fail("a string that is nested too deeply")
		case s[0] == '{':
			flush()
			*rest = s[1:]
			p.field(n, rest, raw)
		case s[0] == '}':
			p.fail("a string with a brace that nothing opens")
		default:
			text.WriteByte(s[0])
			*rest = s[1:]
		}
	}
	flush()
}

// field reads what is between the braces of an f-string.
func (p *pyParser) field(n *node, rest *string, raw bool) {
	inner := pyParser{lex: pyLexer{src: *rest, field: true}, count: p.count, depth: p.depth}
	inner.advance()
	x := inner.exprList()
	inner.takes("=")
	if inner.takes("!") {
		if inner.tok.kind != pyName || !among(inner.tok.text, " r s a ") {
			inner.strange()
		}
		inner.advance()
	}
	if !inner.is(":") && !inner.is("}") && inner.alive() {
		inner.strange()
	}
	if inner.lex.fault != "" {
		p.fail(inner.lex.fault)
		return
	}
	field := p.node("field", "", x)
	n.kids = append(n.kids, field)
	*rest = (*rest)[inner.lex.pos:]
	if inner.is(":") {
		p.specs++
		if p.specs > 2 || !p.enter() {
			p.fail("a string that is nested too deeply")
			return
		}
		p.pieces(field, rest, raw, true)
		p.depth--
		p.specs--
		if !strings.HasPrefix(*rest, "}") {
			p.fail("a string with a brace that nothing closes")
			return
		}
		*rest = (*rest)[1:]
	}
}
