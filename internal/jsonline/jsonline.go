// Package jsonline writes JSON objects without reflection.
//
// encoding/json learns each type at its first use, which costs a process that
// lives for a millisecond or two a good part of it. What is written here reads the
// same to any JSON reader; encoding/json is the judge in the tests of those
// who use it.
package jsonline

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// Object is an object being written. Make one with [New]; it is not safe for
// concurrent use.
type Object struct {
	buf  []byte
	open bool // the next member is the first of its object
}

// New starts an object.
func New() *Object { return Sized(1024) }

// Sized starts an object that will have about so many bytes.
func Sized(bytes int) *Object {
	return &Object{buf: append(make([]byte, 0, bytes), '{'), open: true}
}

// Bytes ends the object and returns it.
func (o *Object) Bytes() []byte { return append(o.buf, '}') }

func (o *Object) key(name string) {
	if !o.open {
		o.buf = append(o.buf, ',')
	}
	o.open = false
	o.buf = append(AppendString(o.buf, name), ':')
}

// Text writes a string.
func (o *Object) Text(name, value string) {
	o.key(name)
	o.buf = AppendString(o.buf, value)
}

// TextIf writes a string that is not empty.
func (o *Object) TextIf(name, value string) {
	if value != "" {
		o.Text(name, value)
	}
}

// Int writes a whole number.
func (o *Object) Int(name string, value int64) {
	o.key(name)
	o.buf = strconv.AppendInt(o.buf, value, 10)
}

// IntIf writes a whole number that is not 0.
func (o *Object) IntIf(name string, value int64) {
	if value != 0 {
		o.Int(name, value)
	}
}

// Float writes a number; what is none becomes 0, since JSON has no word for it.
func (o *Object) Float(name string, value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		value = 0
	}
	o.key(name)
	o.buf = strconv.AppendFloat(o.buf, value, 'g', -1, 64)
}

// FloatIf writes a number that is not 0.
func (o *Object) FloatIf(name string, value float64) {
	if value != 0 {
		o.Float(name, value)
	}
}

// TrueIf writes true, or nothing.
func (o *Object) TrueIf(name string, value bool) {
	if value {
		o.key(name)
		o.buf = append(o.buf, "true"...)
	}
}

// Time writes a time as RFC 3339 with what it has of a second.
func (o *Object) Time(name string, value time.Time) {
	o.key(name)
	o.buf = append(o.buf, '"')
	o.buf = value.AppendFormat(o.buf, time.RFC3339Nano)
	o.buf = append(o.buf, '"')
}

// Raw writes a value that is JSON already; the caller vouches for it.
func (o *Object) Raw(name string, value []byte) {
	o.key(name)
	o.buf = append(o.buf, value...)
}

// In writes an object and what fill puts into it.
func (o *Object) In(name string, fill func()) {
	o.key(name)
	o.buf = append(o.buf, '{')
	o.open = true
	fill()
	o.buf = append(o.buf, '}')
	o.open = false
}

// List writes a list of n objects, each filled in turn.
func (o *Object) List(name string, n int, fill func(i int)) {
	o.key(name)
	o.buf = append(o.buf, '[')
	for i := range n {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf = append(o.buf, '{')
		o.open = true
		fill(i)
		o.buf = append(o.buf, '}')
	}
	o.buf = append(o.buf, ']')
	o.open = false
}

// Texts writes a list of strings.
func (o *Object) Texts(name string, values []string) {
	o.key(name)
	o.buf = append(o.buf, '[')
	for i, v := range values {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf = AppendString(o.buf, v)
	}
	o.buf = append(o.buf, ']')
}

// AppendString appends s as a JSON string. What is not UTF-8 becomes U+FFFD;
// U+2028 and U+2029, which end a line for some readers, are escaped.
func AppendString(buf []byte, s string) []byte {
	buf = append(buf, '"')
	start := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c >= 0x20 && c != '"' && c != '\\' {
				i++
				continue
			}
			buf = appendEscaped(append(buf, s[start:i]...), c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' {
			buf = appendRune(append(buf, s[start:i]...), r)
			start = i + size
		}
		i += size
	}
	return append(append(buf, s[start:]...), '"')
}

func appendEscaped(buf []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(buf, '\\', c)
	case '\n':
		return append(buf, '\\', 'n')
	case '\r':
		return append(buf, '\\', 'r')
	case '\t':
		return append(buf, '\\', 't')
	}
	return append(buf, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

func appendRune(buf []byte, r rune) []byte {
	switch r {
	case '\u2028':
		return append(buf, `\u2028`...)
	case '\u2029':
		return append(buf, `\u2029`...)
	}
	return append(buf, `\ufffd`...)
}
