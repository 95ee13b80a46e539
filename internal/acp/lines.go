package acp

import (
	"bufio"
	"errors"
	"io"
)

// lineLimit is the longest line that is looked at.
const lineLimit = 16 << 20

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

// rest hands what is left of a long line to to, piece by piece.
func (l *lines) rest(to func([]byte) error) error {
	for {
		part, err := l.from.ReadSlice('\n')
		if len(part) > 0 {
			if err := to(part); err != nil {
				return err
			}
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
