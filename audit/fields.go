package audit

import (
	"encoding/json"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/masks"
)

// Version is the version of the log's line format. Readers skip lines of a higher one and say so.
const Version = 1

// Kind says what a line of the log records.
type Kind string

const (
	Decision Kind = "decision"       // an answer was given
	Begun    Kind = "begun"          // a model is about to be asked
	Question Kind = "question"       // a person outside of the agent is about to be asked
	Outcome  Kind = "outcome"        // the call ran, or failed to
	HostDeny Kind = "denied_by_host" // the agent's own judge denied
	BadInput Kind = "bad_input"      // a payload could not be read
	Approved Kind = "approved"       // a person approved the call of that decision
	Passed   Kind = "passed"         // an event that is not known, and carries no call
	Unread   Kind = "unread"         // on a team's server: what was no line, or torn, and has lost its link
	Alarm    Kind = "alarm"          // what a team's server sent was refused, and nothing changed
)

// Entry is one line of the decision log, JSON, versioned. Fields are only
// ever added. docs/decision-log.md describes each.
type Entry struct {
	Version int `json:"v"`
	// Prev is the first half of the SHA-256 of the line before, and Unlocked says that other lines may have come in
	// between. Both are [Log.Write]'s.
	Prev     string `json:"prev,omitempty"`
	Unlocked bool   `json:"unlocked,omitempty"`

	Kind Kind      `json:"kind"`
	ID   string    `json:"id"`
	Time time.Time `json:"time"`
	Nod  string    `json:"nod"` // nod's own version

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

	Verdict nod.Verdict `json:"verdict"`
	// Answered is what the agent was told: allow, ask, deny or abstained.
	Answered string         `json:"answered,omitempty"`
	Layer    nod.Layer      `json:"layer"`
	Reason   string         `json:"reason,omitempty"`
	Rule     *Rule          `json:"rule,omitempty"`
	Error    *Error         `json:"error,omitempty"`
	Evidence []nod.Evidence `json:"evidence,omitempty"`
	// Approvable names the call for nod approve; nil where nothing may approve it, or need not.
	Approvable *nod.Approvable `json:"approvable,omitempty"`

	Policy *Policy `json:"policy,omitempty"` // of a team's server; nil on a machine of no team
	// Observed are rules over time that would have forbidden the call, and are only observed.
	Observed []string `json:"observed,omitempty"`

	Kept int `json:"kept,omitempty"` // how many names nod undo can bring back

	Latency int64 `json:"latency_us"` // in microseconds

	Model       string     `json:"model,omitempty"`
	Quick       string     `json:"quick,omitempty"` // what the quick question said; "" where it was not asked
	Usage       *nod.Usage `json:"tokens,omitempty"`
	Cost        float64    `json:"cost_usd,omitempty"`
	SessionCost float64    `json:"session_cost_usd,omitempty"` // running sum, this one included
}

// Rule is the rule that decided.
type Rule struct {
	Text   string `json:"text"`
	Origin string `json:"origin"`
}

// Policy is the team's policy under which it was decided.
type Policy struct {
	Version int64 `json:"version"`         // 0: none had come yet
	Stale   bool  `json:"stale,omitempty"` // none had come, or the server was not heard for longer than it allows
}

// Error is the failure that decided.
type Error struct {
	Kind    fault.Kind `json:"kind"`
	Message string     `json:"message"`
}

// MaskText masks the secrets in a text.
func MaskText(s string) string { return masks.Text(s) }
