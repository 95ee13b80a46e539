package agent

import (
	"bytes"
	"fmt"
)

// walk finds the values of a line of a host's own file in one pass. Most of
// such a line is not read, results of tools above all, so no more is checked
// than where values begin and end; a string is checked when it is read.
//
// One walk serves all lines of a file, one after another: what was found in a
// line is valid until the next.
type walk struct {
	text    []byte
	until   func(key, value []byte) bool // see objectUntil
	stopped bool                         // until said so
	long    []byte                       // the last long string, with its quotes
	nodes   []node
	members []member // of objects and arrays that were looked into
}

// node is a value. What lies in it follows, up to the node next.
type node struct {
	keyFrom, keyTo int // without the quotes; keyTo is 0 in an array
	from, to       int
	next           int
}

// walkDepth is how deep values may lie in one another.
const walkDepth = 512

// object walks over a text, which must be one object.
func (w *walk) object(text []byte) (object, error) {
	return w.objectUntil(text, nil)
}

// objectUntil is object for a text of which nothing is read from a member on,
// which until knows by its key and by the text from its value on.
func (w *walk) objectUntil(text []byte, until func(key, value []byte) bool) (object, error) {
	*w = walk{text: text, until: until, nodes: w.nodes[:0], members: w.members[:0]}
	i := w.space(0)
	if i == len(text) || text[i] != '{' {
		return object{}, at(i, "", "an object is expected")
	}
	end, err := w.value(i, 0, 0, walkDepth)
	if err == nil && w.space(end) != len(text) {
		err = at(end, "", "text follows the end")
	}
	if err != nil {
		return object{}, err
	}
	members, err := w.in(0)
	return object{members: members, walk: w}, err
}

// value adds the node of the value at i and returns where it ends.
func (w *walk) value(i, keyFrom, keyTo, depth int) (end int, err error) {
	if i == len(w.text) {
		return i, at(i, "", "it ends too early")
	}
	here := len(w.nodes)
	w.nodes = append(w.nodes, node{keyFrom: keyFrom, keyTo: keyTo, from: i})
	switch c := w.text[i]; {
	case c == '"':
		if end = w.string(i); end == 0 {
			err = at(i, "", "it ends too early")
		}
	case c == '{' || c == '[':
		end, err = w.within(i, depth-1)
	default:
		s := scanner{text: w.text, at: i}
		err = s.value()
		end = s.at
	}
	w.nodes[here].to, w.nodes[here].next = end, len(w.nodes)
	return end, err
}

// string returns where the string at i ends, 0 where it does not. Hosts write
// what a tool returned twice, and the second time it is only compared.
func (w *walk) string(i int) int {
	if len(w.long) > 0 && bytes.HasPrefix(w.text[i:], w.long) {
		return i + len(w.long)
	}
	end := closing(w.text, i) + 1
	if end-i > 1<<10 {
		w.long = w.text[i:end]
	}
	return end
}

// within adds the nodes of what the object or array at i holds.
func (w *walk) within(i, depth int) (end int, err error) {
	if depth == 0 {
		return i, at(i, "", fmt.Sprintf("more than %d levels", walkDepth))
	}
	closes := w.text[i] + 2 // '{' and '}', '[' and ']'
	for first := true; ; first = false {
		i = w.space(i + 1)
		if first && i < len(w.text) && w.text[i] == closes {
			return i + 1, nil
		}
		from, to := 0, 0
		if closes == '}' {
			if from, to, i, err = w.key(i); err != nil {
				return i, err
			}
			if depth == walkDepth-1 && w.until != nil && w.until(w.text[from:to], w.text[i:]) {
				w.stopped = true
				return len(w.text), nil
			}
		}
		if i, err = w.value(i, from, to, depth); err != nil {
			return i, err
		}
		i = w.space(i)
		switch {
		case i == len(w.text):
			return i, at(i, "", "it ends too early")
		case w.text[i] == closes:
			return i + 1, nil
		case w.text[i] != ',':
			return i, at(i, "", "',' or the end of the object or array is expected")
		}
	}
}

// key reads a key and its colon, and returns where the value begins.
func (w *walk) key(i int) (from, to, value int, err error) {
	if i == len(w.text) || w.text[i] != '"' {
		return 0, 0, i, at(i, "", "a key is expected")
	}
	if to = closing(w.text, i); to < 0 {
		return 0, 0, i, at(i, "", "it ends too early")
	}
	value = w.space(to + 1)
	if value == len(w.text) || w.text[value] != ':' {
		return 0, 0, value, at(value, "", "':' is expected")
	}
	return i + 1, to, w.space(value + 1), nil
}

// space returns where something stands at i or behind it.
func (w *walk) space(i int) int {
	for i < len(w.text) && (w.text[i] == ' ' || w.text[i] == '\n' || w.text[i] == '\t' || w.text[i] == '\r') {
		i++
	}
	return i
}

// in returns the members of the object or array at a node. Two equal keys are
// an error.
func (w *walk) in(n int) ([]member, error) {
	from := len(w.members)
	for i := n + 1; i < w.nodes[n].next; i = w.nodes[i].next {
		v := w.nodes[i]
		m := member{value: w.text[v.from:v.to], at: v.from, node: i}
		if v.keyTo > 0 {
			var err error
			if m.key, err = w.named(v, w.members[from:]); err != nil {
				return nil, err
			}
		}
		w.members = append(w.members, m)
	}
	return w.members[from:len(w.members):len(w.members)], nil
}

// walkKeys is how many keys an object may have that is looked into.
const walkKeys = 512

// named returns the key of a node, which none of the others may have.
func (w *walk) named(v node, others []member) ([]byte, error) {
	key := w.text[v.keyFrom:v.keyTo]
	if bytes.IndexByte(key, '\\') >= 0 {
		if err := checkText(w.text[v.keyFrom-1 : v.keyTo+1]); err != nil {
			return nil, err
		}
		key = []byte(unescape(key))
	}
	for i := range others {
		if bytes.Equal(others[i].key, key) {
			return nil, at(v.keyFrom, join("", key), "the key stands twice")
		}
	}
	if len(others) == walkKeys {
		return nil, at(v.keyFrom, "", fmt.Sprintf("more than %d keys", walkKeys))
	}
	return key, nil
}

// checkText checks a string with its quotes, in which half a character may
// stand.
func checkText(value []byte) error {
	s := scanner{text: value, halve: true}
	_, err := s.str()
	return err
}
