//go:build unix

package session

import "slices"

// Denials counts what the model blocked in the session: in a row up to now,
// and in all, as far as they are in sight. A run ends where the model lets a
// call pass, or a person one that it had blocked.
func (s *Session) Denials() (row, all int) {
	tail := s.lines()
	for i, l := range slices.Backward(tail) {
		if l.Kind != kindPre || l.Judged == "" {
			continue
		}
		if l.Judged == Blocked && ran(tail[i:], l.Call) {
			return 0, l.All
		}
		return l.Row, l.All
	}
	return 0, 0
}

// LetRun reports whether a call of that key was asked about in the session,
// and then ran: a person let it.
func (s *Session) LetRun(key string) bool {
	tail := s.lines()
	for i, l := range tail {
		if key != "" && l.Kind == kindPre && l.Key == key && l.Said == "ask" && ran(tail[i:], l.Call) {
			return true
		}
	}
	return false
}
