// Package agent holds one adapter for each coding agent: what its hook sends
// becomes a [nod.Call], and a [nod.Decision] becomes what it understands.
//
// An adapter states facts about its host and decides nothing. [All] lists
// them. A new adapter is a file here, a line in All, its captured payloads,
// and passes the suite in agenttest unchanged.
package agent

import (
	"encoding/json"
	"time"

	"github.com/nodgate/nod"
)

// Kind says what an event wants of nod.
type Kind uint8

const (
	// Unexpected is the zero value: an event that the adapter does not know.
	// With a tool name it blocks, without one it is logged and passed.
	Unexpected Kind = iota
	Decide          // a call is about to run: answer it
	Prompt          // the host is about to ask a person: answer what Decide did not see
	Outcome         // a call ran or failed
	HostDenied      // the host's own judge denied a call
	Other           // known, and none of nod's business
)

// Event is one decoded payload.
type Event struct {
	Kind Kind
	Name string // the host's name of the event
	Call nod.Call
	// Mode is the host's permission mode, as the host spells it.
	Mode string
	// Plan says that the host is in a mode in which nothing may change.
	Plan bool
	// Project is the workspace root that the host vouches for; "" where it
	// names none.
	Project string
	// Start is where the payload says that the agent is, wherever the arguments of
	// the call lead; "" where it does not say so.
	Start string
	// Failed, Error and Took describe an Outcome.
	Failed bool
	Error  string
	Took   time.Duration
	// Returned is what the tool returned, as JSON, for an Outcome; nil where
	// the payload does not say. [Event.ReturnedText] reads it.
	Returned json.RawMessage
	// Reason is the host's, for HostDenied.
	Reason string
	// PromptFollows says that the host asks a person about this call if nod
	// is silent, unless that person told the host before not to. False where
	// that is not certain.
	PromptFollows bool
	// Contained says that the host runs this call in a sandbox of its own, or
	// asks a person about it, if nod is silent: by its own record of the session
	// or the person's settings. False where that is not certain.
	Contained bool
	// Theirs says that the host decides about this call if nod is silent as it would without
	// nod, and asks about it at most what it asks then: it is the host's own bookkeeping, or
	// a rule of the person's in the host's settings lets it run. False where that is not certain.
	Theirs bool
	// Complete adds what the payload does not say and the host's own files
	// do; nil where there is nothing of the kind. Nothing is opened until it
	// is called. Until then, and where it finds nothing, the event is at its
	// strictest.
	Complete func(*Event)
	// Rewrites says that nod's plugin in the host puts a command of the answer's in the place
	// of the call's.
	Rewrites bool
	// Child says that a sub-agent makes the call.
	Child bool
	// Unproven says that the payload does not show for certain what the call
	// would do: it may be denied for what it seems to be, never allowed.
	Unproven bool
	// Reserved says that a rule of the person's in the host's own settings may have the host
	// ask about this call, so that an allow of nod's would take it away: nod does not allow.
	Reserved bool
}

// Answer is what the hook's process does: what it prints and its exit code.
// The zero value is silence; what that means is in [Seat].
type Answer struct {
	Stdout, Stderr []byte
	Exit           int
	// Said is what the host was told: "allow", "ask", "deny" or "abstained".
	Said string
}

// Profile says how far nod may go.
type Profile uint8

const (
	// Default is Replace where a model is configured for nod. Without a model it
	// leaves to a host that judges by itself, confines the call or asks about it
	// what nod left open and knows nothing against ([nod.Decision.Deferrable]).
	Default   Profile = iota
	Replace           // nod answers everything
	Reinforce         // nod never allows: it denies, asks, or is silent
)

// Seat is one place in which a host listens to a hook. The zero value is a
// seat that the host does not have.
type Seat struct {
	// Allow says that an allow skips the host's own prompt. Where it does
	// not, allow is said as silence.
	Allow bool
	// Deny says that a denial stops the call. A seat without it is none.
	Deny bool
	// Ask says that an ask makes the host ask a person, AskHeadless that this
	// does no harm where nobody is there (some hosts then hang for ever).
	Ask, AskHeadless bool
	// Silence is what becomes of a call if the hook says nothing.
	Silence Silence
}

// Silence is what a host does after a hook that exits 0 and prints nothing.
type Silence uint8

const (
	// Runs is the zero value and the worst case: nothing else stops the call.
	Runs Silence = iota
	// Flows: the host's own rules decide, and nobody can say from the
	// payload whether they ask a person.
	Flows
	// Prompts: the host asks a person, or denies where nobody is there.
	Prompts
)

// Hearing is how a host takes a hook's words about what a tool returned.
type Hearing uint8

const (
	// Deaf is the zero value: the model does not read them.
	Deaf Hearing = iota
	// Nested: additionalContext, in the shape of Claude Code.
	Nested
	// Flat: additionalContext at the top.
	Flat
)

// Capabilities are the facts that decide how an answer can be encoded, each
// measured on the version that Tried names.
type Capabilities struct {
	Tried string // "2.1.329"
	// Before is the seat of a [Decide] event, Asking that of a [Prompt]
	// event. On hosts whose Before cannot allow, both are needed: one to
	// veto, one to grant.
	Before, Asking Seat
	// ReasonReaches says that a denial's reason reaches the model.
	ReasonReaches bool
	FailClosed    string // the host's own switch, "" where it has none
	TimeUnit      time.Duration
	// SeesSubagents says that a sub-agent's calls reach the hook.
	SeesSubagents bool
	// HearsAfter is the shape in which what a hook answers to an Outcome
	// reaches the model.
	HearsAfter Hearing
	// PromptsAnswerOthers says that what a person answers to a prompt may let a
	// call run whose own prompt waits behind it.
	PromptsAnswerOthers bool
	// StdinUnseen says that the agent can type into a program that it has
	// started, and that no hook sees what.
	StdinUnseen bool
}

// Adapter is one coding agent. Implementations are values without state and
// safe for concurrent use.
type Adapter interface {
	// Name is the word on the command line and in the log.
	Name() string
	// Decode reads one payload, strictly. environ is the hook's environment,
	// as os.Environ gives it, with PWD set to the directory in which the host
	// started the hook. An error blocks.
	Decode(payload []byte, environ []string) (Event, error)
	// Encode says a decision in the host's dialect. model says that a model
	// is configured for nod.
	Encode(e Event, d nod.Decision, p Profile, model bool) Answer
	// Block says "this must not run" without an event, for payloads that
	// could not be read and for nod's own faults. It never fails.
	Block(reason string) Answer
	Capabilities() Capabilities
}

// Rewriter is an adapter whose host was seen to run a command that a hook hands it in the
// place of the call's. Whether the program at hand does, nod doctor proves.
type Rewriter interface {
	Adapter
	// MayRewrite reports whether the host would run it for this call, in its mode, and no rule
	// of the person's in the host's settings is lost by that.
	MayRewrite(e Event) bool
}

// All lists every adapter.
func All() []Adapter {
	return []Adapter{ClaudeCode{}, Codex{}, Copilot{}, Gemini{}, Qwen{}, Opencode{}, Pi{}, Antigravity{},
		Generic{"crush"}, Generic{"cursor"}, Generic{"droid"}, Generic{"goose"}, Generic{"grok"}, Generic{"kiro"},
		Generic{"openhands"}, Generic{"vscode"}, Generic{"windsurf"}}
}

// ByName returns the adapter of that name.
func ByName(name string) (Adapter, bool) {
	for _, a := range All() {
		if a.Name() == name {
			return a, true
		}
	}
	return nil, false
}
