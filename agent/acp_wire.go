package agent

import (
	"encoding/json"
	"errors"
	"path"
	"strings"
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
func ReadACPSession(raw []byte) (ACPSession, error) {
	top, err := readReport(raw)
	if err != nil {
		return ACPSession{}, err
	}
	f := fieldsOf(top, &err)
	s := ACPSession{ID: f.optional("sessionId"), Dir: f.optional("cwd")}
	if s.Dir != "" && !path.IsAbs(s.Dir) {
		s.Dir = ""
	}
	if m := f.nonNull("additionalDirectories"); m != nil && m.value[0] == '[' {
		for _, p := range parts(m.value) {
			if p.value[0] == '"' {
				if dir := unescape(p.value[1 : len(p.value)-1]); path.IsAbs(dir) {
					s.Roots = append(s.Roots, dir)
				}
			}
		}
	}
	return s, err
}

// ReadACPPeer reads what the agent calls itself from the result of
// initialize.
func ReadACPPeer(result []byte) (name, version string, err error) {
	top, err := readPayload(result)
	if err != nil {
		return "", "", err
	}
	f := fieldsOf(top, &err)
	key := "agentInfo"
	if f.nonNull(key) == nil {
		key = "info" // version 2
	}
	if in, raw := f.maybeChild(key); raw != nil {
		name, version = in.optional("name"), in.optional("version")
	}
	return name, version, err
}

// ReadACPPrompt reads session/prompt: the session, and what the person typed.
// Files and pages that come along are not their words.
func ReadACPPrompt(params []byte) (session, text string, err error) {
	top, err := readReport(params)
	if err != nil {
		return "", "", err
	}
	f := fieldsOf(top, &err)
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
func ReadACPUpdate(params []byte) (ACPUpdate, error) {
	top, err := readReport(params)
	if err != nil {
		return ACPUpdate{}, err
	}
	f := fieldsOf(top, &err)
	u := ACPUpdate{Session: f.word("sessionId")}
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
	top, err := readReport(params)
	if err != nil {
		return ""
	}
	return top.hint("sessionId")
}
