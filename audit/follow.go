//go:build unix

package audit

import (
	"bytes"
	"context"
	"io"
	"iter"
	"math"
	"os"
	"syscall"
	"time"
)

// pollEvery is how often a followed log is looked at.
const pollEvery = 200 * time.Millisecond

// Follow yields the lines that are written to dir after the call, until ctx ends. It outlives rotation,
// and a log that does not exist yet. The place to start from is taken at the call, not at the first
// iteration: what [Newest] or [Read] show after it may come again.
func Follow(ctx context.Context, dir string, f Filter) iter.Seq2[Line, error] {
	w := &watch{dir: dir, filter: f, read: map[fileID]place{}}
	w.poll(nil)
	return func(yield func(Line, error) bool) {
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

// watch follows the files of a log, each by what it is, whatever it is called by now.
type watch struct {
	dir    string
	filter Filter
	read   map[fileID]place
	failed string // the problem that was reported last
}

type fileID struct{ dev, inode uint64 }

// place is how far a file was read.
type place struct {
	pos   int64
	lines int
}

// poll yields what is new; false ends the following. Without a yield what is there is passed over.
func (w *watch) poll(yield func(Line, error) bool) bool {
	files, err := open(w.dir)
	defer closeAll(files)
	if err != nil && yield != nil && w.failed != err.Error() {
		if w.failed = err.Error(); !yield(Line{}, err) {
			return false
		}
	}
	for _, file := range files {
		if p := w.next(file); yield != nil && len(p.text) > 0 && !p.read(w.filter, false, yield) {
			return false
		}
	}
	return true
}

// next is the whole lines that have come to a file.
func (w *watch) next(file *os.File) page {
	info, err := file.Stat()
	if err != nil {
		return page{}
	}
	stat := info.Sys().(*syscall.Stat_t)
	id := fileID{uint64(stat.Dev), stat.Ino}
	at := w.read[id]
	if info.Size() <= at.pos {
		return page{}
	}
	text, err := io.ReadAll(io.NewSectionReader(file, at.pos, math.MaxInt64-at.pos))
	if err != nil {
		return page{}
	}
	p := page{file: file.Name(), text: text[:bytes.LastIndexByte(text, '\n')+1], before: at.lines}
	w.read[id] = place{at.pos + int64(len(p.text)), at.lines + bytes.Count(p.text, []byte("\n"))}
	return p
}
