package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/strict"
)

// fields reads typed values of a JSON object. The first error stays, in err, and everything after it
// reads as zero; so a decoder is a list of assignments and one check.
type fields struct {
	members []member
	path    string // key path of the object, "" at the top
	err     *error
}

// apart reads the same object, and its errors are its own.
func (f fields) apart() fields {
	f.err = new(error)
	return f
}

// hint reads a string that decides nothing: "" where it is absent or wrong.
func (f fields) hint(key string) string { return f.apart().optional(key) }

// carriesCall reports whether a payload has a member that calls have, under any event.
func carriesCall(f fields) bool {
	return slices.ContainsFunc([]string{"tool_name", "toolName", "tool_input", "toolArgs", "tool_info", "toolCall",
		"command"}, func(key string) bool { return f.maybe(key) != nil })
}

// outcome reads what such a payload says of how a call went.
func (f fields) outcome(e *Event) {
	switch e.Kind {
	case Outcome:
		e.Failed = e.Name == "PostToolUseFailure"
		e.Error = f.optional("error")
		e.Took = f.milliseconds("duration_ms")
	case HostDenied:
		e.Reason = f.optional("reason")
	}
}

// get returns a value that must be there.
func (f fields) get(key string) *member {
	m := f.maybe(key)
	if m == nil && *f.err == nil {
		*f.err = badInput(fmt.Errorf("%s is missing", join(f.path, key)))
	}
	return m
}

// maybe returns a value that may be absent, nil then. It refuses the object
// if the key stands twice or a second key differs from it in case only.
func (f fields) maybe(key string) (found *member) {
	for i := range f.members {
		m := &f.members[i]
		switch {
		case !strings.EqualFold(m.key, key):
		case m.key != key:
			f.fail(m.key, fmt.Sprintf("the key differs from %q in case only", key))
		case found != nil:
			f.fail(m.key, "the key stands twice")
		default:
			found = m
		}
	}
	if *f.err != nil {
		return nil
	}
	return found
}

// nonNull is maybe for keys where null means absent.
func (f fields) nonNull(key string) *member {
	m := f.maybe(key)
	if m != nil && string(m.value) == "null" {
		return nil
	}
	return m
}

func (f fields) wrong(m *member, what string) { f.fail(m.key, what+" is expected") }

func (f fields) fail(key, what string) {
	if *f.err == nil {
		*f.err = badInput(errors.New(strings.TrimPrefix(join(f.path, key)+": "+what, ": ")))
	}
}

// text reads a required string, which may be empty.
func (f fields) text(key string) string { return f.asText(f.get(key)) }

// word reads a required string that is not empty.
func (f fields) word(key string) string { return f.asWord(f.get(key)) }

// optional reads a string that may be absent.
func (f fields) optional(key string) string { return f.asText(f.maybe(key)) }

// nullable reads a string that may be absent or null.
func (f fields) nullable(key string) string { return f.asText(f.nonNull(key)) }

func (f fields) asText(m *member) string {
	if m == nil {
		return ""
	}
	if m.value[0] != '"' {
		f.wrong(m, "a string")
		return ""
	}
	return strict.Unquoted(m.value)
}

func (f fields) asWord(m *member) string {
	s := f.asText(m)
	if s == "" && m != nil {
		f.wrong(m, "a text that is not empty")
	}
	return s
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

// returned reads a value of any type that may be absent. It decides nothing.
func (f fields) returned(key string) json.RawMessage {
	if m := f.maybe(key); m != nil {
		return m.value
	}
	return nil
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
	return fields{parts(m.value), join(f.path, m.key), f.err}, m.value
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
	elements := parts(m.value)
	out := make([]fields, 0, len(elements))
	for i, e := range elements {
		one := fields{parts(e.value), join(f.path, m.key) + "[" + strconv.Itoa(i) + "]", f.err}
		if e.value[0] != '{' {
			*f.err = badInput(errors.New(one.path + ": an object is expected"))
			return nil
		}
		out = append(out, one)
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
		one.key = m.key
		all = append(all, f.asText(&one))
	}
	return all
}
