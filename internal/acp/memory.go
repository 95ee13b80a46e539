package acp

import (
	"encoding/json"
	"iter"
	"slices"
	"sync"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/transcript"
)

// Bounds of what is remembered.
const (
	maxSessions = 64
	maxStarts   = 64
	maxTurns    = 256
	maxText     = 4 << 10 // of one turn
	maxCalls    = 128     // of one session
	maxUpdates  = 32      // of one call
	maxUpdate   = 256 << 10
)

// memory is what was learned from the messages that passed. It is safe for
// concurrent use.
type memory struct {
	mu         sync.Mutex
	initialize string // id of the editor's request
	peer       string
	starts     map[string]agent.ACPSession // requests that will name a session
	sessions   map[string]*conversation
	order      []string // session ids, oldest first
}

// conversation is one session.
type conversation struct {
	dir   string
	roots []string
	turns []turn // oldest first
	// opening is what the person said first; nil until then, and in a session
	// that began before.
	opening *transcript.Turn
	loaded  bool
	calls   map[string][][]byte // what updates said of a tool call, oldest first
	order   []string            // call ids, oldest first
}

type turn struct {
	transcript.Turn
	message string // of a message in chunks
	call    string // of a tool call
}

func newMemory() *memory {
	return &memory{starts: map[string]agent.ACPSession{}, sessions: map[string]*conversation{}}
}

// fromEditor learns from a message of the editor's.
func (m *memory) fromEditor(msg agent.ACPMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch msg.Method {
	case "initialize":
		m.initialize = string(msg.ID)
	case "session/new", "session/fork":
		if s, err := agent.ReadACPSession(msg.Params); err == nil && msg.ID != nil && len(m.starts) < maxStarts {
			m.starts[string(msg.ID)] = s
		}
	case "session/load", "session/resume":
		if s, err := agent.ReadACPSession(msg.Params); err == nil {
			m.begin(s.ID, s)
			if c := m.sessions[s.ID]; c != nil {
				c.loaded = true
			}
		}
	case "session/prompt":
		if id, text, err := agent.ReadACPPrompt(msg.Params); err == nil {
			if c := m.sessions[id]; c != nil {
				c.typed(text)
			}
		}
	case "session/close", "session/delete":
		m.end(agent.ReadACPSessionID(msg.Params))
	}
}

// fromAgent learns from a message of the agent's.
func (m *memory) fromAgent(msg agent.ACPMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case msg.Method == "session/update":
		if u, err := agent.ReadACPUpdate(msg.Params); err == nil {
			if c := m.sessions[u.Session]; c != nil {
				c.update(u)
			}
		}
	case msg.Method != "" || msg.ID == nil:
	case string(msg.ID) == m.initialize && m.peer == "" && msg.Result != nil:
		m.peer, _ = agent.ReadACPPeer(msg.Result)
	default:
		start, asked := m.starts[string(msg.ID)]
		if !asked {
			return
		}
		delete(m.starts, string(msg.ID))
		if s, err := agent.ReadACPSession(msg.Result); err == nil {
			m.begin(s.ID, start)
		}
	}
}

// begin remembers a session; the oldest gives way.
func (m *memory) begin(id string, s agent.ACPSession) {
	if id == "" || s.Dir == "" {
		return
	}
	m.end(id)
	if len(m.order) == maxSessions {
		m.end(m.order[0])
	}
	m.sessions[id] = &conversation{dir: s.Dir, roots: s.Roots, calls: map[string][][]byte{}}
	m.order = append(m.order, id)
}

func (m *memory) end(id string) {
	delete(m.sessions, id)
	m.order = slices.DeleteFunc(m.order, func(s string) bool { return s == id })
}

// adapter returns the adapter for one permission request.
func (m *memory) adapter(program, session, callID string, options []agent.ACPOption) agent.ACP {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := agent.ACP{Program: program, Peer: m.peer, Options: options}
	c := m.sessions[session]
	if c == nil {
		return a
	}
	a.Dir, a.Roots, a.Opening = c.dir, slices.Clone(c.roots), c.opening
	a.Earlier = slices.Clone(c.calls[callID])
	turns := slices.Clone(c.turns)
	a.Turns = func(except string) iter.Seq2[transcript.Turn, error] { return newestFirst(turns, except) }
	return a
}

func newestFirst(turns []turn, except string) iter.Seq2[transcript.Turn, error] {
	return func(yield func(transcript.Turn, error) bool) {
		for _, t := range slices.Backward(turns) {
			if (t.call == "" || t.call != except) && !yield(t.Turn, nil) {
				return
			}
		}
	}
}

func (c *conversation) add(t turn) {
	t.Text = t.Text[:min(len(t.Text), maxText)]
	if len(c.turns) >= maxTurns {
		c.turns = slices.Delete(c.turns, c.oldest(), c.oldest()+1)
	}
	c.turns = append(c.turns, t)
}

// oldest is the turn that is forgotten next: the oldest that is none of the
// person's, since no number of calls may push out what they forbade; only where
// they alone fill the memory, their oldest.
func (c *conversation) oldest() int {
	return max(0, slices.IndexFunc(c.turns, func(t turn) bool { return t.Origin != transcript.Person }))
}

// typed adds what the person said.
func (c *conversation) typed(text string) {
	said := transcript.Turn{Origin: transcript.Person, Text: text[:min(len(text), maxText)]}
	if c.opening == nil && !c.loaded {
		c.opening = &said
	}
	c.add(turn{Turn: said})
}

// update learns from one session/update. What the person is said to have
// written comes from the agent here, when it plays a session again: it is not
// taken for theirs.
func (c *conversation) update(u agent.ACPUpdate) {
	switch u.Kind {
	case "agent_message_chunk":
		c.chunk(u)
	case "tool_call", "tool_call_update":
		c.learn(u)
		c.called(u)
	}
}

// chunk adds to the message that is being said.
func (c *conversation) chunk(u agent.ACPUpdate) {
	if n := len(c.turns); n > 0 {
		if last := &c.turns[n-1]; last.Origin == transcript.Agent && last.call == "" && last.message == u.Message {
			last.Text += u.Text[:min(len(u.Text), maxText-len(last.Text))]
			return
		}
	}
	if u.Text != "" {
		c.add(turn{Turn: transcript.Turn{Origin: transcript.Agent, Text: u.Text}, message: u.Message})
	}
}

// called makes a turn of a tool call, and fills it in as more is known.
func (c *conversation) called(u agent.ACPUpdate) {
	i := slices.IndexFunc(c.turns, func(t turn) bool { return t.call == u.Call })
	if i < 0 {
		c.add(turn{Turn: transcript.Turn{Origin: transcript.Agent, Tool: "tool call"}, call: u.Call})
		i = len(c.turns) - 1
	}
	t := &c.turns[i]
	if u.Title != "" {
		t.Tool = u.Title[:min(len(u.Title), maxText)]
	}
	if u.Input != nil && len(u.Input) <= maxText {
		t.Input = json.RawMessage(slices.Clone(u.Input))
	}
}

// learn keeps what was said of a call. What is too much to keep leaves a mark
// that cannot be read, so that the call counts as not wholly known.
func (c *conversation) learn(u agent.ACPUpdate) {
	known, there := c.calls[u.Call]
	if !there {
		if len(c.order) == maxCalls {
			delete(c.calls, c.order[0])
			c.order = slices.Delete(c.order, 0, 1)
		}
		c.order = append(c.order, u.Call)
	}
	switch {
	case len(known) > maxUpdates:
	case len(known) == maxUpdates, len(u.Raw) > maxUpdate:
		known = append(known, []byte("too much"))
	default:
		known = append(known, slices.Clone(u.Raw))
	}
	c.calls[u.Call] = known
}
