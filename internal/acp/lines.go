package acp

import (
	"bufio"
	"io"
)

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
