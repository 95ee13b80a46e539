// Package fault names the causes for which nod, or a model that it asks, has no answer. Each blocks a
// call: [Error] says what failed and what to do next, and its [Kind] is stable for code to switch on.
package fault

import "errors"

// Kind names a cause of failure, stable for code to switch on.
type Kind string

// The causes. Each blocks.
const (
	NoModel      Kind = "no_model"      // no model is configured
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

// ToolFailed stands in the log's line of an outcome, and blocks nothing: the call ran, and its tool reported an error.
const ToolFailed Kind = "tool_failed"

// Error is an error of a kind that code can switch on. Its message says what to do next.
type Error struct {
	Kind    Kind
	Message string
	Cause   error
}

// Error returns the message and, where there is one, the cause.
func (f *Error) Error() string {
	if f.Cause == nil {
		return f.Message
	}
	return f.Message + ": " + f.Cause.Error()
}

// Unwrap returns the cause.
func (f *Error) Unwrap() error { return f.Cause }

// Of returns the failure in err's chain, or an Internal one around it; nil for nil.
func Of(err error) *Error {
	if err == nil {
		return nil
	}
	var f *Error
	if errors.As(err, &f) {
		return f
	}
	return &Error{Kind: Internal, Message: "nod failed", Cause: err}
}
