//go:build unix

package audit

import (
	"bytes"
	"context"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"time"
)

// pollEvery is how often a followed log is looked at.
const pollEvery = 200 * time.Millisecond

// Follow yields the lines that are written to dir after the call, until ctx ends. It outlives
// rotation, and a log that does not exist yet. The place to start from is taken at the call, not at
// the first iteration: what [Newest] or [Read] show after it may come again.
func Follow(ctx context.Context, dir string, f Filter) iter.Seq2[Line, error] {
	return newWatch(dir, f).lines(ctx)
}

func newWatch(dir string, f Filter) *watch {
	w := &watch{name: filepath.Join(dir, FileName), filter: f}
	if file, err := openFile(w.name); err == nil {
		t := &tail{file: file}
		t.next()
		w.tails = []*tail{t}
	}
	return w
}

// tail is a file that is read as it grows.
type tail struct {
	file *os.File
	pos  int64
	line int // how many were read
}

// next returns the whole lines that have come since.
func (t *tail) next() page {
	text, err := io.ReadAll(io.NewSectionReader(t.file, t.pos, math.MaxInt64-t.pos))
	if err != nil {
		return page{}
	}
	p := page{file: t.file.Name(), text: text[:bytes.LastIndexByte(text, '\n')+1], before: t.line}
	t.pos, t.line = t.pos+int64(len(p.text)), t.line+bytes.Count(p.text, []byte("\n"))
	return p
}

func (w *watch) lines(ctx context.Context) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		defer w.keep(0)
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

// watch follows the current file, and the one before it for writers that still hold that.
type watch struct {
	name   string
	filter Filter
	tails  []*tail // the current file is the last
	failed string  // the problem that was reported last
}

// keep closes all but the last n files.
func (w *watch) keep(n int) {
	for len(w.tails) > n {
		w.tails[0].file.Close()
		w.tails = w.tails[1:]
	}
}

// poll yields what is new; false ends the following.
func (w *watch) poll(yield func(Line, error) bool) bool {
	if !w.look(yield) {
		return false
	}
	for _, t := range w.tails {
		if !t.next().read(w.filter, false, yield) {
			return false
		}
	}
	w.keep(2)
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
	w.tails = append(w.tails, &tail{file: file})
	return true
}
