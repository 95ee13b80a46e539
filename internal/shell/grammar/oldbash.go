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

// bracesInside reports whether bash 3.2 finds braces with alternatives in a word that
// holds a substitution, and so makes several words of it, each with a substitution of its
// own: it expands braces in the text of <( ), and in "$( )" does not know that quotes nest.
//
// The rules are those of brace_gobbler in bash 3.2.57.
func bracesInside(text string) bool {
	if !strings.Contains(text, "$(") && !strings.Contains(text, "<(") && !strings.Contains(text, "`") {
		return false
	}
	for at := braceAt(text, 0, '{'); at >= 0; at = braceAt(text, at+1, '{') {
		if braceAt(text, at+1, '}') >= 0 {
			return true
		}
	}
	return false
}

// braceAt is where the next brace without quotes stands, of those that close one with
// alternatives before it; -1 where there is no such brace.
func braceAt(text string, at int, brace byte) int {
	level, parts, quote := 0, brace == '{', byte(0)
	for ; at < len(text); at++ {
		c := text[at]
		switch {
		case c == '\\' && quote != '\'':
			at++
		case c == '$' && strings.HasPrefix(text[at:], "${") && quote != '\'':
			at++
			if quote == 0 {
				level++
			}
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case strings.HasPrefix(text[at:], "$("):
			p := pairs{text: text}
			end := p.close(at+len("$("), ')')
			if end < 0 {
				return -1
			}
			at = end - 1
		case c == brace && level == 0 && parts:
			return at
		case c == '{':
			level++
		case c == '}' && level > 0:
			level--
		case level == 0 && (c == ',' || strings.HasPrefix(text[at:], "..")):
			parts = true
		}
	}
	return -1
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
