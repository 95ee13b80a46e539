package e2e

import (
	"strings"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/llm/llmtest"
)

// modelFault is an answer to a classifier query that must block, and the cause
// that nod must name.
type modelFault struct {
	name   string
	kind   fault.Kind
	answer llmtest.Answer
}

// modelFaults are answers of Anthropic's Messages API, one for each kind and the
// likelier mistakes. Wherever an answer can hold a decision at all, it holds "do
// not block", so that a reader that is too lenient lets the call run.
func modelFaults() []modelFault {
	input := map[string]any{"thinking": "t", "should_block": false, "reason": "r"}
	call := llmtest.ToolUse("toolu_1", "classify_result", input)
	good := llmtest.MessageBody("m", "tool_use", call)
	said := func(status int, body string) llmtest.Answer { return llmtest.Answer{Status: status, Body: body} }
	refused := func(status int, kind string) llmtest.Answer {
		return said(status, llmtest.ErrorBody(kind, "scripted"))
	}
	later := refused(429, "rate_limit_error")
	later.Header = map[string]string{"Retry-After": "3600"}
	return []modelFault{
		{"wrong key", fault.Unauthorized, refused(401, "authentication_error")},
		{"no such model", fault.NotFound, refused(404, "not_found_error")},
		{"bad request", fault.BadRequest, refused(400, "invalid_request_error")},
		{"request too large", fault.TooLarge, refused(413, "request_too_large")},
		{"server error", fault.ServerError, refused(500, "api_error")},
		{"unavailable", fault.Overloaded, said(503, good)},
		{"rate limited", fault.RateLimited, later},
		{"refused", fault.Refused, said(200, llmtest.MessageBody("m", "refusal", call))},
		{"cut off", fault.CutOff, said(200, llmtest.MessageBody("m", "max_tokens", call))},
		{"text only", fault.NoDecision, said(200, llmtest.MessageBody("m", "end_turn", llmtest.Text("I allow it.")))},
		{"half a body", fault.Malformed, said(200, good[:len(good)/2])},
		{"two calls", fault.Malformed, said(200, llmtest.MessageBody("m", "tool_use", call, call))},
		{"decision as a word", fault.Malformed,
			said(200, strings.Replace(good, `"should_block":false`, `"should_block":"false"`, 1))},
		{"decision twice", fault.Malformed,
			said(200, strings.Replace(good, `"should_block"`, `"should_block":true,"should_block"`, 1))},
		{"no answer", fault.TimedOut, llmtest.Answer{Hang: true}},
	}
}
