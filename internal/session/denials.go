//go:build unix

package session

import "bytes"

// Denials counts what the model blocked in the session: in a row up to now,
// and in all, as far as they are in sight. A run ends where the model lets a
// call pass, or a person one that it had blocked.
func (s *Session) Denials() (row, all int) {
	tail := s.end()
	l, ok := lastHolding(tail, `"judged":"`)
	if !ok {
		return 0, 0
	}
	if l.Judged == Blocked && ran(tail[l.end:], l.CallID) {
		return 0, l.All
	}
	return l.Row, l.All
}

// lastHolding returns the last valid line that holds a text.
func lastHolding(buf []byte, text string) (found placedLine, ok bool) {
	for rest := buf; ; {
		i := bytes.LastIndex(rest, []byte(text))
		if i < 0 {
			return placedLine{}, false
		}
		raw := lineAround(buf, i)
		start := bytes.LastIndexByte(buf[:i], '\n') + 1
		if l, ok := decode(raw); ok && l.Kind == kindPre && start+len(raw) < len(buf) {
			return placedLine{l, start + len(raw)}, true
		}
		rest = buf[:start]
	}
}

// LetRun reports whether a call of that key was asked about in the session,
// and then ran: a person let it.
func (s *Session) LetRun(key string) bool {
	if key == "" {
		return false
	}
	tail := s.end()
	for l := range holding(tail, `"key":`+text(key)) {
		if l.Kind == kindPre && l.Key == key && l.Said == "ask" && ran(tail[l.end:], l.CallID) {
			return true
		}
	}
	return false
}
