//go:build unix

package session

import (
	"bytes"
	"io"
	"iter"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nodgate/nod/internal/jsonline"
)

// Definition renders a definition and the hash of what it says, as
// [Answer.Definitions] holds them.
func Definition(name, sum string) string { return sum + " " + name }

// Standing says whether a call that runs by this definition, saying this, was
// let run in the session (it was allowed, or it was asked about and then ran),
// and whether the session may have seen the definition at all.
func (s *Session) Standing(name, sum string) (accepted, seen bool) {
	if !s.Remembers() || !utf8.ValidString(name) {
		return false, true // it does not stand in the file as it is
	}
	tail := s.end()
	for l := range holding(tail, " "+text(name)[1:]) {
		for _, d := range l.Runs {
			if !strings.HasSuffix(d, " "+name) {
				continue
			}
			seen = true
			if d == Definition(name, sum) && l.Kind == kindPre && (l.Said == "allow" || ran(tail[l.end:], l.CallID)) {
				return true, true
			}
		}
	}
	return false, seen || s.forgets()
}

// forgets reports whether a part of the file is out of sight.
func (s *Session) forgets() bool {
	size, err := s.file.Size()
	return err != nil || size > tailLimit
}

// ran reports whether a call's outcome follows: whatever was answered, it was
// let run.
func ran(tail []byte, call string) bool {
	if call == "" {
		return false
	}
	for l := range holding(tail, `"call_id":`+text(call)) {
		if l.Kind == kindPost && l.CallID == call {
			return true
		}
	}
	return false
}

// Changes reports whether a call of the session that was not denied may have
// changed the file of that real path.
func (s *Session) Changes(name string) bool {
	if !utf8.ValidString(name) {
		return true
	}
	names := []string{name}
	for dir := name; dir != "/" && dir != "."; names = append(names, dir) {
		dir = path.Dir(dir)
	}
	for l := range listing(s.end(), "changes", names) {
		if l.Kind == kindPre && l.Said != "deny" &&
			slices.ContainsFunc(l.Changes, func(c string) bool { return slices.Contains(names, c) }) {
			return true
		}
	}
	return false
}

// listing yields the valid lines that have one of the texts in a list under a
// key, oldest first, and may yield others. Few lines have such a list, and a
// bracket is found faster than a text.
func listing(buf []byte, key string, texts []string) iter.Seq[line] {
	opening := []byte(`"` + key + `":[`)
	quoted := make([][]byte, 0, len(texts))
	return func(yield func(line) bool) {
		for at := 0; ; at++ {
			i := bytes.IndexByte(buf[at:], '[')
			if i < 0 {
				return
			}
			if at += i; !bytes.HasSuffix(buf[:at+1], opening) {
				continue
			}
			for _, t := range texts[len(quoted):] {
				quoted = append(quoted, []byte(text(t)))
			}
			list, _, ended := bytes.Cut(buf[at:], []byte("\n"))
			if !ended {
				return // still being written
			}
			if !slices.ContainsFunc(quoted, func(t []byte) bool { return bytes.Contains(list, t) }) {
				continue
			}
			if l, ok := decode(lineAround(buf, at)); ok && !yield(l) {
				return
			}
		}
	}
}

// Began is when the session's file was begun; the beginning of time where
// that is not known, since anything may have happened after that.
func (s *Session) Began() time.Time {
	if !s.Remembers() {
		return time.Time{}
	}
	head := make([]byte, headLimit)
	n, err := s.file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return time.Time{}
	}
	for raw := range bytes.Lines(head[:n]) {
		if l, ok := decode(raw); ok && l.Kind == kindRoot {
			return l.Time
		}
	}
	return time.Time{}
}

// text is a string as it stands in a line.
func text(s string) string { return string(jsonline.AppendString(nil, s)) }

// placedLine is a line, and where in the text it ends.
type placedLine struct {
	line
	end int
}

// holding yields the valid lines that hold a text, oldest first. To read one
// costs much more than to find it, and most look for one only.
func holding(buf []byte, text string) iter.Seq[placedLine] {
	return func(yield func(placedLine) bool) {
		for at := 0; ; {
			i := bytes.Index(buf[at:], []byte(text))
			if i < 0 {
				return
			}
			end := bytes.IndexByte(buf[at+i:], '\n')
			if end < 0 {
				return // still being written
			}
			raw := lineAround(buf, at+i)
			at += i + end
			if l, ok := decode(raw); ok && !yield(placedLine{l, at}) {
				return
			}
		}
	}
}
