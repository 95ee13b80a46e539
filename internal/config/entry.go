package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strconv"
)

// Change adds an entry to a list at the top of a settings file, or takes it out. The rest of the file stays.
type Change struct {
	Entry
	File   string // [Places].User, or the repository's file
	Remove bool
}

// Draft returns the places with the file as it would be, which [Load] then reads in the place of the one on the disk.
func (p Places) Draft(c Change) (Places, error) {
	p = p.onDisk()
	_, text, err := p.reader(c.File)(c.File)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		text, err = c.edit(text)
	}
	p.draft = map[string][]byte{c.File: text}
	return p, located(c.File, err)
}

// Write makes the change, as [SetWord] makes its.
func (c Change) Write(p Places) error {
	p = p.onDisk()
	return replace(p, c.File, p.reader(c.File), c.edit)
}

func (p Places) reader(file string) func(name string) (string, []byte, error) {
	if path.Base(file) == RepositoryName {
		return p.readRepository
	}
	return p.readSettings
}

// edit returns the text of the file after the change, and checks that it says that and else the same.
func (c Change) edit(text []byte) (edited []byte, err error) {
	said, now := map[string]any{}, map[string]any{}
	d, err := decode(text, &said)
	if err != nil {
		return nil, err
	}
	entries, ok := said[c.List].([]any)
	at := slices.Index(entries, any(c.Text))
	switch {
	case c.Remove && at < 0:
		return nil, fmt.Errorf("there is no %q in %s", c.Text, c.List)
	case c.Remove:
		edited, entries = d.without(c.List, at), slices.Delete(entries, at, at+1)
	case ok:
		edited, entries = d.withEntry(c.List, len(entries), quoteTOML(c.Text)), append(entries, c.Text)
	case !d.has(c.List):
		edited, entries = d.withList(c.Entry)
	}
	said[c.List] = entries
	if _, err := decode(edited, &now); err != nil || !reflect.DeepEqual(said, now) {
		return nil, fmt.Errorf("%s could not be changed so that the rest stays as it is; change it by hand", c.List)
	}
	if c.Remove && slices.Contains(entries, any(c.Text)) {
		return c.edit(edited)
	}
	return edited, nil
}

// withList puts a list of one entry at the top of the file; what is built in stays.
func (d *document) withList(e Entry) (text []byte, entries []any) {
	quoted := quoteTOML(e.Text)
	if slices.ContainsFunc(Settings{}.Lists(), func(i Item) bool { return i.List == e.List }) {
		quoted, entries = quoteTOML(defaultsMark)+", "+quoted, []any{defaultsMark}
	}
	return d.withTop(e.List, "["+quoted+"]"), append(entries, e.Text)
}

// element is where an entry of a list stands, the zero span where there is none.
func (d *document) element(list string, i int) span { return d.places[list+"."+strconv.Itoa(i)] }

// withEntry appends an entry to a list of n: on a line of its own where the bracket that ends it has one.
func (d *document) withEntry(list string, n int, quoted string) []byte {
	last := d.element(list, n-1)
	if n == 0 {
		last.end = d.places[list].end
		last.end += bytes.IndexByte(d.text[last.end:], '[') + 1
		last.start = last.end
	}
	end, comma := d.closing(last.end)
	line := d.lineStart(end)
	if line <= last.end || !blank(d.text[line:end]) {
		if n > 0 {
			quoted = ", " + quoted
		}
		return slices.Concat(d.text[:last.end], []byte(quoted), d.text[last.end:])
	}
	before, indent := []byte(nil), d.text[d.lineStart(last.start):last.start]
	if !blank(indent) {
		indent = append(slices.Clone(d.text[line:end]), "  "...)
	}
	if n > 0 && !comma {
		before = []byte(",")
	} else {
		quoted += ","
	}
	return slices.Concat(d.text[:last.end], before, d.text[last.end:line], indent, []byte(quoted+lineEnd(d.text)),
		d.text[line:])
}

// without takes an entry out of a list, with its comma, and with its line where nothing else stands there.
func (d *document) without(list string, i int) []byte {
	at, next, before := d.element(list, i), d.element(list, i+1), d.element(list, i-1)
	switch {
	case next.start > 0 && d.lineStart(next.start) <= at.start:
		at.end = next.start
	case i > 0 && d.lineStart(at.start) <= before.start:
		at.start = before.end
	default:
		if rest := bytes.TrimLeft(d.text[at.end:], " \t"); rest[0] == ',' {
			at.end = len(d.text) - len(rest) + 1
		}
		line, end := d.lineStart(at.start), at.end+bytes.IndexByte(d.text[at.end:], '\n')+1
		if blank(d.text[line:at.start]) && blank(d.text[at.end:end]) {
			at = span{line, end}
		}
	}
	return slices.Concat(d.text[:at.start], d.text[at.end:])
}

// closing is where the bracket is that ends a list behind its last entry, and whether a comma stands before it.
func (d *document) closing(at int) (end int, comma bool) {
	for ; d.text[at] != ']'; at++ {
		switch d.text[at] {
		case ',':
			comma = true
		case '#':
			at += bytes.IndexByte(d.text[at:], '\n')
		}
	}
	return at, comma
}

func (d *document) lineStart(at int) int { return bytes.LastIndexByte(d.text[:at], '\n') + 1 }

func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
