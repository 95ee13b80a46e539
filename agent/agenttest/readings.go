package agenttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"unicode"
)

// node is one value of a fixture, in the order of the text, so that a payload
// can be written again with one thing changed.
type node struct {
	keys  []string // of an object; nil for all else
	nodes []*node  // of an object or array
	list  bool
	text  string // of all else, as written
}

// parse reads a fixture. Fixtures are captured or written by us, so
// encoding/json is good enough here.
func parse(text []byte) (*node, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return parseValue(dec)
}

func parseValue(dec *json.Decoder) (*node, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	n := &node{}
	switch token {
	case json.Delim('{'):
		n.keys = []string{}
	case json.Delim('['):
		n.list = true
	default:
		text, err := json.Marshal(token)
		n.text = string(text)
		return n, err
	}
	for dec.More() {
		if !n.list {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			n.keys = append(n.keys, key.(string))
		}
		inner, err := parseValue(dec)
		if err != nil {
			return nil, err
		}
		n.nodes = append(n.nodes, inner)
	}
	_, err = dec.Token()
	return n, err
}

func (n *node) String() string {
	if !n.list && n.keys == nil {
		return n.text
	}
	var parts []string
	for i, inner := range n.nodes {
		part := inner.String()
		if !n.list {
			part = quote(n.keys[i]) + ":" + part
		}
		parts = append(parts, part)
	}
	if n.list {
		return "[" + strings.Join(parts, ",") + "]"
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func quote(s string) string {
	text, _ := json.Marshal(s) // never fails for a string
	return string(text)
}

// replaceText replaces the text value that reads want.
func replaceText(fixture []byte, want, with string) ([]byte, bool) {
	root, err := parse(fixture)
	if err != nil {
		return nil, false
	}
	found := false
	walk(root, "", func(_ string, n *node, i int) {
		if n.nodes[i].text == quote(want) {
			n.nodes[i].text, found = quote(with), true
		}
	})
	return []byte(root.String()), found
}

// walk visits each key of each object, with its path.
func walk(n *node, at string, visit func(path string, n *node, i int)) {
	for i, inner := range n.nodes {
		name := at + fmt.Sprintf("[%d]", i)
		if !n.list {
			name = strings.TrimPrefix(at+"."+n.keys[i], ".")
			visit(name, n, i)
		}
		walk(inner, name, visit)
	}
}

// change is one thing done to one key.
type change struct {
	name string
	// mustFail says that a key which is read does not survive it.
	mustFail bool
	apply    func(n *node, i int)
}

// values are what a value is replaced with: one of each type.
func values() []string {
	return []string{`null`, `true`, `7`, `"other"`, `[]`, `["a"]`, `{}`, `{"a":"b"}`}
}

// changes are the hostile ones. Each is undone by parsing the fixture again.
func changes() []change {
	insert := func(name string, at func(i int) int, key func(string) string) change {
		return change{name, true, func(n *node, i int) {
			twin, to := key(n.keys[i]), at(i)
			n.keys = append(n.keys[:to:to], append([]string{twin}, n.keys[to:]...)...)
			n.nodes = append(n.nodes[:to:to], append([]*node{{text: `"other"`}}, n.nodes[to:]...)...)
		}}
	}
	before := func(i int) int { return i }
	after := func(i int) int { return i + 1 }
	return []change{
		insert("a second one after it", after, func(k string) string { return k }),
		insert("a second one before it", before, func(k string) string { return k }),
		insert("an upper-case twin after it", after, strings.ToUpper),
		insert("an upper-case twin before it", before, strings.ToUpper),
		insert("a Title twin after it", after, title),
		insert("a folded twin after it", after, folded),
		insert("a folded twin before it", before, folded),
		{"upper-case only", true, func(n *node, i int) { n.keys[i] = strings.ToUpper(n.keys[i]) }},
		{"folded only", true, func(n *node, i int) { n.keys[i] = folded(n.keys[i]) }},
	}
}

func title(key string) string {
	r := []rune(key)
	if len(r) > 0 {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}

// folded writes a key with letters outside ASCII that fold to its own.
func folded(key string) string {
	return strings.NewReplacer("s", "ſ", "k", "\u212a").Replace(key)
}

// otherReadings changes each key of each fixture, one at a time. An error is
// always right; otherwise the event must be the one of the fixture. For a key
// that is read, only an error is right.
func otherReadings(h Host) (problems []string) {
	for _, f := range gated(h) {
		for path, read := range keysRead(h, f) {
			for _, c := range changes() {
				text, name := changed(f.text, path, c.apply)
				if name == "" {
					continue // nothing to fold in this key
				}
				problems = append(problems, reading(h, f, text, f.name+": "+path+", "+c.name, read && c.mustFail)...)
			}
			problems = append(problems, otherTypes(h, f, path, read)...)
		}
	}
	sort.Strings(problems)
	return problems
}

// reading checks one changed payload.
func reading(h Host, f fixture, text []byte, name string, mustFail bool) []string {
	e, panicked, err := decode(h, text)
	switch {
	case panicked != "":
		return []string{name + ": " + panicked}
	case err != nil:
		return nil
	case mustFail:
		return []string{name + ": accepted"}
	case !same(e, f.event):
		return []string{fmt.Sprintf("%s: read as %+v", name, e)}
	}
	return nil
}

// otherTypes gives a key that is read values of other types. One of its own
// type is another call and none of our business.
func otherTypes(h Host, f fixture, path string, read bool) (problems []string) {
	if !read {
		return nil
	}
	for _, value := range values() {
		var own bool
		text, _ := changed(f.text, path, func(n *node, i int) {
			own = kindOf(n.nodes[i].String()) == kindOf(value) ||
				contains(h.Several, path) && contains([]string{"n", `"`, "["}, kindOf(value))
			n.nodes[i] = &node{text: value}
		})
		if !own {
			problems = append(problems, reading(h, f, text, f.name+": "+path+" = "+value, true)...)
		}
	}
	return problems
}

// kindOf tells JSON's types apart by the first character.
func kindOf(value string) string {
	switch value[0] {
	case 't', 'f':
		return "boolean"
	case '{', '[', '"', 'n':
		return value[:1]
	}
	return "number"
}

// keysRead lists the keys of a fixture and whether the adapter reads each: it
// does if the event is another one, or none, without the key or with another
// value.
func keysRead(h Host, f fixture) map[string]bool {
	root, err := parse(f.text)
	if err != nil {
		return nil
	}
	read := map[string]bool{}
	walk(root, "", func(path string, _ *node, _ int) {
		texts := make([][]byte, 0, 8)
		without, _ := changed(f.text, path, func(n *node, i int) {
			n.keys = append(n.keys[:i:i], n.keys[i+1:]...)
			n.nodes = append(n.nodes[:i:i], n.nodes[i+1:]...)
		})
		texts = append(texts, without)
		for _, value := range values() {
			text, _ := changed(f.text, path, func(n *node, i int) { n.nodes[i] = &node{text: value} })
			texts = append(texts, text)
		}
		read[path] = false
		for _, text := range texts {
			if e, panicked, err := decode(h, text); err != nil || panicked != "" || !same(e, f.event) {
				read[path] = true
			}
		}
	})
	return read
}

// changed returns the fixture with one key changed; name is "" where the
// change changed nothing.
func changed(fixture []byte, want string, apply func(n *node, i int)) (text []byte, name string) {
	root, err := parse(fixture)
	if err != nil {
		return nil, ""
	}
	was := root.String()
	var holder *node
	var index int
	walk(root, "", func(path string, n *node, i int) {
		if path == want {
			holder, index = n, i
		}
	})
	if holder != nil {
		apply(holder, index)
	}
	if now := root.String(); now != was {
		return []byte(now), want
	}
	return []byte(was), ""
}
