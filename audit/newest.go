//go:build unix

package audit

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"os"
	"slices"
)

// chunk is how much is read at first from the end of a file, and then twice as much.
const chunk = 8 << 10

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
	newer := &Newer{}
	for end := info.Size(); end > 0; {
		raw, start, err := lineBefore(file, end)
		if err != nil && !errors.Is(err, errLong) {
			return yield(Line{}, &Problem{File: file.Name(), Err: err})
		}
		end = start
		if len(raw) == 0 && err == nil {
			continue
		}
		more := give(raw, err, &Problem{File: file.Name()}, newer, f, func(l Line, err error) bool {
			var p *Problem
			if errors.As(err, &p) {
				p.Line = lineAt(file, start)
			}
			return yield(l, err)
		})
		if !more {
			return false
		}
	}
	return newer.Lines == 0 || yield(Line{}, &Problem{File: file.Name(), Err: newer})
}

// lineBefore returns the line that ends at an offset, without its newline, and where it
// starts. Of one that is too long it returns only where that is.
func lineBefore(file io.ReaderAt, end int64) (line []byte, start int64, err error) {
	tail := make([]byte, 1)
	if _, err := file.ReadAt(tail, end-1); err != nil && err != io.EOF {
		return nil, 0, err
	}
	last := end // of the text of the line
	if tail[0] == '\n' {
		last--
	}
	start = last
	for size := int64(chunk); start > 0; size = min(2*size, readLimit) {
		part := make([]byte, min(start, size))
		if _, err := file.ReadAt(part, start-int64(len(part))); err != nil && err != io.EOF {
			return nil, 0, err
		}
		i := bytes.LastIndexByte(part, '\n')
		start -= int64(len(part) - 1 - i)
		if line = append(slices.Clone(part[i+1:]), line...); int64(len(line)) > readLimit {
			line = nil
		}
		if i >= 0 {
			break
		}
	}
	if end-start > readLimit {
		return nil, start, errLong
	}
	return line, start, nil
}

// lineAt returns the number of the line that starts at offset.
func lineAt(file io.ReaderAt, offset int64) int {
	in := bufio.NewReaderSize(io.NewSectionReader(file, 0, offset), chunk)
	n := 1
	for {
		part, err := in.ReadSlice('\n')
		if err == nil {
			n++
		} else if err != bufio.ErrBufferFull || len(part) == 0 {
			return n
		}
	}
}
