package code

import "strings"

// node is one part of a program, of any language here.
type node struct {
	op   string // what it is
	text string // name, operator, text of a string
	kids []*node
}

// pyParser reads a part of Python into nodes. It accepts somewhat more than
// Python where that cannot hide anything: what Python refuses does not run.
type pyParser struct {
	lex   pyLexer
	tok   pyToken
	depth int
	specs int // formats inside formats of a string
	count *int
}

func parsePython(source string) (*node, string) {
	count := 0
	p := pyParser{lex: pyLexer{src: source, start: true}, count: &count}
	if strings.ContainsAny(source, "\r\f\x00\ufeff") {
		return nil, "a control character"
	}
	p.advance()
	block := p.node("block", "")
	for p.lex.fault == "" && p.tok.kind != pyEnd {
		p.statement(block)
	}
	if p.lex.fault == "" && p.lex.depth != 0 {
		p.fail("a bracket that nothing closes")
	}
	return block, p.lex.fault
}

func (p *pyParser) advance() { p.tok = p.lex.next() }

func (p *pyParser) fail(why string) {
	p.lex.fail(why)
	p.tok = pyToken{kind: pyEnd}
}

// strange fails at a token that this reader does not expect.
func (p *pyParser) strange() {
	what := p.tok.text
	if p.tok.kind == pyNewline || p.tok.kind == pyEnd {
		what = "the end of a line"
	}
	if len(what) > 30 {
		what = what[:30]
	}
	p.fail("it cannot be read at " + what)
}

func (p *pyParser) node(op, text string, kids ...*node) *node {
	*p.count++
	if *p.count > maxNodes {
		p.fail("it is too long")
	}
	return &node{op: op, text: text, kids: kids}
}

// enter counts one level of nesting and reports whether it may be entered.
func (p *pyParser) enter() bool {
	p.depth++
	if p.depth > maxDepth {
		p.fail("it is nested too deeply")
	}
	return p.lex.fault == ""
}

func (p *pyParser) is(op string) bool  { return p.tok.kind == pyOp && p.tok.text == op }
func (p *pyParser) word(w string) bool { return p.tok.kind == pyName && p.tok.text == w }
func (p *pyParser) alive() bool        { return p.lex.fault == "" }
func (p *pyParser) takes(op string) bool {
	if !p.is(op) {
		return false
	}
	p.advance()
	return true
}

func (p *pyParser) takesWord(w string) bool {
	if !p.word(w) {
		return false
	}
	p.advance()
	return true
}

func (p *pyParser) expect(op string) {
	if !p.takes(op) && p.alive() {
		p.strange()
	}
}

const pyKeywords = " False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield "

func (p *pyParser) name() string {
	if p.tok.kind != pyName || among(p.tok.text, pyKeywords) {
		p.strange()
		return ""
	}
	name := p.tok.text
	p.advance()
	return name
}

func (p *pyParser) statement(block *node) {
	if !p.enter() {
		return
	}
	defer func() { p.depth-- }()
	if p.tok.kind == pyName {
		if n := p.compound(); n != nil {
			block.kids = append(block.kids, n)
			return
		}
	}
	for p.alive() {
		if n := p.simple(); n != nil {
			block.kids = append(block.kids, n)
		}
		if !p.takes(";") || p.tok.kind == pyNewline {
			break
		}
	}
	if p.tok.kind != pyNewline && p.alive() {
		p.strange()
	}
	p.advance()
}

// compound reads a statement that holds others; nil where there is none.
func (p *pyParser) compound() *node {
	switch p.tok.text {
	case "if", "while":
		p.advance()
		n := p.node("branch", "", p.named())
		n.kids = append(n.kids, p.suite())
		for p.word("elif") && p.alive() {
			p.advance()
			n.kids = append(n.kids, p.named(), p.suite())
		}
		return p.orElse(n)
	case "for":
		p.advance()
		n := p.node("for", "", p.targets())
		if !p.takesWord("in") {
			p.strange()
		}
		n.kids = append(n.kids, p.exprList(), p.suite())
		return p.orElse(n)
	case "try":
		return p.try()
	case "with":
		return p.with()
	case "def":
		return p.def()
	case "class", "async", "await":
		p.fail("it uses " + p.tok.text)
		return p.node("pass", "")
	}
	return nil
}

func (p *pyParser) orElse(n *node) *node {
	if p.takesWord("else") {
		n.kids = append(n.kids, p.suite())
	}
	return n
}

// suite reads a colon and the block after it.
func (p *pyParser) suite() *node {
	p.expect(":")
	block := p.node("block", "")
	if !p.enter() {
		return block
	}
	defer func() { p.depth-- }()
	if p.tok.kind != pyNewline {
		for p.alive() {
			block.kids = append(block.kids, p.simple())
			if !p.takes(";") || p.tok.kind == pyNewline {
				break
			}
		}
		if p.tok.kind != pyNewline && p.alive() {
			p.strange()
		}
		p.advance()
		return block
	}
	p.advance()
	if p.tok.kind != pyIndent && p.alive() {
		p.strange()
	}
	p.advance()
	for p.alive() && p.tok.kind != pyDedent && p.tok.kind != pyEnd {
		p.statement(block)
	}
	p.advance()
	return block
}

func (p *pyParser) try() *node {
	p.advance()
	n := p.node("block", "", p.suite())
	for p.word("except") && p.alive() {
		p.advance()
		clause := p.node("except", "")
		p.takes("*")
		if !p.is(":") {
			clause.kids = append(clause.kids, p.exprList())
			if p.takesWord("as") {
				clause.text = p.name()
			}
		}
		clause.kids = append(clause.kids, p.suite())
		n.kids = append(n.kids, clause)
	}
	n = p.orElse(n)
	if p.takesWord("finally") {
		n.kids = append(n.kids, p.suite())
	}
	if len(n.kids) < 2 {
		p.strange()
	}
	return n
}

func (p *pyParser) with() *node {
	p.advance()
	n := p.node("block", "")
	if p.is("(") {
		p.fail("with and a bracket") // several items, or one expression
	}
	for p.alive() {
		item := p.node("with", "", p.test())
		if p.takesWord("as") {
			item.kids = append(item.kids, p.target())
		}
		n.kids = append(n.kids, item)
		if !p.takes(",") {
			break
		}
	}
	n.kids = append(n.kids, p.suite())
	return n
}

func (p *pyParser) def() *node {
	p.advance()
	n := p.node("def", p.name())
	p.expect("(")
	n.kids = append(n.kids, p.params(")"))
	p.expect(")")
	if p.takes("->") {
		n.kids = append(n.kids, p.test())
	}
	n.kids = append(n.kids, p.suite())
	return n
}

// params reads parameters with their annotations and defaults.
func (p *pyParser) params(end string) *node {
	n := p.node("params", "")
	for p.alive() && !p.is(end) {
		param := p.node("param", "")
		if p.takes("/") || p.takes("*") && p.is(",") {
			p.takes(",")
			continue
		}
		p.takes("**")
		param.text = p.name()
		if end == ")" && p.takes(":") {
			param.kids = append(param.kids, p.test())
		}
		if p.takes("=") {
			param.kids = append(param.kids, p.test())
		}
		n.kids = append(n.kids, param)
		if !p.takes(",") {
			break
		}
	}
	return n
}

// simple reads one statement without a block.
func (p *pyParser) simple() *node {
	if p.tok.kind == pyName {
		word := p.tok.text
		switch word {
		case "pass", "break", "continue":
			p.advance()
			return p.node("pass", "")
		case "import":
			return p.imports()
		case "from":
			return p.importsFrom()
		case "global", "nonlocal":
			p.advance()
			for p.name(); p.takes(",") && p.alive(); {
				p.name()
			}
			return p.node("pass", "")
		case "return", "raise", "assert", "del":
			p.advance()
			n := p.node(word, "")
			if p.tok.kind != pyNewline && !p.is(";") {
				n.kids = append(n.kids, p.exprList())
				if word == "raise" && p.takesWord("from") {
					n.kids = append(n.kids, p.test())
				}
			}
			return n
		}
	}
	return p.assignment()
}

func (p *pyParser) assignment() *node {
	first := p.exprList()
	switch {
	case p.is("="):
		n := p.node("assign", "", first)
		for p.takes("=") && p.alive() {
			n.kids = append(n.kids, p.exprList())
		}
		return n
	case p.is(":"):
		p.advance()
		n := p.node("annotated", "", first, p.test())
		if p.takes("=") {
			n.kids = append(n.kids, p.exprList())
		}
		return n
	case p.tok.kind == pyOp && strings.HasSuffix(p.tok.text, "=") && among(p.tok.text, " += -= *= /= //= %= @= &= |= ^= >>= <<= **= "):
		p.advance()
		return p.node("augmented", "", first, p.exprList())
	}
	return p.node("expr", "", first)
}

func (p *pyParser) imports() *node {
	p.advance()
	n := p.node("block", "")
	for p.alive() {
		m := p.node("import", p.dotted())
		alias := ""
		if p.takesWord("as") {
			alias = p.name()
		}
		m.kids = append(m.kids, p.node("name", alias))
		n.kids = append(n.kids, m)
		if !p.takes(",") {
			break
		}
	}
	return n
}

func (p *pyParser) dotted() string {
	name := p.name()
	for p.takes(".") && p.alive() {
		name += "." + p.name()
	}
	return name
}

func (p *pyParser) importsFrom() *node {
	p.advance()
	if p.is(".") || p.is("...") {
		p.fail("an import from where it lies")
	}
	n := p.node("from", p.dotted())
	if !p.takesWord("import") {
		p.strange()
	}
	if p.is("*") {
		p.fail("an import of everything")
	}
	open := p.takes("(")
	for p.alive() {
		item := p.node("item", p.name())
		alias := item.text
		if p.takesWord("as") {
			alias = p.name()
		}
		item.kids = append(item.kids, p.node("name", alias))
		n.kids = append(n.kids, item)
		if !p.takes(",") || open && p.is(")") {
			break
		}
	}
	if open {
		p.expect(")")
	}
	return n
}
