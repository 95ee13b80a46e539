package acp

import (
	"bufio"
	"io"
)

// lineLimit is the longest line that is looked at. Longer ones pass.
const lineLimit = 4 << 20

// next returns the next line with its end, or the rest without an end. The
// error is io.EOF, with no line, at the end.
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

// queue keeps the agent's order while requests are being decided. Whoever adds a line waits while it is full.
type queue struct {
	items  chan item
	closed chan struct{} // nothing is added any more
}

func newQueue() *queue { return &queue{make(chan item, queueLines), make(chan struct{})} }

func (q *queue) put(i item) {
	select {
	case q.items <- i:
	case <-q.closed:
	}
}

// take returns the oldest line; ok is false at the end.
func (q *queue) take() (i item, ok bool) {
	select {
	case i = <-q.items:
		return i, true
	case <-q.closed:
	}
	select {
	case i = <-q.items:
		return i, true
	default:
		return item{}, false
	}
}

// drain writes to the editor until the queue ends. After an error, at which stop is
// called, lines are taken and dropped, so that nobody waits.
func (q *queue) drain(to io.Writer, stop func()) (failed error) {
	for {
		i, ok := q.take()
		if !ok {
			return failed
		}
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
}
