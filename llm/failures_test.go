package llm

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/hang"
)

// refused is an answer that must not count, for one provider.
type refused struct {
	name    string
	kind    fault.Kind
	handler http.HandlerFunc
	short   bool // asked with a deadline that the answer misses
}

func raw(status int, body string) http.HandlerFunc {
	return answering(status, "application/json", body)
}

// faults are the answers that both providers must refuse. Wherever one can
// hold a decision at all, it holds "do not block".
func faults(provider string) []refused {
	good := classified(provider, allowInput)
	out := []refused{}
	add := func(name string, kind fault.Kind, h http.HandlerFunc) {
		out = append(out, refused{name: name, kind: kind, handler: h})
	}
	for status, kind := range map[int]fault.Kind{
		400: fault.BadRequest, 401: fault.Unauthorized, 402: fault.Unauthorized, 403: fault.Unauthorized,
		404: fault.NotFound, 408: fault.TimedOut, 409: fault.BadRequest,
		413: fault.TooLarge, 422: fault.BadRequest, 429: fault.RateLimited, 500: fault.ServerError,
		502: fault.ServerError,
		503: fault.Overloaded, 504: fault.ServerError, 529: fault.Overloaded, 201: fault.Malformed,
		202: fault.Malformed, 299: fault.Malformed,
	} {
		add(fmt.Sprintf("status %d with a decision", status), kind, raw(status, good))
	}
	add("status 204", fault.Malformed, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })
	add("status 500, HTML", fault.ServerError, answering(500, "text/html", "<html>\x1b[2J</html>"))
	add("status 401 that shows the key", fault.Unauthorized,
		raw(401, `{"error":{"type":"authentication_error","message":"bad key `+testKey+` \u001b[31m\n\u202e"}}`))
	add("status 400, endless", fault.Malformed, endless("application/json"))
	add("told to try again at once", fault.Overloaded, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Should-Retry", "true")
		w.Header().Set("Retry-After-Ms", "1")
		raw(529, good)(w, r)
	})
	for name, body := range map[string]string{
		"empty": "", "blank": " \n", "null": "null", "true": "true", "a string": `"x"`, "a list": "[" + good + "]",
		"truncated": good[:len(good)-1], "half": good[:len(good)/2], "twice": good + good, "with a tail": good + "x",
		"HTML as JSON":       "<html></html>",
		"an error under 200": `{"type":"error","error":{"type":"api_error","message":"x"}}`,
		"not UTF-8":          strings.Replace(strings.Replace(good, "msg_1", "\xff", 1), "resp_1", "\xff", 1),
		"byte order mark":    "\ufeff" + good,
		"an empty object":    "{}", "half a surrogate": classified(provider,
			`{"thinking":"t","should_block":false,"reason":"\ud800"}`),
		"nested too deeply": strings.TrimSuffix(good, "}") + `,"x":` + strings.Repeat("[", 5000) + strings.Repeat("]",
			5000) + "}",
	} {
		add("body "+name, fault.Malformed, raw(200, body))
	}
	for name, contentType := range map[string]string{"HTML": "text/html", "none": "", "text": "text/plain",
		"stream": "text/event-stream", "odd": "application/json; =", "twin": "application/jsonp",
		"problem": "application/problem+json"} {
		add("content type "+name, fault.Malformed, answering(200, contentType, good))
	}
	out = append(out, inputFaults(provider)...)
	return append(out, wireFaults(provider)...)
}

// inputFaults are good answers around a bad input of the tool.
func inputFaults(provider string) []refused {
	var out []refused
	for name, input := range map[string]string{
		"empty": `{}`, "null": `null`, "a list": `[` + allowInput + `]`, "a string": `"x"`, "false": `false`,
		"decision missing":         `{"thinking":"t","reason":"r"}`,
		"decision a string":        `{"thinking":"t","should_block":"false","reason":"r"}`,
		"decision a number":        `{"thinking":"t","should_block":0,"reason":"r"}`,
		"decision null":            `{"thinking":"t","should_block":null,"reason":"r"}`,
		"decision a list":          `{"thinking":"t","should_block":[false],"reason":"r"}`,
		"decision an object":       `{"thinking":"t","should_block":{},"reason":"r"}`,
		"reason missing":           `{"thinking":"t","should_block":false}`,
		"reason null":              `{"thinking":"t","should_block":false,"reason":null}`,
		"reason a number":          `{"thinking":"t","should_block":false,"reason":1}`,
		"thinking missing":         `{"should_block":false,"reason":"r"}`,
		"thinking a boolean":       `{"thinking":true,"should_block":false,"reason":"r"}`,
		"a key too many":           `{"thinking":"t","should_block":false,"reason":"r","confidence":1}`,
		"decision twice":           `{"thinking":"t","should_block":true,"should_block":false,"reason":"r"}`,
		"decision twice, escaped":  `{"thinking":"t","should_block":true,"should\u005fblock":false,"reason":"r"}`,
		"decision in another case": `{"thinking":"t","Should_Block":false,"reason":"r"}`,
		"case twins":               `{"thinking":"t","should_block":true,"SHOULD_BLOCK":false,"reason":"r"}`,
		"twins by the long s":      `{"thinking":"t","should_block":true,"ſhould_block":false,"reason":"r"}`,
		"twins by the Kelvin sign": `{"thinking":"t","should_block":true,"should_bloc` + "\u212a" +
			`":false,"reason":"r"}`,
		"decision by the long s":    `{"thinking":"t","ſhould_block":false,"reason":"r"}`,
		"wrapped in the tool's own": `{"classify_result":` + allowInput + `}`,
		"half a surrogate":          `{"thinking":"t","should_block":false,"reason":"\udc00"}`,
	} {
		out = append(out, refused{name: "input " + name, kind: fault.Malformed,
			handler: raw(200, classified(provider, input))})
	}
	return out
}

// endless never stops sending.
func endless(contentType string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", contentType)
		chunk := []byte(`{"type":"` + strings.Repeat(" ", 64<<10))
		for {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}
}

// trickle sends body a byte at a time.
func trickle(body string, pause time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		for i := range body {
			if _, err := io.WriteString(w, body[i:i+1]); err != nil || r.Context().Err() != nil {
				return
			}
			w.(http.Flusher).Flush()
			time.Sleep(pause)
		}
	}
}

// zipped is body, compressed, with what the server says it is.
func zipped(body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(body)
	}
}

func gzipOf(t interface{ Fatal(...any) }, body io.Reader) []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if _, err := io.Copy(z, body); err != nil {
		t.Fatal(err)
	}
	z.Close()
	return out.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// hijack answers with raw bytes and an end of the connection.
func hijack(text string, reset bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		io.WriteString(conn, text)
		if tcp, ok := conn.(*net.TCPConn); ok && reset {
			tcp.SetLinger(0)
		}
		conn.Close()
	}
}

// wireFaults are answers that break below JSON.
func wireFaults(provider string) []refused {
	good := classified(provider, allowInput)
	head := func(length int) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", length)
	}
	whole := gzipOf(panics{}, strings.NewReader(good))
	bomb := gzipOf(panics{}, io.LimitReader(zeros{}, 8<<20))
	return []refused{
		{"closed before an answer", fault.Unreachable, hijack("", false), false},
		{"reset before an answer", fault.Unreachable, hijack("", true), false},
		{"closed in the headers", fault.Unreachable, hijack("HTTP/1.1 200 OK\r\nConte", false), false},
		{"closed in the body", fault.Unreachable, hijack(head(len(good)+1)+good, false), false},
		{"reset in the body", fault.Unreachable, hijack(head(len(good))+good[:99], true), false},
		{"chunked and cut off", fault.Unreachable,
			hijack("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"id\"", false), false},
		{"not HTTP", fault.Unreachable, hijack("SSH-2.0-OpenSSH_9.6\r\n", false), false},
		{"headers too long", fault.Unreachable,
			hijack("HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", headerLimit*2)+"\r\n\r\n", false), false},
		{"endless body", fault.Malformed, endless("application/json"), false},
		{"compression bomb", fault.Malformed, zipped(bomb), false},
		{"compression broken", fault.Malformed, zipped(append(whole[:10:10], bytes.Repeat([]byte{0xff}, 40)...)),
			false},
		{"compression a lie", fault.Malformed, zipped([]byte(good)), false},
		{"compression cut off", fault.Unreachable, zipped(whole[:len(whole)/2]), false},
		{"redirect", fault.NotFound, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, false},
		{"redirect with a decision", fault.NotFound, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			raw(302, good)(w, r)
		}, false},
		{"no answer in time", fault.TimedOut, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, true},
		{"slow headers", fault.TimedOut, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			time.Sleep(700 * time.Millisecond)
			raw(200, good)(w, r)
		}, true},
		{"slow body", fault.TimedOut, trickle(good, 20*time.Millisecond), true},
		{"slow error", fault.TimedOut, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, true},
	}
}

// panics stands in for a test where there is none yet.
type panics struct{}

func (panics) Fatal(v ...any) { panic(fmt.Sprint(v...)) }

// anthropicFaults and openAIFaults are of one dialect.
func anthropicFaults() []refused {
	call, text := toolUse(nod.AnswerTool().Name, allowInput), `{"type":"text","text":"I allow it.","citations":null}`
	of := func(name string, kind fault.Kind, body string) refused {
		return refused{name: name, kind: kind, handler: raw(200, body)}
	}
	good := messageBody("tool_use", call)
	return []refused{
		of("no content", fault.NoDecision, messageBody("end_turn")),
		of("no tool", fault.NoDecision, messageBody("end_turn", text)),
		of("the decision as text", fault.NoDecision,
			messageBody("end_turn", `{"type":"text","text":"{\"should_block\":false}"}`)),
		of("another tool", fault.NoDecision, messageBody("tool_use", toolUse("classify", allowInput))),
		of("the tool in another case", fault.NoDecision,
			messageBody("tool_use", toolUse("Classify_Result", allowInput))),
		of("two calls", fault.Malformed, messageBody("tool_use", call, call)),
		of("a second tool", fault.Malformed, messageBody("tool_use", call, toolUse("bash", `{}`))),
		of("text before", fault.Malformed, messageBody("tool_use", text, call)),
		of("text after", fault.Malformed, messageBody("tool_use", call, text)),
		of("a server's tool", fault.Malformed, messageBody("tool_use",
			`{"type":"server_tool_use","id":"x","name":"classify_result","input":`+allowInput+`}`, call)),
		of("a block of another type", fault.Malformed, messageBody("tool_use", `{"type":"surprise"}`, call)),
		of("a block that is none", fault.Malformed, messageBody("tool_use", `7`, call)),
		of("refusal", fault.Refused, messageBody("refusal")),
		of("refusal with a decision", fault.Refused, messageBody("refusal", call)),
		of("somebody else's words", fault.Malformed,
			strings.Replace(messageBody("tool_use", call), `"role":"assistant"`, `"role":"user"`, 1)),
		of("max_tokens", fault.CutOff, messageBody("max_tokens", call)),
		of("context full", fault.CutOff, messageBody("model_context_window_exceeded", call)),
		of("pause_turn", fault.Malformed, messageBody("pause_turn", call)),
		of("end_turn with a call", fault.Malformed, messageBody("end_turn", call)),
		of("stop reason unknown", fault.Malformed, messageBody("surprise", call)),
		of("stop reason null", fault.Malformed, strings.Replace(good, `"stop_reason":"tool_use"`, `"stop_reason":null`,
			1)),
		of("stop reason a number", fault.Malformed,
			strings.Replace(good, `"stop_reason":"tool_use"`, `"stop_reason":1`, 1)),
		of("content a string", fault.Malformed, strings.Replace(good, `"content":[`+call+`]`, `"content":"x"`, 1)),
		of("content an object", fault.Malformed, strings.Replace(good, `"content":[`+call+`]`, `"content":`+call, 1)),
		of("content missing", fault.Malformed, strings.Replace(good, `"content":[`+call+`],`, ``, 1)),
		of("content in another case", fault.Malformed, strings.Replace(good, `"content":`, `"Content":`, 1)),
		of("content twice", fault.Malformed, strings.Replace(good, `"content":`, `"content":[],"content":`, 1)),
		of("type missing", fault.Malformed, strings.Replace(good, `"type":"message",`, ``, 1)),
		of("type of something else", fault.Malformed,
			strings.Replace(good, `"type":"message"`, `"type":"completion"`, 1)),
		of("input as a JSON string", fault.Malformed, messageBody("tool_use", toolUse(nod.AnswerTool().Name,
			`"{\"thinking\":\"t\",\"should_block\":false,\"reason\":\"r\"}"`))),
		of("input missing", fault.Malformed, messageBody("tool_use",
			`{"type":"tool_use","id":"x","name":"classify_result"}`)),
		of("name missing", fault.NoDecision, messageBody("tool_use",
			`{"type":"tool_use","id":"x","input":`+allowInput+`}`)),
		of("name twice", fault.Malformed, messageBody("tool_use",
			`{"type":"tool_use","id":"x","name":"bash","name":"classify_result","input":`+allowInput+`}`)),
		of("an OpenAI answer", fault.Malformed, classified(ProviderOpenAI, allowInput)),
	}
}

func openAIFaults() []refused {
	const done = `"status":"completed"`
	call := functionCall(nod.AnswerTool().Name, allowInput)
	text := `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"I allow it.","annotations":[]}]}`
	refusal := `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"refusal","refusal":"I cannot."}]}`
	of := func(name string, kind fault.Kind, body string) refused {
		return refused{name: name, kind: kind, handler: raw(200, body)}
	}
	good := responseBody(done, call)
	failed := func(code string) string {
		return strings.Replace(responseBody(`"status":"failed"`, call), `"error":null`,
			`"error":{"code":"`+code+`","message":"m"}`, 1)
	}
	return []refused{
		of("no output", fault.NoDecision, responseBody(done)),
		of("no tool", fault.NoDecision, responseBody(done, text)),
		of("another tool", fault.NoDecision, responseBody(done, functionCall("classify", allowInput))),
		of("the tool in another case", fault.NoDecision,
			responseBody(done, functionCall("Classify_Result", allowInput))),
		of("two calls", fault.Malformed, responseBody(done, call, call)),
		of("a second tool", fault.Malformed, responseBody(done, call, functionCall("bash", `{}`))),
		of("text before", fault.Malformed, responseBody(done, text, call)),
		of("text after", fault.Malformed, responseBody(done, call, text)),
		of("a custom tool's call", fault.Malformed,
			responseBody(done, `{"type":"custom_tool_call","id":"x","call_id":"c","name":"classify_result","input":"{}"}`, call)),
		of("a server's tool", fault.Malformed, responseBody(done,
			`{"type":"web_search_call","id":"x","status":"completed"}`, call)),
		of("an item that is none", fault.Malformed, responseBody(done, `7`, call)),
		of("refusal", fault.Refused, responseBody(done, refusal)),
		of("refusal with a decision", fault.Refused, responseBody(done, call, refusal)),
		of("max_output_tokens", fault.CutOff,
			responseBody(`"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}`, call)),
		of("incomplete without a reason", fault.CutOff, responseBody(`"status":"incomplete"`, call)),
		of("content filter", fault.Refused,
			responseBody(`"status":"incomplete","incomplete_details":{"reason":"content_filter"}`, call)),
		of("call incomplete", fault.CutOff, strings.Replace(good, `"call_1",`+done, `"call_1","status":"incomplete"`,
			1)),
		of("call in progress", fault.Malformed, strings.Replace(good, `"call_1",`+done,
			`"call_1","status":"in_progress"`, 1)),
		of("failed", fault.ServerError, failed("server_error")),
		of("failed by rate", fault.RateLimited, failed("rate_limit_exceeded")),
		of("failed by policy", fault.Refused, failed("invalid_prompt")),
		of("complete with an error", fault.Malformed,
			strings.Replace(good, `"error":null`, `"error":{"code":"server_error","message":"m"}`, 1)),
		of("in progress", fault.Malformed, responseBody(`"status":"in_progress"`, call)),
		of("status null", fault.Malformed, responseBody(`"status":null`, call)),
		of("status missing", fault.Malformed, strings.Replace(good, `"error":null,`+done, `"error":null`, 1)),
		of("status twice", fault.Malformed, responseBody(`"status":"incomplete","status":"completed"`, call)),
		of("output an object", fault.Malformed, strings.Replace(good, `"output":[`+call+`]`, `"output":`+call, 1)),
		of("output missing", fault.Malformed, strings.Replace(good, `"output":[`+call+`],`, ``, 1)),
		of("output in another case", fault.Malformed, strings.Replace(good, `"output":`, `"Output":`, 1)),
		of("object missing", fault.Malformed, strings.Replace(good, `"object":"response",`, ``, 1)),
		of("arguments an object", fault.Malformed,
			responseBody(done, strings.Replace(call, `"arguments":"`, `"arguments":`+allowInput+`,"x":"`, 1))),
		of("arguments missing", fault.Malformed,
			responseBody(done, `{"type":"function_call","id":"x","call_id":"c","name":"classify_result","status":"completed"}`)),
		of("arguments null", fault.Malformed, responseBody(done,
			`{"type":"function_call","id":"x","call_id":"c","name":"classify_result","status":"completed","arguments":null}`)),
		of("arguments cut off", fault.Malformed,
			responseBody(done, functionCall(nod.AnswerTool().Name, allowInput[:len(allowInput)-1]))),
		of("arguments twice", fault.Malformed, responseBody(done, functionCall(nod.AnswerTool().Name,
			allowInput+allowInput))),
		of("arguments empty", fault.Malformed, responseBody(done, functionCall(nod.AnswerTool().Name, ""))),
		of("an Anthropic answer", fault.Malformed, classified(ProviderAnthropic, allowInput)),
		of("a chat completion", fault.Malformed,
			`{"id":"x","object":"chat.completion","choices":[],"output":[`+call+`],`+done+`}`),
	}
}

func chatFaults() []refused {
	call := chatCall(nod.AnswerTool().Name, allowInput)
	of := func(name string, kind fault.Kind, body string) refused {
		return refused{name: name, kind: kind, handler: raw(200, body)}
	}
	good := chatBody("tool_calls", "null", call)
	return []refused{
		of("no call", fault.NoDecision, chatBody("stop", "null")),
		of("text only", fault.NoDecision, chatBody("stop", `"I allow it."`)),
		of("the decision as text", fault.NoDecision,
			chatBody("stop", `"{\"thinking\":\"t\",\"should_block\":false,\"reason\":\"r\"}"`)),
		of("another tool", fault.NoDecision, chatBody("tool_calls", "null", chatCall("classify", allowInput))),
		of("a custom tool", fault.NoDecision, chatBody("tool_calls", "null",
			`{"id":"c","type":"custom","custom":{"name":"classify_result","input":"{}"}}`)),
		of("two calls", fault.Malformed, chatBody("tool_calls", "null", call, call)),
		of("a second tool", fault.Malformed, chatBody("tool_calls", "null", call, chatCall("bash", `{}`))),
		of("text beside", fault.Malformed, chatBody("tool_calls", `"I allow it."`, call)),
		of("refusal", fault.Refused, strings.Replace(good, `"refusal":null`, `"refusal":"I cannot."`, 1)),
		of("length", fault.CutOff, chatBody("length", "null", call)),
		of("content filter", fault.Refused, chatBody("content_filter", "null", call)),
		of("stop reason unknown", fault.Malformed, chatBody("surprise", "null", call)),
		of("stop reason null", fault.Malformed, strings.Replace(good, `"finish_reason":"tool_calls"`,
			`"finish_reason":null`, 1)),
		of("somebody else's words", fault.Malformed, strings.Replace(good, `"role":"assistant"`, `"role":"user"`, 1)),
		of("a piece of a stream", fault.Malformed,
			strings.Replace(good, `"chat.completion"`, `"chat.completion.chunk"`, 1)),
		of("no choices", fault.Malformed, `{"id":"x","object":"chat.completion","choices":[]}`),
		of("two choices", fault.Malformed, strings.Replace(good, `"choices":[`,
			`"choices":[{"index":1,"finish_reason":"stop","message":{"role":"assistant","content":"no"}},`, 1)),
		of("choices an object", fault.Malformed,
			strings.Replace(strings.Replace(good, `"choices":[`, `"choices":`, 1), `]}}],"usage"`, `]}},"usage"`, 1)),
		of("choices in another case", fault.Malformed, strings.Replace(good, `"choices"`, `"Choices"`, 1)),
		of("arguments an object", fault.Malformed, chatBody("tool_calls", "null",
			`{"id":"c","type":"function","function":{"name":"classify_result","arguments":`+allowInput+`}}`)),
		of("arguments missing", fault.Malformed,
			chatBody("tool_calls", "null", `{"id":"c","type":"function","function":{"name":"classify_result"}}`)),
		of("a Responses answer", fault.Malformed, classified(ProviderOpenAI, allowInput)),
		of("text beside, in parts", fault.Malformed,
			chatBody("tool_calls", `[{"type":"text","text":"I allow it."}]`, call)),
	}
}

func geminiFaults() []refused {
	call := geminiCall(nod.AnswerTool().Name, allowInput)
	of := func(name string, kind fault.Kind, body string) refused {
		return refused{name: name, kind: kind, handler: raw(200, body)}
	}
	good := geminiBody("STOP", call)
	withCall := func(more string) string {
		return geminiBody("STOP", strings.Replace(call, `"functionCall":{`, more, 1))
	}
	out := []refused{
		of("somebody else's words", fault.Malformed, strings.Replace(good, `"role":"model"`, `"role":"user"`, 1)),
		of("a role in another case", fault.Malformed, strings.Replace(good, `"role":"model"`, `"role":"Model"`, 1)),
		of("a rating that blocks", fault.Refused, strings.Replace(good, `"finishReason"`,
			`"safetyRatings":[{"category":"HARM_CATEGORY_DANGEROUS_CONTENT","probability":"HIGH","blocked":true}],"finishReason"`, 1)),
		of("a candidate with an error", fault.Malformed,
			strings.Replace(good, `"finishReason"`, `"error":{"message":"m"},"finishReason"`, 1)),
		of("a call that goes on", fault.Malformed, withCall(`"functionCall":{"willContinue":true,`)),
		of("a call in parts", fault.Malformed,
			withCall(`"functionCall":{"partialArgs":[{"jsonPath":"$.reason","stringValue":"r"}],`)),
		of("a call and text in one part", fault.Malformed, withCall(`"text":"I allow it.","functionCall":{`)),
		of("a call that is only thought of", fault.Malformed, withCall(`"thought":true,"functionCall":{`)),
		of("no part", fault.NoDecision, geminiBody("STOP")),
		of("text only", fault.NoDecision, geminiBody("STOP", `{"text":"I allow it."}`)),
		of("another tool", fault.NoDecision, geminiBody("STOP", geminiCall("classify", allowInput))),
		of("two calls", fault.Malformed, geminiBody("STOP", call, call)),
		of("a second tool", fault.Malformed, geminiBody("STOP", call, geminiCall("bash", `{}`))),
		of("text beside", fault.Malformed, geminiBody("STOP", `{"text":"I allow it."}`, call)),
		of("code that runs", fault.Malformed, geminiBody("STOP", `{"executableCode":{"language":"PYTHON","code":"1"}}`,
			call)),
		of("length", fault.CutOff, geminiBody("MAX_TOKENS", call)),
		of("malformed call", fault.Malformed, geminiBody("MALFORMED_FUNCTION_CALL", call)),
		of("stop reason unknown", fault.Malformed, geminiBody("SURPRISE", call)),
		of("no candidates", fault.Malformed, `{"responseId":"x","candidates":[]}`),
		of("two candidates", fault.Malformed, strings.Replace(good, `"candidates":[`,
			`"candidates":[{"finishReason":"STOP"},`, 1)),
		of("candidate null", fault.Malformed, `{"responseId":"x","candidates":[null]}`),
		of("content missing", fault.NoDecision, `{"responseId":"x","candidates":[{"finishReason":"STOP"}]}`),
		of("candidates in another case", fault.Malformed, strings.Replace(good, `"candidates"`, `"Candidates"`, 1)),
		of("prompt blocked", fault.Refused, `{"responseId":"x","promptFeedback":{"blockReason":"SAFETY"}}`),
		of("prompt blocked with a decision", fault.Refused,
			strings.Replace(good, `"candidates"`, `"promptFeedback":{"blockReason":"OTHER"},"candidates"`, 1)),
	}
	for _, reason := range []string{"SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "LANGUAGE"} {
		out = append(out, of("stopped for "+reason, fault.Refused, geminiBody(reason, call)))
	}
	return out
}

// No failing answer ever yields a classification, each names its cause, and only what passes is tried again, once.
func TestFailures(t *testing.T) {
	for _, provider := range providers() {
		all := append(faults(provider), map[string]func() []refused{ProviderAnthropic: anthropicFaults,
			ProviderOpenAI: openAIFaults, ProviderCompatible: chatFaults,
			ProviderGemini: geminiFaults}[dialect(provider)]()...)
		if len(all) < 30 {
			t.Fatalf("only %d faults", len(all))
		}
		for _, f := range all {
			t.Run(provider+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				var requests, elsewhere atomic.Int32
				url := serve(t, func(w http.ResponseWriter, r *http.Request) {
					requests.Add(1)
					if r.URL.Path == "/elsewhere" {
						elsewhere.Add(1)
					}
					f.handler(w, r)
				})
				timeout := hang.Limit()
				if f.short {
					timeout = 250 * time.Millisecond
				}
				m := newModel(t, provider, url, func(o *Options) { o.Timeout = timeout })
				got, err := m.Classify(context.Background(), prompt)
				checkFailure(t, f.kind, got, err)
				if want := tries(f.kind); requests.Load() != want && !f.short || elsewhere.Load() != 0 {
					t.Errorf("%d requests, want %d; %d of them elsewhere", requests.Load(), want, elsewhere.Load())
				}
			})
		}
	}
}

// tries is how often a question is put that fails like this each time.
func tries(k fault.Kind) int32 {
	switch k {
	case fault.RateLimited, fault.Overloaded, fault.ServerError, fault.Unreachable:
		return 2
	}
	return 1
}

func checkFailure(t *testing.T, kind fault.Kind, got nod.Classification, err error) {
	t.Helper()
	if err == nil {
		t.Fatalf("taken for an answer: %+v", got)
	}
	if !reflect.DeepEqual(got, nod.Classification{}) {
		t.Errorf("an answer beside an error: %+v", got)
	}
	var f *fault.Error
	if !errors.As(err, &f) || f.Kind != kind {
		t.Errorf("%v\nwant the kind %s", err, kind)
	}
	checkShown(t, err)
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	l.Close()
	for _, provider := range providers() {
		got, err := newModel(t, provider, url).Classify(context.Background(), prompt)
		checkFailure(t, fault.Unreachable, got, err)
	}
}

// The caller's deadline counts besides the model's own.
func TestTheContextsDeadlineHolds(t *testing.T) {
	for _, provider := range providers() {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		})
		m := newModel(t, provider, url)
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		got, err := m.Classify(ctx, prompt)
		checkFailure(t, fault.TimedOut, got, err)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v does not wrap the deadline", provider, err)
		}
		gone, cancelNow := context.WithCancel(context.Background())
		cancelNow()
		got, err = m.Classify(gone, prompt)
		checkFailure(t, fault.TimedOut, got, err)
	}
}

func TestVendorsTextIsBoundedAndMasked(t *testing.T) {
	text := strings.Repeat("\u00e9\x1b[31m "+testKey+" ", 500)
	for _, provider := range providers() {
		_, err := newModel(t, provider, serve(t, answering(400, "text/plain", text))).Classify(context.Background(),
			prompt)
		checkShown(t, err)
		if !strings.Contains(err.Error(), "[masked]") || !strings.Contains(err.Error(), `\x1b`) {
			t.Errorf("%v", err)
		}
	}
}

// A good answer that is too long is none, whether its length crosses the wire or comes out of the decompression.
func TestAnswersAreBounded(t *testing.T) {
	for _, provider := range providers() {
		good := classified(provider, allowInput)
		for size, fits := range map[int]bool{1 << 20: true, 1<<20 + 1: false, 3 << 20: false} {
			body := good + strings.Repeat(" ", size-len(good))
			for name, h := range map[string]http.HandlerFunc{"plain": raw(200, body),
				"zipped": zipped(gzipOf(t, strings.NewReader(body)))} {
				got, err := newModel(t, provider, serve(t, h)).Classify(context.Background(), prompt)
				if fits {
					if err != nil || got.Reason != "r" {
						t.Errorf("%s %s of %d bytes: %v", provider, name, size, err)
					}
					continue
				}
				checkFailure(t, fault.Malformed, got, err)
				if !strings.Contains(err.Error(), "longer than 1 MiB") {
					t.Errorf("%s %s of %d bytes: %v", provider, name, size, err)
				}
			}
		}
	}
}
