package code

import "strings"

// Sed reads a sed script and says which files it reads and writes and which commands it
// runs. ok is false for a script that is more than the plain commands.
func Sed(script string) (effects []Effect, ok bool) {
	s := sedReader{text: script}
	for s.pos < len(s.text) && !s.failed {
		s.command()
	}
	return s.effects, !s.failed
}

type sedReader struct {
	text    string
	pos     int
	failed  bool
	effects []Effect
}

func (s *sedReader) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

func (s *sedReader) skip(set string) {
	for s.pos < len(s.text) && strings.IndexByte(set, s.text[s.pos]) >= 0 {
		s.pos++
	}
}

// line takes the rest of the line.
func (s *sedReader) line() string {
	line, _, _ := strings.Cut(s.text[s.pos:], "\n")
	s.pos = min(s.pos+len(line)+1, len(s.text))
	return line
}

// delimited skips to the delimiter that ends a regular expression or a replacement.
// Versions differ in whether one between brackets ends it: then the script is not plain.
func (s *sedReader) delimited(delim byte, expression bool) {
	bracket := false
	for ; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; {
		case c == '\\' && !bracket:
			s.pos++
		case c == delim:
			s.failed = s.failed || bracket
			s.pos++
			return
		case c == '\n' && expression:
			s.failed = true
			return
		case expression && !bracket && c == '[':
			bracket = true
			for s.pos+1 < len(s.text) && strings.IndexByte("^]", s.text[s.pos+1]) >= 0 && s.text[s.pos] != ']' {
				s.pos++ // ] stands for itself at the beginning
			}
		case bracket && c == '[' && s.pos+1 < len(s.text) && strings.IndexByte(":.=", s.text[s.pos+1]) >= 0:
			if end := strings.Index(s.text[s.pos+2:], s.text[s.pos+1:s.pos+2]+"]"); end >= 0 {
				s.pos += end + 3
			}
		case bracket && c == ']':
			bracket = false
		}
	}
	s.failed = true
}

func (s *sedReader) address() {
	switch c := s.peek(); {
	case c == '$':
		s.pos++
	case c >= '0' && c <= '9', c == '+', c == '~':
		s.pos++
		s.skip("0123456789~")
	case c == '/':
		s.pos++
		s.delimited('/', true)
		s.skip("IM")
	case c == '\\' && s.pos+1 < len(s.text):
		s.pos += 2
		s.delimited(s.text[s.pos-1], true)
		s.skip("IM")
	}
}

func (s *sedReader) command() {
	s.skip(" \t\n;")
	s.address()
	s.skip(" \t")
	if s.peek() == ',' {
		s.pos++
		s.skip(" \t")
		s.address()
	}
	s.skip(" \t!")
	if s.failed || s.pos >= len(s.text) {
		return
	}
	c := s.text[s.pos]
	s.pos++
	switch {
	case c == '{':
	case strings.IndexByte("}=dDgGhHnNpPxzFlqQ", c) >= 0:
		s.skip(" 0123456789")
		s.end()
	case strings.IndexByte("aic", c) >= 0:
		for line := s.line(); (len(line)-len(strings.TrimRight(line, "\\")))%2 == 1 && s.pos < len(s.text); {
			line = s.line()
		}
	case c == '#':
		s.line()
	case c == 'r' || c == 'w':
		s.file(map[byte]Kind{'r': Read, 'w': Write}[c])
	case c == 's' || c == 'y':
		s.substitute(c == 's')
	default: // labels, e, and what no version knows
		s.failed = true
	}
}

// end checks that a command without arguments ends where it should.
func (s *sedReader) end() {
	s.skip(" \t")
	s.failed = s.failed || strings.IndexByte("\x00\n;}#", s.peek()) < 0
}

func (s *sedReader) file(kind Kind) {
	s.skip(" \t")
	s.effects = append(s.effects, known(kind, s.line()))
}

func (s *sedReader) substitute(expression bool) {
	delim := s.peek()
	if delim == 0 || delim == '\n' || delim == '\\' {
		s.failed = true
		return
	}
	s.pos++
	s.delimited(delim, expression)
	s.delimited(delim, false)
	if expression {
		s.skip("gpiImM0123456789")
	}
	if expression && s.peek() == 'w' {
		s.pos++
		s.file(Write)
		return
	}
	s.end() // e among them
}
