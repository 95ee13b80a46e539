//go:build unix

package audit

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"os"
	"slices"
)

// chunk is how much is read at a time from the end of a file.
const chunk = 256 << 10

// Newest yields the lines of dir that f selects, newest first, that is in the
// reverse of [Read]'s order. It reads no more than its consumer takes, so the
// last lines of a large log cost little.
func Newest(dir string, f Filter) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		files, err := open(dir)
		defer closeAll(files)
		if err != nil && !yield(Line{}, err) {
			return
		}
		for _, file := range slices.Backward(files) {
			if !readBackward(file, f, yield) {
				return
			}
		}
	}
}

func readBackward(file *os.File, f Filter, yield func(Line, error) bool) bool {
	info, err := file.Stat()
	if err != nil {
		return yield(Line{}, &Problem{File: file.Name(), Err: err})
	}
	b := backward{file: file, pos: info.Size()}
	newer := &Newer{}
	for {
		raw, offset, err := b.line()
		if err == io.EOF {
			break
		}
		if err != nil && !errors.Is(err, errLong) {
			return yield(Line{}, &Problem{File: file.Name(), Err: err})
		}
		if len(raw) == 0 && err == nil {
			continue
		}
		more := give(raw, err, &Problem{File: file.Name()}, newer, f, func(l Line, err error) bool {
			var p *Problem
			if errors.As(err, &p) {
				p.Line = lineAt(file, offset)
			}
			return yield(l, err)
		})
		if !more {
			return false
		}
	}
	return newer.Lines == 0 || yield(Line{}, &Problem{File: file.Name(), Err: newer})
}

// backward reads the lines of a file from its end.
type backward struct {
	file *os.File
	pos  int64  // what lies before it is still to be read
	buf  []byte // what lies behind it and was not returned
}

// line returns the last line that was not returned yet and where it starts;
// io.EOF after the first one of the file.
func (b *backward) line() ([]byte, int64, error) {
	if len(b.buf) == 0 && b.pos > 0 {
		if err := b.more(); err != nil {
			return nil, 0, err
		}
	}
	b.buf = bytes.TrimSuffix(b.buf, []byte("\n"))
	searched := 0 // bytes at the end of buf that hold no newline
	for {
		if i := bytes.LastIndexByte(b.buf[:len(b.buf)-searched], '\n'); i >= 0 {
			line := slices.Clone(b.buf[i+1:])
			b.buf = b.buf[:i+1]
			return line, b.pos + int64(i) + 1, tooLong(line)
		}
		searched = len(b.buf)
		if b.pos == 0 {
			line := b.buf
			b.buf = nil
			if len(line) == 0 {
				return nil, 0, io.EOF
			}
			return line, 0, tooLong(line)
		}
		if len(b.buf) > readLimit {
			return nil, b.skip(), errLong
		}
		if err := b.more(); err != nil {
			return nil, 0, err
		}
	}
}

func tooLong(line []byte) error {
	if len(line) >= readLimit {
		return errLong
	}
	return nil
}

// more reads the chunk before pos.
func (b *backward) more() error {
	n := min(b.pos, chunk)
	buf := make([]byte, n, int(n)+len(b.buf))
	if _, err := b.file.ReadAt(buf, b.pos-n); err != nil && err != io.EOF {
		return err
	}
	b.pos -= n
	b.buf = append(buf, b.buf...)
	return nil
}

// skip drops a line that is too long and returns where it starts.
func (b *backward) skip() int64 {
	for b.buf = nil; b.pos > 0; {
		if b.more() != nil {
			b.pos = 0
			break
		}
		if i := bytes.LastIndexByte(b.buf, '\n'); i >= 0 {
			b.buf = b.buf[:i+1]
			return b.pos + int64(i) + 1
		}
		b.buf = nil
	}
	return 0
}

// lineAt returns the number of the line that starts at offset.
func lineAt(file *os.File, offset int64) int {
	n, buf := 1, make([]byte, chunk)
	for at := int64(0); at < offset; {
		got, err := file.ReadAt(buf[:min(chunk, offset-at)], at)
		n += bytes.Count(buf[:got], []byte("\n"))
		if at += int64(got); err != nil {
			break
		}
	}
	return n
}
