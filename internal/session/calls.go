package session

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// any reports whether some line in sight passes.
func (s *Session) any(is func(line) bool) bool { return slices.ContainsFunc(s.lines(), is) }

// done reports whether a line says that a call was answered, and not with a denial.
func (l line) done() bool { return l.Kind == kindPre && l.Said != "deny" }

// ran reports whether a call's outcome follows: then the call ran, also if nod had answered otherwise.
func ran(tail []line, call string) bool {
	return call != "" && slices.ContainsFunc(tail, func(l line) bool { return l.Kind == kindPost && l.Call == call })
}

// Definition renders a definition and the hash of what it says, as [Record] holds them.
func Definition(name, sum string) string { return sum + " " + name }

// Standing says whether a call that runs by this definition, saying this, was let run in the session (it was
// allowed, or it was asked about and then ran), and whether the session may have seen the definition at all.
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
	size, err := s.file.Size()
	return false, seen || err != nil || size > tailLimit
}

// Changes reports whether a call of the session that was not denied may have changed the file of that real path.
func (s *Session) Changes(name string) bool {
	return !utf8.ValidString(name) || s.any(func(l line) bool {
		return l.done() && slices.ContainsFunc(l.Changes, func(c string) bool {
			return c == name || strings.HasPrefix(name, strings.TrimSuffix(c, "/")+"/")
		})
	})
}

// Began is when the session's file was begun; the beginning of time where that is not
// known, since anything may have happened after that.
func (s *Session) Began() time.Time {
	if !s.Remembers() {
		return time.Time{}
	}
	l, _ := s.first()
	return l.At
}

// Denials counts what the model blocked in the session: in a row up to now, and in all, as far as they are
// in sight. A row ends where the model lets a call pass, or where a person lets a blocked call pass.
func (s *Session) Denials() (row, all int) {
	tail := s.lines()
	for i, l := range slices.Backward(tail) {
		switch {
		case l.Kind != kindPre || l.Judged == "":
		case l.Judged == Blocked && ran(tail[i:], l.Call):
			return 0, l.All
		default:
			return l.Row, l.All
		}
	}
	return 0, 0
}

// LetRun reports whether a call of that key was asked about in the session, and then ran: a person let it.
func (s *Session) LetRun(key string) bool {
	tail := s.lines()
	for i, l := range tail {
		if key != "" && l.Kind == kindPre && l.Key == key && l.Said == "ask" && ran(tail[i:], l.Call) {
			return true
		}
	}
	return false
}

// Asked is a call that a person was asked about.
type Asked struct {
	Call, Tool string
	At         time.Time
}

// Ask notes that a person is about to be asked about a call. It returns the earlier calls that somebody was asked
// about and whose outcome is not known: their prompts may still be open. Of two calls that are noted at
// once, one finds the other. A call is settled once [Session.Outcome] was told of it, or [Session.Answer]
// that the agent was told something else than to ask.
func (s *Session) Ask(call, tool string) (open []Asked, err error) {
	if !s.Remembers() {
		return nil, nil
	}
	if err := s.record(kindAsk, Record{Call: call, Tool: tool}); err != nil {
		return nil, err
	}
	tail, own := s.lines(), call[:min(len(call), maxText)]
	for i, l := range tail {
		if l.Kind != kindAsk {
			continue
		}
		if l.Call == own {
			break
		}
		if !slices.ContainsFunc(tail[i:], func(o line) bool {
			return o.Call == l.Call && (o.Kind == kindPost || o.Kind == kindPre && o.Said != "ask")
		}) {
			open = append(open, Asked{Call: l.Call, Tool: l.Tool, At: l.At})
		}
	}
	return open, nil
}

// History says what calls that were not denied did, as far as it is in sight and weighs on a later one.
func (s *Session) History() (said []string) {
	if s.any(func(l line) bool { return l.done() && l.Secret }) {
		said = append(said, "an earlier call touched a secret store")
	}
	return said
}

const deniedLimit = 5 // how many denials a model is reminded of, the newest

// Blocked says which calls were denied or refused, and why, oldest first.
func (s *Session) Blocked() (said []string) {
	for _, l := range s.lines() {
		if l.Kind == kindPre && l.Said == "deny" && l.Why != "" {
			said = append(said, "a call of "+l.Tool+" was blocked and not done: "+l.Why)
		}
	}
	return said[max(0, len(said)-deniedLimit):]
}

// Seen returns the latest answer to the call of that digest that is still in sight.
func (s *Session) Seen(digest string) (Record, bool) {
	for _, l := range slices.Backward(s.lines()) {
		if l.Kind == kindPre && l.Digest == digest && digest != "" {
			return l.Record, true
		}
	}
	return Record{}, false
}

// Answered reports whether the call of that digest was answered, in sight.
func (s *Session) Answered(digest string) bool {
	_, ok := s.Seen(digest)
	return ok
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

// Done are the calls that were not denied, in their order, as far as they are in sight; Failed of one says that its
// success is not known.
func (s *Session) Done() (calls []Record) {
	tail := s.lines()
	for i, l := range tail {
		if !l.done() {
			continue
		}
		l.Failed = !slices.ContainsFunc(tail[i:], func(o line) bool {
			return o.Kind == kindPost && o.Call == l.Call && l.Call != "" && !o.Failed
		})
		calls = append(calls, l.Record)
	}
	return calls
}
