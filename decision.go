package nod

import (
	"errors"
	"fmt"
	"time"
)

// Verdict is the answer to "may this call run?". The zero value denies, and
// the smaller of two verdicts is the stricter one.
type Verdict int8

const (
	Deny  Verdict = iota // must not run
	Ask                  // a person decides
	Allow                // may run without asking
)

// String returns "deny", "ask" or "allow".
func (v Verdict) String() string {
	switch v {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	}
	return "deny"
}

// MarshalText implements encoding.TextMarshaler.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText accepts exactly what String returns.
func (v *Verdict) UnmarshalText(text []byte) error {
	for _, w := range []Verdict{Deny, Ask, Allow} {
		if string(text) == w.String() {
			*v = w
			return nil
		}
	}
	return fmt.Errorf("verdict %q: want allow, ask or deny", text)
}

// Layer says which part of the flow decided.
type Layer int8

const (
	// LayerNone: no layer settled the call and no model is configured.
	LayerNone Layer = iota
	LayerGuard
	LayerAllowlist
	LayerEdit
	LayerShell
	LayerModel
	// LayerApproval: a person had approved the call. It comes before the model.
	LayerApproval
)

// String returns the layer's name as it stands in the log.
func (l Layer) String() string {
	switch l {
	case LayerGuard:
		return "guard"
	case LayerAllowlist:
		return "allowlist"
	case LayerEdit:
		return "edit"
	case LayerShell:
		return "shell"
	case LayerModel:
		return "model"
	case LayerApproval:
		return "approval"
	}
	return "none"
}

// Layers lists them in the order of the flow.
func Layers() []Layer {
	return []Layer{LayerGuard, LayerAllowlist, LayerEdit, LayerShell, LayerApproval, LayerModel}
}

// MarshalText implements encoding.TextMarshaler.
func (l Layer) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText accepts exactly what String returns.
func (l *Layer) UnmarshalText(text []byte) error {
	for _, w := range append(Layers(), LayerNone) {
		if string(text) == w.String() {
			*l = w
			return nil
		}
	}
	return fmt.Errorf("layer %q is not known", text)
}

// Decision is the answer to one call. The zero value denies.
type Decision struct {
	// ID names the decision in the log and the dump directory.
	ID      string
	Verdict Verdict
	Layer   Layer
	// Reason is one line, escaped, for people and the model.
	Reason string
	// Rule is the rule that decided; its Text is "" where none did.
	Rule Rule
	// Err is set if the answer came from a failure.
	Err *Failure
	// Notices are for the person, not for the model: a failure's cause, a log
	// that cannot be written.
	Notices []string
	// Classification is what the model answered, if it was asked and did.
	Classification *Classification
	// Cost is in US dollars; 0 where no model was asked or its price is not
	// known.
	Cost float64
	// Latency is the whole time; Spent says where it went, by layer.
	Latency time.Duration
	Spent   map[Layer]time.Duration
	// Evidence lists the files that the answer rests on.
	Evidence []Evidence
	// Definitions are what an allow rule was held to, whether it cleared its
	// command or not: a [Memory] learns them with the answer.
	Definitions []Evidence
	// Blocked says that the model said block, now or to the same effects
	// before, whatever became of it; Effects names what the call does and
	// Basis is the model's reason: a [History] learns them.
	Blocked        bool
	Effects, Basis string
	// Approvable names the call where a person may approve it: layers 0 to 3
	// left it open, the answer is no allow, and the gate has [Approvals]. The
	// zero value is that nobody
	// may.
	Approvable Approvable
	// Lasting is the allow rule that would have cleared the call, as a person
	// writes it into their settings; "" where no single rule would, where the call
	// loses work or prints a secret, and where the gate has no [Approvals].
	Lasting string
	// Instead is the line to type instead, which runs the call behind nod's
	// boundary, where the call's only fault is code that was not read; else "".
	Instead string
	// Deferrable says that no model was there to ask, that no rule speaks of the
	// call, and that nothing known of it loses work, gives away a secret or
	// cannot be undone: a host's own judge may decide. The zero value is that a
	// person has to.
	Deferrable bool
	// Changes are the files, and directories with all below them, that the
	// call may change, absolute, as far as they are known.
	Changes []string
	// Downloads are the files that it writes while it fetches something.
	// Secret says that it touches a secret store, Sends that it may send data
	// out. A [Witness] learns them with the answer.
	Downloads     []string
	Secret, Sends bool
	// Foreign says what text of others the call puts before the agent: a web
	// page, an issue, what an MCP server returned, a file that the session
	// fetched. "" is none. A [Witness] learns it with the answer.
	Foreign string
}

// Settled reports whether layers 0 to 3 or a model decided, rather than the
// lack of one.
func (d Decision) Settled() bool { return d.Layer != LayerNone && d.Err == nil }

// Recorder writes decisions down. It is safe for concurrent use. Begin is
// called before a model is asked, with the decision's id; Record once for
// every decision, before it is returned.
type Recorder interface {
	Begin(c Call, id string) error
	Record(c Call, d Decision) error
}

// Evidence is a file that was read to decide, with the SHA-256 of its bytes.
type Evidence struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Kind names a cause of failure, stable for code to switch on.
type Kind string

// The causes. Each blocks.
const (
	NoModel      Kind = "no_model"      // none is configured
	NoKey        Kind = "no_key"        // no API key was found
	Unauthorized Kind = "unauthorized"  // 401, 403
	NotFound     Kind = "not_found"     // 404: endpoint or model
	BadRequest   Kind = "bad_request"   // 400, 413, 422
	RateLimited  Kind = "rate_limited"  // 429
	Overloaded   Kind = "overloaded"    // 503, 529
	ServerError  Kind = "server_error"  // other 5xx
	Unreachable  Kind = "unreachable"   // no connection, or it broke
	TimedOut     Kind = "timed_out"     // our deadline or theirs
	Refused      Kind = "refused"       // the model declined to judge
	CutOff       Kind = "cut_off"       // the answer ended early (max_tokens)
	Malformed    Kind = "malformed"     // an answer not of the exact shape
	NoDecision   Kind = "no_decision"   // an answer without classify_result
	TooLarge     Kind = "too_large"     // the call exceeds what may be judged
	BadInput     Kind = "bad_input"     // the payload could not be read
	BadSettings  Kind = "bad_settings"  // a settings file could not be used
	LogFailed    Kind = "log_failed"    // the decision could not be recorded
	NoTranscript Kind = "no_transcript" // the conversation could not be read
	CostCeiling  Kind = "cost_ceiling"  // a ceiling of cost is reached
	Internal     Kind = "internal"      // a panic, or a fault of nod's
)

// ToolFailed stands in the log's line of an outcome, and blocks nothing: the
// call ran, and its tool reported an error.
const ToolFailed Kind = "tool_failed"

// Failure is an error of a kind that code can switch on. Its message says
// what to do next.
type Failure struct {
	Kind    Kind
	Message string
	Cause   error
}

// Error returns the message and, where there is one, the cause.
func (f *Failure) Error() string {
	if f.Cause == nil {
		return f.Message
	}
	return f.Message + ": " + f.Cause.Error()
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// AsFailure returns the failure in err's chain, or an Internal one around it;
// nil for nil.
func AsFailure(err error) *Failure {
	if err == nil {
		return nil
	}
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return &Failure{Kind: Internal, Message: "nod failed", Cause: err}
}
