package install

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/nodgate/nod/internal/lines"
)

// Bounds on a settings file. The parser recurses, and a stack that overflows
// cannot be caught; encoding/json reads no deeper.
const (
	maxSettings = 1 << 20
	maxBrackets = 10_000
)

// byteOrderMark may stand at the start of a file.
const byteOrderMark = "\ufeff"

// document is a settings file in JSON, with comments or without. An edit changes the values that it must; all others
// keep their bytes, and the white space and comments between them.
type document struct {
	path string
	text string // as it was read, without the byte order mark
	mark string // the byte order mark, if there is one
	root hujson.Value

	newline string // how lines end
	unit    string // one level of indentation
	inline  bool   // the whole file is one line, and stays so
}

// parse reads a settings file. An empty file holds no settings.
func parse(path string, data []byte) (*document, error) {
	text, marked := strings.CutPrefix(string(data), byteOrderMark)
	d := &document{path: path, newline: "\n", unit: "  "}
	if marked {
		d.mark = byteOrderMark
	}
	if strings.TrimSpace(text) == "" {
		text = "{}\n"
	}
	if len(text) > maxSettings || strings.Count(text, "{")+strings.Count(text, "[") > maxBrackets {
		return nil, fmt.Errorf("%s: too large to be edited here", path)
	}
	root, err := hujson.Parse([]byte(text))
	if err != nil {
		return nil, d.syntaxError(err)
	}
	d.text, d.root = text, root
	if strings.Contains(text, "\r\n") {
		d.newline = "\r\n"
	}
	if list := elements(&d.root); len(list) > 0 {
		d.inline = !strings.Contains(strings.TrimSpace(text), "\n")
		if unit := indentIn(list[0].first.BeforeExtra, ""); unit != "" {
			d.unit = unit
		}
	}
	return d, nil
}

func (d *document) pack() []byte { return append([]byte(d.mark), d.root.Pack()...) }

// syntaxError says a parser's error the way compilers do.
func (d *document) syntaxError(err error) error {
	var line, col int
	text := strings.TrimPrefix(err.Error(), "hujson: ")
	if _, scan := fmt.Sscanf(text, "line %d, column %d:", &line, &col); scan != nil {
		return fmt.Errorf("%s: %s", d.path, text)
	}
	_, text, _ = strings.Cut(text, ": ")
	return fmt.Errorf("%s:%d:%d: not JSON: %s; mend or remove the file, nothing was changed", d.path, line, col, text)
}

// position returns line and column, from 1, of a byte of the file as it was read.
func (d *document) position(offset int) (line, col int) {
	before := d.text[:min(offset, len(d.text))]
	return 1 + strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n')
}

func (d *document) errorAt(offset int, format string, args ...any) error {
	line, col := d.position(offset)
	return fmt.Errorf("%s:%d:%d: %s; mend it first, nothing was changed", d.path, line, col,
		fmt.Sprintf(format, args...))
}

// element is a value in a list or an object.
type element struct {
	name  string        // "" in a list
	first *hujson.Value // its name, or the value itself: what stands before it is there
	value *hujson.Value
}

// elements lists what is in a value; nil where it is neither list nor object.
func elements(v *hujson.Value) (list []element) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			m := &c.Members[i]
			list = append(list, element{m.Name.Value.(hujson.Literal).String(), &m.Name, &m.Value})
		}
	case *hujson.Array:
		for i := range c.Elements {
			list = append(list, element{first: &c.Elements[i], value: &c.Elements[i]})
		}
	}
	return list
}

// closing is what stands before the closing bracket of a list or an object.
func closing(v *hujson.Value) *hujson.Extra {
	if c, ok := v.Value.(*hujson.Object); ok {
		return &c.AfterExtra
	}
	return &v.Value.(*hujson.Array).AfterExtra
}

// at returns the value at a path of names and indexes, nil for no value.
func (d *document) at(path ...any) *hujson.Value {
	v := &d.root
	for _, step := range path {
		i := index(v, step)
		if i < 0 {
			return nil
		}
		v = elements(v)[i].value
	}
	return v
}

// index is the place of a name in an object, or an index in a list; -1 where it is not
// there. If a name has several members, the last counts, as JavaScript reads them.
func index(v *hujson.Value, step any) (found int) {
	_, object := v.Value.(*hujson.Object)
	found = -1
	for i, e := range elements(v) {
		if object && step == any(e.name) || !object && step == any(i) {
			found = i
		}
	}
	return found
}

// child returns a value by its name in an object, nil where it is not there.
func child(v *hujson.Value, name string) *hujson.Value {
	if i := index(v, name); i >= 0 {
		return elements(v)[i].value
	}
	return nil
}

// object is what an object means; nil for anything else, and where it is too deep to say.
func object(v *hujson.Value) (tree map[string]any) {
	if v == nil || json.Unmarshal(minimal(v), &tree) != nil {
		return nil
	}
	return tree
}

func minimal(v *hujson.Value) []byte {
	c := v.Clone()
	c.Minimize()
	return c.Pack()
}

// distinct refuses names that occur twice in an object: Claude Code would take the last one, another reader the first.
func (d *document) distinct(v *hujson.Value) error {
	seen := map[string]bool{}
	for _, e := range elements(v) {
		if seen[e.name] && e.name != "" {
			return d.errorAt(e.first.StartOffset, "%q is there twice", e.name)
		}
		seen[e.name] = true
	}
	return nil
}

// put adds a value at the end of the list at a path, or of the object there under a
// name. Comments behind the last element stay behind it.
func (d *document) put(path []any, name string, value any) {
	in, own := d.at(path...), d.indent(path)
	list, end := elements(in), closing(in)
	stays := strings.TrimRight(string(*end), " \t\r\n")
	tail, indent, before := string(*end)[len(stays):], own+d.unit, stays
	comma := hujson.Extra(nil) // not nil where a comma stands behind the last element
	if len(list) > 0 {
		last := list[len(list)-1]
		indent = indentIn(last.first.BeforeExtra, indent)
		if last.value.AfterExtra != nil {
			comma = hujson.Extra{}
		}
	}
	if !d.inline {
		before += d.newline + indent
		if !strings.Contains(tail, "\n") {
			tail = d.newline + own
		}
	}
	v := hujson.Value{Value: d.render(value, indent, d.inline), AfterExtra: comma}
	*end = hujson.Extra(tail)
	switch c := in.Value.(type) {
	case *hujson.Array:
		v.BeforeExtra = hujson.Extra(before)
		c.Elements = append(c.Elements, v)
	case *hujson.Object:
		if !d.inline {
			v.BeforeExtra = hujson.Extra(" ")
		}
		c.Members = append(c.Members, hujson.ObjectMember{
			Name: hujson.Value{BeforeExtra: hujson.Extra(before), Value: hujson.String(name)}, Value: v})
	}
}

// cut takes out what stands at a path, and keeps the comments around it.
func (d *document) cut(path []any) {
	in := d.at(path[:len(path)-1]...)
	i := index(in, path[len(path)-1])
	list, end := elements(in), closing(in)
	e, last := list[i], i == len(list)-1
	keep := strings.TrimRight(string(e.first.BeforeExtra), " \t\r\n")
	if e.first != e.value {
		keep = joined(joined(keep, trimmed(e.first.AfterExtra)), trimmed(e.value.BeforeExtra))
	}
	keep = joined(keep, trimmed(e.value.AfterExtra))
	before := e.first.BeforeExtra
	next := end
	if !last {
		next = &list[i+1].first.BeforeExtra
	} else if i > 0 {
		previous := list[i-1].value
		if e.value.AfterExtra == nil {
			keep = joined(trimmed(previous.AfterExtra), keep)
			previous.AfterExtra = nil // no comma
		} else if previous.AfterExtra == nil {
			previous.AfterExtra = hujson.Extra{}
		}
	}
	switch {
	case keep != "":
		*next = hujson.Extra(joined(keep, cmp.Or(string(*next), "\n")))
	case commented(*next):
	case !last:
		*next = before
	case i == 0:
		*next = nil
	}
	switch c := in.Value.(type) {
	case *hujson.Array:
		c.Elements = slices.Delete(c.Elements, i, i+1)
	case *hujson.Object:
		c.Members = slices.Delete(c.Members, i, i+1)
	}
}

// bare reports whether a list or an object holds nothing, not even a comment.
func bare(v *hujson.Value) bool { return len(elements(v)) == 0 && !commented(*closing(v)) }

// replace writes another value in the place of the value at a path.
func (d *document) replace(path []any, value any) {
	in := d.at(path[:len(path)-1]...)
	e := elements(in)[index(in, path[len(path)-1])]
	inline := d.inline || !bytes.Contains(e.first.BeforeExtra, []byte("\n"))
	e.value.Value = d.render(value, d.indent(path), inline)
}

// indent is that of the line on which the value at a path begins.
func (d *document) indent(path []any) (indent string) {
	v := &d.root
	for _, step := range path {
		e := elements(v)[index(v, step)]
		indent, v = indentIn(e.first.BeforeExtra, indent), e.value
	}
	return indent
}

// render returns a value in the document's style, on lines that start with indent but for the first.
func (d *document) render(v any, indent string, inline bool) hujson.ValueTrimmed {
	text := encode(v)
	if !inline {
		var b bytes.Buffer
		if err := json.Indent(&b, text, indent, d.unit); err != nil {
			panic(err) // encode's output is JSON
		}
		text = []byte(strings.ReplaceAll(b.String(), "\n", d.newline))
	}
	value, err := hujson.Parse(text)
	if err != nil {
		panic(err)
	}
	return value.Value
}

// joined puts what stands between values behind comments, on a line of its own, since
// the last comment may go on to the end of its line.
func joined(comments, between string) string {
	blank := between[:len(between)-len(strings.TrimLeft(between, " \t\r\n"))]
	if between != "" && commented(hujson.Extra(comments)) && !strings.Contains(blank, "\n") {
		comments += "\n"
	}
	return comments + between
}

// indentIn is the white space that the last line of what stands before a value starts
// with; where that is all in one line, it is the parent's.
func indentIn(before hujson.Extra, parent string) string {
	i := bytes.LastIndexByte(before, '\n')
	if i < 0 {
		return parent
	}
	line := string(before[i+1:])
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

func trimmed(e hujson.Extra) string { return strings.TrimSpace(string(e)) }

// commented reports whether what stands between values is more than white space.
func commented(between hujson.Extra) bool { return trimmed(between) != "" }

// member and ordered are an object whose members keep their order.
type member struct {
	name  string
	value any
}

type ordered []member

func (o ordered) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, hujson.String(m.name)...), ':')
		b = append(b, encode(m.value)...)
	}
	return append(b, '}'), nil
}

// encode cannot fail: it is given strings, numbers, and lists and objects of them.
func encode(v any) []byte {
	text, err := lines.JSON(v)
	if err != nil {
		panic(err)
	}
	return text
}
