package agent

import (
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/strict"
)

// PermissionRequest is the method that asks the editor.
const PermissionRequest = "session/request_permission"

// ACPMessage is one JSON-RPC message of the Agent Client Protocol, with what nod heeds of it; all else is "".
type ACPMessage struct {
	Method string          // "" for an answer
	ID     json.RawMessage // as it is written; nil without an id
	Params json.RawMessage
	// Session is the session that the message is about, Dir and Roots say where the session works.
	Session, Dir string
	Roots        []string
	Peer         string // what the agent calls itself, in the answer to initialize
	Prompt       string // what the person typed; files that come along are not their words
	// Call is the id of a tool call; Update is all that session/update says of it, with Title and Input in it.
	Call, Title   string
	Update, Input json.RawMessage
	Options       []ACPOption // of a permission request
}

// ReadACPMessage reads one line, as strictly as any payload. An error means that it has more
// than one reading, or is no message: it passes, and nothing is learned from it.
func ReadACPMessage(line []byte) (m ACPMessage, err error) {
	f, err := readPayload(line)
	if err != nil && (!errors.Is(err, strict.ErrHalf) || f.hint("method") == PermissionRequest) {
		return m, err // half a character ends a text that was cut; no call is decided on it
	}
	m.Method = f.optional("method")
	if id := f.nonNull("id"); id != nil {
		m.ID = id.value
	}
	if result := f.nonNull("result"); result != nil && result.value[0] == '{' {
		in, _ := f.asObject(result)
		info, _ := in.maybeChild("agentInfo")
		m.Session, m.Peer = in.optional("sessionId"), info.optional("name")
	}
	if params := f.nonNull("params"); params != nil && params.value[0] == '{' {
		in, raw := f.asObject(params)
		m.Session, m.Params = in.optional("sessionId"), raw
		m.readParams(in)
	}
	return m, *f.err
}

func (m *ACPMessage) readParams(in fields) {
	switch m.Method {
	case "session/new", "session/fork", "session/load", "session/resume":
		if m.Dir = in.optional("cwd"); !path.IsAbs(m.Dir) {
			m.Dir = ""
		}
		relative := func(dir string) bool { return !path.IsAbs(dir) }
		m.Roots = slices.DeleteFunc(in.texts("additionalDirectories"), relative)
	case "session/prompt":
		var texts []string
		for _, block := range in.list("prompt") {
			if block.hint("type") == "text" {
				texts = append(texts, block.text("text"))
			}
		}
		m.Prompt = strings.Join(texts, "\n")
	case "session/update":
		update, raw := in.child("update")
		if kind := update.word("sessionUpdate"); kind == "tool_call" || kind == "tool_call_update" {
			m.Call, m.Title, m.Update = update.word("toolCallId"), update.hint("title"), raw
			m.Input = update.returned("rawInput")
		}
	case PermissionRequest:
		for _, o := range in.list("options") {
			m.Options = append(m.Options, ACPOption{ID: o.text("optionId"), Kind: o.word("kind")})
		}
		call, _ := askedAbout(in)
		m.Call = call.word("toolCallId")
	}
}

// edited is a line whose params were changed; it stays as it is where it has another shape,
// or where edit reports false. What was read as JSON can be written as JSON.
func edited(line []byte, edit func(params map[string]json.RawMessage) bool) []byte {
	var msg, params map[string]json.RawMessage
	if json.Unmarshal(line, &msg) != nil || json.Unmarshal(msg["params"], &params) != nil || !edit(params) {
		return line
	}
	msg["params"], _ = json.Marshal(params)
	out, _ := json.Marshal(msg)
	return append(out, '\n')
}

// WithoutAlways takes the options of kind allow_always out of a permission request, since an
// agent that was told "always" does not ask again, and what it does not ask about no rule
// denies. The line stays as it is where no allow_once is offered beside them.
func WithoutAlways(line []byte) []byte {
	return edited(line, func(params map[string]json.RawMessage) bool {
		var options []json.RawMessage
		if json.Unmarshal(params["options"], &options) != nil {
			return false
		}
		once := false
		kept := slices.DeleteFunc(slices.Clone(options), func(raw json.RawMessage) bool {
			var option struct{ Kind string }
			err := json.Unmarshal(raw, &option)
			once = once || option.Kind == "allow_once"
			return err == nil && option.Kind == "allow_always"
		})
		params["options"], _ = json.Marshal(kept)
		return once && len(kept) < len(options)
	})
}

// Reason is what a person reads beside a question that goes on to the editor: why nod does
// not settle the call, and how to approve it elsewhere. "" where nod asks nothing.
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

// WithReason puts a text behind what the tool call of a permission request shows. What the call showed before stays,
// also where an earlier update said it, since what a request shows takes its place.
func (a ACP) WithReason(line []byte, text string) []byte {
	return edited(line, func(params map[string]json.RawMessage) bool {
		var call map[string]json.RawMessage
		if text == "" || json.Unmarshal(params["toolCall"], &call) != nil {
			return false
		}
		content := call["content"]
		for _, update := range slices.Backward(a.Earlier) {
			var earlier struct{ Content json.RawMessage }
			if content == nil && json.Unmarshal(update, &earlier) == nil {
				content = earlier.Content
			}
		}
		var parts []json.RawMessage
		if content != nil && json.Unmarshal(content, &parts) != nil {
			return false
		}
		parts = append(parts, json.RawMessage(`{"type":"content","content":{"type":"text","text":`+quoted(text)+`}}`))
		call["content"], _ = json.Marshal(parts)
		params["toolCall"], _ = json.Marshal(call)
		return true
	})
}
