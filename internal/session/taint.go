//go:build unix

package session

import (
	"os"
	"slices"
	"unicode/utf8"
)

// Taint says what the session has read that may be orders to the agent: text
// of others, or text that people do not see. The first reason in sight; "" is
// none. Nothing takes it back but the
// end of the session, since what was read stays in the agent's context.
func (s *Session) Taint() string {
	if s.spoilt() {
		return "nod could not write down what this session has read"
	}
	for _, l := range s.lines() {
		if l.Taint != "" {
			return l.Taint
		}
	}
	return ""
}

// spoiltMode marks a session's file of which a line is missing. A full disk
// still takes a mode, and the mark outlives the process.
const spoiltMode = 0o700

// spoil marks the session: what the missing line said is not known.
func (s *Session) spoil() error { return os.Chmod(s.file.Name(), spoiltMode) }

// spoilt reports whether a line of the session could not be written.
func (s *Session) spoilt() bool {
	if !s.Remembers() {
		return false
	}
	info, err := os.Lstat(s.file.Name())
	return err != nil || info.Mode().Perm() == spoiltMode
}

// carried is the taint that a new line repeats, so that it stays in sight once
// the file is longer than what is looked at. Two lines that are written at
// once may both leave it out; those of the half before still hold it.
func (s *Session) carried() string {
	size, err := s.file.Size()
	if err != nil || size < tailLimit/2 {
		return ""
	}
	return s.Taint()
}

// Origin says how the session made the file of that real path: "downloaded" or
// "written" by a call that was not denied, "" if no such call is in sight. A
// directory counts for what lies below it in "written" only.
func (s *Session) Origin(name string) string {
	if !s.Remembers() || !utf8.ValidString(name) {
		return ""
	}
	if slices.ContainsFunc(s.lines(), func(l line) bool { return l.done() && slices.Contains(l.Downloads, name) }) {
		return "downloaded"
	}
	if s.Changes(name) {
		return "written"
	}
	return ""
}

// History says what calls that were not denied did, as far as it is in sight
// and weighs on a later one.
func (s *Session) History() []string {
	var said []string
	for _, kind := range [...]struct {
		says string
		is   func(line) bool
	}{
		{"an earlier call touched a secret store", func(l line) bool { return l.Secret }},
		{"an earlier call may have sent data out", func(l line) bool { return l.Sends }},
		{"an earlier call wrote what it had fetched", func(l line) bool { return len(l.Downloads) > 0 }},
	} {
		if slices.ContainsFunc(s.lines(), func(l line) bool { return l.done() && kind.is(l) }) {
			said = append(said, kind.says)
		}
	}
	return said
}

// deniedLimit is how many denials a model is reminded of, the newest.
const deniedLimit = 5

// Blocked says which calls were denied or refused, and why, oldest first.
func (s *Session) Blocked() (said []string) {
	for _, l := range s.lines() {
		if l.Kind == kindPre && l.Said == "deny" && l.Why != "" {
			said = append(said, "a call of "+l.Tool+" was blocked and not done: "+l.Why)
		}
	}
	return said[max(0, len(said)-deniedLimit):]
}

// Confined reports whether the agent was handed another command in the place of a call's. A
// host that gives calls no id has been handed one for the last call of that digest.
func (s *Session) Confined(call, digest string) (confined bool) {
	if call == "" {
		seen, _ := s.Seen(digest)
		return seen.Said == "confined"
	}
	for _, l := range s.lines() {
		if l.Call == call && l.Kind == kindPre {
			confined = l.Said == "confined"
		}
	}
	return confined
}

// Ended says what became of a call: whether it was denied, or ran and failed.
func (s *Session) Ended(call string) (denied, failed bool) {
	for _, l := range s.lines() {
		switch {
		case call == "" || l.Call != call:
		case l.Kind == kindPre:
			denied = l.Said == "deny"
		case l.Kind == kindPost:
			denied, failed = false, l.Failed
		}
	}
	return denied, failed
}
