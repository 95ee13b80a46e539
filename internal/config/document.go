package config

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// position is where something stands in a file, both counted from one; columns are bytes.
type position struct{ line, col int }

func positionIn(text []byte, offset int) position {
	before := text[:min(offset, len(text))]
	return position{1 + bytes.Count(before, []byte("\n")), offset - bytes.LastIndexByte(before, '\n')}
}

// problem is what is wrong with a file, and where. Its text says what to do.
type problem struct {
	at   position
	what string
}

func (p *problem) Error() string { return fmt.Sprintf("%d:%d: %s", p.at.line, p.at.col, p.what) }

func problemf(at position, format string, args ...any) *problem {
	return &problem{at: at, what: fmt.Sprintf(format, args...)}
}

// document says where the values of a TOML text stand. What they say is decoded into a struct, see [decode].
type document struct {
	text []byte
	// places are those of tables, values and elements of lists, by path: "model.name", "allow.0", "price.1.in".
	places map[string]span
}

// span is text[start:end].
type span struct{ start, end int }

// decode fills a struct, or a map. The error is a *problem.
func decode(text []byte, into any) (*document, error) {
	if !utf8.Valid(text) {
		return nil, problemf(position{1, 1}, "not UTF-8 text; save the file as UTF-8")
	}
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(into)
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case err == nil:
		d := locate(text)
		if _, free := into.(*map[string]any); free {
			return d, nil
		}
		for path, at := range d.places { // the decoder takes a key with capitals for the key in small letters
			if key := lastName(path); key != strings.ToLower(key) && !strings.Contains(path, "headers.") {
				return d, problemf(positionIn(text, at.start), "%q is not a key here; nod help settings shows them",
					key)
			}
		}
		return d, nil
	case errors.As(err, &unknown):
		key := unknown.Errors[0].Key()
		line, col := unknown.Errors[0].Position()
		return nil, problemf(position{line, col}, "%q is not a key here; nod help settings shows them",
			strings.Join(key, "."))
	case errors.As(err, &wrong):
		line, col := wrong.Position()
		return nil, problemf(position{line, col}, "%s", refused(wrong))
	}
	return nil, problemf(position{1, 1}, "not TOML: %v; correct it", err)
}

func refused(e *toml.DecodeError) string {
	said, key := strings.TrimPrefix(e.Error(), "toml: "), e.Key()
	if len(key) == 0 || !strings.HasPrefix(said, "cannot ") {
		return fmt.Sprintf("not TOML: %s; correct it", said)
	}
	return fmt.Sprintf("%s needs a value of another kind; nod help settings shows it", key[len(key)-1])
}

// locate finds the values of a text that could be decoded.
func locate(text []byte) *document {
	d := &document{text: text, places: map[string]span{}}
	elements := map[string]int{}
	var parser unstable.Parser
	parser.Reset(text)
	table := ""
	for parser.NextExpression() {
		switch e := parser.Expression(); e.Kind {
		case unstable.Table:
			table = d.note("", e)
		case unstable.ArrayTable:
			list := d.note("", e)
			table = list + "." + strconv.Itoa(elements[list])
			d.places[table] = d.places[list]
			elements[list]++
		case unstable.KeyValue:
			d.value(d.note(table, e), e.Value())
		}
	}
	return d
}

// note notes where the keys of an expression stand, and returns the path of the last.
func (d *document) note(table string, e *unstable.Node) string {
	for keys := e.Key(); keys.Next(); {
		if table != "" {
			table += "."
		}
		table += string(keys.Node().Data)
		d.places[table] = spanOf(keys.Node())
	}
	return table
}

func spanOf(n *unstable.Node) span {
	return span{int(n.Raw.Offset), int(n.Raw.Offset + n.Raw.Length)}
}

func (d *document) value(path string, v *unstable.Node) {
	if v.Raw.Length > 0 { // the parser has no place for a list
		d.places[path] = spanOf(v)
	}
	switch v.Kind {
	case unstable.Array:
		i := 0
		for children := v.Children(); children.Next(); i++ {
			element := path + "." + strconv.Itoa(i)
			d.places[element] = d.places[path]
			d.value(element, children.Node())
		}
	case unstable.InlineTable:
		for children := v.Children(); children.Next(); {
			d.value(d.note(path, children.Node()), children.Node().Value())
		}
	}
}

func (d *document) has(path string) bool {
	_, ok := d.places[path]
	return ok
}

// at is where a value stands, or the table around a missing value.
func (d *document) at(path string) position {
	for !d.has(path) && strings.Contains(path, ".") {
		path = path[:strings.LastIndexByte(path, '.')]
	}
	return positionIn(d.text, d.places[path].start)
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
