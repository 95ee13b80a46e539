//go:build unix

package session

import (
	"slices"
	"time"
)

// kindAsk says that a person is about to be asked about a call.
const kindAsk = "ask"

// Asked is a call that a person was asked about.
type Asked struct {
	Call, Tool string
	At         time.Time
}

// Ask notes that a person is about to be asked about a call, and returns the
// calls that somebody was asked about before and of which no outcome is known:
// their prompts may still be open. Of two that are noted at once, one finds the
// other. A call is known to be settled once [Session.Outcome] was told of it, or
// [Session.Answer] that the agent was told something else than to ask.
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
		if !settledAfter(tail[i:], l.Call) {
			open = append(open, Asked{Call: l.Call, Tool: l.Tool, At: l.At})
		}
	}
	return open, nil
}

// settledAfter reports whether lines say what became of a call.
func settledAfter(tail []line, call string) bool {
	return slices.ContainsFunc(tail, func(l line) bool {
		return l.Call == call && (l.Kind == kindPost || l.Kind == kindPre && l.Said != "ask")
	})
}
