package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// vendor is an API in which an agent asks its model. A script is played the same in each.
type vendor uint8

const (
	anthropicMessages vendor = iota
	openAIResponses
	openAIChat
	geminiContent
)

func (r Request) vendor() vendor {
	switch {
	case strings.HasSuffix(r.Path, "/responses"):
		return openAIResponses
	case strings.HasSuffix(r.Path, "/chat/completions"):
		return openAIChat
	case strings.HasSuffix(r.Path, ":generateContent"), strings.HasSuffix(r.Path, ":streamGenerateContent"):
		return geminiContent
	}
	return anthropicMessages
}

// spoken is one event of the script's that a request tells of: a call that
// the model made (id only), or what the agent said became of it.
type spoken struct {
	id      string
	result  bool
	text    string
	isError bool
}

// heard reads what a request tells of the script, oldest first.
func (s *Server) heard(r Request) (all []spoken) {
	if r.vendor() == geminiContent {
		return heardGemini(r.Body, s.steps(r))
	}
	b := decodeBody(r.Body)
	for _, m := range append(b.Messages, blocks(b.Input)...) {
		all = append(all, m.spoken()...)
		for _, part := range blocks(m.Content) {
			all = append(all, part.spoken()...)
		}
	}
	return all
}

// spoken is what a message, or a part of one, tells.
func (b block) spoken() (all []spoken) {
	switch b.Type {
	case "tool_use":
		return []spoken{{id: b.ID}}
	case "tool_result":
		return []spoken{{id: b.ToolUseID, result: true, text: plainText(b.Content), isError: b.IsError}}
	case "function_call", "custom_tool_call":
		return []spoken{{id: b.CallID}}
	case "function_call_output", "custom_tool_call_output":
		return []spoken{{id: b.CallID, result: true, text: plainText(b.Output)}}
	}
	for _, c := range b.ToolCalls {
		all = append(all, spoken{id: c.ID})
	}
	if b.Role == "tool" {
		all = append(all, spoken{id: b.ToolCallID, result: true, text: plainText(b.Content)})
	}
	return all
}

// geminiPart is a part of a message of Gemini's.
type geminiPart struct {
	FunctionCall     *struct{ Args json.RawMessage }
	FunctionResponse *struct{ Response map[string]any }
}

func geminiMessages(raw []byte) (all [][]geminiPart) {
	var b struct {
		Contents []struct{ Parts []geminiPart }
	}
	_ = json.Unmarshal(raw, &b)
	for _, c := range b.Contents {
		all = append(all, c.Parts)
	}
	return all
}

// heardGemini counts, since ids are the agent's own there: the n-th message of the model that holds calls is the n-th
// step.
func heardGemini(raw []byte, steps []Step) (all []spoken) {
	step, answered := -1, 0
	for _, parts := range geminiMessages(raw) {
		called := 0
		for _, p := range parts {
			switch {
			case p.FunctionCall != nil:
				if called == 0 {
					step, answered = step+1, 0
				}
				all = append(all, spoken{id: idAt(steps, step, called)})
				called++
			case p.FunctionResponse != nil:
				_, failed := p.FunctionResponse.Response["error"]
				all = append(all, spoken{id: idAt(steps, step, answered), result: true,
					text: encode(p.FunctionResponse.Response), isError: failed})
				answered++
			}
		}
	}
	return all
}

// geminiCalledWith reports whether a conversation holds a call whose arguments hold a text; there are no ids to tell
// it by.
func geminiCalledWith(raw []byte, text string) bool {
	for _, parts := range geminiMessages(raw) {
		for _, p := range parts {
			if p.FunctionCall != nil && strings.Contains(string(p.FunctionCall.Args), text) {
				return true
			}
		}
	}
	return false
}

func idAt(steps []Step, step, call int) string {
	if step < 0 || step >= len(steps) || call >= len(steps[step].Calls) {
		return ""
	}
	return callID(step, steps[step].Calls[call].Name)
}

func said(r Request, s Step, index int) Answer {
	b := decodeBody(r.Body)
	switch r.vendor() {
	case openAIResponses:
		return responsesAnswer(s, index, b)
	case openAIChat:
		return chatAnswer(s, index, b)
	case geminiContent:
		return geminiAnswer(s, strings.HasSuffix(r.Path, ":streamGenerateContent"))
	}
	return messageAnswer(stepMessage(s, index, b.Model), b.Stream)
}

func stream(chunks []string, last string) Answer {
	var b strings.Builder
	for _, c := range chunks {
		fmt.Fprintf(&b, "data: %s\n\n", c)
	}
	b.WriteString(last)
	return Answer{Body: b.String(),
		Header: map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-cache"}}
}

// responsesAnswer is OpenAI's Responses. A call whose input is one text under [Freeform] is a custom tool's.
func responsesAnswer(s Step, index int, b body) Answer {
	var output []map[string]any
	if s.Text != "" {
		output = append(output, map[string]any{"type": "message", "id": fmt.Sprintf("msg_%d", index),
			"role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": s.Text, "annotations": []any{},
				"logprobs": []any{}}}})
	}
	for _, c := range s.Calls {
		id := callID(index, c.Name)
		if text, custom := c.Input[Freeform]; custom {
			output = append(output, map[string]any{"type": "custom_tool_call", "id": "ctc_" + id, "call_id": id,
				"name": c.Tool, "input": text, "status": "completed"})
			continue
		}
		item := map[string]any{"type": "function_call", "id": "fc_" + id, "call_id": id, "name": c.Tool,
			"arguments": encode(c.Input), "status": "completed"}
		if c.Namespace != "" {
			item["namespace"] = c.Namespace
		}
		output = append(output, item)
	}
	whole := ResponsesBody(b.Model, output...)
	if !b.Stream {
		return Raw(http.StatusOK, whole)
	}
	chunks := []string{`{"type":"response.created","sequence_number":0,"response":` + ResponsesBody(b.Model) + `}`}
	for i, item := range output {
		for _, kind := range []string{"added", "done"} {
			chunks = append(chunks, encode(map[string]any{"type": "response.output_item." + kind,
				"sequence_number": len(chunks), "output_index": i, "item": item}))
		}
	}
	return stream(append(chunks,
		fmt.Sprintf(`{"type":"response.completed","sequence_number":%d,"response":%s}`, len(chunks), whole)), "")
}

func chatAnswer(s Step, index int, b body) Answer {
	message := map[string]any{"role": "assistant", "content": s.Text}
	finish := "stop"
	var calls []map[string]any
	for i, c := range s.Calls {
		finish = "tool_calls"
		call := map[string]any{"index": i, "id": callID(index, c.Name), "type": "function"}
		if text, custom := c.Input[Freeform]; custom {
			call["type"], call["custom"] = "custom", map[string]any{"name": c.Tool, "input": text}
		} else {
			call["function"] = map[string]any{"name": c.Tool, "arguments": encode(c.Input)}
		}
		calls = append(calls, call)
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	usage := map[string]any{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
	chunk := func(kind string, choice map[string]any) string {
		return encode(map[string]any{"id": "chatcmpl-scripted", "object": kind, "created": 1700000000, "model": b.Model,
			"usage": usage, "choices": []any{choice}})
	}
	if !b.Stream {
		return Raw(http.StatusOK, chunk("chat.completion",
			map[string]any{"index": 0, "message": message, "finish_reason": finish, "logprobs": nil}))
	}
	return stream([]string{
		chunk("chat.completion.chunk", map[string]any{"index": 0, "delta": message, "finish_reason": nil}),
		chunk("chat.completion.chunk", map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish}),
	}, "data: [DONE]\n\n")
}

func geminiAnswer(s Step, streamed bool) Answer {
	var parts []any
	if s.Text != "" {
		parts = append(parts, map[string]any{"text": s.Text})
	}
	for _, c := range s.Calls {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"name": c.Tool, "args": c.Input}})
	}
	body := encode(map[string]any{
		"candidates": []any{map[string]any{"index": 0, "finishReason": "STOP",
			"content": map[string]any{"role": "model", "parts": parts}}},
		"usageMetadata": map[string]any{"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120},
		"modelVersion":  "scripted", "responseId": "scripted",
	})
	if !streamed {
		return Raw(http.StatusOK, body)
	}
	return stream([]string{body}, "")
}
