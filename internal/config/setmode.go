package config

import (
	"bytes"
	"fmt"
	"strconv"
)

// SetMode writes mode into the user's settings file, and leaves everything
// else in it as it is: comments, order, line ends. It makes the file (0600)
// and its directory (0700) where they are missing, and writes through a link.
// A file that cannot be read as settings is left alone; the error is then a
// *[fault.Error].
func SetMode(p Places, mode Mode) error {
	return p.editUser(func(text []byte) ([]byte, error) { return p.withMode(text, mode) })
}

// withMode returns the text with the mode set, and checks that it is.
func (p Places) withMode(text []byte, mode Mode) ([]byte, error) {
	source := Source{Path: p.User, Level: User}
	if _, err := readLayer(p, source, text); err != nil {
		return nil, located(p.User, err)
	}
	edited, err := editTop(text, "mode", strconv.Quote(mode.String()))
	if err != nil {
		return nil, located(p.User, err)
	}
	l, err := readLayer(p, source, edited)
	if err != nil {
		return nil, located(p.User, err)
	}
	if l.mode == nil || *l.mode != mode {
		return nil, failure(fmt.Sprintf("%s: the mode could not be changed; set mode = %q by hand", shown(p.User),
			mode))
	}
	return edited, nil
}

// editTop changes a key's value where there is one. Else it adds a line after
// the last key that stands before the first table; without such a key, before
// the comment that belongs to that table; without a table, at the end.
func editTop(text []byte, key, value string) ([]byte, error) {
	doc, err := parseDocument(text)
	if err != nil {
		return nil, err
	}
	if n := doc.root.child(key); n != nil {
		return splitAt(text, n.start, n.end, value), nil
	}
	eol := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		eol = "\r\n"
	}
	line := key + " = " + value + eol
	at := len(text)
	switch {
	case doc.lastKey > 0:
		at = endOfLine(text, doc.lastKey)
	case doc.header >= 0:
		at = startOfComment(text, doc.header)
		line += eol
	}
	if at > 0 && text[at-1] != '\n' {
		line = eol + line
	}
	return splitAt(text, at, at, line), nil
}

// splitAt replaces text[start:end], in new memory.
func splitAt(text []byte, start, end int, with string) []byte {
	out := make([]byte, 0, len(text)+len(with))
	out = append(out, text[:start]...)
	out = append(out, with...)
	return append(out, text[end:]...)
}

func endOfLine(text []byte, offset int) int {
	if i := bytes.IndexByte(text[offset:], '\n'); i >= 0 {
		return offset + i + 1
	}
	return len(text)
}

// startOfComment goes back over the comment lines directly above a line.
func startOfComment(text []byte, line int) int {
	for line > 0 {
		above := bytes.LastIndexByte(text[:line-1], '\n') + 1
		if !bytes.HasPrefix(bytes.TrimLeft(text[above:line], " \t"), []byte("#")) {
			break
		}
		line = above
	}
	return line
}
