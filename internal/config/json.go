package config

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// parseJSON reads the settings of Claude Code into the tree that parseDocument
// makes of TOML. It takes comments and trailing commas, which people leave in
// such files: reading too much of a file loses no rule of it. A text that holds
// nothing is an empty object. The error is a *problem.
func parseJSON(text []byte) (*node, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	r := &jsonReader{builder: builder{text: text, at: position{1, 1}}}
	root := &node{form: isTable, at: position{1, 1}, valueAt: position{1, 1}}
	if !utf8.Valid(text) {
		return nil, problemf(position{1, 1}, "not UTF-8 text; save the file as UTF-8")
	}
	if r.blank(); r.next == len(text) {
		return root, nil
	}
	if r.peek() != '{' {
		return nil, r.wrong("an object is expected")
	}
	if err := r.value(root, 0); err != nil {
		return nil, err
	}
	if r.blank(); r.next < len(text) {
		return nil, r.wrong("something follows the end of the object")
	}
	return root, nil
}

// jsonReader walks a text once. Positions are counted as builder does.
type jsonReader struct {
	builder
	next int
}

const maxJSONDepth = 100

func (r *jsonReader) wrong(what string) error {
	return problemf(r.position(r.next), "not JSON: %s; correct it", what)
}

func (r *jsonReader) peek() byte {
	if r.next < len(r.text) {
		return r.text[r.next]
	}
	return 0
}

// blank skips white space and comments.
func (r *jsonReader) blank() {
	for r.next < len(r.text) {
		rest := r.text[r.next:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			r.next++
		case bytes.HasPrefix(rest, []byte("//")):
			r.skip(rest, "\n")
		case bytes.HasPrefix(rest, []byte("/*")):
			r.skip(rest, "*/")
		default:
			return
		}
	}
}

func (r *jsonReader) skip(rest []byte, end string) {
	if i := bytes.Index(rest, []byte(end)); i >= 0 {
		r.next += i + len(end)
		return
	}
	r.next = len(r.text)
}

func (r *jsonReader) value(n *node, depth int) error {
	n.valueAt = r.position(r.next)
	if depth > maxJSONDepth {
		return r.wrong("it is nested too deeply")
	}
	switch r.peek() {
	case '{':
		n.form = isTable
		return r.members('}', func() error { return r.member(n, depth) })
	case '[':
		n.form = isList
		return r.members(']', func() error {
			item := &node{key: n.key, at: n.at}
			n.items = append(n.items, item)
			return r.value(item, depth+1)
		})
	case '"':
		text, err := r.str()
		n.kind, n.text = unstable.String, text
		return err
	}
	return r.word(n)
}

// members reads what stands between brackets.
func (r *jsonReader) members(end byte, one func() error) error {
	r.next++
	for {
		if r.blank(); r.peek() == end {
			r.next++
			return nil
		}
		if err := one(); err != nil {
			return err
		}
		r.blank()
		switch r.peek() {
		case ',':
			r.next++
		case end:
		default:
			return r.wrong("',' or '" + string(end) + "' is expected")
		}
	}
}

// member reads a key and its value. A key that stands twice is refused where
// nod reads it: which one counts is the reader's choice.
func (r *jsonReader) member(parent *node, depth int) error {
	if r.peek() != '"' {
		return r.wrong("a key in quotes is expected")
	}
	n := &node{at: r.position(r.next)}
	var err error
	if n.key, err = r.str(); err != nil {
		return err
	}
	if r.blank(); r.peek() != ':' {
		return r.wrong("':' is expected")
	}
	r.next++
	r.blank()
	parent.children = append(parent.children, n)
	return r.value(n, depth+1)
}

// word reads a number, true, false or null.
func (r *jsonReader) word(n *node) error {
	start := r.next
	for r.next < len(r.text) && (isWordByte(r.text[r.next]) || bytes.IndexByte([]byte("+-."), r.text[r.next]) >= 0) {
		r.next++
	}
	n.text = string(r.text[start:r.next])
	switch _, err := strconv.ParseFloat(n.text, 64); {
	case n.text == "true" || n.text == "false":
		n.kind = unstable.Bool
	case n.text == "null":
		n.kind = unstable.Invalid
	case err == nil:
		n.kind = unstable.Float
	default:
		r.next = start
		return r.wrong("a value is expected")
	}
	return nil
}

// str reads a string.
func (r *jsonReader) str() (string, error) {
	r.next++
	var out []byte
	for r.next < len(r.text) {
		switch c := r.text[r.next]; {
		case c == '"':
			r.next++
			return string(out), nil
		case c < ' ':
			return "", r.wrong("a string ends with its line")
		case c == '\\':
			r.next++
			decoded, err := r.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, decoded)
		default:
			out = append(out, c)
			r.next++
		}
	}
	return "", r.wrong("a string has no end")
}

func (r *jsonReader) escape() (rune, error) {
	if r.next == len(r.text) {
		return 0, r.wrong("a string has no end")
	}
	c := r.peek()
	r.next++
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b', 'f', 'n', 'r', 't':
		return rune("\b\f\n\r\t"[bytes.IndexByte([]byte("bfnrt"), c)]), nil
	case 'u':
		high, ok := r.hex()
		if !ok {
			return 0, r.wrong(`\u takes four digits`)
		}
		if utf16.IsSurrogate(high) && bytes.HasPrefix(r.text[r.next:], []byte(`\u`)) {
			r.next += 2
			low, ok := r.hex()
			if !ok {
				return 0, r.wrong(`\u takes four digits`)
			}
			return utf16.DecodeRune(high, low), nil
		}
		return high, nil
	}
	return 0, r.wrong("no such escape")
}

func (r *jsonReader) hex() (rune, bool) {
	if r.next+4 > len(r.text) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(r.text[r.next:r.next+4]), 16, 16)
	r.next += 4
	return rune(v), err == nil
}
