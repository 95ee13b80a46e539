//go:build unix

package audit

import (
	"bytes"
	"context"
	"io"
	"iter"
	"os"
	"path/filepath"
	"time"
)

const (
	// pollEvery is how often a followed log is looked at.
	pollEvery = 200 * time.Millisecond
	// lingerFor is how long a rotated file is watched for writers that still
	// hold it.
	lingerFor = 5 * time.Second
)

// Follow yields the lines that are written to dir after the call, until ctx
// ends. It outlives rotation, truncation, and a log that does not exist yet.
// The place to start from is taken at the call, not at the first iteration:
// what [Newest] or [Read] show after it may come again.
func Follow(ctx context.Context, dir string, f Filter) iter.Seq2[Line, error] {
	return newWatch(dir, f, lingerFor).lines(ctx)
}

func newWatch(dir string, f Filter, linger time.Duration) *watch {
	w := &watch{name: filepath.Join(dir, FileName), filter: f, linger: linger}
	if file, err := openFile(w.name); err == nil {
		w.adopt(file)
		w.tails[0].toEnd()
	}
	return w
}

func (w *watch) lines(ctx context.Context) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		defer w.close()
		tick := time.NewTicker(pollEvery)
		defer tick.Stop()
		for w.poll(yield) {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}
}

// watch follows the current file and, for a while, those before it.
type watch struct {
	name   string
	filter Filter
	linger time.Duration
	tails  []*tail // the current file is the last
	failed string  // the problem that was reported last
}

// tail is one followed file.
type tail struct {
	file    *os.File
	pos     int64
	part    []byte // a line whose end is still missing
	line    int    // its number
	retired time.Time
}

func (w *watch) adopt(file *os.File) { w.tails = append(w.tails, &tail{file: file, line: 1}) }

// toEnd moves behind the last whole line.
func (t *tail) toEnd() {
	info, err := t.file.Stat()
	if err != nil {
		return
	}
	t.pos = info.Size()
	last := make([]byte, 1)
	if n, _ := t.file.ReadAt(last, t.pos-1); n == 1 && last[0] != '\n' {
		b := backward{file: t.file, pos: t.pos}
		if _, start, err := b.line(); err == nil {
			t.pos = start
		}
	}
	t.line = lineAt(t.file, t.pos)
}

func (w *watch) close() {
	for _, t := range w.tails {
		t.file.Close()
	}
}

// poll yields what is new; false ends the following.
func (w *watch) poll(yield func(Line, error) bool) bool {
	if !w.look(yield) {
		return false
	}
	for _, t := range w.tails {
		if !t.read(w.filter, yield) {
			return false
		}
	}
	for len(w.tails) > 1 && time.Since(w.tails[0].retired) > w.linger {
		w.tails[0].file.Close()
		w.tails = w.tails[1:]
	}
	return true
}

// look picks up a new current file.
func (w *watch) look(yield func(Line, error) bool) bool {
	info, err := os.Lstat(w.name)
	if err != nil {
		return true // rotated this moment, or not there yet
	}
	if n := len(w.tails); n > 0 {
		if now, err := w.tails[n-1].file.Stat(); err == nil && os.SameFile(info, now) {
			return true
		}
	}
	file, err := openFile(w.name)
	if err != nil {
		p := &Problem{File: w.name, Err: err}
		again := w.failed == p.Error()
		w.failed = p.Error()
		return again || yield(Line{}, p)
	}
	if n := len(w.tails); n > 0 {
		w.tails[n-1].retired = time.Now()
	}
	w.adopt(file)
	return true
}

// read yields the whole lines behind pos.
func (t *tail) read(f Filter, yield func(Line, error) bool) bool {
	if info, err := t.file.Stat(); err == nil && info.Size() < t.pos {
		t.pos, t.part, t.line = 0, nil, 1 // truncated
	}
	buf := make([]byte, 64<<10)
	for {
		n, err := t.file.ReadAt(buf, t.pos)
		t.pos += int64(n)
		if !t.split(buf[:n], f, yield) {
			return false
		}
		if err == io.EOF || n == 0 {
			return true
		}
		if err != nil {
			return yield(Line{}, &Problem{File: t.file.Name(), Err: err})
		}
	}
}

// split yields the lines that end in p and keeps the rest.
func (t *tail) split(p []byte, f Filter, yield func(Line, error) bool) bool {
	for len(p) > 0 {
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		if len(t.part) <= readLimit { // what is longer is damaged anyway
			t.part = append(t.part, line...)
		}
		if !ended {
			return true
		}
		p = rest
		if !t.emit(f, yield) {
			return false
		}
	}
	return true
}

func (t *tail) emit(f Filter, yield func(Line, error) bool) bool {
	raw, p := t.part, &Problem{File: t.file.Name(), Line: t.line}
	t.part = nil
	t.line++
	if len(raw) == 0 {
		return true
	}
	newer := &Newer{}
	if !give(raw, nil, p, newer, f, yield) {
		return false
	}
	if newer.Lines > 0 {
		p.Err = newer
		return yield(Line{}, p)
	}
	return true
}
