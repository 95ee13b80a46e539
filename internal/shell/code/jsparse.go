package code

import "strings"

// jsParser reads a part of JavaScript. Whether a slash begins a regular
// expression is decided where an operand is due, as the language does it, so
// that no text is taken for another.
type jsParser struct {
	src   string
	pos   int
	kind  byte // of the token: 'n' name, 'd' number, 's' string, '`' template, 'p' punctuation, 0 the end
	text  string
	from  int  // where the token begins
	line  bool // a line ended before it
	depth int
	count int
	fault string
}

func parseJavaScript(source string) (*node, string) {
	p := jsParser{src: source}
	if strings.ContainsAny(source, "\r\f\v\x00\ufeff\u2028\u2029") || strings.Contains(source, "<!--") || strings.Contains(source, "-->") {
		return nil, "a character or comment that can be read in two ways"
	}
	p.advance()
	block := p.node("block", "")
	for p.fault == "" && p.kind != 0 {
		block.kids = append(block.kids, p.statement())
	}
	return block, p.fault
}

func (p *jsParser) fail(why string) {
	if p.fault == "" {
		p.fault = why
	}
	p.kind, p.text, p.pos = 0, "", len(p.src)
}

func (p *jsParser) strange() {
	what := p.text
	if len(what) > 30 {
		what = what[:30]
	}
	p.fail("it cannot be read at " + what)
}

func (p *jsParser) node(op, text string, kids ...*node) *node {
	p.count++
	if p.count > maxNodes {
		p.fail("it is too long")
	}
	return &node{op: op, text: text, kids: kids}
}

func (p *jsParser) enter() bool {
	p.depth++
	if p.depth > maxDepth {
		p.fail("it is nested too deeply")
	}
	return p.fault == ""
}

func (p *jsParser) leave() { p.depth-- }

// advance reads the next token.
func (p *jsParser) advance() {
	p.line = false
	if !p.blanks() {
		return
	}
	p.from = p.pos
	if p.pos >= len(p.src) {
		p.kind, p.text = 0, ""
		return
	}
	switch c := p.src[p.pos]; {
	case nameStart(c) || c == '$':
		for p.pos < len(p.src) && (nameByte(p.src[p.pos]) || p.src[p.pos] == '$') {
			p.pos++
		}
		p.kind = 'n'
	case c >= '0' && c <= '9', c == '.' && p.pos+1 < len(p.src) && p.src[p.pos+1] >= '0' && p.src[p.pos+1] <= '9':
		p.number()
		p.kind = 'd'
	case c == '"' || c == '\'':
		p.quoted(c)
		return
	case c == '`':
		p.pos++
		p.kind = '`'
	default:
		p.punctuation()
		p.kind = 'p'
	}
	if p.fault == "" {
		p.text = p.src[p.from:p.pos]
	} else {
		p.kind, p.text = 0, ""
	}
}

// blanks skips blanks and comments and reports whether it could.
func (p *jsParser) blanks() bool {
	for p.pos < len(p.src) {
		switch rest := p.src[p.pos:]; {
		case rest[0] == '\n':
			p.line = true
			p.pos++
		case rest[0] == ' ' || rest[0] == '\t':
			p.pos++
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			p.pos += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				p.fail("a comment that does not end")
				return false
			}
			p.line = p.line || strings.Contains(rest[:end+2], "\n")
			p.pos += end + 4
		default:
			return true
		}
	}
	return true
}

func (p *jsParser) number() {
	for p.pos < len(p.src) && (nameByte(p.src[p.pos]) || p.src[p.pos] == '.') {
		p.pos++
		if p.pos < len(p.src) && (p.src[p.pos] == '-' || p.src[p.pos] == '+') && (p.src[p.pos-1]|0x20) == 'e' && !strings.HasPrefix(p.src[p.from:], "0x") {
			p.pos++
		}
	}
	if text := strings.TrimSuffix(p.src[p.from:p.pos], "n"); !pyNumeral(text) {
		p.fail("a number that cannot be read")
	}
}

func (p *jsParser) quoted(quote byte) {
	for p.pos++; p.pos < len(p.src); p.pos++ {
		switch c := p.src[p.pos]; {
		case c == '\\':
			p.pos++
		case c == '\n':
			p.fail("a string that does not end")
			return
		case c == quote:
			p.pos++
			p.kind, p.text = 's', p.src[p.from+1:p.pos-1]
			return
		}
	}
	p.fail("a string that does not end")
}

func (p *jsParser) punctuation() {
	rest := p.src[p.pos:]
	for _, op := range [...]string{">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**"} {
		if strings.HasPrefix(rest, op) {
			if op == "?." && len(rest) > 2 && rest[2] >= '0' && rest[2] <= '9' {
				continue
			}
			p.pos += len(op)
			return
		}
	}
	if strings.IndexByte("(){}[];,<>+-*/%&|^!~?:=.", rest[0]) < 0 {
		p.fail("a character that cannot be read")
		return
	}
	p.pos++
}

func (p *jsParser) is(op string) bool  { return p.kind == 'p' && p.text == op }
func (p *jsParser) word(w string) bool { return p.kind == 'n' && p.text == w }
func (p *jsParser) takes(op string) bool {
	if !p.is(op) {
		return false
	}
	p.advance()
	return true
}

func (p *jsParser) takesWord(w string) bool {
	if !p.word(w) {
		return false
	}
	p.advance()
	return true
}

func (p *jsParser) expect(op string) {
	if !p.takes(op) {
		p.strange()
	}
}

const jsKeywords = " await async break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield arguments eval of get set "

// name takes an identifier that is no keyword.
func (p *jsParser) name() string {
	if p.kind != 'n' || among(p.text, jsKeywords) {
		p.strange()
		return ""
	}
	name := p.text
	p.advance()
	return name
}

func (p *jsParser) statement() *node {
	if !p.enter() {
		return p.node("block", "")
	}
	defer p.leave()
	if p.is("{") {
		return p.block()
	}
	if p.takes(";") {
		return p.node("block", "")
	}
	if p.kind == 'n' {
		if n := p.compound(); n != nil {
			return n
		}
	}
	n := p.node("block", "", p.list())
	p.ends()
	return n
}

// ends takes what ends a statement.
func (p *jsParser) ends() {
	if !p.takes(";") && !p.is("}") && p.kind != 0 && !p.line && p.fault == "" {
		p.strange()
	}
}

func (p *jsParser) block() *node {
	n := p.node("block", "")
	p.expect("{")
	for p.fault == "" && !p.is("}") {
		if p.kind == 0 {
			p.strange()
		}
		n.kids = append(n.kids, p.statement())
	}
	p.expect("}")
	return n
}

func (p *jsParser) compound() *node {
	switch p.text {
	case "const", "let", "var":
		n := p.declaration()
		p.ends()
		return n
	case "if", "while":
		p.advance()
		p.expect("(")
		n := p.node("block", "", p.list())
		p.expect(")")
		n.kids = append(n.kids, p.statement())
		if p.takesWord("else") {
			n.kids = append(n.kids, p.statement())
		}
		return n
	case "for":
		return p.loop()
	case "function":
		return p.function(true)
	case "try":
		return p.try()
	case "return", "throw":
		p.advance()
		n := p.node("block", "")
		if !p.is(";") && !p.is("}") && p.kind != 0 {
			n.kids = append(n.kids, p.list())
		}
		p.ends()
		return n
	case "break", "continue":
		p.advance()
		p.ends()
		return p.node("block", "")
	}
	return nil
}

func (p *jsParser) try() *node {
	p.advance()
	n := p.node("block", "", p.block())
	if p.takesWord("catch") {
		if p.takes("(") {
			n.kids = append(n.kids, p.node("param", "", p.pattern()))
			p.expect(")")
		}
		n.kids = append(n.kids, p.block())
	}
	if p.takesWord("finally") {
		n.kids = append(n.kids, p.block())
	}
	return n
}

func (p *jsParser) loop() *node {
	p.advance()
	p.expect("(")
	n := p.node("block", "")
	if p.word("const") || p.word("let") || p.word("var") {
		p.advance()
		target := p.pattern()
		if p.takesWord("of") || p.takesWord("in") {
			n.kids = append(n.kids, p.node("each", "", target, p.list()))
			p.expect(")")
			n.kids = append(n.kids, p.statement())
			return n
		}
		n.kids = append(n.kids, p.declarators(target))
	} else if !p.is(";") {
		n.kids = append(n.kids, p.list())
	}
	p.expect(";")
	if !p.is(";") {
		n.kids = append(n.kids, p.list())
	}
	p.expect(";")
	if !p.is(")") {
		n.kids = append(n.kids, p.list())
	}
	p.expect(")")
	n.kids = append(n.kids, p.statement())
	return n
}

func (p *jsParser) declaration() *node {
	p.advance()
	return p.declarators(p.pattern())
}

// declarators are "declare" nodes: what is bound, and to what.
func (p *jsParser) declarators(target *node) *node {
	n := p.node("block", "")
	for p.fault == "" {
		d := p.node("declare", "", target)
		if p.takes("=") {
			d.kids = append(d.kids, p.assign())
		}
		n.kids = append(n.kids, d)
		if !p.takes(",") {
			break
		}
		target = p.pattern()
	}
	return n
}

// pattern reads what a declaration binds: a name, or a pattern of names with
// their defaults.
func (p *jsParser) pattern() *node {
	if !p.enter() {
		return p.node("name", "")
	}
	defer p.leave()
	end := "]"
	switch {
	case p.takes("["):
	case p.takes("{"):
		end = "}"
	default:
		return p.node("name", p.name())
	}
	n := p.node("pattern", end)
	for p.fault == "" && !p.is(end) {
		if p.takes(",") {
			continue
		}
		p.takes("...")
		item := p.node("item", "")
		if end == "}" && p.kind == 'n' {
			item.text = p.text
			if among(p.text, jsKeywords) || strings.HasPrefix(strings.TrimLeft(p.src[p.pos:], " \t\n"), ":") {
				p.advance()
				p.expect(":")
			}
		}
		item.kids = append(item.kids, p.pattern())
		if p.takes("=") {
			item.kids = append(item.kids, p.assign())
		}
		n.kids = append(n.kids, item)
		if !p.is(end) {
			p.expect(",")
		}
	}
	p.expect(end)
	return n
}
