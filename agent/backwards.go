package agent

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// backwards reads the lines of a file that only grows, last line first. It
// reads chunks from the end, so that the length of the file does not matter.
type backwards struct {
	from io.ReaderAt
	file *os.File // what close closes; nil in memory
	at   int64    // offset of the first byte that was read
	left int64    // bytes that may still be read
	tail []byte   // read and not yet returned
	seen bool     // the last line was looked at
}

const backwardsChunk = 64 << 10

// openBackwards opens a regular file without ever blocking: a FIFO in its
// place is an error. At most limit bytes will be read.
func openBackwards(name string, limit int64) (*backwards, error) {
	if !filepath.IsAbs(name) {
		return nil, fmt.Errorf("%q is not an absolute path", name)
	}
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &backwards{from: file, file: file, at: info.Size(), left: limit}, nil
}

// next returns the line before the one it returned last, without its line
// end, and whether that line may be torn. The error is io.EOF at the start of
// the file and errCut where the limit ends the reading; the part of a line
// that lies before the limit is not returned. Lines stay valid.
func (b *backwards) next() (line []byte, torn bool, err error) {
	searched := 0 // bytes at the end of tail that hold no line end
	for {
		if i := bytes.LastIndexByte(b.tail[:len(b.tail)-searched], '\n'); i >= 0 {
			line, b.tail = b.tail[i+1:], b.tail[:i:i]
			return line, b.first(), nil
		}
		searched = len(b.tail)
		if b.at == 0 {
			if b.tail == nil {
				return nil, false, io.EOF
			}
			line, b.tail = b.tail, nil
			return line, b.first(), nil
		}
		if err := b.more(); err != nil {
			return nil, false, err
		}
	}
}

// first reports, once, that the line is the last of the file.
func (b *backwards) first() bool {
	first := !b.seen
	b.seen = true
	return first
}

// more reads the chunk before b.at, a larger one in a longer line, so that
// copying stays linear.
func (b *backwards) more() error {
	size := min(max(backwardsChunk, int64(len(b.tail))), b.at, b.left)
	if size == 0 {
		return errCut
	}
	grown := make([]byte, size+int64(len(b.tail)))
	n, err := b.from.ReadAt(grown[:size], b.at-size)
	if int64(n) < size {
		return fmt.Errorf("the file shrank while it was read: %w", err)
	}
	copy(grown[size:], b.tail)
	b.tail, b.at, b.left = grown, b.at-size, b.left-size
	return nil
}

func (b *backwards) close() { b.file.Close() }
