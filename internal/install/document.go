package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// Bounds on a settings file. The parser recurses, and a stack that overflows
// cannot be caught.
const (
	maxSettings = 1 << 20
	maxBrackets = 100_000
)

// document is a settings file as text: an edit changes the bytes it must and
// leaves all others.
type document struct {
	path string
	text []byte // without the byte order mark
	mark []byte // the byte order mark, if there is one
	root hujson.Value
	// under is the key at the top under which events stand.
	under string

	newline string // how lines end
	unit    string // one level of indentation
	inline  bool   // the whole file is one line, and stays so
}

// parse reads a settings file. One that is empty holds no settings.
func parse(path string, data []byte) (*document, error) {
	d := &document{path: path, under: "hooks", text: bytes.TrimPrefix(data, []byte("\ufeff"))}
	d.mark = data[:len(data)-len(d.text)]
	if len(bytes.TrimSpace(d.text)) == 0 {
		d.text = []byte("{}\n")
	}
	if len(d.text) > maxSettings || bytes.Count(d.text, []byte("{"))+bytes.Count(d.text, []byte("[")) > maxBrackets {
		return nil, fmt.Errorf("%s: too large to be edited here", path)
	}
	var err error
	// The parser's result shares the bytes it is given; the edits must not.
	if d.root, err = hujson.Parse(bytes.Clone(d.text)); err != nil {
		return nil, d.syntaxError(err)
	}
	d.learnStyle()
	return d, nil
}

func (d *document) pack() []byte { return append(bytes.Clone(d.mark), d.root.Pack()...) }

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
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}

func (d *document) errorAt(v *hujson.Value, format string, args ...any) error {
	line, col := d.position(v.StartOffset)
	return fmt.Errorf("%s:%d:%d: %s; mend it first, nothing was changed", d.path, line, col,
		fmt.Sprintf(format, args...))
}

func (d *document) learnStyle() {
	d.newline, d.unit = "\n", "  "
	if bytes.Contains(d.text, []byte("\r\n")) {
		d.newline = "\r\n"
	}
	root, ok := d.root.Value.(*hujson.Object)
	if !ok || len(root.Members) == 0 {
		return
	}
	d.inline = !bytes.ContainsRune(bytes.TrimSpace(d.text), '\n')
	if unit := lineIndent(root.Members[0].Name.BeforeExtra, ""); unit != "" {
		d.unit = unit
	}
}

// distinct refuses names that occur twice where nod reads: Claude Code would
// take the last one, another reader the first.
func (d *document) distinct() error {
	root, ok := d.root.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	if err := d.distinctNames(root); err != nil {
		return err
	}
	hooks := find(root, d.under)
	if hooks == nil {
		return nil
	}
	for v := range hooks.All() {
		if o, ok := v.Value.(*hujson.Object); ok {
			if err := d.distinctNames(o); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *document) distinctNames(o *hujson.Object) error {
	seen := make(map[string]bool, len(o.Members))
	for i := range o.Members {
		name := nameOf(&o.Members[i])
		if seen[name] {
			return d.errorAt(&o.Members[i].Name, "%q is there twice", name)
		}
		seen[name] = true
	}
	return nil
}

func nameOf(m *hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// find returns the value of a member, the last one of that name as JavaScript
// does, or nil.
func find(o *hujson.Object, name string) *hujson.Value {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if nameOf(&o.Members[i]) == name {
			return &o.Members[i].Value
		}
	}
	return nil
}

func (d *document) object(v *hujson.Value, what string) (*hujson.Object, error) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, d.errorAt(v, "%s is not an object", what)
	}
	return o, nil
}

// arrayIn returns the list of that name, nil if there is no such member.
func (d *document) arrayIn(o *hujson.Object, name string) (*hujson.Array, error) {
	v := find(o, name)
	if v == nil {
		return nil, nil
	}
	a, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, d.errorAt(v, "hooks.%s is not a list", name)
	}
	return a, nil
}

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

// encode cannot fail: it is given structs of strings and numbers.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// render returns v in the document's style, on lines that start with indent
// but for the first.
func (d *document) render(v any, indent string, inline bool) hujson.ValueTrimmed {
	text := encode(v)
	if !inline {
		var b bytes.Buffer
		if err := json.Indent(&b, text, indent, d.unit); err != nil {
			panic(err) // encode's output is JSON
		}
		text = bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte(d.newline))
	}
	parsed, err := hujson.Parse(text)
	if err != nil {
		panic(err)
	}
	return parsed.Value
}

// lineIndent returns the white space that the line after before starts with;
// where before does not end a line, that is the parent's.
func lineIndent(before hujson.Extra, parent string) string {
	i := bytes.LastIndexByte(before, '\n')
	if i < 0 {
		return parent
	}
	line := before[i+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

func memberIndent(o *hujson.Object, name, parent string) string {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if nameOf(&o.Members[i]) == name {
			return lineIndent(o.Members[i].Name.BeforeExtra, parent)
		}
	}
	return parent
}
