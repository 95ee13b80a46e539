package grammar

import "strings"

// endsElsewhere reports whether bash 3.2, the bash and the sh of macOS, takes the
// substitution between two bytes of a text to end elsewhere. It looks for the
// parenthesis without knowing here-documents, so that "fix :)" in one ends $( ), and
// what follows runs. Where it finds no end it runs nothing, and that is no other end.
//
// The rules are those of parse_matched_pair in bash 3.2.57. Whether it knows comments
// there depends on where the substitution stands, so both are tried.
func endsElsewhere(text string, from, to int) bool {
	if !strings.Contains(text[from:to], "\n") {
		return false // no here-document
	}
	for _, odd := range []string{"${", "$[", "$'", `$"`} { // have rules of their own
		if strings.Contains(text[from:to], odd) {
			return true
		}
	}
	if inner := text[from:to]; strings.Contains(inner, "<<") && strings.Contains(inner, "\\\n") {
		return true // it joins lines of a quoted here-document too, so that the end of the document may be lost
	}
	for _, comments := range []bool{false, true} {
		p := pairs{text: text, comments: comments}
		if end := p.close(from+len("$("), ')'); end >= 0 && end != to || p.deep {
			return true
		}
	}
	return false
}

// pairs finds the ends of quotes and brackets.
type pairs struct {
	text     string
	comments bool
	depth    int
	deep     bool // more stands in each other than is looked at, so that no end is known
}

// close returns where what a sign closes ends: the byte behind it, or -1.
func (p *pairs) close(at int, sign byte) int {
	if p.depth++; p.depth > deepest {
		p.deep = true
		return -1
	}
	for from := at; at >= 0 && at < len(p.text); {
		switch c := p.text[at]; {
		case c == '\\' && sign != '\'':
			at += 2
		case c == sign:
			p.depth--
			return at + 1
		case c == '#' && p.comments && sign == ')' && p.begins(from, at):
			at += p.line(at)
		default:
			at = p.past(at, sign)
		}
	}
	return -1
}

// begins reports whether a word begins at a byte.
func (p *pairs) begins(from, at int) bool {
	return at == from || strings.IndexByte(" \t\n", p.text[at-1]) >= 0
}

// line is how many bytes of a comment are left.
func (p *pairs) line(at int) int {
	if n := strings.IndexByte(p.text[at:], '\n'); n >= 0 {
		return n
	}
	return len(p.text) - at
}

// past is behind a byte, or behind what it opens.
func (p *pairs) past(at int, within byte) int {
	c := p.text[at]
	switch {
	case within == '\'' || within == '`':
	case within == ')' && (c == '\'' || c == '"'), c == '`':
		return p.close(at+1, c)
	case c == '(' && (within == ')' || p.text[at-1] == '$'):
		return p.close(at+1, ')')
	}
	return at + 1
}
