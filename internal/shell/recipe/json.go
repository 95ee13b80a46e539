// Package recipe reads the files that tell a task runner what to run, as text:
// package.json and the settings of npm, a plain subset of Makefiles and one of
// justfiles, the directives of go generate, and which names the files of others
// have. It returns what those say; what that does is for whoever asked. What is
// not plain is not read: a line anywhere can change what a recipe runs.
package recipe

import (
	"strings"
	"unicode/utf8"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// Object reads the members of one JSON object, whose values are skipped but
// for those that are asked for. It is strict where readers differ: a doubled
// name, one that differs from another by case only, a byte order mark or
// anything after the object makes it unusable.
type Object struct {
	Names  []string
	Values []string // raw JSON
}

// Member returns the raw value of a name.
func (o Object) Member(name string) (string, bool) {
	for i, n := range o.Names {
		if n == name {
			return o.Values[i], true
		}
	}
	return "", false
}

// Text returns the value of a name that is a string; ok is false for what is
// not there or is something else.
func (o Object) Text(name string) (string, bool) {
	raw, ok := o.Member(name)
	if !ok {
		return "", false
	}
	s := scanner{text: raw}
	return s.quoted()
}

// ParseObject reads an object. ok is false for anything else.
func ParseObject(text string) (o Object, ok bool) {
	s := scanner{text: text}
	if !s.take('{') {
		return o, false
	}
	for first := true; ; first = false {
		if s.take('}') {
			break
		}
		if !first && !s.take(',') {
			return o, false
		}
		name, ok := s.quoted()
		if !ok || !s.take(':') {
			return o, false
		}
		for _, n := range o.Names {
			if strings.EqualFold(n, name) {
				return o, false
			}
		}
		value, ok := s.value(0)
		if !ok || len(o.Names) > 4096 {
			return o, false
		}
		o.Names, o.Values = append(o.Names, name), append(o.Values, value)
	}
	s.blank()
	return o, s.at == len(s.text)
}

// scanner reads JSON. maxNested bounds its recursion.
type scanner struct {
	text string
	at   int
}

const maxNested = 64

func (s *scanner) blank() {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
}

// take skips blanks and the given byte, if it is next.
func (s *scanner) take(c byte) bool {
	s.blank()
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// value skips one value and returns its text.
func (s *scanner) value(depth int) (string, bool) {
	s.blank()
	start := s.at
	if s.at >= len(s.text) || depth > maxNested {
		return "", false
	}
	ok := false
	switch c := s.text[s.at]; c {
	case '"':
		_, ok = s.quoted()
	case '{':
		ok = s.list('}', depth)
	case '[':
		ok = s.list(']', depth)
	default:
		for s.at < len(s.text) && (grammar.Letter(s.text[s.at]) || strings.IndexByte("+-.", s.text[s.at]) >= 0) {
			s.at++
		}
		ok = s.at > start
	}
	return s.text[start:s.at], ok
}

// list skips an object or array.
func (s *scanner) list(end byte, depth int) bool {
	s.at++
	for first := true; !s.take(end); first = false {
		if !first && !s.take(',') {
			return false
		}
		if end == '}' {
			if _, ok := s.quoted(); !ok || !s.take(':') {
				return false
			}
		}
		if _, ok := s.value(depth + 1); !ok {
			return false
		}
	}
	return true
}

// quoted reads a string.
func (s *scanner) quoted() (string, bool) {
	if !s.take('"') {
		return "", false
	}
	var b strings.Builder
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case c == '"':
			return b.String(), utf8.ValidString(b.String())
		case c < ' ':
			return "", false
		case c == '\\':
			if !s.escape(&b) {
				return "", false
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

func (s *scanner) escape(b *strings.Builder) bool {
	if s.at >= len(s.text) {
		return false
	}
	c := s.text[s.at]
	s.at++
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		b.WriteByte("\"\\/\b\f\n\r\t"[i])
		return true
	}
	if c != 'u' || s.at+4 > len(s.text) {
		return false
	}
	r := rune(0)
	for _, d := range []byte(s.text[s.at : s.at+4]) {
		switch {
		case d >= '0' && d <= '9':
			r = r<<4 | rune(d-'0')
		case d|0x20 >= 'a' && d|0x20 <= 'f':
			r = r<<4 | rune(d|0x20-'a'+10)
		default:
			return false
		}
	}
	s.at += 4
	if r >= 0xD800 && r < 0xE000 || r == 0 {
		return false // half of a pair; scripts have no use for it
	}
	b.WriteRune(r)
	return true
}
