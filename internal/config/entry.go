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
	Remove     bool
	Repository bool // in the file of [Places].Root, else in [Places].User
}

// file is the name of the file, and how it is read.
func (c Change) file(p Places) (name string, read func(name string) (real string, text []byte, err error)) {
	if c.Repository {
		return path.Join(p.workspaceRoot(), RepositoryName), p.readRepository
	}
	return p.User, p.readSettings
}

// Draft returns the places with the file as it would be, which [Load] then reads in the place of the one on the disk.
func (p Places) Draft(c Change) (Places, error) {
	p = p.onDisk()
	name, read := c.file(p)
	_, text, err := read(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		text, err = c.edit(text)
	}
	p.draft = map[string][]byte{name: text}
	return p, located(name, err)
}

// Write makes the change, as [SetWord] makes its.
func (c Change) Write(p Places) error {
	p = p.onDisk()
	name, read := c.file(p)
	return replace(p, name, read, c.edit)
}

// changed edits a text. What it says then must be what edit says, in said, that it should.
func changed(text []byte, edit func(d *document, said map[string]any) ([]byte, error)) (edited []byte, err error) {
	said, now := map[string]any{}, map[string]any{}
	d, err := decode(text, &said)
	if err == nil {
		edited, err = edit(d, said)
	}
	if err != nil {
		return nil, err
	}
	if _, err := decode(edited, &now); err != nil || !reflect.DeepEqual(said, now) {
		return nil, errors.New("could not be changed so that the rest stays as it is; change it by hand")
	}
	return edited, nil
}

func (c Change) edit(text []byte) ([]byte, error) {
	return changed(text, func(d *document, said map[string]any) ([]byte, error) {
		entries, _ := said[c.List].([]any)
		at := slices.Index(entries, any(c.Text))
		switch {
		case c.Remove && at < 0:
			return nil, fmt.Errorf("there is no %q in %s", c.Text, c.List)
		case !c.Remove && at >= 0:
			where := positionIn(text, d.element(c.List, at).start)
			return nil, problemf(where, "%q stands in %s already", c.Text, c.List)
		case c.Remove:
			said[c.List] = slices.Delete(entries, at, at+1)
			return d.without(c.List, at), nil
		case d.has(c.List):
			said[c.List] = append(entries, c.Text)
			return d.withEntry(c.List, len(entries), quoteTOML(c.Text)), nil
		}
		quoted := quoteTOML(c.Text) // at the top of the file; what is built in stays
		if slices.ContainsFunc(Settings{}.Lists(), func(i Item) bool { return i.List == c.List }) {
			quoted, entries = quoteTOML(defaultsMark)+", "+quoted, []any{defaultsMark}
		}
		said[c.List] = append(entries, c.Text)
		return d.withTop(c.List, "["+quoted+"]"), nil
	})
}

// element is where an entry of a list stands, the zero span where there is none.
func (d *document) element(list string, i int) span { return d.places[list+"."+strconv.Itoa(i)] }

// withEntry appends an entry to a list of n: on a line of its own where the last one has that.
func (d *document) withEntry(list string, n int, quoted string) []byte {
	last := d.element(list, n-1)
	if n == 0 {
		at := d.places[list].end
		at += bytes.IndexByte(d.text[at:], '[') + 1
		return slices.Concat(d.text[:at], []byte(quoted), d.text[at:])
	}
	indent, rest := d.text[d.lineStart(last.start):last.start], bytes.TrimLeft(d.text[last.end:], " \t")
	if !blank(indent) || rest[0] == ']' {
		return slices.Concat(d.text[:last.end], []byte(", "+quoted), d.text[last.end:])
	}
	comma, line := ",", last.end+bytes.IndexByte(d.text[last.end:], '\n')+1
	if rest[0] == ',' {
		comma = ""
	}
	return slices.Concat(d.text[:last.end], []byte(comma), d.text[last.end:line], indent,
		[]byte(quoted+","+lineEnd(d.text)), d.text[line:])
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

func (d *document) lineStart(at int) int { return bytes.LastIndexByte(d.text[:at], '\n') + 1 }

func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
