package acp

import (
	"io"
	"sync"
)

// queueLimit bounds the bytes that wait for a decision.
const queueLimit = 32 << 20

// item is a line for the editor. forward, if set, yields what is written in its
// place, nothing where it is not.
type item struct {
	line    []byte
	forward <-chan []byte
	// stream writes the rest of a long line; done is closed after it.
	stream func(to func([]byte) error) error
	done   chan struct{}
}

// queue keeps the agent's order while requests are being decided.
type queue struct {
	mu     sync.Mutex
	change *sync.Cond
	items  []item
	size   int
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.change = sync.NewCond(&q.mu)
	return q
}

// put adds a line; it waits while too much is waiting already.
func (q *queue) put(i item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) > 0 && q.size+len(i.line) > queueLimit && !q.closed {
		q.change.Wait()
	}
	q.items, q.size = append(q.items, i), q.size+len(i.line)
	q.change.Broadcast()
}

// through lets a long line stream to the editor in its turn.
func (q *queue) through(head []byte, stream func(to func([]byte) error) error) {
	done := make(chan struct{})
	q.put(item{line: head, stream: stream, done: done})
	<-done
}

// close says that nothing will be added.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.change.Broadcast()
}

// take returns the oldest line; ok is false at the end.
func (q *queue) take() (i item, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		if q.closed {
			return item{}, false
		}
		q.change.Wait()
	}
	i = q.items[0]
	q.items, q.size = q.items[1:], q.size-len(i.line)
	q.change.Broadcast()
	return i, true
}

// drain writes to the editor until the queue ends. After an error, lines are
// taken and dropped, so that nobody waits.
func (q *queue) drain(w io.Writer) (failed error) {
	write := func(b []byte) error {
		if failed == nil {
			_, failed = w.Write(b)
		}
		return failed
	}
	for {
		i, ok := q.take()
		if !ok {
			return failed
		}
		if i.forward != nil {
			i.line = <-i.forward
		}
		if len(i.line) > 0 {
			_ = write(i.line)
		}
		if i.stream != nil {
			_ = i.stream(func(b []byte) error { _ = write(b); return nil })
			close(i.done)
		}
	}
}
