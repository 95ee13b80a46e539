package config

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// position is where something stands in a file, counted from one; columns are
// characters.
type position struct{ line, col int }

// problem is what is wrong with a file, and where. Its text says what to do.
type problem struct {
	at   position
	what string
}

func (p *problem) Error() string { return fmt.Sprintf("%d:%d: %s", p.at.line, p.at.col, p.what) }

func problemf(at position, format string, args ...any) *problem {
	return &problem{at: at, what: fmt.Sprintf(format, args...)}
}

// form is what a node holds.
type form uint8

const (
	isValue form = iota
	isList
	isTable
	isTables // [[name]]
)

// node is one key of a document, or one element of a list.
type node struct {
	key  string
	at   position // of the key
	form form

	kind       unstable.Kind // of an isValue
	text       string        // the value: decoded for a string, as written otherwise
	start, end int           // the value's bytes in the file; for a single value, or a list that is no element
	valueAt    position      // where the value starts; the key's where that is not known
	items      []*node       // elements of isList, tables of isTables
	children   []*node       // keys of isTable, in the order of the file
	headed     bool          // a table that has its [header]
	dotted     bool          // a table made by a.b = 1
	sealed     bool          // a table written {inline}
}

func (n *node) child(key string) *node {
	for _, c := range n.children {
		if c.key == key {
			return c
		}
	}
	return nil
}

// document is a parsed file.
type document struct {
	root *node
	// header is the offset of the first [table], -1 without one; keys end at
	// lastKey, the end of the last key before it, 0 without one.
	header, lastKey int
}

// builder turns the parser's flat expressions into a tree, and refuses what
// TOML forbids and that parser does not look at: a key or table given twice.
type builder struct {
	parser unstable.Parser
	text   []byte
	offset int      // where counting stopped
	at     position // of offset
	doc    document
	here   *node
}

// parseDocument reads TOML. The error is a *problem.
func parseDocument(text []byte) (document, error) {
	if !utf8.Valid(text) {
		return document{}, problemf(position{1, 1}, "not UTF-8 text; save the file as UTF-8")
	}
	b := &builder{text: text, at: position{1, 1}}
	b.doc = document{root: &node{form: isTable, at: position{1, 1}}, header: -1}
	b.here = b.doc.root
	b.parser.Reset(text)
	for b.parser.NextExpression() {
		if err := b.expression(b.parser.Expression()); err != nil {
			return document{}, err
		}
	}
	if err := b.parser.Error(); err != nil {
		return document{}, b.syntax(err)
	}
	return b.doc, nil
}

func (b *builder) syntax(err error) error {
	var pe *unstable.ParserError
	if !errors.As(err, &pe) {
		return problemf(position{1, 1}, "%v", err)
	}
	at := position{1, 1}
	if offset := cap(b.text) - cap(pe.Highlight); pe.Highlight != nil && offset >= 0 && offset <= len(b.text) {
		at = b.position(offset)
	}
	return problemf(at, "not TOML: %s; correct it", pe.Message)
}

// position counts on from the last one, since offsets mostly grow.
func (b *builder) position(offset int) position {
	if offset < b.offset {
		b.offset, b.at = 0, position{1, 1}
	}
	for ; b.offset < offset; b.offset++ {
		switch c := b.text[b.offset]; {
		case c == '\n':
			b.at = position{b.at.line + 1, 1}
		case utf8.RuneStart(c):
			b.at.col++
		}
	}
	return b.at
}

func (b *builder) expression(e *unstable.Node) error {
	switch e.Kind {
	case unstable.Table, unstable.ArrayTable:
		if b.doc.header < 0 {
			b.doc.header = b.headerStart(e)
		}
		return b.open(e)
	case unstable.KeyValue:
		if b.doc.header < 0 {
			b.doc.lastKey = int(e.Raw.Offset + e.Raw.Length)
		}
		return b.keyValue(b.here, e)
	}
	return nil
}

// headerStart finds the bracket that opens a header: nothing but blanks can
// stand between it and its first key.
func (b *builder) headerStart(e *unstable.Node) int {
	keys := e.Key()
	keys.Next()
	offset := int(keys.Node().Raw.Offset)
	for offset > 0 && b.text[offset-1] != '\n' {
		offset--
	}
	return offset
}

// open makes the table of a header the current one.
func (b *builder) open(e *unstable.Node) error {
	at := b.doc.root
	for keys := e.Key(); keys.Next(); {
		key := keys.Node()
		var err error
		if !keys.IsLast() {
			at, err = b.descend(at, key)
		} else if e.Kind == unstable.Table {
			at, err = b.table(at, key)
		} else {
			at, err = b.element(at, key)
		}
		if err != nil {
			return err
		}
	}
	b.here = at
	return nil
}

// maxKeys bounds the keys of one table, since each is compared with the ones
// before it.
const maxKeys = 500

func (b *builder) add(parent *node, key *unstable.Node, f form) (*node, error) {
	at := b.position(int(key.Raw.Offset))
	if len(parent.children) >= maxKeys {
		return nil, problemf(at, "more than %d keys in one table; remove some", maxKeys)
	}
	n := &node{key: string(key.Data), at: at, valueAt: at, form: f}
	parent.children = append(parent.children, n)
	return n, nil
}

// descend goes into a table that a header or dotted key passes through.
func (b *builder) descend(parent *node, key *unstable.Node) (*node, error) {
	n := parent.child(string(key.Data))
	switch {
	case n == nil:
		return b.add(parent, key, isTable)
	case n.form == isTables:
		return n.items[len(n.items)-1], nil
	case n.form == isTable && !n.sealed:
		return n, nil
	}
	return nil, b.twice(n, key)
}

func (b *builder) table(parent *node, key *unstable.Node) (*node, error) {
	n := parent.child(string(key.Data))
	if n == nil {
		var err error
		if n, err = b.add(parent, key, isTable); err != nil {
			return nil, err
		}
	}
	if n.form != isTable || n.headed || n.sealed || n.dotted {
		return nil, b.twice(n, key)
	}
	n.headed = true
	return n, nil
}

func (b *builder) element(parent *node, key *unstable.Node) (*node, error) {
	n := parent.child(string(key.Data))
	if n == nil {
		var err error
		if n, err = b.add(parent, key, isTables); err != nil {
			return nil, err
		}
	}
	if n.form != isTables {
		return nil, b.twice(n, key)
	}
	item := &node{key: n.key, at: b.position(int(key.Raw.Offset)), form: isTable, headed: true}
	n.items = append(n.items, item)
	return item, nil
}

func (b *builder) twice(first *node, key *unstable.Node) error {
	return problemf(b.position(int(key.Raw.Offset)), "%q is set twice, first on line %d; keep one", string(key.Data),
		first.at.line)
}

func (b *builder) keyValue(parent *node, e *unstable.Node) error {
	for keys := e.Key(); keys.Next(); {
		key := keys.Node()
		n := parent.child(string(key.Data))
		if keys.IsLast() {
			return b.leaf(parent, n, key, e)
		}
		if n == nil {
			var err error
			if n, err = b.add(parent, key, isTable); err != nil {
				return err
			}
			n.dotted = true
		}
		if n.form != isTable || n.sealed || n.headed {
			return b.twice(n, key)
		}
		parent = n
	}
	return nil
}

func (b *builder) leaf(parent, there *node, key, e *unstable.Node) error {
	if there != nil {
		return b.twice(there, key)
	}
	n, err := b.add(parent, key, isValue)
	if err != nil {
		return err
	}
	if err := b.value(n, e.Value()); err != nil || n.form != isList {
		return err
	}
	n.start, n.end = b.around(key, e)
	return nil
}

// around is where a list stands, of which the parser gives no place: behind the
// key's "=" to the end of the expression.
func (b *builder) around(key, e *unstable.Node) (start, end int) {
	start, end = int(key.Raw.Offset+key.Raw.Length), int(e.Raw.Offset+e.Raw.Length)
	if start > end || end > len(b.text) {
		return 0, 0
	}
	equals := bytes.IndexByte(b.text[start:end], '=')
	opening := bytes.IndexByte(b.text[start:end], '[')
	if equals < 0 || opening < equals {
		return 0, 0
	}
	return start + opening, start + len(bytes.TrimRight(b.text[start:end], " \t\r\n"))
}

// value fills n from a value's syntax.
func (b *builder) value(n *node, v *unstable.Node) error {
	switch v.Kind {
	case unstable.Array:
		n.form = isList
		for children := v.Children(); children.Next(); {
			item := &node{key: n.key, at: n.at, valueAt: n.valueAt}
			if err := b.value(item, children.Node()); err != nil {
				return err
			}
			n.items = append(n.items, item)
		}
		return nil
	case unstable.InlineTable:
		n.form = isTable
		for children := v.Children(); children.Next(); {
			if err := b.keyValue(n, children.Node()); err != nil {
				return err
			}
		}
		n.sealed = true
		return nil
	}
	n.kind, n.text = v.Kind, string(v.Data)
	n.start, n.end = int(v.Raw.Offset), int(v.Raw.Offset+v.Raw.Length)
	if v.Raw.Length > 0 {
		n.valueAt = b.position(n.start)
	}
	return nil
}
