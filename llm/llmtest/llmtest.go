// Package llmtest is a scripted model on loopback: a coding agent or nod's classifier talks to it as to its vendor, and
// a test says what it answers. It plays three parts, told apart by what a request holds:
//
//   - The agent's model (Anthropic Messages, OpenAI Responses or chat completions, Gemini; streamed or whole). It plays
//     [Script.Steps]. Which step is due follows from the conversation in the request, so that a request that the agent
//     repeats gets the same answer.
//   - nod's classifier: a request that forces the tool classify_result, over Anthropic Messages or OpenAI Responses.
//     [Script.Classifier] answers it: [Allow], [Block], or any [Answer].
//   - The agent's own judge (Claude Code in auto mode with CLAUDE_CODE_AUTO_MODE_SERVER=0): [Script.Judge].
//
// A test points the agent at [Server.URL] and afterwards reads what arrived: [Server.Requests], and [Server.Result],
// which is what the model was told about one tool call.
//
//	srv := llmtest.NewServer(t, llmtest.Script{
//		Steps:      []llmtest.Step{{Calls: []llmtest.Call{llmtest.Bash("ls", "git status")}}, {Text: "done"}},
//		Classifier: func(llmtest.Request) llmtest.Answer { return llmtest.Block("no") },
//	})
//	cmd.Env = append(cmd.Env, "ANTHROPIC_BASE_URL="+srv.URL)
//	result, _ := srv.Result("ls")
//
// It checks no key and counts no tokens.
package llmtest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Script is what a server plays. The zero value says "done" to an agent and
// answers every classifier call with an error.
type Script struct {
	// Steps are the agent's model's turns, in order. After the last one the model says "done".
	Steps []Step
	// Asides are the turns of conversations of their own, as a sub-agent has, by a text that such a conversation holds
	// (its task). The conversation that starts it holds the text too, in the arguments of a call of Steps.
	Asides map[string][]Step
	// Classifier answers nod's side queries. It may be called from many
	// goroutines at once. nil: every such query gets status 500.
	Classifier func(Request) Answer
	// Judge answers the agent's own judge: true blocks. nil allows.
	Judge func(Request) bool
}

// Step is one turn of the agent's model. With Calls it stops for their results; without, Text ends the conversation.
type Step struct {
	Text  string
	Calls []Call
	// Before is called before the turn is answered, if it is set. It may wait
	// for something that the agent does meanwhile.
	Before func()
}

// Call is one tool call that the model makes.
type Call struct {
	// Name is the test's own name for the call, unique in a script; the agent sees it within the call's id.
	Name string
	// Tool is the agent's name of the tool, Input its arguments.
	Tool  string
	Input map[string]any
	// Namespace is the group that a tool is in, on OpenAI's Responses.
	Namespace string
}

// Bash is a call of Claude Code's shell tool.
func Bash(name, command string) Call {
	return Call{Name: name, Tool: "Bash", Input: map[string]any{"command": command, "description": "a step of a test"}}
}

// Write is a call of Claude Code's tool that writes a whole file.
func Write(name, path, content string) Call {
	return Call{Name: name, Tool: "Write", Input: map[string]any{"file_path": path, "content": content}}
}

// Kind says what a request was taken for.
type Kind string

// The kinds. Side is an agent's request that offers no tools and that no part
// above covers, such as the wish for a title.
const (
	Turn        Kind = "turn"       // the agent's model must go on
	Classifier  Kind = "classifier" // nod asks whether a call may run
	Judge       Kind = "judge"      // the agent's own judge asks
	Side        Kind = "side"
	CountTokens Kind = "count_tokens"
	Models      Kind = "models"
	Probe       Kind = "probe" // HEAD or GET of the root
	Other       Kind = "other" // anything else: answered with status 404
)

// Request is one request as it arrived.
type Request struct {
	Kind   Kind
	Method string
	Path   string
	Header http.Header
	Body   []byte
}

// Text returns the user's part of a classifier query: what the model is told
// about the call. It is empty for other kinds.
func (r Request) Text() string {
	if r.Kind != Classifier {
		return ""
	}
	b := decodeBody(r.Body)
	parts := []string{plainText(b.Input)}
	for _, m := range b.Messages {
		parts = append(parts, plainText(m.Content))
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// Server is a scripted model. It is safe for concurrent use.
type Server struct {
	// URL is the address for an agent's base URL, without a path. For OpenAI add "/v1".
	URL    string
	script Script

	mu       sync.Mutex
	requests []Request
}

// NewServer starts a model on loopback, which lives until the test ends.
func NewServer(t testing.TB, script Script) *Server {
	t.Helper()
	s := &Server{script: script}
	h := httptest.NewServer(s)
	s.URL = h.URL
	t.Cleanup(func() {
		h.CloseClientConnections() // also a connection that hangs
		h.Close()
	})
	return s
}

// ServeHTTP records the request and answers it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	req := Request{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	req.Kind = kindOf(req)
	s.mu.Lock()
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	s.answer(req).send(w)
}

// Requests returns what arrived so far, oldest first, of the given kinds, or of all.
func (s *Server) Requests(kinds ...Kind) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Request
	for _, r := range s.requests {
		if len(kinds) == 0 || slices.Contains(kinds, r.Kind) {
			out = append(out, r)
		}
	}
	return out
}

// Result returns what the agent told its model about the call of that name. The
// second result is false where it was never told anything.
func (s *Server) Result(name string) (text string, told bool) {
	turns := s.Requests(Turn)
	for i := len(turns) - 1; i >= 0; i-- {
		for _, m := range s.heard(turns[i]) {
			if m.result && CallName(m.id) == name {
				return m.text, true
			}
		}
	}
	return "", false
}

// body holds what the server looks at in a request.
type body struct {
	Model      string
	Stream     bool
	Tools      []json.RawMessage
	ToolChoice json.RawMessage `json:"tool_choice"` // an object, or a word such as "auto"
	Stop       []string        `json:"stop_sequences"`
	Messages   []block
	Contents   []block // Gemini's messages
	Input      json.RawMessage
}

// block is a message, a part of a message, or an item of OpenAI's Responses.
type block struct {
	Type       string
	Role       string
	Text       string
	ID         string
	CallID     string `json:"call_id"`
	ToolUseID  string `json:"tool_use_id"`
	ToolCallID string `json:"tool_call_id"`
	Content    json.RawMessage
	Output     json.RawMessage
	ToolCalls  []block `json:"tool_calls"`
	// Parts of a message of Gemini's, and what they may be.
	Parts            []block
	FunctionCall     *struct{ Args json.RawMessage }
	FunctionResponse *struct{ Response map[string]any }
}

// decodeBody is lenient: what it cannot read stays empty.
func decodeBody(raw []byte) body {
	var b body
	_ = json.Unmarshal(raw, &b)
	return b
}

// blocks reads a message's content, which may be a plain string.
func blocks(raw json.RawMessage) []block {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []block{{Type: "text", Text: text}}
	}
	var list []block
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

func plainText(raw json.RawMessage) string {
	var parts []string
	for _, b := range blocks(raw) {
		if b.Text != "" {
			parts = append(parts, b.Text)
		} else if len(b.Content) > 0 {
			parts = append(parts, plainText(b.Content))
		}
	}
	return strings.Join(parts, "\n")
}

func kindOf(r Request) Kind {
	switch {
	case strings.HasSuffix(r.Path, "/count_tokens"):
		return CountTokens
	case strings.Contains(r.Path, "/v1/models"):
		return Models
	case r.Path == "/" && (r.Method == http.MethodHead || r.Method == http.MethodGet):
		return Probe
	case r.Method != http.MethodPost:
		return Other
	case r.vendor() != "messages", strings.HasSuffix(r.Path, "/v1/messages"):
		return kindOfQuery(r)
	}
	return Other
}

func kindOfQuery(r Request) Kind {
	b := decodeBody(r.Body)
	var forced struct{ Name string }
	_ = json.Unmarshal(b.ToolChoice, &forced)
	switch {
	case forced.Name == classifyTool:
		return Classifier
	case len(b.Tools) > 0:
		return Turn
	case slices.Contains(b.Stop, "</block>"), slices.Contains(b.Stop, "</severity>"), b.mentions("<block>"),
		b.mentions("<severity>"):
		return Judge // Claude Code 2.1.329; its second stage has no stop sequence
	}
	return Side
}

// mentions reports whether the last message, which is where a judge is told how to answer, holds a text.
func (b body) mentions(text string) bool {
	return len(b.Messages) > 0 && strings.Contains(plainText(b.Messages[len(b.Messages)-1].Content), text)
}

// classifyTool is the tool that nod forces. It is spelled out here, since the
// server judges what nod sends rather than sharing its constant.
const classifyTool = "classify_result"

// Answer is what goes back for one request. The zero value is an empty body with status 200.
type Answer struct {
	Status int // 0 means 200
	Header map[string]string
	Body   string

	verdict map[string]any // encoded in the dialect of the request
}

// Allow is a well-formed classification that lets the call run.
func Allow(reason string) Answer { return classified(false, reason) }

// Block is a well-formed classification that does not.
func Block(reason string) Answer { return classified(true, reason) }

func classified(block bool, reason string) Answer {
	return Answer{verdict: map[string]any{"thinking": "as the script says", "should_block": block, "reason": reason}}
}

func (a Answer) send(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("request-id", "req_scripted")
	for k, v := range a.Header {
		w.Header().Set(k, v)
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
	}
	io.WriteString(w, a.Body)
}
