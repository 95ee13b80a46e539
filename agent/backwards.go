package agent

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/nodgate/nod/transcript"
)

// backwards reads the lines of a file that only grows, last line first, in
// chunks from the end, so that the length of the file does not matter. What
// was read is kept in one buffer for all lines.
//
// A line of more bytes than may still be read is passed over: its begin is
// looked for and nothing of it is kept, so that one huge result of a tool does
// not hide what came before it.
type backwards struct {
	from  io.ReaderAt
	file  *os.File // what close closes; nil in memory
	at    int64    // offset of the first byte of data
	left  int64    // bytes that may still be read
	spare int64    // bytes that may still be looked through for the begin of a long line
	room  []byte   // what data lies in
	data  []byte   // read and not yet returned
	low   int      // where data begins in room
	seen  bool     // the last line was looked at
	over  bool     // a line was passed over
	done  bool     // the first line was returned
}

const (
	backwardsChunk = 128 << 10
	backwardsRoom  = 6 * backwardsChunk
	// backwardsSpare bounds what long lines may cost beside the limit.
	backwardsSpare = 96 << 20
)

// openBackwards opens a regular file without ever blocking: a FIFO in its
// place is an error. At most limit bytes of lines will be read.
func openBackwards(name string, limit int64) (*backwards, error) {
	file, size, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	b := readBackwards(file, size, limit)
	b.file = file
	return b, nil
}

// readBackwards reads what is not in a file of its own.
func readBackwards(from io.ReaderAt, size, limit int64) *backwards {
	return &backwards{from: from, at: size, left: limit, spare: backwardsSpare}
}

// openRegular opens a regular file and says how long it is.
func openRegular(name string) (*os.File, int64, error) {
	if !filepath.IsAbs(name) {
		return nil, 0, fmt.Errorf("%q is not an absolute path", name)
	}
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// next returns the line before the one it returned last, without its line
// end, and whether that line may be torn. The error is io.EOF at the start of
// the file. It is transcript.ErrEarlier there if a line was passed over, and where
// the limit ends the reading. A line is valid until the next call.
func (b *backwards) next() (line []byte, torn bool, err error) {
	for searched := 0; ; {
		if i := lastLineEnd(b.data[:len(b.data)-searched]); i >= 0 {
			line, b.data = b.data[i+1:], b.data[:i]
			return line, b.first(), nil
		}
		searched = len(b.data)
		switch {
		case b.done && b.over:
			return nil, false, transcript.ErrEarlier
		case b.done:
			return nil, false, io.EOF
		case b.at == 0:
			line, b.data, b.done = b.data, nil, true
			return line, b.first(), nil
		case len(b.data) > backwardsChunk:
			if line, err = b.long(); line != nil || err != nil {
				return line, b.first(), err
			}
			searched = 0
		default:
			if err := b.more(); err != nil {
				return nil, false, err
			}
		}
	}
}

// first reports, once, that the line is the last of the file.
func (b *backwards) first() bool {
	first := !b.seen
	b.seen = true
	return first
}

// more reads the chunk before b.at.
func (b *backwards) more() error {
	size := int(min(backwardsChunk, b.at, b.left))
	if size == 0 {
		return transcript.ErrEarlier
	}
	if b.room == nil {
		b.room = make([]byte, min(backwardsRoom, b.at))
	}
	if b.low < size { // nothing fits in front of data
		b.low = len(b.room) - len(b.data)
		copy(b.room[b.low:], b.data)
	}
	if err := b.read(b.room[b.low-size:b.low], b.at-int64(size)); err != nil {
		return err
	}
	b.data = b.room[b.low-size : b.low+len(b.data)]
	b.low, b.at, b.left = b.low-size, b.at-int64(size), b.left-int64(size)
	return nil
}

// long returns the line whose end is in data, whose begin is not, and which is
// longer than the buffer is meant for; nil if it was passed over.
func (b *backwards) long() ([]byte, error) {
	end := b.at + int64(len(b.data))
	start, err := b.begin()
	if err != nil {
		return nil, err
	}
	b.at, b.data, b.low, b.done = max(start-1, 0), nil, 0, start == 0
	if end-start > b.left {
		b.over = true
		b.first()
		return nil, nil
	}
	b.left -= end - start
	line := make([]byte, end-start)
	return line, b.read(line, start)
}

// begin is where the line begins that b.at is in. It uses up the buffer.
func (b *backwards) begin() (int64, error) {
	for at := b.at; ; {
		size := min(int64(len(b.room)), at, b.spare)
		if at == 0 {
			return 0, nil
		}
		if size == 0 {
			return 0, transcript.ErrEarlier
		}
		at, b.spare = at-size, b.spare-size
		if err := b.read(b.room[:size], at); err != nil {
			return 0, err
		}
		if i := lastLineEnd(b.room[:size]); i >= 0 {
			return at + int64(i) + 1, nil
		}
	}
}

func (b *backwards) read(into []byte, at int64) error {
	if n, err := b.from.ReadAt(into, at); n < len(into) {
		return fmt.Errorf("the file shrank while it was read: %w", err)
	}
	return nil
}

// lastLineEnd is bytes.LastIndexByte for a line end, which has no fast form:
// it looks forward through one block after another.
func lastLineEnd(text []byte) int {
	const block = 1 << 10
	if bytes.IndexByte(text, '\n') < 0 {
		return -1
	}
	for end := len(text); end > 0; end -= min(end, block) {
		at := max(end-block, 0)
		if i := bytes.IndexByte(text[at:end], '\n'); i >= 0 {
			last := at + i
			for i >= 0 {
				if i = bytes.IndexByte(text[last+1:end], '\n'); i >= 0 {
					last += i + 1
				}
			}
			return last
		}
	}
	return -1
}

func (b *backwards) close() { b.file.Close() }
