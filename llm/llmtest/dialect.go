package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
)

func (s *Server) answer(r Request) Answer {
	b := decodeBody(r.Body)
	switch r.Kind {
	case Classifier:
		return s.classification(r)
	case Turn:
		step, index := s.due(r)
		if step.Before != nil {
			step.Before()
		}
		return said(r, step, index)
	case Judge:
		return messageAnswer(textMessage("judge", judgeText(b, s.script.Judge != nil && s.script.Judge(r)), b.Model),
			b.Stream)
	case Side:
		return said(r, Step{Text: "a test"}, 0)
	case CountTokens:
		return Raw(http.StatusOK, `{"input_tokens":100}`)
	case Models:
		return Raw(http.StatusOK,
			`{"data":[{"type":"model","id":"claude-sonnet-4-6","display_name":"Scripted","created_at":"2026-01-01T00:00:00Z"}],"has_more":false,"first_id":"claude-sonnet-4-6","last_id":"claude-sonnet-4-6"}`)
	case Probe:
		return Answer{}
	}
	return Raw(http.StatusNotFound, ErrorBody("not_found_error", "llmtest has no "+r.Method+" "+r.Path))
}

// ErrorBody is the body of an error as Anthropic's API has it.
func ErrorBody(kind, message string) string {
	return encode(map[string]any{"type": "error", "request_id": "req_scripted",
		"error": map[string]any{"type": kind, "message": message}})
}

func (s *Server) classification(r Request) Answer {
	if s.script.Classifier == nil {
		return Raw(http.StatusInternalServerError, ErrorBody("api_error", "the script has no classifier"))
	}
	a := s.script.Classifier(r)
	if a.verdict == nil {
		return a
	}
	input := map[string]any{"thinking": "as the script says", "should_block": a.verdict.block,
		"reason": a.verdict.reason}
	model := decodeBody(r.Body).Model
	if r.isOpenAI() {
		a.Body = ResponsesBody(model, map[string]any{"type": "function_call", "id": "fc_1", "call_id": "call_1",
			"name": classifyTool, "arguments": encode(input), "status": "completed"})
	} else {
		a.Body = MessageBody(model, "tool_use", ToolUse("toolu_classify", classifyTool, input))
	}
	return a
}

// due returns the step that the conversation has come to: the one after the latest of which it holds a call.
func (s *Server) due(r Request) (Step, int) {
	next := 0
	for _, m := range s.heard(r) {
		var step int
		if _, err := fmt.Sscanf(m.id, "toolu_%d_", &step); err == nil && !m.result {
			next = max(next, step+1)
		}
	}
	if steps := s.steps(r); next < len(steps) {
		return steps[next], next
	}
	return Step{Text: "done"}, next
}

// steps are those of the conversation that a request belongs to.
func (s *Server) steps(r Request) []Step {
	for task, steps := range s.script.Asides {
		if bytes.Contains(r.Body, []byte(task)) && !s.calledWith(r, task) {
			return steps
		}
	}
	return s.script.Steps
}

// calledWith reports whether a request tells of a call of the script's whose arguments hold a text.
func (s *Server) calledWith(r Request, text string) bool {
	if r.vendor() == geminiContent {
		return geminiCalledWith(r.Body, text)
	}
	for i, step := range s.script.Steps {
		for _, c := range step.Calls {
			if strings.Contains(encode(c.Input), text) && bytes.Contains(r.Body, []byte(callID(i, c.Name)+`"`)) {
				return true
			}
		}
	}
	return false
}

// callID makes the id of a call. Ids are limited to letters, digits, "_" and "-".
func callID(step int, name string) string {
	return fmt.Sprintf("toolu_%d_%x", step, name)
}

// CallName returns the name of the call that has an id, such as an agent's
// hook or log has it; "" for one that no script made.
func CallName(id string) string {
	var step int
	var name []byte
	if _, err := fmt.Sscanf(id, "toolu_%d_%x", &step, &name); err != nil {
		return ""
	}
	return string(name)
}

func stepMessage(s Step, index int, model string) map[string]any {
	var content []map[string]any
	if s.Text != "" {
		content = append(content, Text(s.Text))
	}
	for _, c := range s.Calls {
		content = append(content, ToolUse(callID(index, c.Name), c.Tool, c.Input))
	}
	stop := "end_turn"
	if len(s.Calls) > 0 {
		stop = "tool_use"
	}
	return newMessage(fmt.Sprintf("msg_step_%d", index), model, stop, content...)
}

func textMessage(id, text, model string) map[string]any {
	return newMessage("msg_"+id, model, "end_turn", Text(text))
}

// judgeText is what Claude Code's judge is read from. It has two stages, of which the first stops before the closing
// tag and the second gives a reason, and asks for one of two tags: a severity from 0 to 100 (2.1.329 by default), or
// a plain yes or no.
func judgeText(b body, block bool) string {
	tag, answer := "block", "no"
	if b.mentions("<severity>") {
		tag, answer = "severity", "0"
	}
	if block {
		answer = map[string]string{"block": "yes", "severity": "100"}[tag]
	}
	text := "<" + tag + ">" + answer
	if len(b.Stop) > 0 {
		return text
	}
	text += "</" + tag + ">"
	if block {
		text += "<category>Scripted</category><reason>[Scripted] the script blocks it</reason>"
	}
	return text
}

// Text and ToolUse are content blocks of a message.
func Text(text string) map[string]any {
	return map[string]any{"type": "text", "text": text, "citations": nil}
}

// ToolUse is a call of a tool; see [Text].
func ToolUse(id, name string, input any) map[string]any {
	return map[string]any{"type": "tool_use", "id": id, "name": name, "input": input,
		"caller": map[string]any{"type": "direct"}}
}

// MessageBody is a whole answer of Anthropic's Messages API.
func MessageBody(model, stopReason string, content ...map[string]any) string {
	return encode(newMessage("msg_scripted", model, stopReason, content...))
}

func newMessage(id, model, stopReason string, content ...map[string]any) map[string]any {
	if content == nil {
		content = []map[string]any{}
	}
	return map[string]any{
		"id": id, "type": "message", "role": "assistant", "model": model, "content": content,
		"stop_reason": stopReason, "stop_sequence": nil, "stop_details": nil, "container": nil, "usage": usage(),
	}
}

func usage() map[string]any {
	return map[string]any{
		"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0,
		"cache_creation": map[string]any{"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
		"inference_geo":  nil, "output_tokens_details": nil, "server_tool_use": nil, "service_tier": "standard",
	}
}

// ResponsesBody is a whole answer of OpenAI's Responses API.
func ResponsesBody(model string, output ...map[string]any) string {
	return encode(map[string]any{
		"id": "resp_scripted", "object": "response", "created_at": 1700000000, "status": "completed",
		"error": nil, "incomplete_details": nil, "instructions": nil, "metadata": map[string]any{}, "model": model,
		"output": output, "parallel_tool_calls": false, "temperature": 1, "top_p": 1, "tools": []any{},
		"tool_choice": "auto",
		"usage": map[string]any{
			"input_tokens": 100, "input_tokens_details": map[string]any{"cached_tokens": 0, "cache_write_tokens": 0},
			"output_tokens": 20, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 120,
		},
	})
}

// messageAnswer sends a message whole, or as the events of a stream.
func messageAnswer(m map[string]any, stream bool) Answer {
	if !stream {
		return Raw(http.StatusOK, encode(m))
	}
	return Answer{Body: events(m),
		Header: map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-cache"}}
}

// events writes a message as server-sent events, in the order of the API.
func events(m map[string]any) string {
	var b strings.Builder
	emit := func(kind string, data map[string]any) {
		data["type"] = kind
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", kind, encode(data))
	}
	content := m["content"].([]map[string]any)
	emit("message_start", map[string]any{"message": opening(m)})
	emit("ping", map[string]any{})
	for i, part := range content {
		start, deltas := split(part)
		emit("content_block_start", map[string]any{"index": i, "content_block": start})
		for _, d := range deltas {
			emit("content_block_delta", map[string]any{"index": i, "delta": d})
		}
		emit("content_block_stop", map[string]any{"index": i})
	}
	emit("message_delta", map[string]any{"usage": deltaUsage(),
		"delta": map[string]any{"stop_reason": m["stop_reason"], "stop_sequence": nil, "stop_details": nil,
			"container": nil}})
	emit("message_stop", map[string]any{})
	return b.String()
}

func deltaUsage() map[string]any {
	u := usage()
	delete(u, "cache_creation")
	delete(u, "inference_geo")
	delete(u, "service_tier")
	return u
}

// opening is the message before anything of it has been said.
func opening(m map[string]any) map[string]any {
	out := maps.Clone(m)
	out["content"], out["stop_reason"] = []any{}, nil
	return out
}

// split turns a content block into its empty start and its deltas. Arguments
// come in two pieces, so that a client must join them.
func split(part map[string]any) (start map[string]any, deltas []map[string]any) {
	start = maps.Clone(part)
	if part["type"] == "text" {
		start["text"] = ""
		return start, []map[string]any{{"type": "text_delta", "text": part["text"]}}
	}
	start["input"] = map[string]any{}
	args := encode(part["input"])
	for _, piece := range []string{args[:len(args)/2], args[len(args)/2:]} {
		deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": piece})
	}
	return start, deltas
}

// encode writes values that the package or a test made up: one that is no JSON is a fault of the test.
func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("llmtest: " + err.Error())
	}
	return string(raw)
}
