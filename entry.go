package nod

import (
	"encoding/json"
	"time"
)

// EntryVersion is the version of the log's line format. Readers skip lines of
// a higher one and say so.
const EntryVersion = 1

// EntryKind says what a line of the log records.
type EntryKind string

const (
	EntryDecision EntryKind = "decision"       // an answer was given
	EntryBegun    EntryKind = "begun"          // a model is about to be asked
	EntryOutcome  EntryKind = "outcome"        // the call ran, or failed to
	EntryHostDeny EntryKind = "denied_by_host" // the agent's own judge denied
	EntryBadInput EntryKind = "bad_input"      // a payload could not be read
	EntryApproved EntryKind = "approved"       // a person approved the call of that decision
	EntryPassed   EntryKind = "passed"         // an event that is not known, and carries no call
)

// Entry is one line of the decision log, JSON, versioned. Fields are only
// ever added. docs/decision-log.md describes each.
type Entry struct {
	Version int       `json:"v"`
	Kind    EntryKind `json:"kind"`
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Nod     string    `json:"nod"` // nod's own version

	Agent       string          `json:"agent,omitempty"`
	Session     string          `json:"session,omitempty"`
	CallID      string          `json:"call_id,omitempty"`
	Mode        string          `json:"mode,omitempty"`    // the agent's permission mode
	Setting     string          `json:"setting,omitempty"` // enforce or observe
	Tool        string          `json:"tool,omitempty"`
	RawTool     string          `json:"raw_tool,omitempty"`
	Dir         string          `json:"dir,omitempty"`
	Root        string          `json:"root,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`       // secrets masked
	InputBytes  int             `json:"input_bytes,omitempty"` // set where Input is only the head
	InputSHA256 string          `json:"input_sha256,omitempty"`

	Verdict Verdict `json:"verdict"`
	// Answered is what the agent was told: allow, ask, deny or abstained.
	Answered string      `json:"answered,omitempty"`
	Layer    Layer       `json:"layer"`
	Reason   string      `json:"reason,omitempty"`
	Rule     *EntryRule  `json:"rule,omitempty"`
	Error    *EntryError `json:"error,omitempty"`
	Evidence []Evidence  `json:"evidence,omitempty"`
	// Approvable names the call for nod approve; nil where nothing may approve
	// it, or need not.
	Approvable *Approvable `json:"approvable,omitempty"`

	// Latency is in microseconds, whole and by layer.
	Latency int64            `json:"latency_us"`
	Spent   map[string]int64 `json:"spent_us,omitempty"`

	Model       string  `json:"model,omitempty"`
	Remembered  bool    `json:"remembered,omitempty"` // the model's earlier answer, not asked for again
	Usage       *Usage  `json:"tokens,omitempty"`
	Cost        float64 `json:"cost_usd,omitempty"`
	SessionCost float64 `json:"session_cost_usd,omitempty"` // running sum, this one included
}

// EntryRule is the rule that decided.
type EntryRule struct {
	Text   string `json:"text"`
	Origin string `json:"origin"`
}

// EntryError is the failure that decided.
type EntryError struct {
	Kind    Kind   `json:"kind"`
	Message string `json:"message"`
}

// Recorder writes decisions down. It is safe for concurrent use. Begin is
// called before a model is asked, with the decision's id; Record once for
// every decision, before it is returned.
type Recorder interface {
	Begin(c Call, id string) error
	Record(c Call, d Decision) error
}
