package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// filters reports what a filter of jq sees besides its input.
func filters(u *use, filter string) {
	ends := func(c rune) bool { return c > 0x7F || !grammar.Letter(byte(c)) && c != '.' && c != '"' }
	for _, word := range strings.FieldsFunc(filter, ends) {
		switch name, _, _ := strings.Cut(word, "."); name {
		case "env", "ENV":
			u.out.does(Secret, "environment", u.inv.raw)
		case "import", "include":
			u.out.unknown(PartWords, u.inv.raw, "a jq filter that loads modules")
		}
	}
}

// plainAwk reports whether a program of awk only picks lines and prints fields of them, and
// texts: NR>2, /a/,/b/, {print $1, "x", $NF}. Any other program is code.
func plainAwk(program string) bool {
	pattern, action, acts := strings.Cut(program, "{")
	action, ends := strings.CutSuffix(strings.TrimSpace(action), "}")
	printed, prints := strings.CutPrefix(strings.TrimSpace(action), "print")
	pieces := strings.Split(printed, `"`) // every second stands in quotes
	if acts && (!ends || !prints || len(pieces)%2 == 0) {
		return false
	}
	for i, piece := range pieces {
		if text := i%2 == 1; text && strings.ContainsAny(piece, "\\\n") ||
			!text && strings.Trim(piece, "$NRF0123456789, ()-") != "" {
			return false
		}
	}
	s := sedScript{rest: pattern}
	s.addresses()
	return strings.Trim(pattern, "$NRF0123456789, ()-<>=&|!%") == "" || s.rest == "" && !s.failed
}

// plainSed reports whether a script of sed only prints, deletes, substitutes and quits. Any other script is code.
func plainSed(script string) bool {
	s := sedScript{rest: script}
	for s.skip(" \t\n;"); s.rest != "" && !s.failed; s.skip(" \t\n;") {
		s.command()
	}
	return !s.failed
}

type sedScript struct {
	rest   string
	failed bool
}

func (s *sedScript) skip(set string) { s.rest = strings.TrimLeft(s.rest, set) }

// next takes one byte, 0 at the end.
func (s *sedScript) next() (c byte) {
	if s.rest != "" {
		c, s.rest = s.rest[0], s.rest[1:]
	}
	return c
}

func (s *sedScript) command() {
	s.addresses()
	s.skip(" \t!")
	switch c := s.next(); {
	case c == 's':
		delim := s.next()
		s.failed = s.failed || strings.IndexByte("/|#,@:", delim) < 0
		s.delimited(delim, true)
		s.delimited(delim, false)
		s.skip("gpI0123456789")
	case c == 0 || strings.IndexByte("=dDgGhHnNpPxq", c) < 0:
		s.failed = true
	}
	s.skip(" \t")
	s.failed = s.failed || s.rest != "" && strings.IndexByte("\n;", s.rest[0]) < 0
}

// addresses skips the addresses of a command: they say on which lines it works.
func (s *sedScript) addresses() {
	s.address()
	if s.skip(" \t"); strings.HasPrefix(s.rest, ",") {
		s.skip(", \t")
		s.address()
	}
	s.skip(" \t")
}

func (s *sedScript) address() {
	switch {
	case strings.HasPrefix(s.rest, "$"):
		s.next()
	case strings.HasPrefix(s.rest, "/"):
		s.next()
		s.delimited('/', true)
		s.skip("I")
	default:
		s.skip("0123456789")
	}
}

// delimited skips to the delimiter that ends an expression or a replacement.
func (s *sedScript) delimited(delim byte, expression bool) {
	for !s.failed {
		switch c := s.next(); {
		case c == delim && c != 0:
			return
		case c == 0 || c == '\n' && expression:
			s.failed = true
		case c == '\\':
			s.next()
		case c == '[' && expression:
			s.bracket(delim)
		}
	}
}

// bracket skips to the end of [a-z]. Versions differ in whether a delimiter in it ends the expression.
func (s *sedScript) bracket(delim byte) {
	s.rest = strings.TrimPrefix(s.rest, "^")
	end := strings.IndexByte(s.rest, ']')
	if class := strings.Index(s.rest, ":]"); class >= 0 && class == end-1 { // [[:space:]]
		end += strings.IndexByte(s.rest[end+1:], ']') + 1
	}
	if end < 1 || strings.IndexByte(s.rest[:end], delim) >= 0 || strings.Count(s.rest[:end], "[") > 1 ||
		strings.Contains(s.rest[:end], "\n") {
		s.failed = true
		return
	}
	s.rest = s.rest[end+1:]
}
