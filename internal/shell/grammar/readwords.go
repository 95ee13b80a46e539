package grammar

import "strings"

// operand reads a word of some kind.
func (r *reader) operand(kind kind) {
	n, start := r.mark(kind, r.at), r.at
	if strings.HasPrefix(r.rest(), "<(") {
		r.substitution(process)
	}
	for from := r.at; !r.terminated(); {
		r.part()
		if c := r.next(0); r.src[from] == '{' && (c == '<' || c == '>') {
			r.fail("a redirection to a name")
		}
	}
	if strings.HasPrefix(r.rest(), "<(") || strings.HasPrefix(r.rest(), ">(") || r.next(0) == '(' {
		r.fail("a parenthesis in a word")
	}
	if kind == word && r.fault == "" && bracesInside(r.src[start:r.at]) {
		r.fail("braces beside a substitution, which bash 3.2, the bash of macOS, makes several words of")
	}
	r.close(n, r.at)
}

func (r *reader) part() {
	switch c := r.src[r.at]; c {
	case '\\':
		if c := r.next(1); c < ' ' || c == 0x7f {
			r.fail("a backslash before the end of a line")
			return
		}
		r.at += 2
	case '\'':
		r.single()
	case '"':
		r.double()
	case '$':
		r.dollar(false)
	case '`':
		r.backquoted(false)
	default:
		r.at++
	}
}

// single reads '...', in which nothing has a meaning.
func (r *reader) single() {
	n := strings.IndexByte(r.src[r.at+1:r.end], '\'')
	if n < 0 {
		r.fail("a quote without its end")
		return
	}
	r.text(r.src[r.at : r.at+n+1])
	if r.fault == "" {
		r.close(r.mark(single, r.at), r.at+n+2)
		r.at += n + 2
	}
}

// text looks at what stands in quotes: where a here-document is to begin in the
// next line, shells do not agree which line that is.
func (r *reader) text(quoted string) {
	if len(r.pending)+r.held > 0 && strings.IndexByte(quoted, '\n') >= 0 {
		r.fail("a word of several lines beside a here-document")
	}
}

func (r *reader) double() {
	n, from := r.mark(double, r.at), r.at
	r.at++
	for r.at < r.end && r.src[r.at] != '"' {
		r.quoted()
	}
	if r.at >= r.end {
		r.fail("a quote without its end")
		return
	}
	r.at++
	r.text(r.src[from:r.at])
	r.close(n, r.at)
}

// quoted reads on between double quotes.
func (r *reader) quoted() {
	switch r.src[r.at] {
	case '\\':
		if c := r.next(1); c == '\n' || c == '`' && !r.plain || c == 0 {
			r.fail("a backslash before the end of a line or a backquote")
			return
		}
		r.at += 2
	case '$':
		r.dollar(true)
	case '`':
		r.backquoted(true)
	default:
		r.at++
	}
}

// dollar reads what a $ begins.
func (r *reader) dollar(quoted bool) {
	n := r.at
	switch c := r.next(1); {
	case Letter(c) && !(c >= '0' && c <= '9'):
		for r.at++; Letter(r.next(0)); r.at++ {
		}
		r.close(r.mark(parameter, n), r.at)
	case c == '{':
		r.braced()
	case c == '?' || c == '$':
		r.at += 2
		r.close(r.mark(parameter, n), r.at)
		r.behindSign(quoted)
	case c == '(' && r.next(2) == '(':
		r.arithmetic()
	case c == '(':
		r.substitution(substitution)
	case c == '\'' && !quoted && !r.posix:
		r.escaped()
	default:
		r.alone(quoted)
	}
}

// alone reads a $ that stands for itself.
func (r *reader) alone(quoted bool) {
	r.at++
	plain := !quoted && r.terminated() && r.next(0) != '(' ||
		quoted && (r.at >= r.end || strings.IndexByte(" |)]/.,;:&<>\n\t'\"\\", r.next(0)) >= 0)
	if !plain {
		r.fail("a $ before " + Escaped(r.src[r.at:min(r.at+1, r.end)]))
	}
}

// behindSign looks at what stands behind $? and $$: zsh 5.9 reads $$'text' as a $
// and a $'text', and bash 5.2 looks for the end of "$$(" behind a parenthesis.
func (r *reader) behindSign(quoted bool) {
	c := r.next(0)
	plain := c == 0 || Letter(c) || strings.IndexByte("-./,+@%:", c) >= 0 ||
		quoted && strings.IndexByte(" \n\t;|&<>)*?!=#]}\"", c) >= 0
	if !plain && (quoted || !r.terminated() || c == '(') {
		r.fail("a $ and a sign before " + Escaped(string(rune(c))))
	}
}

func (r *reader) braced() {
	name, _, closed := strings.Cut(r.rest()[2:], "}")
	if !closed || !Identifier(name) && name != "?" && name != "$" {
		r.fail("an expansion with an operator")
		return
	}
	n := r.at
	r.at += len(name) + 3
	r.close(r.mark(parameter, n), r.at)
}

const integers = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ $+*/%-"

func (r *reader) arithmetic() {
	inner, _, closed := strings.Cut(r.rest()[3:], "))")
	if !closed || strings.Trim(inner, integers) != "" {
		r.fail("arithmetic of more than integers and names")
		return
	}
	n := r.at
	r.at += len(inner) + 5
	r.close(r.mark(integer, n), r.at)
}

// escaped reads $'...', in which a backslash stands before a few letters only.
func (r *reader) escaped() {
	n := strings.IndexByte(r.rest()[2:], '\'')
	if n < 0 {
		r.fail("a quote without its end")
		return
	}
	if _, plain := Escapes(r.rest()[2 : n+2]); !plain {
		r.fail("$'...' with more than \\n and \\t")
		return
	}
	r.text(r.rest()[:n+2])
	if r.fault == "" {
		r.close(r.mark(single, r.at), r.at+n+3)
		r.at += n + 3
	}
}

// substitution reads $( ) or <( ).
func (r *reader) substitution(kind kind) {
	if kind == process && r.posix {
		r.fail("<( )")
		return
	}
	n := r.mark(kind, r.at)
	r.at += len("$(")
	if c := r.next(0); c == '#' || c == '(' {
		r.fail("a substitution that begins with # or (")
	}
	from := r.at - len("$(")
	r.inner(func() { r.list() })
	r.word(")")
	r.close(n, r.at)
	if r.fault == "" && endsElsewhere(r.src[:r.end], from, r.at) {
		r.fail("a here-document in a substitution that bash 3.2, the bash of macOS, ends elsewhere")
	}
}

// inner reads the commands of a substitution, which no here-document goes beyond.
func (r *reader) inner(read func()) {
	pending := r.pending
	r.pending, r.held, r.nested = nil, r.held+len(pending), r.nested+1
	r.within(read)
	if len(r.pending) > 0 {
		r.fail("a here-document whose text stands behind its substitution")
	}
	r.pending, r.held, r.nested = pending, r.held-len(pending), r.nested-1
}

// backquoted reads ` `, which ends at the next backquote whatever stands before it.
func (r *reader) backquoted(quoted bool) {
	inner, _, closed := strings.Cut(r.rest()[1:], "`")
	if !closed || strings.ContainsAny(inner, "\\#\n") || strings.Contains(inner, "<<") ||
		quoted && strings.ContainsAny(inner, "\"'") {
		r.fail("backquotes around more than plain text")
		return
	}
	n, end := r.mark(substitution, r.at), r.end
	r.at++
	r.end = r.at + len(inner)
	r.inner(func() { r.list() })
	if r.at < r.end {
		r.fail("a parenthesis in backquotes")
	}
	r.leave(r.end+1, end)
	r.close(n, r.at)
}

// redirects reports whether a redirection begins here.
func (r *reader) redirects() bool {
	rest := r.rest()
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if digits < len(rest) && (rest[digits] == '<' || rest[digits] == '>') {
		return digits > 0 || !strings.HasPrefix(rest, "<(")
	}
	return strings.HasPrefix(rest, "&>")
}

func (r *reader) redirect() {
	r.mark(redirection, r.at)
	if c := r.next(0); c >= '0' && c <= '9' {
		r.at++
		if c == '0' || c > '2' || r.next(0) != '>' {
			r.fail("a redirection of another descriptor")
		}
	}
	rest := r.rest()
	switch {
	case strings.HasPrefix(rest, "<<<") && !r.posix:
		r.target("<<<")
	case strings.HasPrefix(rest, "<<-"):
		r.begins("<<-")
	case strings.HasPrefix(rest, "<<"):
		r.begins("<<")
	case strings.HasPrefix(rest, ">&"):
		r.doubles()
	case strings.HasPrefix(rest, "&>>") && !r.posix:
		r.target("&>>")
	case strings.HasPrefix(rest, "&>") && !r.posix:
		r.target("&>")
	case strings.HasPrefix(rest, ">>"):
		r.target(">>")
	case strings.HasPrefix(rest, ">"):
		r.target(">")
	case strings.HasPrefix(rest, "<") && strings.IndexByte("-0123456789", r.next(1)) < 0: // no <1-5> of zsh
		r.target("<")
	default:
		r.fail("a redirection of this kind")
	}
}

// target reads the word behind a redirection. What stands right behind the
// operator may be more of it.
func (r *reader) target(operator string) {
	r.at += len(operator)
	if c := r.next(0); c != 0 && strings.IndexByte("|!&()<>#", c) >= 0 {
		r.fail("a redirection of this kind")
	}
	if r.spaces(); r.terminated() || r.next(0) == '#' {
		r.fail("a redirection to no word")
	}
	r.file()
}

// file reads the word of a redirection. Digits before another one are its
// descriptor to zsh and dash, as in 2>&1>x.
func (r *reader) file() {
	from := r.at
	r.operand(word)
	if c := r.next(0); Decimal(r.src[from:r.at]) && (c == '<' || c == '>') {
		r.fail("a redirection right behind the number of another")
	}
}

// doubles reads >&1.
func (r *reader) doubles() {
	r.at += 2
	if c := r.next(0); c < '0' || c > '9' || !Decimal(r.bare()) {
		r.fail("a redirection of this kind")
		return
	}
	r.file()
}

// begins reads the end of a here-document: a name, in quotes or not.
func (r *reader) begins(operator string) {
	r.at += len(operator)
	r.spaces()
	from := r.at
	r.operand(word)
	written := r.src[from:r.at]
	name := strings.Trim(written, `'"`)
	if !Identifier(name) || written != name && written != "'"+name+"'" && written != `"`+name+`"` {
		r.fail("a here-document with an end that is no name")
	}
	r.pending = append(r.pending, document{end: name, plain: written != name, tabs: operator == "<<-"})
}

// document reads a here-document. No line but its last begins as its end does:
// in $( ) bash 5.2 takes such a line for the end.
func (r *reader) document(d document) {
	from := r.at
	for line := ""; r.fault == ""; r.at += len(line) + 1 {
		if r.at >= r.end {
			r.fail("a here-document without its end")
			return
		}
		line, _, _ = strings.Cut(r.rest(), "\n")
		bare := line
		if d.tabs {
			bare = strings.TrimLeft(line, "\t")
		}
		if bare == d.end {
			r.expanded(d, from, r.at, r.at+len(line))
			return
		}
		if strings.HasPrefix(strings.TrimLeft(line, "\t"), d.end) {
			r.fail("a here-document that may end elsewhere")
		}
	}
}

// expanded reads what a here-document expands, and goes on behind its end.
func (r *reader) expanded(d document, from, to, behind int) {
	end, pending := r.end, r.pending
	r.at, r.end, r.pending, r.held = from, to, nil, r.held+1
	r.marks, r.texts = r.texts, r.marks
	n := r.mark(body, from)
	for !d.plain && r.at < r.end {
		switch r.src[r.at] {
		case '\\', '`':
			r.fail("a backslash or a backquote in a here-document")
		case '$':
			r.dollar(true)
		default:
			r.at++
		}
	}
	if r.close(n, behind); from == to {
		r.marks = r.marks[:n] // the tree has no empty text
	}
	r.marks, r.texts = r.texts, r.marks
	r.pending, r.held = pending, r.held-1
	r.leave(behind, end)
}
