package acp

import (
	"bufio"
	"errors"
	"io"
)

// lineLimit is the longest line that is looked at.
const lineLimit = 4 << 20

// lines reads lines with their ends. Each line is memory of its own.
type lines struct {
	from *bufio.Reader
	max  int
}

func newLines(r io.Reader, limit int) *lines {
	return &lines{from: bufio.NewReaderSize(r, 64<<10), max: limit}
}

// next returns the next line, or what is left of one at the end. whole is
// false where the line is longer than the limit: the rest must be taken with
// rest. The error is io.EOF, with no line, at the end.
func (l *lines) next() (line []byte, whole bool, err error) {
	for {
		part, err := l.from.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, true, nil
		case errors.Is(err, bufio.ErrBufferFull) && len(line) < l.max:
			continue
		case errors.Is(err, bufio.ErrBufferFull):
			return line, false, nil
		case len(line) > 0:
			return line, true, nil // the error comes again
		}
		return nil, true, err
	}
}

// rest hands what is left of a long line to w, piece by piece.
func (l *lines) rest(w io.Writer) error {
	for {
		part, err := l.from.ReadSlice('\n')
		if _, failed := w.Write(part); failed != nil {
			return failed
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// queueLines bounds the lines that wait for a decision.
const queueLines = 64

// item is a line for the editor. forward, if set, yields what is written in its
// place, nothing where it is not.
type item struct {
	line    []byte
	forward <-chan []byte
	// long is where the rest of a long line comes from; done is closed after it.
	long *lines
	done chan struct{}
}

// queue keeps the agent's order while requests are being decided. Whoever adds a
// line waits while it is full.
type queue struct {
	items  chan item
	closed chan struct{} // nothing is added any more
}

func newQueue() *queue { return &queue{make(chan item, queueLines), make(chan struct{})} }

func (q *queue) put(i item) {
	select {
	case q.items <- i:
	case <-q.closed:
		return
	}
	if i.done != nil {
		select {
		case <-i.done:
		case <-q.closed:
		}
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

// drain writes to the editor until the queue ends.
func (q *queue) drain(to *dropping) error {
	for {
		i, ok := q.take()
		if !ok {
			return to.failed
		}
		if i.forward != nil {
			i.line = <-i.forward
		}
		if len(i.line) > 0 {
			to.Write(i.line)
		}
		if i.long != nil {
			_ = i.long.rest(to) // the reader meets the error again
			close(i.done)
		}
	}
}

// dropping writes until an error, at which stop is called; what comes after it is
// taken and dropped, so that nobody waits.
type dropping struct {
	to     io.Writer
	stop   func()
	failed error
}

func (d *dropping) Write(b []byte) (int, error) {
	if d.failed == nil {
		if _, d.failed = d.to.Write(b); d.failed != nil {
			d.stop()
		}
	}
	return len(b), nil
}
