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
	inner := text[from:to]
	for _, odd := range []string{"${", "$[", "$'", `$"`, "\\\n"} { // have rules of their own, or join lines
		if strings.Contains(inner, odd) {
			return true
		}
	}
	for _, comments := range []bool{false, true} {
		if end := oldEnd(text, from+len("$("), comments); end >= 0 && end != to {
			return true
		}
	}
	return false
}

// oldEnd is the byte behind the parenthesis that bash 3.2 takes for the end of a
// substitution, -1 where it finds none.
func oldEnd(text string, from int, comments bool) int {
	open := []byte{')'}
	for at := from; at < len(text); at++ {
		c, within := text[at], open[len(open)-1]
		switch {
		case c == '\\' && within != '\'':
			at++
		case c == within:
			if open = open[:len(open)-1]; len(open) == 0 {
				return at + 1
			}
		case within == '\'' || within == '`':
		case c == '`', within == ')' && (c == '\'' || c == '"'):
			open = append(open, c)
		case c == '(' && (within == ')' || text[at-1] == '$'):
			open = append(open, ')')
		case c == '#' && comments && within == ')' && (at == from || strings.IndexByte(" \t\n", text[at-1]) >= 0):
			at += max(strings.IndexByte(text[at:], '\n')-1, 0)
		}
	}
	return -1
}
