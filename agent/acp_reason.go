package agent

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
)

// Reason is what a person reads beside a question that goes on to the editor:
// why nod does not settle the call, and how to approve it elsewhere. "" where
// nod asks nothing.
func (a ACP) Reason(d nod.Decision) string {
	if d.Verdict != nod.Ask {
		return ""
	}
	text := "nod asks: " + said(d.Reason)
	if d.Approvable.Key != "" && d.ID != "" {
		text += " | From a terminal: `nod approve " + shortID(d.ID) + "`, and have it tried again."
	}
	return printable.Line(text, 2*reasonLength)
}

// WithReason puts a text into a permission request: in version 1 behind what the
// tool call shows, in version 2 into the description. What the call showed
// before stays, also where an earlier update said it, since what a request shows
// takes its place. A line of another shape stays as it is.
func (a ACP) WithReason(line []byte, text string) []byte {
	var msg struct{ Params json.RawMessage }
	var params struct{ Subject, Description, ToolCall json.RawMessage }
	if text == "" || json.Unmarshal(line, &msg) != nil || json.Unmarshal(msg.Params, &params) != nil {
		return line
	}
	if params.ToolCall == nil && params.Subject != nil {
		return replaced(line, msg.Params,
			withMember(msg.Params, "description", params.Description, described(params.Description, text)))
	}
	var call struct{ Content json.RawMessage }
	if json.Unmarshal(params.ToolCall, &call) != nil {
		return line
	}
	return replaced(line, params.ToolCall,
		withMember(params.ToolCall, "content", call.Content, withText(a.contentBefore(call.Content), text)))
}

// replaced puts other text in the place of what stands in a line once.
func replaced(line, old, text []byte) []byte {
	if text == nil || bytes.Count(line, old) != 1 {
		return line
	}
	return bytes.Replace(line, old, text, 1)
}

// withMember sets a member of an object whose value is old, or that it has not
// got; nil where that cannot be told.
func withMember(object []byte, key string, old, value []byte) []byte {
	end := bytes.LastIndexByte(object, '}')
	switch {
	case value == nil || end < 0:
		return nil
	case old != nil && (bytes.Count(object, old) != 1 || string(old) == "null"):
		return nil
	case old != nil:
		return bytes.Replace(object, old, value, 1)
	}
	return slices.Concat(object[:end], []byte(","+quoted(key)+":"), value, object[end:])
}

// described is a description with a line more, nil where it is no text.
func described(old json.RawMessage, text string) []byte {
	if old == nil {
		return []byte(quoted(text))
	}
	var before string
	if json.Unmarshal(old, &before) != nil {
		return nil
	}
	return []byte(quoted(before + "\n\n" + text))
}

// withText is a list of content with a text more, nil where it is no list.
func withText(list json.RawMessage, text string) []byte {
	var content []json.RawMessage
	if json.Unmarshal(list, &content) != nil {
		return nil
	}
	block := []byte(`{"type":"content","content":{"type":"text","text":` + quoted(text) + `}}]`)
	if len(content) > 0 {
		block = append([]byte(","), block...)
	}
	return append(slices.Clone(list[:bytes.LastIndexByte(list, ']')]), block...)
}

// contentBefore is what the call shows now: by the request, else by the newest
// update before it.
func (a ACP) contentBefore(own json.RawMessage) json.RawMessage {
	isSet := func(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
	if isSet(own) {
		return own
	}
	for i := len(a.Earlier) - 1; i >= 0; i-- {
		var update struct{ Content json.RawMessage }
		if json.Unmarshal(a.Earlier[i], &update) == nil && isSet(update.Content) {
			return update.Content
		}
	}
	return json.RawMessage("[]")
}
