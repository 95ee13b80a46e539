package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/nodgate/nod"
)

// find returns the value of a key, nil where it is absent, and refuses the
// object if another key differs from it in case only.
func (o object) find(key string) (found *member, err error) {
	for i := range o.members {
		m := &o.members[i]
		switch {
		case string(m.key) == key:
			found = m
		case mayEqual(m.key, key) && bytes.EqualFold(m.key, []byte(key)):
			return nil, at(m.at, join(o.path, m.key), fmt.Sprintf("the key differs from %q in case only", key))
		}
	}
	return found, nil
}

// mayEqual is false for nearly all keys that differ in more than case: two
// ASCII characters that are equal but for case have the same lower five bits.
func mayEqual(key []byte, other string) bool {
	return len(key) > 0 && len(other) > 0 && (key[0] >= utf8.RuneSelf || (key[0]^other[0])&0x1f == 0)
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

// claudeShaped reads a payload in the shape of Claude Code's, which several hosts
// have taken over: kindOf knows the host's events, call reads one that carries a
// call.
func claudeShaped(
	host string, top object, kindOf func(event string) Kind, call func(*Event, fields),
) (e Event, err error) {
	f := fieldsOf(top, &err)
	e.Name = f.word("hook_event_name")
	switch e.Kind = kindOf(e.Name); e.Kind {
	case Other:
		e.Call = nod.Call{Agent: host, Session: top.hint("session_id")}
	case Unexpected:
		e.Call = nod.Call{Agent: host, Session: top.hint("session_id"), RawTool: unplaced(f, f.optional("tool_name"))}
	default:
		call(&e, f)
	}
	if err != nil {
		return Event{}, err
	}
	return e, nil
}

// carriesCall reports whether a payload has what calls have, by whatever event.
func carriesCall(f fields) bool {
	return slices.ContainsFunc([]string{"tool_name", "toolName", "tool_input", "toolArgs", "tool_info", "toolCall",
		"command"}, func(key string) bool { return f.maybe(key) != nil })
}

// unplaced is the tool of a call that comes with an event which nobody knows: such a
// call is blocked, also if it names no tool.
func unplaced(f fields, tool string) string {
	if tool == "" && carriesCall(f) {
		return "unnamed"
	}
	return tool
}

// outcome reads what such a payload says of how a call went.
func (f fields) outcome(e *Event) {
	switch e.Kind {
	case Outcome:
		e.Failed = e.Name == "PostToolUseFailure"
		e.Error = f.optional("error")
		e.Took = f.milliseconds("duration_ms")
		e.Returned = f.returned("tool_response")
	case HostDenied:
		e.Reason = f.optional("reason")
	}
}

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
	if f.walk != nil {
		if err := checkText(m.value); err != nil {
			f.wrong(m, err.Error()+"; a string")
			return ""
		}
	}
	return unescape(m.value[1 : len(m.value)-1])
}

// returnedLimit is how much of what a tool returned a transcript shows: no
// model is shown any of it.
const returnedLimit = 256

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
	return f.inside(m, f.below(m, -1)), m.value
}

// inside returns the members of an object among the members of f.
func (f fields) inside(m *member, path string) fields {
	return fields{object: object{members: f.within(m), path: path, walk: f.walk}, err: f.err}
}

// within splits an object or array among the members of f.
func (f fields) within(m *member) []member {
	if f.walk != nil {
		list, err := f.walk.in(m.node)
		if err != nil && *f.err == nil {
			*f.err = badInput(err)
		}
		return list
	}
	list := parts(m.value)
	for i := range list {
		list[i].at += m.at
	}
	return list
}

// below is the path of a member, or of an element of it. In a line of a host's
// file, of which there are thousands, it is left out.
func (f fields) below(m *member, index int) string {
	switch {
	case f.walk != nil:
		return ""
	case index < 0:
		return join(f.path, m.key)
	}
	return join(f.path, m.key) + "[" + strconv.Itoa(index) + "]"
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
	elements := f.within(m)
	out := make([]fields, 0, len(elements))
	for i, e := range elements {
		path := f.below(m, i)
		if e.value[0] != '{' {
			*f.err = badInput(at(e.at, path, "an object is expected"))
			return nil
		}
		out = append(out, f.inside(&e, path))
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
	for _, one := range f.within(m) {
		one.key = m.key
		all = append(all, f.asText(&one))
	}
	return all
}

// parts splits an object or array that lies in a checked text, so nothing is
// checked again.
func parts(text []byte) []member {
	out := make([]member, 0, 8)
	s := scanner{text: text, at: 1}
	for s.space(); s.peek() != '}' && s.peek() != ']'; s.space() {
		var m member
		if text[0] == '{' {
			start := s.at + 1
			s.at = skim(text, s.at)
			m.key = text[start : s.at-1]
			if bytes.IndexByte(m.key, '\\') >= 0 {
				m.key = []byte(unescape(m.key))
			}
			s.space()
			s.at++ // the colon
			s.space()
		}
		m.at = s.at
		s.at = skim(text, s.at)
		m.value = text[m.at:s.at]
		out = append(out, m)
		if s.space(); s.peek() == ',' {
			s.at++
		}
	}
	return out
}

// skim returns where the value at i ends, in a checked text.
func skim(text []byte, i int) int {
	for depth := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			if i = closing(text, i); i < 0 {
				return len(text)
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ',', ':', ' ', '\t', '\n', '\r':
			continue
		default: // a number or a word
			for i+1 < len(text) && !bytes.ContainsRune([]byte(",]} \t\n\r"), rune(text[i+1])) {
				i++
			}
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}

// closing returns the offset of the quote that closes the one at i, -1 where
// there is none. It looks for the next quote, and where quotes are dense, as in
// JSON within JSON, at each byte for a while.
func closing(text []byte, i int) int {
	for i++; ; {
		next := bytes.IndexByte(text[i:], '"')
		if next < 0 {
			return -1
		}
		end := i + next
		slash := end
		for text[slash-1] == '\\' {
			slash--
		}
		if (end-slash)%2 == 0 {
			return end
		}
		if i = end + 1; next > 16 {
			continue
		}
		for stop := min(i+256, len(text)); i < stop; i++ {
			if text[i] == '"' {
				return i
			}
			if text[i] == '\\' {
				i++
			}
		}
		if i >= len(text) {
			return -1
		}
	}
}
