// Package agent holds one adapter for each coding agent: what its hook sends
// becomes a [nod.Call], and a [nod.Decision] becomes what it understands.
//
// An adapter states facts about its host and decides nothing. [All] lists
// them. A new adapter is a file here, a line in All, its captured payloads,
// and passes the suite in agenttest unchanged.
package agent

import (
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
	// Failed, Error and Took describe an Outcome.
	Failed bool
	Error  string
	Took   time.Duration
	// Reason is the host's, for HostDenied.
	Reason string
}

// Answer is what the hook's process does: what it prints and its exit code.
// The zero value is silence, which every host reads as "no decision".
type Answer struct {
	Stdout, Stderr []byte
	Exit           int
	// Said is what the host was told: "allow", "ask", "deny" or "abstained".
	Said string
}

// Profile says how far nod may go.
type Profile uint8

const (
	// Default is Reinforce where the host judges by itself and no model is
	// configured for nod, else Replace.
	Default   Profile = iota
	Replace           // nod answers everything
	Reinforce         // nod only denies or asks
)

// Capabilities are the facts that decide how an answer can be encoded, each
// measured on the version that Tried names.
type Capabilities struct {
	Tried           string // "2.1.329"
	CanAllow        bool
	CanAsk          bool
	CanAskHeadless  bool
	ReasonReaches   bool   // a denial's reason reaches the model
	FailClosed      string // the host's own switch, "" where it has none
	TimeUnit        time.Duration
	SeesSubagents   bool
	SilenceProceeds bool // a hook that says nothing leaves the host's normal flow
}

// Adapter is one coding agent. Implementations are values without state and
// safe for concurrent use.
type Adapter interface {
	// Name is the word on the command line and in the log.
	Name() string
	// Decode reads one payload, strictly. environ is the hook's environment,
	// as os.Environ gives it. An error blocks.
	Decode(payload []byte, environ []string) (Event, error)
	// Encode says a decision in the host's dialect. model says that a model
	// is configured for nod.
	Encode(e Event, d nod.Decision, p Profile, model bool) Answer
	// Block says "this must not run" without an event, for payloads that
	// could not be read and for nod's own faults. It never fails.
	Block(reason string) Answer
	Capabilities() Capabilities
}

// All lists every adapter.
func All() []Adapter { return []Adapter{ClaudeCode{}} }

// ByName returns the adapter of that name.
func ByName(name string) (Adapter, bool) {
	for _, a := range All() {
		if a.Name() == name {
			return a, true
		}
	}
	return nil, false
}
