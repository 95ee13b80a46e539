package agent

import (
	"time"

	"github.com/nodgate/nod"
)

// row is the section of hosts.txt for [Generic]. Every one was read, none was run; tried
// says what was read. Names of tools that are not certain are left out: such a call
// is an unknown tool, and nothing settles it. A name that has no section
// has the zero profile: it has no events, so everything is blocked.
func (g Generic) row() profile {
	p := profile{agent: g.Agent, facts: factsOf(g.Agent)}
	p.can = Capabilities{
		Tried: p.fact("tried"), FailClosed: p.fact("closed"), ReasonReaches: true,
		Before:   Seat{Allow: p.fact("seat") == "allow", Ask: p.fact("seat") == "ask", Deny: true, Silence: Flows},
		TimeUnit: time.Second,
	}
	if p.fact("unit") == "millisecond" {
		p.can.TimeUnit = time.Millisecond
	}
	if p.fact("shell") == "interp" {
		p.shell = nod.Interp
	}
	switch p.fact("answer") {
	case "codeTwo":
		p.answer = codeTwo
	case "nested":
		p.answer = withoutNotices
	case "versioned":
		p.answer = versioned
	case "permission":
		p.answer = permission
	}
	if p.is("typed") {
		p.rewrites = typedRewrites
	}
	return p
}

// codeTwo denies by exit code; all else is silence.
func codeTwo(_ Event, d nod.Decision, word string) Answer {
	if logged(word) == abstained {
		return Answer{Said: abstained}
	}
	return exit2Shown(reasonOf(d, word))
}

// withoutNotices answers as Claude Code's hooks do, in a place that has no notices.
func withoutNotices(_ Event, d nod.Decision, word string) Answer {
	d.Notices = nil
	return nestedBefore(Event{}, d, word)
}

// versioned is Crush's: {"version", "decision", "reason"}.
func versioned(_ Event, d nod.Decision, word string) Answer {
	a := Answer{Said: logged(word)}
	if a.Said != abstained {
		a.Stdout = []byte(`{"version":1,"decision":"` + a.Said + `","reason":` + quoted(reasonOf(d, word)) + `}`)
	}
	return a
}

// permission is Cursor's: {"permission", "user_message", "agent_message"}.
func permission(_ Event, d nod.Decision, word string) Answer {
	a := Answer{Said: logged(word)}
	if reason := quoted(reasonOf(d, word)); a.Said != abstained {
		a.Stdout = []byte(`{"permission":"` + a.Said + `","user_message":` + reason + `,"agent_message":` + reason +
			`}`)
	}
	return a
}
