package code

// array notes that an array is used.
func (p *plParser) array(name string) *node {
	switch {
	case name == "ARGV":
		p.named = true
	case among(name, plDenied):
		p.fail("it uses @" + name)
	}
	return &node{op: "array", text: name}
}

// hash notes that a hash is used as a whole.
func (p *plParser) hash(name string) *node {
	switch {
	case name == "ENV":
		p.effect(Secret, "environment", true)
	case among(name, plDenied):
		p.fail("it uses %" + name)
	}
	return &node{op: "hash", text: name}
}

// deref notes that a value is taken for a reference.
func (p *plParser) deref(sigil byte, n *node) *node {
	p.derefs = append(p.derefs, plDeref{n: n, sigil: sigil, strict: p.strict})
	return &node{op: "deref", text: string(sigil), kids: []*node{n}}
}

// elem is an element of what n stands for: of the array or hash of a name, or
// of what a reference leads to.
func (p *plParser) elem(n *node, open byte, key *node, arrow bool) *node {
	sigil := byte('@')
	if open == '{' {
		sigil = '%'
	}
	switch {
	case arrow:
		p.derefs = append(p.derefs, plDeref{n: n, sigil: sigil, key: key.text, known: key.op == "text", strict: p.strict})
		n = &node{op: "deref", text: string(sigil), kids: []*node{n}}
	case sigil == '%' && n.text == "ENV" && key.op == "text":
		p.effect(Secret, key.text, true)
		n = &node{op: "hash", text: "ENV"}
	case sigil == '%':
		n = p.hash(n.text)
	default:
		n = p.array(n.text)
	}
	return &node{op: "elem", kids: []*node{n, key}}
}

// identifier reads a name that is part of a variable.
func (p *plParser) identifier() string {
	name := p.word()
	p.skip(len(name))
	if p.has("::") || p.peek() == '\'' {
		p.stop("it uses a variable of a package")
	}
	return name
}

// scalar reads what begins with a dollar.
func (p *plParser) scalar() *node {
	p.skip(1)
	c := p.peek()
	switch {
	case p.has("Data::Dumper::"):
		return p.dumper()
	case nameStart(c):
		return p.postfix(&node{op: "scalar", text: p.identifier()})
	case c >= '0' && c <= '9':
		start := p.pos
		for p.peek() >= '0' && p.peek() <= '9' {
			p.skip(1)
		}
		if nameByte(p.peek()) {
			p.stop("it cannot be read")
		}
		return p.postfix(&node{op: "scalar", text: p.src[start:p.pos]})
	case c == '#':
		return p.lastIndex()
	case c == '{':
		return p.block('$')
	case c == '$':
		p.skip(1)
		if nameStart(p.peek()) {
			n := p.deref('$', &node{op: "scalar", text: p.identifier()})
			if p.next() == '[' || p.peek() == '{' || p.has("->") {
				p.stop("it takes apart a reference in a way that is not read")
			}
			return n
		}
		return p.special("$")
	case c != 0 && stringsHas("&`'+.,/\\;!?@0|\"", c):
		p.skip(1)
		return p.special(string(c))
	case c == '^' && stringsHas("OTVW", p.at(1)) && !nameByte(p.at(2)):
		p.skip(2)
		return p.special("^")
	}
	p.stop("it uses a variable that is not read")
	return &node{op: "other"}
}

func stringsHas(set string, c byte) bool {
	for i := 0; i < len(set); i++ {
		if set[i] == c {
			return true
		}
	}
	return false
}

// special is a variable without a name in letters: only that of what was
// matched has elements.
func (p *plParser) special(name string) *node {
	n := &node{op: "scalar", text: name}
	switch c := p.peek(); {
	case name == "+" && c == '{':
		p.skip(1)
		key := p.key()
		p.expect("}")
		return &node{op: "ops", kids: []*node{key}}
	case c == '[' || c == '{' || p.has("->") || p.has("::") || nameByte(c) && (name == "^" || name == "$"):
		p.stop("it uses a variable that is not read")
	}
	return n
}

// lastIndex reads $#name and $#{...}.
func (p *plParser) lastIndex() *node {
	p.skip(1)
	switch c := p.peek(); {
	case nameStart(c):
		p.array(p.identifier())
	case c == '$' && nameStart(p.at(1)):
		p.skip(1)
		p.deref('@', &node{op: "scalar", text: p.identifier()})
	case c == '{':
		p.block('@')
	default:
		p.stop("it uses a variable that is not read")
	}
	if p.peek() == '[' || p.peek() == '{' {
		p.stop("it uses a variable that is not read")
	}
	return &node{op: "lastindex"}
}

// block reads ${name}, @{...} and %{...}: a name, or what gives a reference.
func (p *plParser) block(sigil byte) *node {
	p.expect("{")
	c := p.next()
	if word := p.word(); word != "" {
		at := p.pos
		p.skip(len(word))
		if p.next() == '}' {
			p.skip(1)
			return p.plain(sigil, word)
		}
		if p.peek() != '(' {
			p.stop("it uses a variable that is not read")
			return &node{op: "other"}
		}
		p.pos = at
	} else if c != '$' && c != '[' {
		p.stop("it uses a variable that is not read")
		return &node{op: "other"}
	}
	n := p.expression()
	p.expect("}")
	n = p.deref(sigil, n)
	if sigil == '$' && (p.peek() == '[' || p.peek() == '{' || p.has("->")) {
		p.stop("it takes apart a reference in a way that is not read")
	}
	return n
}

// plain is the variable of a name.
func (p *plParser) plain(sigil byte, name string) *node {
	switch sigil {
	case '@':
		return p.array(name)
	case '%':
		return p.hash(name)
	}
	return p.postfix(&node{op: "scalar", text: name})
}

// arrayTerm reads what begins with an at sign.
func (p *plParser) arrayTerm() *node {
	p.skip(1)
	var n *node
	switch c := p.peek(); {
	case nameStart(c):
		name := p.identifier()
		if p.peek() == '{' {
			n = p.hash(name)
		} else {
			n = p.array(name)
		}
	case c == '$' && nameStart(p.at(1)):
		p.skip(1)
		n = p.deref('@', &node{op: "scalar", text: p.identifier()})
		if p.peek() == '[' || p.peek() == '{' {
			p.stop("it takes apart a reference in a way that is not read")
		}
	case c == '{':
		n = p.block('@')
		if p.peek() == '[' || p.peek() == '{' {
			p.stop("it takes apart a reference in a way that is not read")
		}
	default:
		p.stop("it uses a variable that is not read")
		return &node{op: "other"}
	}
	switch p.peek() {
	case '[':
		p.expect("[")
		p.expression()
		p.expect("]")
	case '{':
		p.expect("{")
		p.key()
		p.expect("}")
	default:
		return n
	}
	return &node{op: "slice", kids: []*node{n}}
}

// hashTerm reads what begins with a percent sign.
func (p *plParser) hashTerm() *node {
	p.skip(1)
	switch c := p.peek(); {
	case nameStart(c):
		n := p.hash(p.identifier())
		if p.peek() == '[' || p.peek() == '{' {
			p.stop("it uses a variable that is not read")
		}
		return n
	case c == '$' && nameStart(p.at(1)):
		p.skip(1)
		n := p.deref('%', &node{op: "scalar", text: p.identifier()})
		if p.peek() == '[' || p.peek() == '{' {
			p.stop("it uses a variable that is not read")
		}
		return n
	case c == '{':
		return p.block('%')
	}
	p.stop("it uses a variable that is not read")
	return &node{op: "other"}
}

// key reads what stands between the braces of a subscript.
func (p *plParser) key() *node {
	at := p.pos
	for p.peek() == ' ' || p.peek() == '\t' {
		p.skip(1)
	}
	start := p.pos
	if p.peek() == '-' {
		p.skip(1)
	}
	if word := p.word(); word != "" {
		p.skip(len(word))
		text := p.src[start:p.pos]
		for p.peek() == ' ' || p.peek() == '\t' {
			p.skip(1)
		}
		if p.peek() == '}' {
			return &node{op: "text", text: text}
		}
	}
	p.pos = at
	return p.expression()
}

// postfix reads the subscripts behind a term.
func (p *plParser) postfix(n *node) *node {
	first := n.op == "scalar"
	for !p.stopped {
		arrow := false
		if p.has("->") {
			switch p.at(2) {
			case '[', '{':
				p.skip(2)
				arrow = true
			case '@':
				return p.whole(n, "->@*", '@')
			case '%':
				return p.whole(n, "->%*", '%')
			default:
				p.stop("it calls what is not known")
				return n
			}
		} else if n.op != "scalar" && n.op != "elem" {
			return n
		}
		open := p.peek()
		if open != '[' && open != '{' {
			return n
		}
		p.skip(1)
		var key *node
		if open == '{' {
			key = p.key()
			p.expect("}")
		} else {
			key = p.expression()
			p.expect("]")
		}
		n = p.elem(n, open, key, arrow || !first)
		first = false
	}
	return n
}

func (p *plParser) whole(n *node, text string, sigil byte) *node {
	p.expect(text)
	return p.deref(sigil, n)
}

// dumper reads a setting of Data::Dumper that only changes how it prints.
func (p *plParser) dumper() *node {
	p.skip(len("Data::Dumper::"))
	word := p.word()
	p.skip(len(word))
	if !among(word, " Indent Sortkeys Terse Useqq Deepcopy Maxdepth ") || p.has("::") || p.peek() == '[' || p.peek() == '{' || p.peek() == '-' {
		p.stop("it uses a variable of a package")
	}
	return &node{op: "scalar", text: "Data::Dumper"}
}
