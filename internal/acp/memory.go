package acp

import (
	"encoding/json"
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

// memory is what was learned from the messages that passed. It is safe for concurrent use.
type memory struct {
	mu         sync.Mutex
	initialize string // id of the editor's request
	peer       string
	starts     map[string]agent.ACPMessage // requests that will name a session
	sessions   map[string]*conversation
	order      []string // session ids, oldest first
}

// conversation is one session.
type conversation struct {
	dir   string
	roots []string
	turns []transcript.Turn // oldest first: what the person typed, and the calls
	// opening is what the person said first; nil until then, and in a session that began before.
	opening *transcript.Turn
	loaded  bool
	calls   map[string][][]byte // what updates said of a tool call, oldest first
	order   []string            // call ids, oldest first
}

// fromEditor learns from a message of the editor's.
func (m *memory) fromEditor(msg agent.ACPMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch msg.Method {
	case "initialize":
		m.initialize = string(msg.ID)
	case "session/new", "session/fork":
		if msg.ID != nil && len(m.starts) < maxStarts {
			m.starts[string(msg.ID)] = msg
		}
	case "session/load", "session/resume":
		m.begin(msg.Session, msg)
		if c := m.sessions[msg.Session]; c != nil {
			c.loaded = true
		}
	case "session/prompt":
		if c := m.sessions[msg.Session]; c != nil && msg.Prompt != "" {
			c.typed(msg.Prompt)
		}
	case "session/close", "session/delete":
		m.end(msg.Session)
	}
}

// fromAgent learns from a message of the agent's. What the person is said to have written
// comes from the agent here, when it plays a session again: it is not taken for theirs.
func (m *memory) fromAgent(msg agent.ACPMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case msg.Update != nil:
		if c := m.sessions[msg.Session]; c != nil {
			c.learn(msg)
			c.called(msg)
		}
	case msg.Method != "" || msg.ID == nil:
	case string(msg.ID) == m.initialize && m.peer == "":
		m.peer = msg.Peer
	default:
		if start, asked := m.starts[string(msg.ID)]; asked {
			delete(m.starts, string(msg.ID))
			m.begin(msg.Session, start)
		}
	}
}

// begin remembers a session; the oldest gives way.
func (m *memory) begin(id string, start agent.ACPMessage) {
	if id == "" || start.Dir == "" {
		return
	}
	m.end(id)
	if len(m.order) == maxSessions {
		m.end(m.order[0])
	}
	m.sessions[id] = &conversation{dir: start.Dir, roots: start.Roots, calls: map[string][][]byte{}}
	m.order = append(m.order, id)
}

func (m *memory) end(id string) {
	delete(m.sessions, id)
	m.order = slices.DeleteFunc(m.order, func(s string) bool { return s == id })
}

// adapter returns the adapter for one permission request.
func (m *memory) adapter(program string, msg agent.ACPMessage) agent.ACP {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := agent.ACP{Program: program, Peer: m.peer, Options: msg.Options}
	c := m.sessions[msg.Session]
	if c == nil {
		return a
	}
	a.Dir, a.Roots, a.Opening = c.dir, slices.Clone(c.roots), c.opening
	a.Earlier = slices.Clone(c.calls[msg.Call])
	for _, t := range c.turns {
		if t.Call == "" || t.Call != msg.Call {
			t.Call = "" // the model is not shown what became of them
			a.Turns = append(a.Turns, t)
		}
	}
	return a
}

// add forgets the oldest turn that is not the person's: no number of calls may push out
// what the person forbade. Only where the person's turns fill the memory, their oldest goes.
func (c *conversation) add(t transcript.Turn) {
	if len(c.turns) >= maxTurns {
		i := slices.IndexFunc(c.turns, func(t transcript.Turn) bool { return t.Origin != transcript.Person })
		c.turns = slices.Delete(c.turns, max(0, i), max(0, i)+1)
	}
	c.turns = append(c.turns, t)
}

// typed adds what the person said.
func (c *conversation) typed(text string) {
	said := transcript.Turn{Origin: transcript.Person, Text: text[:min(len(text), maxText)]}
	if c.opening == nil && !c.loaded {
		c.opening = &said
	}
	c.add(said)
}

// called makes a turn of a tool call, and fills it in as more is known.
func (c *conversation) called(msg agent.ACPMessage) {
	i := slices.IndexFunc(c.turns, func(t transcript.Turn) bool { return t.Call == msg.Call })
	if i < 0 {
		c.add(transcript.Turn{Origin: transcript.Agent, Tool: "tool call", Call: msg.Call})
		i = len(c.turns) - 1
	}
	t := &c.turns[i]
	if msg.Title != "" {
		t.Tool = msg.Title[:min(len(msg.Title), maxText)]
	}
	if msg.Input != nil && len(msg.Input) <= maxText {
		t.Input = json.RawMessage(msg.Input)
	}
}

// learn keeps what was said of a call. What is too much to keep leaves a mark that cannot be
// read, so that the call counts as not wholly known.
func (c *conversation) learn(msg agent.ACPMessage) {
	known, there := c.calls[msg.Call]
	if !there {
		if len(c.order) == maxCalls {
			delete(c.calls, c.order[0])
			c.order = slices.Delete(c.order, 0, 1)
		}
		c.order = append(c.order, msg.Call)
	}
	switch {
	case len(known) > maxUpdates:
	case len(known) == maxUpdates, len(msg.Update) > maxUpdate:
		known = append(known, []byte("too much"))
	default:
		known = append(known, msg.Update)
	}
	c.calls[msg.Call] = known
}
