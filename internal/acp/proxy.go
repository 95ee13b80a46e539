package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/printable"
)

// proxy joins two streams.
type proxy struct {
	Options
	memory *memory
	items  chan item
	said   sync.Map   // notices that were shown
	logMu  sync.Mutex // of standard error

	mu      sync.Mutex // held for whole lines to the agent
	toAgent io.WriteCloser
	closed  bool // no more is written to the agent

	// An agent may say more before it reads on, so that what it says must not wait for mu.
	pendingMu sync.Mutex
	pending   map[*decision]bool
}

// decision is a request that is being decided.
type decision struct {
	session   string
	cancel    context.CancelFunc
	cancelled bool        // by the editor; under pendingMu
	forward   chan []byte // the line that goes on to the editor, nil where none does
}

func newProxy(o Options, toAgent io.WriteCloser) *proxy {
	known := &memory{starts: map[string]agent.ACPMessage{}, sessions: map[string]*conversation{}}
	return &proxy{Options: o, memory: known, items: make(chan item, queueLines), toAgent: toAgent,
		pending: map[*decision]bool{}}
}

// log tells the person something, on standard error.
func (p *proxy) log(format string, args ...any) {
	p.logMu.Lock()
	defer p.logMu.Unlock()
	fmt.Fprintf(p.Stderr, "nod acp: "+format+"\n", args...)
}

// fromEditor hands on what the editor says, until it stops.
func (p *proxy) fromEditor(r io.Reader) error {
	in := bufio.NewReader(r)
	for {
		line, err := next(in)
		if msg, wrong := p.message(line); wrong == nil {
			if msg.Method == "session/cancel" { // nothing is allowed once a cancellation is on its way
				p.cancel(msg.Session, false)
			}
			p.memory.fromEditor(msg)
		}
		if err == nil {
			err = p.hand(line)
		}
		if err != nil {
			return p.closeAgent(err)
		}
	}
}

// hand writes a line to the agent; nod's own answers come before or after it, never within.
func (p *proxy) hand(line []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.toAgent.Write(line)
	return err
}

func (p *proxy) closeAgent(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if closeErr := p.toAgent.Close(); errors.Is(err, io.EOF) {
		return closeErr
	}
	return err
}

// fromAgent queues what the agent says, until it stops.
func (p *proxy) fromAgent(r io.Reader) {
	defer close(p.items)
	in := bufio.NewReader(r)
	for line, err := next(in); err == nil; line, err = next(in) {
		p.items <- p.take(line)
	}
}

// message reads a line, unless it is too long to be looked at.
func (p *proxy) message(line []byte) (agent.ACPMessage, error) {
	if len(line) > p.lineLimit {
		return agent.ACPMessage{}, bufio.ErrTooLong
	}
	return agent.ReadACPMessage(line)
}

// take looks at a line of the agent's.
func (p *proxy) take(line []byte) item {
	msg, err := p.message(line)
	if msg.Method == agent.PermissionRequest { // also where its parameters cannot be read
		line = agent.WithoutAlways(line)
	}
	if err != nil {
		return item{line: line}
	}
	if msg.Method != agent.PermissionRequest {
		p.memory.fromAgent(msg)
	}
	if msg.Method != agent.PermissionRequest || msg.ID == nil || len(msg.Options) == 0 {
		return item{line: line}
	}
	adapter := p.memory.adapter(p.Name, msg)
	ctx, cancel := context.WithTimeout(context.Background(), p.Deadline)
	d := &decision{session: msg.Session, cancel: cancel, forward: make(chan []byte, 1)}
	p.pendingMu.Lock()
	p.pending[d] = true
	p.pendingMu.Unlock()
	go p.decide(ctx, d, adapter, msg, line)
	return item{line: line, forward: d.forward}
}

// decide answers a request, or lets it go on to the editor with nod's reason.
func (p *proxy) decide(ctx context.Context, d *decision, a agent.ACP, msg agent.ACPMessage, line []byte) {
	defer d.cancel()
	result, reason := p.ask(ctx, a, msg.Params)
	if p.reply(d, msg.ID, result) {
		line = nil
	} else {
		line = a.WithReason(line, reason)
	}
	d.forward <- line
}

// ask lets the gate decide. Without a decision in time it returns nil.
func (p *proxy) ask(ctx context.Context, a agent.ACP, params json.RawMessage) (result []byte, reason string) {
	answered := make(chan struct{})
	var said []byte
	var why string
	go func() {
		defer close(answered)
		o := p.Hook
		o.Adapter = speaker{ACP: a, say: p.say, reason: &why}
		said = hook.Answer(ctx, o, bytes.NewReader(params)).Stdout
	}()
	select {
	case <-answered:
		if ctx.Err() == nil {
			return said, why
		}
	case <-ctx.Done():
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		p.log("no decision within %s; the editor is asked", p.Deadline)
	}
	return nil, ""
}

// reply writes an answer to the agent, with the id as the agent wrote it; done is false where the request is the
// editor's to answer. A cancellation is either seen here, or goes to the agent after the answer.
func (p *proxy) reply(d *decision, id json.RawMessage, result []byte) (done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pendingMu.Lock()
	delete(p.pending, d)
	cancelled := d.cancelled
	p.pendingMu.Unlock()
	if cancelled {
		result = []byte(agent.ACPCancelled)
	}
	if p.closed || len(result) == 0 {
		return cancelled
	}
	_, err := fmt.Fprintf(p.toAgent, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", id, result)
	return err == nil || cancelled
}

// cancel marks the requests of a session, of all where every: by the protocol
// each must be answered with "cancelled", and the editor does not know them.
func (p *proxy) cancel(session string, every bool) {
	p.pendingMu.Lock()
	defer p.pendingMu.Unlock()
	for d := range p.pending {
		if every || d.session == session {
			d.cancelled = true
			d.cancel()
		}
	}
}

// say tells the person something once.
func (p *proxy) say(text string) {
	if _, again := p.said.LoadOrStore(text, true); !again {
		p.log("%s", text)
	}
}

// speaker tells the person what the protocol has no place for: why nod denied a call, and what is wrong with nod.
type speaker struct {
	agent.ACP
	say    func(string)
	reason *string // of a question that goes on to the editor
}

// Encode implements agent.Adapter.
func (s speaker) Encode(e agent.Event, d nod.Decision, p agent.Profile, model bool) agent.Answer {
	a := s.ACP.Encode(e, d, p, model)
	if a.Said == "deny" {
		s.say("denied " + d.ID + ": " + printable.Line(d.Reason, 300))
	}
	if a.Said == "abstained" {
		*s.reason = s.Reason(d)
	}
	for _, notice := range d.Notices {
		s.say(printable.Line(notice, 300))
	}
	return a
}

// lineLimit is the longest line that is looked at. Longer ones pass.
const lineLimit = 4 << 20

// next returns the next line with its end, or the rest without an end. The error is io.EOF, with no line, at the end.
func next(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadBytes('\n')
	if len(line) > 0 {
		return line, nil // the error comes again
	}
	return nil, err
}

// queueLines bounds the lines that wait for a decision.
const queueLines = 64

// item is a line for the editor. forward, if set, yields what is written in its place, nothing where it is not.
type item struct {
	line    []byte
	forward <-chan []byte
}

// drain writes to the editor, in the agent's order, until the queue ends. After an error, at
// which stop is called, lines are taken and dropped, so that nobody waits.
func drain(items <-chan item, to io.Writer, stop func()) (failed error) {
	for i := range items {
		if i.forward != nil {
			i.line = <-i.forward
		}
		if failed != nil || len(i.line) == 0 {
			continue
		}
		if _, failed = to.Write(i.line); failed != nil {
			stop()
		}
	}
	return failed
}
