package cli

import (
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/history"
)

// callKey names a call of an agent's across the lines of the log.
type callKey struct{ agent, session, call string }

// keyOf returns the name of the call that a line is about.
func keyOf(e audit.Entry) callKey {
	id := e.CallID
	if id == "" && e.Kind == audit.Outcome {
		id = e.ID
	}
	return callKey{e.Agent, e.Session, id}
}

// wasAsked reports whether the agent was told to ask a person, or asked by itself.
func (v *logView) wasAsked(e audit.Entry) bool {
	return e.Kind == audit.Decision && e.CallID != "" && (e.Answered == "ask" || v.byHost[keyOf(e)])
}

// personSaid finds what became of the questions among list: a call that ran was
// answered with yes, and a transcript says where a person said no. Where neither
// is known nothing is said.
func (v *logView) personSaid(list []audit.Line) {
	open := map[callKey]bool{}
	since := time.Now()
	for _, l := range list {
		if v.wasAsked(l.Entry) {
			open[keyOf(l.Entry)] = true
			if l.Time.Before(since) {
				since = l.Time
			}
		}
	}
	if len(open) == 0 {
		return
	}
	for l, err := range audit.Newest(v.flags.state, audit.Filter{Kinds: []audit.Kind{audit.Outcome}, Since: since}) {
		if key := keyOf(l.Entry); err == nil && open[key] {
			v.said[key] = "yes"
			delete(open, key)
		}
	}
	v.refused(open)
}

// refused looks into the transcripts of the sessions whose questions are open.
func (v *logView) refused(open map[callKey]bool) {
	sessions := map[callKey][]string{}
	for key := range open {
		of := callKey{agent: key.agent, session: key.session}
		sessions[of] = append(sessions[of], key.call)
	}
	if len(sessions) == 0 {
		return
	}
	files, _ := transcripts(v.process, "")
	for of, calls := range sessions {
		for id := range history.Refused(files, of.agent, of.session, calls) {
			v.said[callKey{of.agent, of.session, id}] = "no"
		}
	}
}

// verdict is [said], and what the person answered to a question.
func (v *logView) verdict(e audit.Entry) string {
	if !v.wasAsked(e) {
		return said(e)
	}
	answer := v.said[keyOf(e)]
	if answer == "" && v.byHost[keyOf(e)] {
		answer = "by host"
	}
	return strings.TrimSuffix("ask, "+answer, ", ")
}

// seats are the questions of a call that was met, by what was asked and answered.
// Some agents ask about one call in two seats, and name it in the first only.
type seats map[askedCall]audit.Entry

type askedCall struct{ agent, session, dir, tool, call, said string }

func questionOf(e audit.Entry) askedCall {
	return askedCall{e.Agent, e.Session, e.Dir, e.RawTool, callOf(e), said(e)}
}

// again reports whether e answers for the second time what was answered the same
// way shortly before. Entries come oldest first.
func (s seats) again(e audit.Entry) bool {
	_, met := s.first(e)
	return met
}

// first returns the entry that e repeats.
func (s seats) first(e audit.Entry) (first audit.Entry, met bool) {
	if e.Kind != audit.Decision || e.Session == "" {
		return first, false
	}
	key := questionOf(e)
	first, met = s[key]
	if delete(s, key); e.CallID != "" {
		s[key], met = e, false
	}
	return first, met && e.Time.Sub(first.Time) < answerWithin
}

// again reports whether the line says of a call what was shown; --json has all.
// An agent that asks nod in its second seat is about to ask the person.
func (v *logView) again(l audit.Line) bool {
	if v.flags.json {
		return false
	}
	first, again := v.seats.first(l.Entry)
	if again && l.Verdict == nod.Ask && l.Answered == "abstained" {
		v.byHost[keyOf(first)], v.asked[keyOf(first)] = true, v.flags.follow
	}
	return again
}

// askedByHost looks for the second seat of a decision that is shown alone.
func (v *logView) askedByHost(found audit.Line) {
	later := audit.Filter{Kinds: []audit.Kind{audit.Decision}, Since: found.Time}
	for l, err := range audit.Newest(v.flags.state, later) {
		second := err == nil && l.CallID == "" && l.Session != "" && l.Time.Sub(found.Time) < answerWithin
		if second && l.Verdict == nod.Ask && l.Answered == "abstained" &&
			questionOf(l.Entry) == questionOf(found.Entry) {
			v.byHost[keyOf(found.Entry)] = true
		}
	}
}
