package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
)

// ACPMessage is one JSON-RPC message of the Agent Client Protocol, read as
// strictly as any payload. Its values share the line's memory.
type ACPMessage struct {
	Method         string // "" for an answer
	ID             json.RawMessage
	Params, Result json.RawMessage
}

// ReadACPMessage reads one line. An error means that it has more than one
// reading, or is no message: it passes, and nothing is learned from it.
func ReadACPMessage(line []byte) (ACPMessage, error) {
	top, err := readPayload(line)
	if errors.Is(err, errHalf) { // the end of a text that was cut; no call is decided on it
		if top, err = readReport(line); err == nil && top.hint("method") == "session/request_permission" {
			err = badInput(errHalf)
		}
	}
	if err != nil {
		return ACPMessage{}, err
	}
	f := fieldsOf(top, &err)
	m := ACPMessage{Method: f.optional("method")}
	for key, to := range map[string]*json.RawMessage{"id": &m.ID, "params": &m.Params, "result": &m.Result} {
		if v := f.nonNull(key); v != nil {
			*to = v.value
		}
	}
	return m, err
}

// ACPSession is what the messages around a session say of it.
type ACPSession struct {
	ID    string
	Dir   string
	Roots []string
}

// ReadACPSession reads the params of session/new, load, resume or fork, or the
// result of the first, which holds the id.
func ReadACPSession(raw []byte) (s ACPSession, err error) {
	f := reportOf(raw, &err)
	s = ACPSession{ID: f.optional("sessionId"), Dir: f.optional("cwd")}
	if s.Dir != "" && !path.IsAbs(s.Dir) {
		s.Dir = ""
	}
	for _, dir := range (fields{object: f.object, err: new(error)}).texts("additionalDirectories") {
		if path.IsAbs(dir) {
			s.Roots = append(s.Roots, dir)
		}
	}
	return s, err
}

// ReadACPPeer reads what the agent calls itself from the result of
// initialize.
func ReadACPPeer(result []byte) (name string, err error) {
	f := reportOf(result, &err)
	key := "agentInfo"
	if f.nonNull(key) == nil {
		key = "info" // version 2
	}
	if in, raw := f.maybeChild(key); raw != nil {
		name = in.optional("name")
	}
	return name, err
}

// ReadACPPrompt reads session/prompt: the session, and what the person typed.
// Files and pages that come along are not their words.
func ReadACPPrompt(params []byte) (session, text string, err error) {
	f := reportOf(params, &err)
	var texts []string
	session = f.word("sessionId")
	for _, block := range f.list("prompt") {
		if block.hint("type") == "text" {
			texts = append(texts, block.text("text"))
		}
	}
	return session, strings.Join(texts, "\n"), err
}

// ACPUpdate is one session/update.
type ACPUpdate struct {
	Session, Kind string
	Text          string          // of a message chunk
	Message       string          // id of the message that a chunk belongs to, if any
	Call          string          // id of a tool call
	Title         string          // of a tool call
	Raw           json.RawMessage // the update, of a tool call
	Input         json.RawMessage // its rawInput, nil where it has none
}

// ReadACPUpdate reads the params of session/update.
func ReadACPUpdate(params []byte) (u ACPUpdate, err error) {
	f := reportOf(params, &err)
	u = ACPUpdate{Session: f.word("sessionId")}
	in, raw := f.child("update")
	u.Kind = in.word("sessionUpdate")
	switch u.Kind {
	case "agent_message_chunk":
		block, content := in.child("content")
		if content != nil && block.hint("type") == "text" {
			u.Text, u.Message = block.hint("text"), in.hint("messageId")
		}
	case "tool_call", "tool_call_update":
		u.Call, u.Title, u.Raw = in.word("toolCallId"), in.hint("title"), raw
		if m := in.nonNull("rawInput"); m != nil {
			u.Input = m.value
		}
	}
	return u, err
}

// ReadACPSessionID reads the session that any params name, "" for none.
func ReadACPSessionID(params []byte) string {
	var err error
	return reportOf(params, &err).hint("sessionId")
}

// reportOf reads what only reports, as [readReport] does. Where it cannot be read, all of
// it reads as zero.
func reportOf(text []byte, err *error) fields {
	var top object
	top, *err = readReport(text)
	return fieldsOf(top, err)
}

// ReadACPRequest reads of a permission request what surrounds the call: its
// session, the id of the call, "" where there is none, and the options.
func ReadACPRequest(params []byte) (session, call string, options []ACPOption, err error) {
	top, err := readPayload(params)
	if err != nil {
		return "", "", nil, err
	}
	f := fieldsOf(top, &err)
	session = f.word("sessionId")
	for _, o := range f.list("options") {
		options = append(options, ACPOption{ID: o.text("optionId"), Kind: o.word("kind")})
	}
	if m := f.nonNull("toolCall"); m != nil && m.value[0] == '{' {
		in, _ := f.asObject(m)
		call = in.hint("toolCallId")
	} else if m := f.nonNull("subject"); m != nil && m.value[0] == '{' {
		in, _ := f.asObject(m)
		if inner, raw := in.maybeChild("toolCall"); raw != nil {
			call = inner.hint("toolCallId")
		}
	}
	if err == nil && len(options) == 0 {
		err = badInput(fmt.Errorf("it offers no options"))
	}
	return session, call, options, err
}

// spliced is a JSON object with another value of a key, or of a key further below; a
// key that it has not got is added. nil where that cannot be told. All else stays as it
// is written.
func spliced(text, value []byte, key string, below ...string) []byte {
	o, err := readLoosely(text)
	if err != nil {
		return nil
	}
	m, err := o.find(key)
	switch {
	case err != nil, value == nil, m == nil && len(below) > 0:
		return nil
	case m == nil:
		end := strings.LastIndexByte(string(text), '}')
		return slices.Concat(text[:end], []byte(","+quoted(key)+":"), value, text[end:])
	case len(below) > 0:
		if value = spliced(m.value, value, below[0], below[1:]...); value == nil {
			return nil
		}
	}
	return slices.Concat(text[:m.at], value, text[m.at+len(m.value):])
}

// or is the first of two texts that is one.
func or(text, other []byte) []byte {
	if text == nil {
		return other
	}
	return text
}

// WithoutAlways takes the options of kind allow_always out of a permission
// request, since an agent that was told "always" does not ask again, and what
// it does not ask about no rule denies. The line stays as it is where no
// allow_once is offered beside them, or where it cannot be read.
func WithoutAlways(line []byte) []byte {
	var msg struct {
		Params struct{ Options []json.RawMessage }
	}
	if json.Unmarshal(line, &msg) != nil {
		return line
	}
	options := msg.Params.Options
	once := false
	kept := slices.DeleteFunc(slices.Clone(options), func(raw json.RawMessage) bool {
		var option struct{ Kind string }
		err := json.Unmarshal(raw, &option)
		once = once || option.Kind == "allow_once"
		return err == nil && option.Kind == "allow_always"
	})
	list, err := json.Marshal(kept)
	if err != nil || !once || len(kept) == len(options) {
		return line
	}
	return or(spliced(line, list, "params", "options"), line)
}

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
	type shown struct{ Content json.RawMessage }
	var msg struct {
		Params struct {
			Subject, Description json.RawMessage
			ToolCall             *shown
		}
	}
	if text == "" || json.Unmarshal(line, &msg) != nil {
		return line
	}
	params := msg.Params
	if params.ToolCall == nil {
		var before string
		if params.Subject == nil || params.Description != nil && json.Unmarshal(params.Description, &before) != nil {
			return line
		}
		text = strings.TrimPrefix(before+"\n\n"+text, "\n\n")
		return or(spliced(line, []byte(quoted(text)), "params", "description"), line)
	}
	content := params.ToolCall.Content
	for _, update := range slices.Backward(a.Earlier) {
		var earlier shown
		if content == nil && json.Unmarshal(update, &earlier) == nil {
			content = earlier.Content
		}
	}
	var parts []json.RawMessage
	if content != nil && json.Unmarshal(content, &parts) != nil {
		return line
	}
	list, err := json.Marshal(append(parts, json.RawMessage(`{"type":"content","content":{"type":"text","text":`+
		quoted(text)+`}}`)))
	if err != nil {
		return line
	}
	return or(spliced(line, list, "params", "toolCall", "content"), line)
}
