package agent

import (
	"path"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/transcript"
)

// ACP is the adapter for one permission request of an agent that speaks the Agent Client Protocol, version 1. Such an
// agent has no hook: `nod acp` stands between it and the editor. So what surrounds the request stands in the fields,
// and the payload is the params of session/request_permission. It is not in [All], since nod-hook does not serve it.
//
// # What the agent is told
//
//	allow           the option of kind allow_once, never allow_always; silence without
//	                that option, or where the call is not proven
//	ask             silence
//	deny            the option of kind reject_once, else reject_always, else the outcome
//	                "cancelled", which ends the turn
//	nod's own fault silence
//
// Silence means that the request goes on to the editor, where a person is. There is no place for a
// reason: the model reads a refusal of the agent's making.
//
// # What a request proves
//
// The protocol describes calls for people to look at: a kind picks an icon, and a title is any
// text. So a call is proven, and may be allowed, only as follows. An unproven call may be denied.
//
//   - A command is rawInput.command. A title proves none (gemini-cli sends no rawInput): it
//     may be denied for what it says.
//   - Its directory is certain where rawInput names it, or where the agent is known to start
//     each command in the session's directory. Else [nod.Call].Dir is empty.
//   - An edit is known by its locations and diffs, which are absolute, and by the paths in
//     rawInput: all of them.
//   - Everything else has no canonical name: a kind is not a tool that layer 1 knows.
type ACP struct {
	Program string // the agent's program, for the log
	// Peer is what the agent calls itself (agentInfo).
	Peer string
	// Dir and Roots are the session's, as the editor named them; Dir is "" where nothing is
	// known of the session, and nothing is allowed then.
	Dir     string
	Roots   []string
	Options []ACPOption
	// Earlier are what session/update said of the same call, oldest first.
	Earlier [][]byte
	// Turns is the conversation without this call, oldest first.
	Turns []transcript.Turn
	// Opening is the first thing that the person said; nil where that is not known.
	Opening *transcript.Turn
}

// ACPOption is one answer that a permission request offers.
type ACPOption struct{ ID, Kind string }

// Name returns "acp:" and the program.
func (a ACP) Name() string { return "acp:" + a.Program }

// Capabilities returns what was measured on four agents with one client.
func (ACP) Capabilities() Capabilities {
	return Capabilities{Tried: "ACP 1", Before: Seat{Allow: true, Deny: true, Silence: Prompts}}
}

// Encode returns the result of the request, or nothing where it goes on to the editor.
func (a ACP) Encode(e Event, d nod.Decision, p Profile, _ bool) Answer {
	switch {
	case e.Kind != Decide, d.Err != nil && d.Err.Kind == fault.Internal:
	case d.Verdict == nod.Deny:
		return Answer{Stdout: a.rejection(), Said: saysDeny}
	case d.Verdict == nod.Allow && !e.Unproven && !e.Reserved && p != Reinforce && path.IsAbs(a.Dir):
		if id, ok := a.option("allow_once"); ok {
			return Answer{Stdout: selected(id), Said: saysAllow}
		}
	}
	return Answer{Said: abstained}
}

// Block is silence: a person is there, and the request goes on to them.
func (ACP) Block(string) Answer { return Answer{Said: abstained} }

// ACPCancelled is the result of a request whose turn the editor cancelled.
const ACPCancelled = `{"outcome":{"outcome":"cancelled"}}`

func (a ACP) rejection() []byte {
	for _, kind := range []string{"reject_once", "reject_always"} {
		if id, ok := a.option(kind); ok {
			return selected(id)
		}
	}
	return []byte(ACPCancelled)
}

// option returns the only option of a kind. Two options of one kind differ in something that nod
// does not know. An id that a second option has too says nothing.
func (a ACP) option(kind string) (id string, ok bool) {
	seen := map[string]int{}
	for _, o := range a.Options {
		if seen[o.ID]++; o.Kind == kind && ok {
			return "", false
		} else if o.Kind == kind {
			id, ok = o.ID, true
		}
	}
	return id, ok && seen[id] == 1
}

func selected(id string) []byte {
	return []byte(`{"outcome":{"outcome":"selected","optionId":` + quoted(id) + `}}`)
}
