package code

import "strings"

// Sed reads a sed script and says which files it reads and writes and which
// commands it runs. ok is false where no version of sed would read the script.
//
// Versions differ in whether a delimiter between brackets ends a regular
// expression. One that cannot read the script does nothing.
func Sed(script string) (effects []Effect, ok bool) {
	effects, ok = sedReads(script, false)
	if strings.IndexByte(script, '[') >= 0 {
		more, also := sedReads(script, true)
		effects, ok = append(effects, more...), ok || also
	}
	return effects, ok
}

// sedReads reports whether a version of sed would read the script.
func sedReads(text string, classes bool) (effects []Effect, ok bool) {
	s := sedReader{text: text, classes: classes}
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
	// classes: a delimiter between brackets does not end an expression.
	classes bool
}

func (s *sedReader) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

func (s *sedReader) blanks(set string) {
	for s.pos < len(s.text) && strings.IndexByte(set, s.text[s.pos]) >= 0 {
		s.pos++
	}
}

// line takes the rest of the line.
func (s *sedReader) line() string {
	start := s.pos
	if end := strings.IndexByte(s.text[start:], '\n'); end >= 0 {
		s.pos += end + 1
		return s.text[start : start+end]
	}
	s.pos = len(s.text)
	return s.text[start:]
}

// delimited skips to the delimiter that ends a regular expression or a
// replacement.
func (s *sedReader) delimited(delim byte, brackets bool) {
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		switch {
		case c == '\\':
			s.pos++
		case c == delim:
			s.pos++
			return
		case c == '\n' && brackets:
			s.failed = true
			return
		case c == '[' && brackets && s.classes:
			s.class()
			continue
		}
		s.pos++
	}
	s.failed = true
}

// class skips a bracket expression: ] is literal as its first character, and
// [:alpha:] and its kin are units.
func (s *sedReader) class() {
	s.pos++
	if s.peek() == '^' {
		s.pos++
	}
	for first := true; s.pos < len(s.text) && s.text[s.pos] != '\n'; first = false {
		switch c := s.text[s.pos]; {
		case c == ']' && !first:
			s.pos++
			return
		case c == '[' && s.pos+1 < len(s.text) && strings.IndexByte(":.=", s.text[s.pos+1]) >= 0:
			if end := strings.Index(s.text[s.pos+2:], s.text[s.pos+1:s.pos+2]+"]"); end >= 0 {
				s.pos += end + 3
			}
		}
		s.pos++
	}
	s.failed = true
}

func (s *sedReader) address() {
	switch c := s.peek(); {
	case c == '$':
		s.pos++
	case c >= '0' && c <= '9', c == '+', c == '~':
		s.pos++
		s.blanks("0123456789~")
	case c == '/':
		s.pos++
		s.delimited('/', true)
		s.blanks("IM")
	case c == '\\' && s.pos+1 < len(s.text):
		s.pos += 2
		s.delimited(s.text[s.pos-1], true)
		s.blanks("IM")
	}
}

func (s *sedReader) command() {
	s.blanks(" \t\n;")
	s.address()
	s.blanks(" \t")
	if s.peek() == ',' {
		s.pos++
		s.blanks(" \t")
		s.address()
	}
	s.blanks(" \t!")
	c := s.peek()
	if s.failed || s.pos >= len(s.text) {
		return
	}
	s.pos++
	switch c {
	case '{', '}', '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
		s.end()
	case 'l', 'q', 'Q', 'L':
		s.blanks(" 0123456789")
		s.end()
	case 'a', 'i', 'c':
		for line := s.line(); continued(line) && s.pos < len(s.text); {
			line = s.line()
		}
	case ':', 'b', 't', 'T', 'v':
		s.blanks(" \t")
		for s.pos < len(s.text) && strings.IndexByte("\n;} \t", s.text[s.pos]) < 0 { // GNU sed ends a label at a blank
			s.pos++
		}
	case '#':
		s.line()
	case 'r', 'R':
		s.file(Read)
	case 'w', 'W':
		s.file(Write)
	case 'e':
		s.effects = append(s.effects, known(Run, s.line()))
	case 's':
		s.substitute()
	case 'y':
		delim := s.peek()
		s.pos++
		s.delimited(delim, false)
		s.delimited(delim, false)
		s.end()
	default:
		s.failed = true
	}
}

// continued reports whether a line ends with a backslash that is not itself
// escaped.
func continued(line string) bool {
	return (len(line)-len(strings.TrimRight(line, "\\")))%2 == 1
}

// end checks that a command without arguments ends where it should.
func (s *sedReader) end() {
	s.blanks(" \t")
	switch s.peek() {
	case 0, '\n', ';', '}', '#':
	default:
		// { takes a command at once.
		if s.pos > 0 && strings.IndexByte("{ \t", s.text[s.pos-1]) >= 0 {
			return
		}
		s.failed = true
	}
}

func (s *sedReader) file(kind Kind) {
	s.blanks(" \t")
	s.effects = append(s.effects, known(kind, s.line()))
}

func (s *sedReader) substitute() {
	delim := s.peek()
	if delim == 0 || delim == '\n' || delim == '\\' {
		s.failed = true
		return
	}
	s.pos++
	s.delimited(delim, true)
	s.delimited(delim, false)
	for s.pos < len(s.text) && !s.failed {
		c := s.text[s.pos]
		switch {
		case strings.IndexByte("gpiImM0123456789", c) >= 0:
			s.pos++
		case c == 'e':
			s.pos++
			s.effects = append(s.effects, known(Run, "the replaced text"))
		case c == 'w':
			s.pos++
			s.file(Write)
			return
		default:
			s.end()
			return
		}
	}
}
