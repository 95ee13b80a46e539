package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// Bounds on a settings file. The parser recurses, and a stack that overflows
// cannot be caught; encoding/json reads no deeper.
const (
	maxSettings = 1 << 20
	maxBrackets = 10_000
)

// byteOrderMark may stand at the start of a file.
const byteOrderMark = "\ufeff"

// document is a settings file in JSON, with comments or without, as text: an
// edit changes the bytes it must and leaves all others.
type document struct {
	path string
	text string // without the byte order mark
	mark string // the byte order mark, if there is one
	root hujson.Value

	newline string // how lines end
	unit    string // one level of indentation
	inline  bool   // the whole file is one line, and stays so
}

// parse reads a settings file. One that is empty holds no settings.
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
	if err := d.set(text); err != nil {
		return nil, err
	}
	if strings.Contains(text, "\r\n") {
		d.newline = "\r\n"
	}
	if root, ok := d.root.Value.(*hujson.Object); ok && len(root.Members) > 0 {
		d.inline = !strings.Contains(strings.TrimSpace(text), "\n")
		if unit := indentIn(string(root.Members[0].Name.BeforeExtra), ""); unit != "" {
			d.unit = unit
		}
	}
	return d, nil
}

// set makes text the document's.
func (d *document) set(text string) error {
	root, err := hujson.Parse([]byte(text))
	if err != nil {
		return d.syntaxError(err)
	}
	d.text, d.root = text, root
	return nil
}

func (d *document) pack() []byte { return []byte(d.mark + d.text) }

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

// position returns line and column of a byte offset, from 1.
func (d *document) position(offset int) (line, col int) {
	before := d.text[:min(offset, len(d.text))]
	return 1 + strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n')
}

func (d *document) errorAt(offset int, format string, args ...any) error {
	line, col := d.position(offset)
	return fmt.Errorf("%s:%d:%d: %s; mend it first, nothing was changed", d.path, line, col,
		fmt.Sprintf(format, args...))
}

// element is a value in a list or an object, with what stands around it.
type element struct {
	name          string // "" in a list
	value         *hujson.Value
	start, end    int    // from its name, if it has one, to the end of its value
	before, after string // up to it, and from it to its comma
	around        string // around the colon
	comma         bool   // one follows
}

// elements lists what is in a value; nil where it is neither list nor object.
func elements(v *hujson.Value) (list []element) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			name, v := &c.Members[i].Name, &c.Members[i].Value
			list = append(list, element{name: name.Value.(hujson.Literal).String(), value: v, start: name.StartOffset,
				end: v.EndOffset, before: string(name.BeforeExtra), after: string(v.AfterExtra),
				around: joined(trimmed(name.AfterExtra), trimmed(v.BeforeExtra)),
				comma:  i < len(c.Members)-1 || v.AfterExtra != nil})
		}
	case *hujson.Array:
		for i := range c.Elements {
			v := &c.Elements[i]
			list = append(list, element{value: v, start: v.StartOffset, end: v.EndOffset,
				before: string(v.BeforeExtra), after: string(v.AfterExtra),
				comma: i < len(c.Elements)-1 || v.AfterExtra != nil})
		}
	}
	return list
}

// at returns the value at a path of names and indexes, nil where there is none.
func (d *document) at(path ...any) *hujson.Value {
	v := &d.root
	for _, step := range path {
		if v = child(v, step); v == nil {
			return nil
		}
	}
	return v
}

// child returns a value by its name in an object, or its index in a list; nil
// where it is not there. Of several members of one name it is the last, as
// JavaScript reads them.
func child(v *hujson.Value, step any) (found *hujson.Value) {
	_, object := v.Value.(*hujson.Object)
	for i, e := range elements(v) {
		if object && step == any(e.name) || !object && step == any(i) {
			found = e.value
		}
	}
	return found
}

// decoded is what a value means; nil where it is too deep to say.
func decoded(v *hujson.Value) (tree any) {
	if v == nil || json.Unmarshal(minimal(v), &tree) != nil {
		return nil
	}
	return tree
}

// object is decoded for an object, nil for anything else.
func object(v *hujson.Value) map[string]any {
	tree, _ := decoded(v).(map[string]any)
	return tree
}

func minimal(v *hujson.Value) []byte {
	c := v.Clone()
	c.Minimize()
	return c.Pack()
}

// distinct refuses names that occur twice in an object: Claude Code would take
// the last one, another reader the first.
func (d *document) distinct(v *hujson.Value) error {
	seen := map[string]bool{}
	for _, e := range elements(v) {
		if seen[e.name] && e.name != "" {
			return d.errorAt(e.start, "%q is there twice", e.name)
		}
		seen[e.name] = true
	}
	return nil
}

// put adds a value at the end of a list, or of an object under a name. Comments
// behind the last element stay behind it. [document.cut] undoes it to the byte,
// but for white space inside empty brackets.
func (d *document) put(in *hujson.Value, name string, value any) error {
	list := elements(in)
	last, comma, from := &element{}, "", in.StartOffset+1
	if n := len(list); n > 0 {
		if last, from = &list[n-1], list[n-1].end; !last.comma {
			comma = ","
		}
	}
	tail := d.text[from : in.EndOffset-1]
	stays := strings.TrimRight(tail, " \t\r\n")
	rest := tail[len(stays):]
	own := indentIn("\n"+d.text[:in.StartOffset], "")
	indent, inline := own, d.inline || len(list) > 0 && onOneLine(list, tail)
	before := ""
	if len(list) > 0 && !d.inline {
		before = " "
	}
	if !inline {
		indent = indentIn(last.before, own+d.unit)
		before = d.newline + indent
		if !strings.Contains(rest, "\n") {
			rest = d.newline + own
		}
	}
	text := d.render(value, indent, inline)
	if _, ok := in.Value.(*hujson.Object); ok {
		colon := ": "
		if d.inline {
			colon = ":"
		}
		text = string(hujson.String(name)) + colon + text
	}
	if last.comma {
		text += "," // keep the style of a trailing comma
	}
	return d.set(d.text[:from] + comma + stays + before + text + rest + d.text[in.EndOffset-1:])
}

// onOneLine reports whether no element starts a line.
func onOneLine(list []element, tail string) bool {
	for _, e := range list {
		tail += e.before
	}
	return !strings.Contains(tail, "\n")
}

// cut takes element i out of a list or an object, and keeps the comments around
// it.
func (d *document) cut(in *hujson.Value, i int) error {
	list := elements(in)
	e := list[i]
	from, to := e.start-len(e.before), e.end
	if e.comma {
		to += len(e.after) + 1
	}
	keep := joined(joined(strings.TrimRight(e.before, " \t\r\n"), e.around), strings.TrimSpace(e.after))
	switch last := i == len(list)-1; {
	case !last && keep == "" && !commented(list[i+1].before):
		keep, to = e.before, list[i+1].start
	case last && i > 0 && !e.comma:
		from-- // the comma before it
	case last && i == 0 && keep == "" && !commented(d.text[to:in.EndOffset-1]):
		to = in.EndOffset - 1
	}
	return d.set(d.text[:from] + joined(keep, d.text[to:]))
}

// bare reports whether a list or an object holds nothing, not even a comment.
func (d *document) bare(v *hujson.Value) bool {
	return len(elements(v)) == 0 && !commented(d.text[v.StartOffset+1:v.EndOffset-1])
}

// replace writes another value in the place of v.
func (d *document) replace(v *hujson.Value, value any) error {
	before := d.text[strings.LastIndexByte(d.text[:v.StartOffset], '\n')+1 : v.StartOffset]
	inline := d.inline || commented(before) && !strings.Contains(d.text[v.StartOffset:v.EndOffset], "\n")
	text := d.render(value, indentIn("\n"+before, ""), inline)
	return d.set(d.text[:v.StartOffset] + text + d.text[v.EndOffset:])
}

// render returns a value in the document's style, on lines that start with
// indent but for the first.
func (d *document) render(v any, indent string, inline bool) string {
	text := encode(v)
	if inline {
		return string(text)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, indent, d.unit); err != nil {
		panic(err) // encode's output is JSON
	}
	return strings.ReplaceAll(b.String(), "\n", d.newline)
}

// joined puts text behind comments, on a line of its own where the last comment
// may be one that ends with its line.
func joined(comments, text string) string {
	space := text[:len(text)-len(strings.TrimLeft(text, " \t\r\n"))]
	line := comments[strings.LastIndexByte(comments, '\n')+1:]
	block := strings.HasSuffix(comments, "*/") && !strings.Contains(line, "//")
	if !commented(comments) || text == "" || block || strings.Contains(space, "\n") {
		return comments + text
	}
	return comments + "\n" + text
}

// indentIn is the white space that the last line of text starts with; where text
// is all in one line, that is the parent's.
func indentIn(text, parent string) string {
	i := strings.LastIndexByte(text, '\n')
	if i < 0 {
		return parent
	}
	line := text[i+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

func trimmed(e hujson.Extra) string { return strings.TrimSpace(string(e)) }

// commented reports whether what stands between values is more than white space.
func commented(between string) bool { return strings.TrimSpace(between) != "" }

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
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}
