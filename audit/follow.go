//go:build unix

package audit

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"time"
)

// pollEvery is how often a followed log is looked at.
const pollEvery = 200 * time.Millisecond

// Follow yields the lines that are written to dir after the call, until ctx
// ends. It outlives rotation, and a log that does not exist yet.
// The place to start from is taken at the call, not at the first iteration:
// what [Newest] or [Read] show after it may come again.
func Follow(ctx context.Context, dir string, f Filter) iter.Seq2[Line, error] {
	return newWatch(dir, f).lines(ctx)
}

func newWatch(dir string, f Filter) *watch {
	w := &watch{name: filepath.Join(dir, FileName), filter: f}
	if file, err := openFile(w.name); err == nil {
		w.tails = []*forward{atEnd(file)}
	}
	return w
}

// atEnd reads on behind the last whole line.
func atEnd(file *os.File) *forward {
	r := &forward{file: file}
	if info, err := file.Stat(); err == nil && info.Size() > 0 {
		r.pos = info.Size()
		last := make([]byte, 1)
		if n, _ := file.ReadAt(last, r.pos-1); n == 1 && last[0] != '\n' {
			_, r.pos, _ = lineBefore(file, r.pos)
		}
	}
	r.line = lineAt(file, r.pos) - 1
	return r
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
	tails  []*forward // the current file is the last
	failed string     // the problem that was reported last
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
		if !t.read(w.filter, true, yield) {
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
	w.tails = append(w.tails, &forward{file: file})
	return true
}
