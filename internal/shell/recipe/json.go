// Package recipe reads the files that tell a task runner what to run, as text:
// package.json and the settings of npm, a plain subset of Makefiles and one of
// justfiles, the directives of go generate, and which names the files of others
// have. It returns what those say; what that does is for whoever asked. What is
// not plain is not read: a line anywhere can change what a recipe runs.
package recipe

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Object is the members of one JSON object, whose values are skipped but for
// those that are asked for.
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
func (o Object) Text(name string) (text string, ok bool) {
	raw, ok := o.Member(name)
	if !ok || raw[0] != '"' {
		return "", false
	}
	return text, json.Unmarshal([]byte(raw), &text) == nil
}

// maxMembers bounds what two names are compared for.
const maxMembers = 4096

// ParseObject reads an object. It is strict where readers differ: a doubled
// name, one that differs from another by case only, a character that JSON cannot
// hold, a byte order mark or anything after the object makes it unusable.
func ParseObject(text string) (o Object, ok bool) {
	if !utf8.ValidString(text) || oddEscape(text) {
		return o, false
	}
	dec := json.NewDecoder(strings.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return o, false
	}
	for dec.More() {
		t, err := dec.Token()
		name, isName := t.(string)
		var value json.RawMessage
		if err != nil || !isName || dec.Decode(&value) != nil || o.names(name) || len(o.Names) > maxMembers {
			return o, false
		}
		o.Names, o.Values = append(o.Names, name), append(o.Values, string(value))
	}
	if _, err := dec.Token(); err != nil {
		return o, false
	}
	_, err := dec.Token()
	return o, err == io.EOF
}

// names reports whether a member is called so, in whatever case.
func (o Object) names(name string) bool {
	for _, n := range o.Names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// oddEscape reports whether an escape stands for half a character, or for none:
// scripts have no use for it.
func oddEscape(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if i++; text[i] != 'u' {
			continue
		}
		r, err := strconv.ParseUint(text[i+1:min(i+5, len(text))], 16, 16)
		if err != nil || r == 0 || r >= 0xD800 && r < 0xE000 {
			return true
		}
	}
	return false
}
