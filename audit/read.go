package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/system"
)

// Line is one line of the log.
type Line struct {
	Entry
	// Raw is the line as it stands in the file, without its newline. It is the reader's to keep.
	Raw []byte
}

// Problem is a line, or a file, that could not be read. Reading goes on behind it.
type Problem struct {
	File string
	Line int // 1 is the first; 0 means the file
	Err  error
}

// Error returns FILE:LINE: and what is wrong.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %v", p.File, p.Err)
	}
	return fmt.Sprintf("%s:%d: %v", p.File, p.Line, p.Err)
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }

// Newer is the cause of a [Problem] that stands for all lines of a file that
// were skipped because a newer nod wrote them.
type Newer struct {
	Lines   int
	Version int // the highest that was seen
}

// Error says how many lines were skipped, and what to do.
func (n *Newer) Error() string {
	return fmt.Sprintf("%d line(s) of format %d were skipped, this nod reads up to %d; update nod", n.Lines, n.Version,
		Version)
}

// Filter selects entries. The zero value selects all.
type Filter struct {
	// Verdicts and Layers select answers; begun and outcome lines carry none.
	Verdicts []nod.Verdict
	Layers   []nod.Layer
	Kinds    []Kind
	Session  string // how the session's id begins
	Since    time.Time
}

// Match reports whether the filter selects e.
func (f Filter) Match(e Entry) bool {
	answers := e.Kind != Begun && e.Kind != Question && e.Kind != Outcome
	switch {
	case len(f.Verdicts) > 0 && !(answers && slices.Contains(f.Verdicts, e.Verdict)),
		len(f.Layers) > 0 && !(answers && slices.Contains(f.Layers, e.Layer)),
		len(f.Kinds) > 0 && !slices.Contains(f.Kinds, e.Kind),
		!strings.HasPrefix(e.Session, f.Session),
		!f.Since.IsZero() && e.Time.Before(f.Since):
		return false
	}
	return true
}

// Decode reads one line, without its end. newer is the version of a line of a newer nod, which has no entry.
func Decode(raw []byte) (l Line, newer int, err error) {
	err = json.Unmarshal(raw, &l.Entry)
	if err == nil && l.Version == Version {
		l.Raw = raw
		return l, 0, nil
	}
	var v struct {
		V int `json:"v"`
	}
	switch torn := json.Unmarshal(raw, &v); {
	case torn != nil:
		err = fmt.Errorf("torn or damaged line: %w", torn)
	case v.V > Version:
		return Line{}, v.V, nil
	case v.V < 1:
		err = errors.New(`not a line of the decision log: no "v"`)
	default:
		err = fmt.Errorf("damaged line: %w", err)
	}
	return Line{}, 0, err
}

// Read yields the lines of dir that f selects: oldest file first, each file from its start, in the order in which
// the lines were written, not by their times. A [Problem] is yielded where something could not be read. A log that
// does not exist yet is empty.
func Read(dir string, f Filter) iter.Seq2[Line, error] { return each(dir, f, false) }

// Newest yields the lines of dir that f selects, newest first, that is in the reverse of [Read]'s order.
func Newest(dir string, f Filter) iter.Seq2[Line, error] { return each(dir, f, true) }

func each(dir string, f Filter, backward bool) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		files, err := open(dir)
		defer closeAll(files)
		if err != nil && !yield(Line{}, err) {
			return
		}
		if backward {
			slices.Reverse(files)
		}
		for _, file := range files {
			text, err := readAll(file)
			if err != nil && !yield(Line{}, &Problem{File: file.Name(), Err: err}) {
				return
			}
			if p := (page{file: file.Name(), text: text}); !p.read(f, backward, yield) {
				return
			}
		}
	}
}

// readAll reads a file to its end. A line whose end is missing may be one that somebody writes, who has the lock.
func readAll(file *os.File) ([]byte, error) {
	text, err := io.ReadAll(file)
	if err == nil && len(text) > 0 && text[len(text)-1] != '\n' && system.LockFor(file, time.Second) {
		defer system.Unlock(file)
		rest, err := io.ReadAll(file)
		return append(text, rest...), err
	}
	return text, err
}

// open opens all files of the log, oldest first. The current file is opened
// first, so that a rotation in between hides nothing and shows nothing twice.
func open(dir string) ([]*os.File, error) {
	var files []*os.File
	var errs []error
	current, err := OpenFile(filepath.Join(dir, FileName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, &Problem{File: filepath.Join(dir, FileName), Err: err})
	}
	names, err := rotatedFiles(dir)
	for _, name := range names {
		file, err := OpenFile(name)
		switch {
		case err != nil:
			errs = append(errs, &Problem{File: name, Err: err})
		case sameFile(file, current):
			file.Close()
		default:
			files = append(files, file)
		}
	}
	if current != nil {
		files = append(files, current)
	}
	return files, errors.Join(append(errs, err)...)
}

// Files lists the names of the log's files in dir, oldest first and the current one last, whether that exists or not.
func Files(dir string) ([]string, error) {
	names, err := rotatedFiles(dir)
	return append(names, filepath.Join(dir, FileName)), err
}

// OpenFile opens a regular file for reading, and nothing else, without blocking.
func OpenFile(name string) (*os.File, error) {
	file, err := system.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, errors.Join(err, errors.New("not a regular file"))
	}
	return file, nil
}

func sameFile(a, b *os.File) bool {
	if a == nil || b == nil {
		return false
	}
	x, errX := a.Stat()
	y, errY := b.Stat()
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// page is a text of whole lines of a file.
type page struct {
	file string
	text []byte
}

// read yields the lines; false ends the reading.
func (p page) read(f Filter, backward bool, yield func(Line, error) bool) bool {
	lines, newer := bytes.Split(p.text, []byte("\n")), &Newer{}
	for i := range lines {
		if backward {
			i = len(lines) - 1 - i
		}
		if len(lines[i]) > 0 && !p.give(i, lines[i], newer, f, yield) {
			return false
		}
	}
	return newer.Lines == 0 || yield(Line{}, &Problem{File: p.file, Err: newer})
}

// give yields one line, or the problem with it.
func (p page) give(i int, raw []byte, newer *Newer, f Filter, yield func(Line, error) bool) bool {
	l, version, err := Decode(bytes.TrimRight(raw, "\r"))
	switch {
	case err != nil:
		return yield(Line{}, &Problem{File: p.file, Line: i + 1, Err: err})
	case version > 0:
		newer.Lines++
		newer.Version = max(newer.Version, version)
		return true
	}
	return !f.Match(l.Entry) || yield(l, nil)
}
