package config

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// position is where something stands in a file, counted from one; columns are
// characters.
type position struct{ line, col int }

func positionIn(text []byte, offset int) position {
	before := text[:min(offset, len(text))]
	line := bytes.LastIndexByte(before, '\n') + 1
	return position{1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[line:])}
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

// document says where the keys and values of a TOML file stand. What they say
// is decoded into a struct, see [document.decode].
type document struct {
	text []byte
	keys []key
	// values are where the values and the elements of lists stand, by path:
	// "model.name", "allow.0", "price.1.in".
	values  map[string]span
	tables  map[string]int // how many elements a list of tables has, by path
	control error          // the first string that holds a control character
}

// key is one key of the file, in its order.
type key struct {
	table, name string // the table without the numbers of a path: "price"
	path        string
	offset      int
}

// span is text[start:end].
type span struct{ start, end int }

// maxKeys bounds the work that a file of an untrusted repository can make.
const maxKeys = 5000

// parseDocument reads the syntax. The error is a *problem.
func parseDocument(text []byte) (*document, error) {
	d := &document{text: text, values: map[string]span{}, tables: map[string]int{}}
	if !utf8.Valid(text) {
		return nil, problemf(position{1, 1}, "not UTF-8 text; save the file as UTF-8")
	}
	var parser unstable.Parser
	parser.Reset(text)
	var here place
	for parser.NextExpression() {
		switch e := parser.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			here = d.open(e)
		case unstable.KeyValue:
			d.keyValue(here, e)
		}
		if len(d.keys) > maxKeys {
			return nil, problemf(d.keys[maxKeys].at(text), "more than %d keys; remove some", maxKeys)
		}
	}
	return d, d.syntax(parser.Error())
}

func (k key) at(text []byte) position { return positionIn(text, k.offset) }

func (d *document) syntax(err error) error {
	var pe *unstable.ParserError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &pe):
		return problemf(position{1, 1}, "not TOML: %v; correct it", err)
	}
	offset := cap(d.text) - cap(pe.Highlight)
	if pe.Highlight == nil || offset < 0 || offset > len(d.text) {
		offset = 0
	}
	return problemf(positionIn(d.text, offset), "not TOML: %s; correct it", pe.Message)
}

// place is a table of the document.
type place struct{ table, path string }

func (p place) in(name string) place {
	if p.path == "" {
		return place{name, name}
	}
	return place{p.table + "." + name, p.path + "." + name}
}

func (p place) element(i int) place { return place{p.table, p.path + "." + strconv.Itoa(i)} }

// open notes the keys of a [table] or [[table]] and returns it.
func (d *document) open(e *unstable.Node) (here place) {
	for keys := e.Key(); keys.Next(); {
		k := keys.Node()
		here = d.note(here, k)
		if e.Kind == unstable.ArrayTable && keys.IsLast() {
			d.tables[here.path]++
		}
		if n := d.tables[here.path]; n > 0 {
			here = here.element(n - 1)
			d.values[here.path] = span{int(k.Raw.Offset), int(k.Raw.Offset)}
		}
	}
	return here
}

// note adds a key, where it is new, and returns what it names.
func (d *document) note(parent place, k *unstable.Node) place {
	here := parent.in(string(k.Data))
	if _, known := d.values[here.path]; !known {
		offset := int(k.Raw.Offset)
		d.keys = append(d.keys, key{parent.table, string(k.Data), here.path, offset})
		d.values[here.path] = span{offset, offset}
	}
	return here
}

func (d *document) keyValue(here place, e *unstable.Node) {
	end := 0
	for keys := e.Key(); keys.Next(); {
		here = d.note(here, keys.Node())
		end = int(keys.Node().Raw.Offset + keys.Node().Raw.Length)
	}
	d.value(here, e.Value(), d.behind(end, e))
}

// behind is where the value of a key that ends at an offset stands; the parser
// gives no place for a list.
func (d *document) behind(keyEnd int, e *unstable.Node) span {
	end := int(e.Raw.Offset + e.Raw.Length)
	if end <= keyEnd || end > len(d.text) {
		return span{keyEnd, keyEnd}
	}
	value := bytes.TrimLeft(d.text[keyEnd:end], " \t=")
	return span{end - len(value), end - len(value) + len(bytes.TrimRight(value, " \t\r\n"))}
}

func (d *document) value(here place, v *unstable.Node, at span) {
	if v.Raw.Length > 0 {
		at = span{int(v.Raw.Offset), int(v.Raw.Offset + v.Raw.Length)}
	}
	d.values[here.path] = at
	i := 0
	switch v.Kind {
	case unstable.Array:
		for children := v.Children(); children.Next(); i++ {
			d.value(here.element(i), children.Node(), at)
		}
	case unstable.InlineTable:
		for children := v.Children(); children.Next(); {
			d.keyValue(here, children.Node())
		}
	case unstable.String:
		d.checkControl(here, string(v.Data))
	}
}

// checkControl remembers a control character. An element of a list may run
// over several lines.
func (d *document) checkControl(here place, s string) {
	inList := strings.TrimRight(here.path, "0123456789") != here.path
	for _, c := range s {
		blank := inList && (c == '\n' || c == '\r' || c == '\t')
		if d.control == nil && unicode.IsControl(c) && !blank {
			d.control = problemf(d.at(here.path), "%s holds a control character (%U); remove it",
				lastName(here.table), c)
		}
	}
}

// has reports whether the file holds a key.
func (d *document) has(path string) bool {
	_, ok := d.values[path]
	return ok
}

// at is where a value stands.
func (d *document) at(path string) position { return positionIn(d.text, d.values[path].start) }

// decode fills a struct. The error is a *problem.
func (d *document) decode(into any) error {
	err := toml.Unmarshal(d.text, into)
	var de *toml.DecodeError
	switch {
	case err == nil:
		return d.control
	case !errors.As(err, &de):
		return problemf(position{1, 1}, "not TOML: %v; correct it", err)
	}
	return d.wrong(de)
}

// wrong says in the words of a settings file what the decoder refused.
func (d *document) wrong(de *toml.DecodeError) *problem {
	line, col := de.Position()
	text := bytes.SplitN(d.text, []byte("\n"), line+1)[line-1]
	at := position{line, 1 + utf8.RuneCount(text[:min(col-1, len(text))])}
	said, name := strings.TrimPrefix(de.Error(), "toml: "), ""
	if keys := de.Key(); len(keys) > 0 {
		name = keys[len(keys)-1]
	}
	switch {
	case strings.Contains(said, "already"):
		return problemf(at, "%q is set twice; keep one", name)
	case name == "" || !strings.HasPrefix(said, "cannot "):
		return problemf(at, "not TOML: %s; correct it", said)
	case strings.Contains(said, "of type []string"):
		return problemf(at, `%s needs a list; write %[1]s = ["..."]`, name)
	}
	return problemf(at, "%s", needs(name))
}

// needs says what the value of a key has to be.
func needs(name string) string {
	switch name {
	case "model", "log", "headers":
		return fmt.Sprintf("%s is a table; write [%[1]s] and its keys below it", name)
	case "fallback", "price", "repository":
		return fmt.Sprintf("%s is a list of tables; write [[%[1]s]] and its keys below it", name)
	case "timeout":
		return `timeout needs a duration in quotes, such as "20s"`
	case "max_tokens", "stages":
		return name + " needs a whole number"
	case "max_cost_session", "max_cost_day", "in", "out", "cached":
		return name + " needs an amount of US dollars, such as 1.50"
	case "temperature":
		return "temperature is a number from 0 to 2"
	}
	return name + " needs a string; put it in quotes"
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
