package grammar

import (
	"slices"
	"strings"
)

// reader takes a text apart a second time, without the parser. It knows the
// language in the comment of package shell and nothing else: a handful of forms,
// read byte by byte, in which bash, zsh and dash end each word, quote, substitution
// and here-document at the same place. What is not among the forms it does not read.
//
// The parser knows whole shells, and takes a text apart otherwise than a shell
// where their grammars are strange. Every grave hole of the parser was such a
// text, and a list of them is never whole; the list of what is plain is.
type reader struct {
	place
	shape
	posix   bool       // dash may read it: no <( ), no <<<, no $' ', no &>
	pending []document // here-documents that begin in the next line
	held    int        // those of what a substitution stands in
	nested  int        // substitutions that are being read
	depth   int
	plain   bool // plainBackquotes
}

// document is a here-document by its end.
type document struct {
	end   string
	plain bool // nothing in it is expanded
	tabs  bool // tabs before its end do not count
}

// deepest bounds what stands in each other.
const deepest = 60

// within reads what stands in something else.
func (r *reader) within(read func()) {
	if r.depth++; r.depth > deepest {
		r.fail("forms that are deep in each other")
		return
	}
	read()
	r.depth--
}

// lines skips blanks, comments and ends of lines.
func (r *reader) lines() {
	for r.fault == "" {
		switch r.spaces(); r.next(0) {
		case '\n':
			r.newline()
		case '#':
			r.comment()
		default:
			return
		}
	}
}

func (r *reader) comment() {
	n := strings.IndexByte(r.rest(), '\n')
	if n < 0 {
		n = r.end - r.at
	}
	if strings.HasSuffix(r.src[r.at:r.at+n], `\`) || r.nested > 0 {
		r.fail("a comment in a substitution, or with a backslash at its end")
		return
	}
	r.at += n
}

// newline ends a line and reads the here-documents that begin in the next.
func (r *reader) newline() {
	if r.held > 0 {
		r.fail("a substitution of several lines beside a here-document")
		return
	}
	r.at++
	pending := r.pending
	r.pending = nil
	for i, d := range pending {
		if i > 0 {
			r.at++ // the line that ends the one before
		}
		r.document(d)
	}
}

// list reads statements up to a closing parenthesis, a word out of until or the end.
func (r *reader) list(until ...string) {
	for {
		r.lines()
		if r.fault != "" || r.at >= r.end || r.next(0) == ')' || slices.Contains(until, r.bare()) {
			return
		}
		r.mark(statement, 0)
		r.andOr()
		switch r.spaces(); r.next(0) {
		case ';':
			if r.at++; r.at < r.end && strings.IndexByte(";&|", r.next(0)) >= 0 {
				r.fail(";; and its like")
			}
		case '\n', '#', ')', 0:
		default:
			r.fail("a command that ends in " + Escaped(r.rest()[:1]))
		}
	}
}

func (r *reader) andOr() {
	r.pipeline()
	for {
		r.spaces()
		rest := r.rest()
		switch {
		case strings.HasPrefix(rest, "&&"):
			r.mark(and, r.at)
		case strings.HasPrefix(rest, "||"):
			r.mark(or, r.at)
		default:
			return
		}
		r.at += 2
		r.lines()
		r.pipeline()
	}
}

func (r *reader) pipeline() {
	if r.bare() == "!" && strings.IndexByte(blanks, r.next(1)) >= 0 {
		r.mark(negation, 0)
		r.at++
		r.spaces()
	}
	r.command()
	for r.spaces(); r.next(0) == '|' && r.next(1) != '|'; r.spaces() {
		r.mark(pipe, r.at)
		r.at++
		r.lines()
		r.command()
	}
}

func (r *reader) command() {
	word := r.bare()
	switch word {
	case "case", "function", "select", "coproc", "repeat", "foreach", "nocorrect", // begin what is outside
		"!", "in", "esac", "end", "then", "elif", "else", "fi", "do", "done", "}": // or end a part
		r.fail("the word " + word)
	}
	switch {
	case word == "[[" && r.posix:
		r.fail("the word " + word)
	case r.next(0) == '(':
		r.group(subshell, ")")
	case word == "{":
		r.group(block, "}")
	case word == "if":
		r.compound(r.branches)
	case word == "for":
		r.compound(r.loop)
	case word == "while", word == "until":
		r.compound(r.repeated)
	default:
		r.simple()
	}
}

// compound reads a compound command and its redirections.
func (r *reader) compound(read func()) {
	r.within(read)
	for r.spaces(); r.redirects(); r.spaces() {
		r.redirect()
	}
}

func (r *reader) group(kind kind, closing string) {
	r.compound(func() {
		n := r.mark(kind, r.at)
		if r.at++; r.next(0) == '(' || r.next(0) == '#' {
			r.fail("(( or (#")
		}
		r.list(closing)
		r.word(closing)
		r.close(n, r.at)
	})
}

// word takes a word that must stand here, or a closing parenthesis.
func (r *reader) word(what string) {
	r.spaces()
	if r.fault == "" && (what == ")" && r.next(0) != ')' || what != ")" && r.bare() != what) {
		r.fail("no " + what + " where it belongs")
		return
	}
	r.at += len(what)
	r.at = min(r.at, r.end)
}

func (r *reader) branches() {
	n := r.mark(condition, r.at)
	for _, part := range []string{"if", "elif"} {
		for r.fault == "" && r.bare() == part {
			r.word(part)
			r.list("then")
			r.word("then")
			r.mark(branch, 0)
			r.list("elif", "else", "fi")
		}
	}
	if r.bare() == "else" {
		r.word("else")
		r.mark(otherwise, 0)
		r.list("fi")
	}
	r.word("fi")
	r.close(n, r.at)
}

func (r *reader) loop() {
	n := r.mark(each, r.at)
	r.word("for")
	r.spaces()
	if name := r.bare(); !Identifier(name) {
		r.fail("for without a name")
	}
	r.operand(word)
	r.word("in")
	for r.spaces(); !r.terminated() && r.next(0) != '#'; r.spaces() {
		r.operand(word)
	}
	if r.next(0) == ';' {
		r.at++
	}
	r.lines()
	r.body(n)
}

func (r *reader) repeated() {
	kind := while
	if r.bare() == "until" {
		kind = until
	}
	n := r.mark(kind, r.at)
	r.word(r.bare())
	r.list("do")
	r.body(n)
}

func (r *reader) body(n int) {
	r.word("do")
	r.mark(branch, 0)
	r.list("done")
	r.word("done")
	r.close(n, r.at)
}

// simple reads a simple command: assignments, words and redirections as they come.
func (r *reader) simple() {
	from := r.at
	for r.spaces(); r.assigns(); r.spaces() {
		r.operand(assignment)
	}
	for r.spaces(); r.fault == ""; r.spaces() {
		switch {
		case r.redirects():
			if r.at == from {
				r.fail("a redirection before the command")
			}
			r.redirect()
		case strings.HasPrefix(r.rest(), "<("), !r.terminated() && r.next(0) != '#':
			r.operand(word)
		case r.at == from:
			r.fail("an operator without a command")
		default:
			return
		}
	}
}
