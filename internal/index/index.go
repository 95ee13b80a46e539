// Package index holds the columns of every line of the decision log in memory, so that a page or a table over a million
// lines needs no reading of them.
//
//	x, err := index.Open(ctx, stateDir)    // at once: the newest lines
//	rows, next, err := x.Rows(index.Filter{}, 0, 100)   // newest first; the next page: x.Rows(f, next, 100)
//	sums := x.Sum(index.Filter{}, index.ByDay)
//	line, err := x.Entry(rows[0])          // the line itself, from its file
//	err = x.Refresh(ctx)                   // what was appended since
//
// A line takes 40 bytes; texts are held once. Rotated files of the log do not change any more, so what was read of each
// is kept in a sidecar, STATE/index/NAME.idx: about 6 % of the log. A sidecar is written once, and renamed into place.
// It is built again where it is missing or damaged (a checksum), of another [version], or where the log's file has
// another size or time of change. The index never changes the log, and does without a sidecar that cannot be written.
//
// [Open] reads the newest lines, and the others in the background, newest file first, until its context ends.
// [Index.Progress] says how far that is, [Index.Wait] waits for it. Until then [Index.Rows] ends where the unread part
// begins, with a key at which it goes on, and sums are of what was read.
//
// Lines that are torn, damaged or of a newer nod have no row; [Index.Unread] counts them, and nod log names them. Times
// are held to the microsecond. An [Index] is safe for concurrent use: a query looks at what was there when it began.
package index

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/nodgate/nod/audit"
)

// Index is the index over the log of one state directory. Make one with [Open].
type Index struct {
	dir   string
	built chan struct{} // closed when the background has ended

	refreshing sync.Mutex // one Refresh at a time

	mu       sync.RWMutex // guards what follows
	segments []*segment   // oldest first
	names    names
	total    int64 // bytes of files without a sidecar, and how many of those are read by now
	done     int64
	failed   error // of the background
}

// segment is what was read of one file of the log.
type segment struct {
	name    string
	info    os.FileInfo
	read    int64 // up to where; -1: not yet
	current bool
	queued  bool // the background reads it
	rows    []row
	unread
}

// unread counts lines without a row.
type unread struct{ torn, newer int }

// Open opens the index over the log in dir, nod's state directory, and returns when the newest lines are read: those of
// the current file, and where these are few, of the file before. A log that does not exist yet is empty. ctx ends what
// is read in the background.
func Open(ctx context.Context, dir string) (*Index, error) {
	x := &Index{dir: dir, built: make(chan struct{}), names: newNames()}
	if err := x.look(); err != nil {
		return nil, err
	}
	list := slices.Clone(x.segments)
	slices.Reverse(list)
	for i, s := range list {
		s.queued = !s.current
		if i > 1 || i == 1 && len(list[0].rows) >= few {
			continue
		}
		if err := x.catchUp(s); err != nil {
			return nil, err
		}
	}
	go x.build(ctx, slices.DeleteFunc(list, func(s *segment) bool { return !s.queued }))
	return x, nil
}

const few = 200 // more than a screen shows

// build reads the other files, in two goroutines.
func (x *Index) build(ctx context.Context, list []*segment) {
	defer close(x.built)
	var errs [2]error
	var all sync.WaitGroup
	queue := make(chan *segment)
	for i := range errs {
		all.Go(func() {
			for s := range queue {
				if ctx.Err() == nil {
					errs[i] = errors.Join(errs[i], x.catchUp(s))
				}
			}
		})
	}
	for _, s := range list {
		queue <- s
	}
	close(queue)
	all.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.failed = errors.Join(errs[0], errs[1], ctx.Err())
}

// Wait waits until the whole log is read, and returns what could not be.
func (x *Index) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-x.built:
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.failed
}

// Progress says how many bytes of files without a sidecar are read, of how many that are known of by now.
func (x *Index) Progress() (done, total int64) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.done, x.total
}

// Len returns how many lines have a row by now.
func (x *Index) Len() (n int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, s := range x.segments {
		n += len(s.rows)
	}
	return n
}

// Unread counts the lines that have no row: torn or damaged ones, and those of a newer nod.
func (x *Index) Unread() (torn, newer int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, s := range x.segments {
		torn, newer = torn+s.torn, newer+s.newer
	}
	return torn, newer
}

// Refresh reads what was appended since, also where the log was rotated in between.
func (x *Index) Refresh(ctx context.Context) error {
	x.refreshing.Lock()
	defer x.refreshing.Unlock()
	if err := x.look(); err != nil {
		return err
	}
	for i, s := range x.view().segments { // also those that were rotated: a writer may still hold one
		if s.queued {
			continue
		}
		if err := cmp.Or(ctx.Err(), x.catchUp(x.segment(i))); err != nil {
			return err
		}
	}
	return nil
}

// look lists the log's files and makes a segment for each that is new.
func (x *Index) look() error {
	files, err := audit.Files(x.dir) // the current file is the last
	if err != nil {
		return err
	}
	var infos []os.FileInfo
	for _, name := range files {
		info, err := os.Lstat(name)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		infos = append(infos, info) // nil: rotated a moment ago; the next look finds it
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, info := range infos {
		if info == nil || !info.Mode().IsRegular() {
			continue
		}
		s := x.known(info)
		if s == nil {
			s = &segment{read: -1}
			x.segments = append(x.segments, s)
		}
		s.name, s.info, s.current = files[i], info, filepath.Base(files[i]) == audit.FileName
	}
	return nil
}

// known is the segment of a file, whatever its name is now.
func (x *Index) known(info os.FileInfo) *segment {
	for _, s := range slices.Backward(x.segments) {
		if os.SameFile(s.info, info) {
			return s
		}
	}
	return nil
}

// catchUp reads what a file has more than before: of a rotated file that is new its sidecar, where that fits. A file
// that has become shorter is read again.
func (x *Index) catchUp(s *segment) error {
	x.mu.Lock()
	info, from, ended := s.info, s.read, !s.current
	if info.Size() < from {
		s.rows, s.unread, from = nil, unread{}, 0
	}
	sidecar := filepath.Join(x.dir, "index", filepath.Base(s.name)+".idx")
	x.mu.Unlock()
	if info.Size() == from {
		return nil
	}
	whole := from < 0 && ended
	if whole {
		if b, ok := readSidecar(sidecar, info); ok {
			x.adopt(s, b, info.Size())
			return nil
		}
		x.count(&x.total, info.Size())
		defer x.count(&x.done, info.Size())
	}
	b, end, err := x.scan(s, max(from, 0), ended)
	if err == nil && whole {
		_ = b.writeSidecar(sidecar, info) // where that fails the next index reads the file again
	}
	if err == nil || whole { // nothing of a file that cannot be read, so that the others are shown
		x.adopt(s, b, end)
	}
	return err
}

func (x *Index) count(n *int64, more int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	*n += more
}

// scan reads the lines of a file from a place on. ended says that a last line without an end is one.
func (x *Index) scan(s *segment, from int64, ended bool) (b *batch, end int64, err error) {
	b, end = &batch{names: newNames()}, from
	rest, err := x.text(s, from)
	for len(rest) > 0 {
		n := bytes.IndexByte(rest, '\n') + 1
		if n == 0 && !ended {
			break
		} else if n == 0 {
			n = len(rest)
		}
		b.line(end, rest[:n])
		rest, end = rest[n:], end+int64(n)
	}
	return b, end, err
}

// text is what stands in a file from a place on.
func (x *Index) text(s *segment, from int64) ([]byte, error) {
	file, err := x.open(s)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.NewSectionReader(file, from, math.MaxInt64-from))
}

// adopt adds what was read.
func (x *Index) adopt(s *segment, b *batch, end int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.names.translate(b)
	s.rows = append(s.rows, b.rows...)
	s.torn, s.newer, s.read, s.queued = s.torn+b.torn, s.newer+b.newer, end, false
}

// open opens the file of a segment, also where it was renamed since.
func (x *Index) open(s *segment) (*os.File, error) {
	for again := false; ; again = true {
		x.mu.RLock()
		name, want := s.name, s.info
		x.mu.RUnlock()
		file, err := audit.OpenFile(name)
		if err == nil {
			info, statErr := file.Stat()
			if statErr == nil && os.SameFile(info, want) {
				return file, nil
			}
			file.Close()
			err = cmp.Or(statErr, errors.New(name+" is another file by now; open the log again"))
		}
		if again {
			return nil, err
		}
		if err := x.look(); err != nil {
			return nil, err
		}
	}
}
