package llmtest

import (
	"strings"
	"time"

	"github.com/nodgate/nod/fault"
)

// Fault is an answer to a classifier query that must block, and the cause
// that nod must name.
type Fault struct {
	Name   string
	Kind   fault.Kind
	Answer Answer
}

// classified is an answer of the Messages API with one call of the forced
// tool, whose input is any JSON text.
func classified(input string) string {
	const marker = `"@input@"`
	return strings.Replace(MessageBody("m", "tool_use", ToolUse("toolu_1", classifyTool, "@input@")), marker, input, 1)
}

const (
	allowing = `{"thinking":"t","should_block":false,"reason":"r"}`
)

// Faults are answers of Anthropic's Messages API that are malformed or fail.
// Wherever an answer can hold a decision at all, it holds "do not block", so
// that a reader that is too lenient lets the call run. The last ones take as
// long as the reader waits.
func Faults() []Fault {
	return append(append(failures(), malformed()...), broken()...)
}

// failures are answers that say that they are none.
func failures() []Fault {
	apiError := func(name string, kind fault.Kind, status int, typ string) Fault {
		return Fault{name, kind, Raw(status, ErrorBody(typ, "scripted: "+name))}
	}
	return []Fault{
		apiError("wrong key", fault.Unauthorized, 401, "authentication_error"),
		apiError("forbidden", fault.Unauthorized, 403, "permission_error"),
		apiError("no such model", fault.NotFound, 404, "not_found_error"),
		apiError("bad request", fault.BadRequest, 400, "invalid_request_error"),
		apiError("request too large", fault.TooLarge, 413, "request_too_large"),
		apiError("server error", fault.ServerError, 500, "api_error"),
		{"bad gateway", fault.ServerError, Answer{Status: 502, Body: "<html>Bad Gateway</html>",
			Header: map[string]string{"Content-Type": "text/html"}}},
		{"rate limited", fault.RateLimited, Answer{Status: 429, Body: ErrorBody("rate_limit_error", "slow down"),
			Header: map[string]string{"Retry-After": "3600"}}}, {"rate limited, to be tried soon", fault.RateLimited,
			Answer{Status: 429, Body: ErrorBody("rate_limit_error", "slow down"),
				Header: map[string]string{"Retry-After-Ms": "1"}}},
		{"unavailable", fault.Overloaded, Answer{Status: 503, Body: allowingBody()}},
		apiError("overloaded", fault.Overloaded, 529, "overloaded_error"),
		{"refused", fault.Refused, Raw(200, MessageBody("m", "refusal"))},
		{"refused, with a decision", fault.Refused, Raw(200, MessageBody("m", "refusal", allowingCall()))},
		{"cut off", fault.CutOff, Raw(200, MessageBody("m", "max_tokens", allowingCall()))},
		{"cut off in its text", fault.CutOff, Raw(200, MessageBody("m", "max_tokens", Text("The command")))},
		{"text only", fault.NoDecision, Raw(200, MessageBody("m", "end_turn", Text(allowing)))},
		{"no content", fault.NoDecision, Raw(200, MessageBody("m", "end_turn"))},
		{"another tool", fault.NoDecision,
			Raw(200, MessageBody("m", "tool_use", ToolUse("toolu_1", "classify", allowingInput())))},
	}
}

// malformed are answers that look like one.
func malformed() []Fault {
	var out []Fault
	add := func(name, body string) { out = append(out, Fault{name, fault.Malformed, Raw(200, body)}) }
	whole := allowingBody()
	add("empty body", "")
	add("half a body", whole[:len(whole)/2])
	add("null", "null")
	add("a list", "["+whole+"]")
	add("not JSON", "should_block: false")
	add("two bodies", whole+whole)
	add("an error with status 200", ErrorBody("api_error", "not really"))
	add("content is no list", strings.Replace(whole, `"content":[`, `"content":{"a":[`, 1))
	add("decision twice, allow last", MessageBody("m", "tool_use", blockingCall(), allowingCall()))
	add("decision twice, the same", MessageBody("m", "tool_use", allowingCall(), allowingCall()))
	add("key twice", classified(`{"thinking":"t","should_block":true,"should_block":false,"reason":"r"}`))
	add("key twice in another case",
		classified(`{"thinking":"t","should_block":true,"Should_Block":false,"reason":"r"}`))
	add("key in another case", classified(`{"thinking":"t","Should_Block":false,"reason":"r"}`))
	add("decision as a word", classified(`{"thinking":"t","should_block":"false","reason":"r"}`))
	add("decision as a number", classified(`{"thinking":"t","should_block":0,"reason":"r"}`))
	add("decision null", classified(`{"thinking":"t","should_block":null,"reason":"r"}`))
	add("decision missing", classified(`{"thinking":"t","reason":"r"}`))
	add("reason missing", classified(`{"thinking":"t","should_block":false}`))
	add("reason no text", classified(`{"thinking":"t","should_block":false,"reason":["r"]}`))
	add("a key too many", classified(`{"thinking":"t","should_block":false,"reason":"r","confidence":1}`))
	add("input empty", classified(`{}`))
	add("input as text", classified(`"{\"should_block\":false}"`))
	add("input a list", classified("["+allowing+"]"))
	add("invalid text", classified(`{"thinking":"t","should_block":false,"reason":"`+"\xff\xfe"+`"}`))
	out = append(out, Fault{"a stream", fault.Malformed, Answer{
		Body:   events(newMessage("msg_1", "m", "tool_use", allowingCall())),
		Header: map[string]string{"Content-Type": "text/event-stream"}}})
	return out
}

// broken are connections that do not bring an answer.
func broken() []Fault {
	return []Fault{
		{"reset", fault.Unreachable, Answer{Break: Refuse}},
		{"closed in the headers", fault.Unreachable, Answer{Break: CutHead}},
		{"closed in the body", fault.Unreachable, Answer{Break: CutBody, Body: allowingBody()}},
		{"too slow", fault.TimedOut, Answer{Body: allowingBody(), Pause: 500 * time.Millisecond}},
		{"no answer", fault.TimedOut, Answer{Break: Hang}},
	}
}

func allowingInput() map[string]any {
	return map[string]any{"thinking": "t", "should_block": false, "reason": "r"}
}

func allowingCall() map[string]any { return ToolUse("toolu_1", classifyTool, allowingInput()) }

func blockingCall() map[string]any {
	return ToolUse("toolu_2", classifyTool, map[string]any{"thinking": "t", "should_block": true, "reason": "r"})
}

func allowingBody() string { return MessageBody("m", "tool_use", allowingCall()) }
