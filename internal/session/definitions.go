//go:build unix

package session

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
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
	tail := s.lines()
	for i, l := range tail {
		for _, d := range l.Definitions {
			if !strings.HasSuffix(d, " "+name) {
				continue
			}
			seen = true
			if d == Definition(name, sum) && l.Kind == kindPre && (l.Said == "allow" || ran(tail[i:], l.Call)) {
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
func ran(tail []line, call string) bool {
	return call != "" && slices.ContainsFunc(tail, func(l line) bool { return l.Kind == kindPost && l.Call == call })
}

// Changes reports whether a call of the session that was not denied may have
// changed the file of that real path.
func (s *Session) Changes(name string) bool {
	if !utf8.ValidString(name) {
		return true
	}
	return slices.ContainsFunc(s.lines(), func(l line) bool {
		return l.done() && slices.ContainsFunc(l.Changes, func(c string) bool {
			return c == name || strings.HasPrefix(name, strings.TrimSuffix(c, "/")+"/")
		})
	})
}

// done reports whether a line says that a call was answered, and not with a denial.
func (l line) done() bool { return l.Kind == kindPre && l.Said != "deny" }

// Began is when the session's file was begun; the beginning of time where
// that is not known, since anything may have happened after that.
func (s *Session) Began() time.Time {
	if !s.Remembers() {
		return time.Time{}
	}
	l, _ := s.first()
	return l.At
}
