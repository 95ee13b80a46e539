package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// find returns the value of a key, nil where it is absent, and refuses the
// object if another key differs from it in case only.
func (o object) find(key string) (found *member, err error) {
	for i := range o.members {
		m := &o.members[i]
		switch {
		case string(m.key) == key:
			found = m
		case bytes.EqualFold(m.key, []byte(key)):
			return nil, at(m.at, join(o.path, m.key), fmt.Sprintf("the key differs from %q in case only", key))
		}
	}
	return found, nil
}

// hint reads a string that decides nothing: "" where it is absent or wrong.
func (o object) hint(key string) string {
	var ignored error
	return fieldsOf(o, &ignored).optional(key)
}

// fields reads typed values of an object. The first error stays, in err, and
// everything after it reads as zero; so a decoder is a list of assignments
// and one check.
type fields struct {
	object
	err *error
}

// fieldsOf returns a reader of o whose first error goes to err.
func fieldsOf(o object, err *error) fields { return fields{object: o, err: err} }

// get returns a value that must be there.
func (f fields) get(key string) *member {
	m := f.maybe(key)
	if m == nil && *f.err == nil {
		*f.err = badInput(fmt.Errorf("%s is missing", join(f.path, []byte(key))))
	}
	return m
}

// maybe returns a value that may be absent, nil then.
func (f fields) maybe(key string) *member {
	if *f.err != nil {
		return nil
	}
	m, err := f.find(key)
	if err != nil {
		*f.err = badInput(err)
	}
	return m
}

func (f fields) wrong(m *member, what string) {
	if *f.err == nil {
		*f.err = badInput(at(m.at, join(f.path, m.key), what+" is expected"))
	}
}

// text reads a required string, which may be empty.
func (f fields) text(key string) string { return f.asText(f.get(key)) }

// word reads a required string that is not empty.
func (f fields) word(key string) string {
	m := f.get(key)
	s := f.asText(m)
	if s == "" && m != nil {
		f.wrong(m, "a text that is not empty")
	}
	return s
}

// optional reads a string that may be absent.
func (f fields) optional(key string) string { return f.asText(f.maybe(key)) }

// nullable reads a string that may be absent or null.
func (f fields) nullable(key string) string {
	if m := f.maybe(key); m != nil && string(m.value) == "null" {
		return ""
	}
	return f.optional(key)
}

func (f fields) asText(m *member) string {
	if m == nil {
		return ""
	}
	if m.value[0] != '"' {
		f.wrong(m, "a string")
		return ""
	}
	if err := f.checkText(m); err != nil {
		f.wrong(m, err.Error()+"; a string")
		return ""
	}
	return unescape(m.value[1 : len(m.value)-1])
}

// returnedLimit is how much of what a tool returned a transcript shows: no
// model is shown any of it.
const returnedLimit = 1 << 10

// beginning reads a string that may be absent, and of a long one the
// beginning, cut where a character ends.
func (f fields) beginning(m *member) string {
	if m == nil || m.value[0] != '"' || len(m.value) <= returnedLimit {
		return f.asText(m)
	}
	s := scanner{text: m.value[:returnedLimit], halve: true}
	_, _ = s.str() // it fails where the text is cut
	end := s.at
	for m.value[end-1] == '\\' {
		end--
	}
	return unescape(m.value[1:end])
}

// checkText checks a string, unless that was done with the whole text.
func (f fields) checkText(m *member) error {
	if !f.walked {
		return nil
	}
	return checkText(m.value)
}

// flag reads a boolean that may be absent.
func (f fields) flag(key string) bool {
	m := f.maybe(key)
	if m == nil {
		return false
	}
	word := string(m.value)
	if word != "true" && word != "false" {
		f.wrong(m, "true or false")
	}
	return word == "true"
}

// milliseconds reads a duration that may be absent.
func (f fields) milliseconds(key string) time.Duration {
	m := f.maybe(key)
	if m == nil {
		return 0
	}
	n, err := strconv.ParseFloat(string(m.value), 64)
	if err != nil || n < 0 || n > 1e12 {
		f.wrong(m, "a number of milliseconds")
		return 0
	}
	return time.Duration(n * float64(time.Millisecond))
}

// child reads a required object.
func (f fields) child(key string) (fields, json.RawMessage) {
	return f.asObject(f.get(key))
}

// maybeChild reads an object that may be absent; raw is nil then.
func (f fields) maybeChild(key string) (_ fields, raw json.RawMessage) {
	return f.asObject(f.maybe(key))
}

func (f fields) asObject(m *member) (fields, json.RawMessage) {
	if m == nil {
		return fields{err: f.err}, nil
	}
	if m.value[0] != '{' {
		f.wrong(m, "an object")
		return fields{err: f.err}, nil
	}
	return f.inside(m.value, m.at, join(f.path, m.key)), m.value
}

// inside returns the members of an object within f.
func (f fields) inside(text []byte, offset int, path string) fields {
	members, err := split(text)
	if err != nil && *f.err == nil {
		*f.err = badInput(err)
	}
	o := object{members: members, path: path, walked: f.walked}
	for i := range o.members {
		o.members[i].at += offset
	}
	return fields{object: o, err: f.err}
}

// list reads a required array of objects.
func (f fields) list(key string) []fields {
	m := f.get(key)
	if m == nil {
		return nil
	}
	if m.value[0] != '[' {
		f.wrong(m, "an array")
		return nil
	}
	var out []fields
	elements, err := split(m.value)
	if err != nil && *f.err == nil {
		*f.err = badInput(err)
	}
	for i, e := range elements {
		path := join(f.path, m.key) + "[" + strconv.Itoa(i) + "]"
		if e.value[0] != '{' {
			*f.err = badInput(at(m.at+e.at, path, "an object is expected"))
			return nil
		}
		out = append(out, f.inside(e.value, m.at+e.at, path))
	}
	return out
}

// texts reads strings that may be absent: one, or a list of them.
func (f fields) texts(key string) (all []string) {
	m := f.maybe(key)
	switch {
	case m == nil:
		return nil
	case m.value[0] != '[':
		return []string{f.asText(m)}
	}
	for _, one := range parts(m.value) {
		one.key, one.at = m.key, m.at+one.at
		all = append(all, f.asText(&one))
	}
	return all
}

// parts splits an object or array that lies in a checked text, so nothing is
// checked again.
func parts(text []byte) []member {
	out, _ := split(text)
	return out
}

// split is parts for a text that was not checked. It must be one object or
// array with nothing behind it; what lies in its values is only walked over.
func split(text []byte) ([]member, error) {
	out, seen := make([]member, 0, 8), keySet{}
	keys := make([][]byte, 0, 8)
	s := scanner{text: text, at: 1}
	for s.space(); s.peek() != text[0]+2 || len(out) > 0; s.space() { // '{' and '}', '[' and ']'
		m, err := s.part(text[0] == '{')
		if err != nil {
			return out, err
		}
		if m.key != nil && seen.has(keys, m.key) {
			return out, at(m.at, join("", m.key), "the key stands twice")
		}
		out, keys = append(out, m), append(keys, m.key)
		if s.space(); s.peek() != ',' {
			break
		}
		s.at++
	}
	if s.peek() != text[0]+2 || s.at != len(text)-1 {
		return out, s.expected("the end of the object or array")
	}
	return out, nil
}

// part reads one value, behind its key if it has one.
func (s *scanner) part(keyed bool) (m member, err error) {
	if keyed {
		if m.key, err = s.key(); err != nil {
			return m, err
		}
	}
	m.at = s.at
	if end := skim(s.text, s.at); end >= 0 {
		s.at, m.value = end, s.text[m.at:end]
		return m, nil
	}
	return m, s.expected("a value")
}

// key reads a key and its colon.
func (s *scanner) key() ([]byte, error) {
	start := s.at
	if s.peek() != '"' {
		return nil, s.expected("a key")
	}
	end := closing(s.text, start)
	if end < 0 {
		return nil, s.cutOff()
	}
	key := s.text[start+1 : end]
	if bytes.IndexByte(key, '\\') >= 0 {
		if err := checkText(s.text[start : end+1]); err != nil {
			return nil, err
		}
		key = []byte(unescape(key))
	}
	s.at = end + 1
	if s.space(); s.peek() != ':' {
		return nil, s.expected("':'")
	}
	s.at++
	s.space()
	return key, nil
}

// checkText checks a string with its quotes, in which half a character may
// stand.
func checkText(value []byte) error {
	s := scanner{text: value, halve: true}
	_, err := s.str()
	return err
}

// skim returns where the value at i ends, -1 where it does not or where there
// is none.
func skim(text []byte, i int) int {
	for depth := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			if i = closing(text, i); i < 0 {
				return -1
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return -1
			}
			continue
		default: // a number or a word
			for i+1 < len(text) && !endsWord(text[i+1]) {
				i++
			}
		}
		if depth < 0 {
			return -1
		}
		if depth == 0 {
			return i + 1
		}
	}
	return -1
}

// endsWord reports whether c stands behind a number or a word.
func endsWord(c byte) bool {
	switch c {
	case ',', ']', '}', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

// closing returns the offset of the quote that closes the one at i, -1 where
// there is none.
func closing(text []byte, i int) int {
	for at := i + 1; ; at++ {
		next := bytes.IndexByte(text[at:], '"')
		if next < 0 {
			return -1
		}
		at += next
		before := at
		for text[before-1] == '\\' {
			before--
		}
		if (at-before)%2 == 0 {
			return at
		}
	}
}
