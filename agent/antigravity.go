package agent

import (
	"path"
	"time"
)

// Antigravity is the adapter for Google's Antigravity CLI, agy, which is not
// open and was not run here. What it states is what others measured and
// published, on the versions that are named; where they differ, nod is
// written for both.
//
// # One seat
//
//	             allow    ask     deny
//	PreToolUse   -        deny    deny
//
// "-" is silence: the host's own rules decide. An allow would be for that one call (1.1.8,
// 1.2.3), or nothing (1.1.2), and go past a rule of the person's, which nod does not read. An ask
// reached a person on 1.1.2 and lost to --dangerously-skip-permissions on
// 1.2.3, and no payload says whether anybody is there: so it is a denial that
// says how to approve.
//
// # What the host does with an answer
//
//	{"decision":"deny","reason"}   blocked; the model reads the reason (1.1.2,
//	                               1.1.8, 1.2.3)
//	nothing, exit 0                the host's own rules (1.1.2, 1.2.3)
//	exit 1                         the call RUNS (1.1.8), blocked (1.2.3)
//	no JSON                        the call RUNS (1.1.8), blocked (1.2.3)
//	time-out                       the call RUNS (1.1.8)
//	{}, another field              blocked (1.2.3)
//
// Nobody says what exit code 2 does. So a denial is always the object, with
// exit code 0, and what stands before nod-hook makes one of each failure.
//
// # What the payload leaves out
//
// The event's name, a directory and the permission mode. In all payloads that
// were published the paths are absolute; how the host reads another one is not
// known, and such a call is never allowed.
type Antigravity struct{ profiled[antigravity] }

type antigravity struct{}

func (antigravity) name() string { return "antigravity" }

func (antigravity) profile() profile {
	return profile{
		can: Capabilities{
			Tried:         "read: what others measured on agy 1.1.2, 1.1.8 and 1.2.3",
			Before:        Seat{Deny: true, Silence: Flows},
			ReasonReaches: true,
			TimeUnit:      time.Second,
		},
		own: antigravityOwn, quirk: antigravityQuirk,
		answer: flatDecision,
		// what exit code 2 does is not known
		blocked: func(reason string) Answer { return flatAnswer(saysDeny, blocking(said(reason))) },
	}
}

// antigravityOwn reads a tool in its own spelling: each calls its file or directory
// otherwise. Patterns of a search were not captured.
func antigravityOwn(e *Event, f fields, input *member) bool {
	in, _ := f.asObject(input)
	tool := lookUp("antigravity", e.Call.RawTool)
	place := ""
	switch tool.shape {
	case command:
		place = in.optional(tool.as["workdir"])
	case search:
		place = in.optional(tool.as["dir"])
	case read, edit, write:
		place = in.optional(tool.as["file"])
	}
	e.Unproven = tool.shape != opaque && !path.IsAbs(place) || tool.shape == search && in.maybe("Includes") != nil
	arguments(&e.Call, tool, in)
	return true
}

func antigravityQuirk(e *Event, _, f fields) {
	if roots := f.texts("workspacePaths"); len(roots) == 1 && path.IsAbs(roots[0]) { // of several none is the one
		e.Project = roots[0]
	}
}
