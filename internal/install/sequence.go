package install

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// sequence is what lists and objects have in common: elements with white
// space and comments between them.
type sequence interface {
	len() int
	before(i int) *hujson.Extra // between the bracket or comma and element i
	after(i int) *hujson.Extra  // between element i and its comma; not nil on the last: a trailing comma
	tail() *hujson.Extra        // before the closing bracket
	inside(i int) hujson.Extra  // comments around a member's colon
	drop(i int)
}

type objectSequence struct{ *hujson.Object }

func (s objectSequence) len() int                   { return len(s.Members) }
func (s objectSequence) before(i int) *hujson.Extra { return &s.Members[i].Name.BeforeExtra }
func (s objectSequence) after(i int) *hujson.Extra  { return &s.Members[i].Value.AfterExtra }
func (s objectSequence) tail() *hujson.Extra        { return &s.AfterExtra }
func (s objectSequence) drop(i int)                 { s.Members = append(s.Members[:i], s.Members[i+1:]...) }

func (s objectSequence) inside(i int) hujson.Extra {
	m := &s.Members[i]
	return gather(trimSpace(m.Name.AfterExtra), m.Value.BeforeExtra)
}

type arraySequence struct{ *hujson.Array }

func (s arraySequence) len() int                   { return len(s.Elements) }
func (s arraySequence) before(i int) *hujson.Extra { return &s.Elements[i].BeforeExtra }
func (s arraySequence) after(i int) *hujson.Extra  { return &s.Elements[i].AfterExtra }
func (s arraySequence) tail() *hujson.Extra        { return &s.AfterExtra }
func (s arraySequence) inside(int) hujson.Extra    { return nil }
func (s arraySequence) drop(i int)                 { s.Elements = append(s.Elements[:i], s.Elements[i+1:]...) }

// room is what surrounds an element that is about to be appended.
type room struct {
	before, after hujson.Extra
	indent        string // of the new element's line
	inline        bool   // the new element stays on one line
}

// makeRoom prepares the end of s, which stands on a line indented by own, for
// one more element. Comments behind the last element stay behind it. [remove]
// undoes it to the byte, but for white space inside empty brackets.
func (d *document) makeRoom(s sequence, own string) room {
	tail := s.tail()
	stays := trimRight(*tail)
	rest := (*tail)[len(stays):]
	r := room{inline: d.inline || s.len() > 0 && onOneLine(s)}
	if n := s.len(); n > 0 && *s.after(n - 1) != nil {
		r.after = hujson.Extra{} // keep the style of a trailing comma
	}
	if r.inline {
		r.before, r.indent = join(stays, d.gap(s)), own
		*tail = rest
		return r
	}
	r.indent = own + d.unit
	if n := s.len(); n > 0 {
		r.indent = lineIndent(*s.before(n - 1), r.indent)
	}
	r.before = join(stays, hujson.Extra(d.newline+r.indent))
	if !bytes.ContainsRune(rest, '\n') {
		rest = hujson.Extra(d.newline + own)
	}
	*tail = rest
	return r
}

// gap is the space before a new element on the same line.
func (d *document) gap(s sequence) hujson.Extra {
	switch n := s.len(); {
	case n > 1 && !hasComment(*s.before(n - 1)):
		return bytes.Clone(*s.before(n - 1))
	case n == 0 || d.inline:
		return nil
	}
	return hujson.Extra(" ")
}

// onOneLine reports whether no element of s starts a line.
func onOneLine(s sequence) bool {
	for i := range s.len() {
		if bytes.ContainsRune(*s.before(i), '\n') {
			return false
		}
	}
	return !bytes.ContainsRune(*s.tail(), '\n')
}

func (d *document) appendMember(o *hujson.Object, own, name string, value any) {
	r := d.makeRoom(objectSequence{o}, own)
	m := hujson.ObjectMember{}
	m.Name.BeforeExtra, m.Name.Value = r.before, hujson.String(name)
	if !d.inline {
		m.Value.BeforeExtra = hujson.Extra(" ")
	}
	m.Value.Value, m.Value.AfterExtra = d.render(value, r.indent, r.inline), r.after
	o.Members = append(o.Members, m)
}

func (d *document) appendElement(a *hujson.Array, own string, value any) {
	r := d.makeRoom(arraySequence{a}, own)
	v := hujson.Value{BeforeExtra: r.before, AfterExtra: r.after}
	v.Value = d.render(value, r.indent, r.inline)
	a.Elements = append(a.Elements, v)
}

// remove takes element i out and keeps the comments around it.
func (d *document) remove(s sequence, i int) {
	before, after := *s.before(i), *s.after(i)
	last := i == s.len()-1
	stays := gather(gather(trimRight(before), s.inside(i)), after)
	s.drop(i)
	switch {
	case last:
		d.closeAfter(s, stays, after != nil)
	case len(stays) > 0:
		*s.before(i) = join(stays, *s.before(i))
	case !hasComment(*s.before(i)):
		*s.before(i) = before
	}
}

// closeAfter mends the end of s, whose last element was taken out and left
// comments.
func (d *document) closeAfter(s sequence, comments hujson.Extra, trailing bool) {
	n := s.len()
	if n > 0 && trailing && *s.after(n - 1) == nil {
		*s.after(n - 1) = hujson.Extra{}
	}
	if n > 0 && !trailing && *s.after(n - 1) != nil {
		comments = gather(trimSpace(*s.after(n - 1)), comments)
		*s.after(n - 1) = nil // or it would print a trailing comma
	}
	*s.tail() = join(comments, *s.tail())
	if n == 0 && !hasComment(*s.tail()) {
		*s.tail() = nil
	}
}

// join puts rest after comments, on a line of its own where there are any: the
// last may be one that ends with its line.
func join(comments, rest hujson.Extra) hujson.Extra {
	space := rest[:len(rest)-len(bytes.TrimLeft(rest, " \t\r\n"))]
	joined := bytes.Clone(comments)
	if len(comments) > 0 && !bytes.ContainsRune(space, '\n') && !endsBlock(comments) {
		joined = append(joined, '\n')
	}
	return append(joined, rest...)
}

// gather adds the comments of more to comments.
func gather(comments, more hujson.Extra) hujson.Extra {
	if !hasComment(more) {
		return comments
	}
	return join(comments, trimSpace(more))
}

// endsBlock reports whether the comments surely end with a block comment.
func endsBlock(comments hujson.Extra) bool {
	line := comments[bytes.LastIndexByte(comments, '\n')+1:]
	return bytes.HasSuffix(comments, []byte("*/")) && !bytes.Contains(line, []byte("//"))
}

func trimRight(e hujson.Extra) hujson.Extra { return bytes.TrimRight(e, " \t\r\n") }
func trimSpace(e hujson.Extra) hujson.Extra { return bytes.Trim(e, " \t\r\n") }

// hasComment reports whether e is more than white space.
func hasComment(e hujson.Extra) bool { return len(trimSpace(e)) > 0 }

// bare reports whether s holds nothing, not even a comment.
func bare(s sequence) bool { return s.len() == 0 && !hasComment(*s.tail()) }
