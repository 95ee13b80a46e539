package code

import "strings"

// list reads expressions with commas between them.
func (p *jsParser) list() *node {
	n := p.assign()
	if !p.is(",") {
		return n
	}
	n = p.node("list", "", n)
	for p.takes(",") && p.fault == "" {
		n.kids = append(n.kids, p.assign())
	}
	return n
}

func (p *jsParser) assign() *node {
	if !p.enter() {
		return p.node("const", "")
	}
	defer p.leave()
	if p.arrowAhead() {
		return p.arrow()
	}
	x := p.operators()
	switch {
	case p.takes("?"):
		yes := p.assign()
		p.expect(":")
		return p.node("either", "", x, yes, p.assign())
	case p.kind == 'p' && among(p.text, " = += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??= "):
		op := p.text
		p.advance()
		return p.node("assign", op, x, p.assign())
	}
	return x
}

// arrowAhead reports whether an arrow function begins here: a name and =>, or
// a bracket whose partner has => behind it.
func (p *jsParser) arrowAhead() bool {
	switch {
	case p.kind == 'n' && !among(p.text, jsKeywords):
		return strings.HasPrefix(strings.TrimLeft(p.src[p.pos:], " \t"), "=>")
	case p.is("("):
		ahead := jsParser{src: p.src, pos: p.pos}
		for depth := 1; depth > 0; {
			ahead.advance()
			switch {
			case ahead.kind == 0 || ahead.kind == '`':
				return false
			case ahead.is("(") || ahead.is("[") || ahead.is("{"):
				depth++
			case ahead.is(")") || ahead.is("]") || ahead.is("}"):
				depth--
			}
			p.count++
			if p.count > 20*maxNodes {
				p.fail("it is too long")
				return false
			}
		}
		ahead.advance()
		return ahead.is("=>")
	}
	return false
}

func (p *jsParser) arrow() *node {
	n := p.node("function", "")
	if p.kind == 'n' {
		n.kids = append(n.kids, p.node("param", "", p.node("name", p.name())))
	} else {
		n.kids = p.params()
	}
	p.expect("=>")
	if p.is("{") {
		n.kids = append(n.kids, p.block())
		return n
	}
	n.kids = append(n.kids, p.assign())
	return n
}

func (p *jsParser) params() (params []*node) {
	p.expect("(")
	for p.fault == "" && !p.is(")") {
		p.takes("...")
		param := p.node("param", "", p.pattern())
		if p.takes("=") {
			param.kids = append(param.kids, p.assign())
		}
		params = append(params, param)
		if !p.takes(",") {
			break
		}
	}
	p.expect(")")
	return params
}

// function reads a function with a name of its own, or without.
func (p *jsParser) function(declared bool) *node {
	p.advance()
	n := p.node("function", "")
	if declared || p.kind == 'n' {
		n.text = p.name()
	}
	n.kids = p.params()
	n.kids = append(n.kids, p.block())
	return n
}

// operators reads operands and what stands between them.
func (p *jsParser) operators() *node {
	first := p.unary()
	n := first
	for p.fault == "" {
		op := p.text
		if !(p.kind == 'p' && among(op, " + - * / % ** << >> >>> & | ^ && || ?? == != === !== < > <= >= ")) && !p.word("in") && !p.word("instanceof") {
			return n
		}
		p.advance()
		if n == first {
			n = p.node("ops", " ", first)
		}
		if !strings.Contains(n.text, " "+op+" ") {
			n.text += op + " "
		}
		n.kids = append(n.kids, p.unary())
	}
	return n
}

func (p *jsParser) unary() *node {
	prefix := ""
	for p.fault == "" {
		if p.kind == 'p' && among(p.text, " ! - + ~ ") || p.word("typeof") || p.word("void") {
			prefix = "not"
			p.advance()
			continue
		}
		break
	}
	if p.is("++") || p.is("--") {
		p.advance()
		x := p.postfix()
		return p.node("assign", "++", x)
	}
	if p.word("delete") {
		p.fail("it uses delete")
	}
	x := p.postfix()
	if (p.is("++") || p.is("--")) && !p.line {
		p.advance()
		return p.node("assign", "++", x)
	}
	if prefix != "" {
		return p.node("ops", " not ", x)
	}
	return x
}

func (p *jsParser) postfix() *node {
	x := p.primary()
	for range maxDepth {
		switch {
		case p.is(".") || p.is("?."):
			optional := p.is("?.")
			p.advance()
			switch {
			case optional && p.is("("):
				x = p.call(x)
				continue
			case optional && p.is("["):
				x = p.index(x)
				continue
			case p.kind != 'n':
				p.strange()
				return x
			}
			x = p.node("member", p.text, x)
			p.advance()
		case p.is("("):
			x = p.call(x)
		case p.is("["):
			x = p.index(x)
		case p.kind == '`':
			p.fail("a template with a tag")
		default:
			return x
		}
	}
	p.fail("it is nested too deeply")
	return x
}

func (p *jsParser) call(fn *node) *node {
	n := p.node("call", "", fn)
	p.expect("(")
	n.kids = append(n.kids, p.items(")")...)
	return n
}

func (p *jsParser) index(x *node) *node {
	p.expect("[")
	n := p.node("index", "", x, p.list())
	p.expect("]")
	return n
}

// items reads expressions up to a bracket: arguments, or what a list holds.
func (p *jsParser) items(end string) (items []*node) {
	for p.fault == "" && !p.is(end) {
		if end == "]" && p.takes(",") {
			continue
		}
		if p.takes("...") {
			items = append(items, p.node("spread", "", p.assign()))
		} else {
			items = append(items, p.assign())
		}
		if !p.is(end) {
			p.expect(",")
		}
	}
	p.expect(end)
	return items
}

func (p *jsParser) primary() *node {
	if !p.enter() {
		return p.node("const", "")
	}
	defer p.leave()
	switch p.kind {
	case 'd':
		n := p.node("number", p.text)
		p.advance()
		return n
	case 's':
		n := p.node("const", "")
		if text, ok := unescape(p.text); ok {
			n = p.node("text", text)
		}
		p.advance()
		return n
	case '`':
		return p.template()
	case 'n':
		return p.named()
	}
	switch {
	case p.is("("):
		p.advance()
		n := p.list()
		p.expect(")")
		return p.node("list", "", n)
	case p.takes("["):
		return p.node("array", "", p.items("]")...)
	case p.is("{"):
		return p.object()
	case p.is("/") || p.is("/="):
		return p.regex()
	}
	p.strange()
	return p.node("const", "")
}

func (p *jsParser) named() *node {
	switch p.text {
	case "true", "false", "null":
		p.advance()
		return p.node("const", "")
	case "function":
		return p.function(false)
	case "new":
		p.advance()
		n := p.node("new", p.name())
		if p.takes("(") {
			n.kids = p.items(")")
		} else if p.is(".") || p.is("[") || p.is("?.") {
			p.strange()
		}
		return n
	}
	return p.node("name", p.name())
}

// regex reads a regular expression, from the slash that was taken for an
// operator.
func (p *jsParser) regex() *node {
	class := false
	for p.pos = p.from + 1; p.pos < len(p.src); p.pos++ {
		switch c := p.src[p.pos]; {
		case c == '\n':
			p.fail("a regular expression that does not end")
			return p.node("const", "")
		case c == '\\':
			p.pos++
			if p.pos < len(p.src) && p.src[p.pos] == '\n' {
				p.fail("a regular expression that does not end")
				return p.node("const", "")
			}
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			p.pos++
			for p.pos < len(p.src) && nameByte(p.src[p.pos]) {
				p.pos++
			}
			p.advance()
			return p.node("regex", "")
		}
	}
	p.fail("a regular expression that does not end")
	return p.node("const", "")
}

// template reads a template; the token before was its first quote.
func (p *jsParser) template() *node {
	n := p.node("template", "")
	from := p.pos
	for p.pos < len(p.src) && p.fault == "" {
		rest := p.src[p.pos:]
		switch {
		case rest[0] == '\\':
			p.pos += 2
		case rest[0] == '`':
			n.kids = append(n.kids, p.piece(p.src[from:p.pos]))
			p.pos++
			p.advance()
			return n
		case strings.HasPrefix(rest, "${"):
			n.kids = append(n.kids, p.piece(p.src[from:p.pos]))
			p.pos += 2
			p.advance()
			n.kids = append(n.kids, p.list())
			if !p.is("}") {
				p.strange()
			}
			from = p.pos
		default:
			p.pos++
		}
	}
	p.fail("a template that does not end")
	return n
}

func (p *jsParser) piece(raw string) *node {
	if text, ok := unescape(raw); ok {
		return p.node("text", text)
	}
	return p.node("const", "")
}

// object reads an object: "pair" nodes with the key's name, "" where it is
// computed.
func (p *jsParser) object() *node {
	n := p.node("object", "")
	p.expect("{")
	for p.fault == "" && !p.is("}") {
		if p.takes("...") {
			n.kids = append(n.kids, p.node("spread", "", p.assign()))
		} else {
			n.kids = append(n.kids, p.pair())
		}
		if !p.takes(",") {
			break
		}
	}
	p.expect("}")
	return n
}

func (p *jsParser) pair() *node {
	pair := p.node("pair", p.text)
	switch p.kind {
	case 'n':
		name := p.text
		p.advance()
		if !p.is(":") { // {a}, not a method or an accessor
			if among(name, jsKeywords) || !p.is(",") && !p.is("}") {
				p.strange()
			}
			pair.kids = append(pair.kids, p.node("name", name))
			return pair
		}
	case 's':
		text, ok := unescape(p.text)
		pair.text = text
		if !ok {
			pair.text = ""
		}
		p.advance()
	case 'd':
		p.advance()
	default:
		pair.text = ""
		p.expect("[")
		pair.kids = append(pair.kids, p.assign())
		p.expect("]")
	}
	p.expect(":")
	pair.kids = append(pair.kids, p.assign())
	return pair
}
