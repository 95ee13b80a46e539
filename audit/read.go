//go:build unix

package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nodgate/nod"
)

// readLimit bounds a line while reading. Writers keep to 1 MiB; what is
// longer is several lines run together or not ours.
const readLimit = 8 << 20

// Line is one line of the log.
type Line struct {
	Entry
	// Raw is the line as it stands in the file, without its newline. It is
	// the reader's to keep.
	Raw []byte
}

// Problem is a line, or a file, that could not be read. Reading goes on
// behind it.
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
	Agent    string
	Session  string // how the session's id begins
	Since    time.Time
}

// Match reports whether the filter selects e.
func (f Filter) Match(e Entry) bool {
	answers := e.Kind != Begun && e.Kind != Outcome
	switch {
	case len(f.Verdicts) > 0 && !(answers && slices.Contains(f.Verdicts, e.Verdict)),
		len(f.Layers) > 0 && !(answers && slices.Contains(f.Layers, e.Layer)),
		len(f.Kinds) > 0 && !slices.Contains(f.Kinds, e.Kind),
		f.Agent != "" && f.Agent != e.Agent,
		!strings.HasPrefix(e.Session, f.Session),
		!f.Since.IsZero() && e.Time.Before(f.Since):
		return false
	}
	return true
}

// decode reads one line. A newer line is no error and has no entry.
func decode(raw []byte) (l Line, newer int, err error) {
	var v struct {
		V int `json:"v"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return Line{}, 0, fmt.Errorf("torn or damaged line: %w", err)
	}
	if v.V > Version {
		return Line{}, v.V, nil
	}
	if v.V < 1 {
		return Line{}, 0, errors.New(`not a line of the decision log: no "v"`)
	}
	if err := json.Unmarshal(raw, &l.Entry); err != nil {
		return Line{}, 0, fmt.Errorf("damaged line: %w", err)
	}
	l.Raw = raw
	return l, 0, nil
}

// Read yields the lines of dir that f selects, in the order of the files:
// oldest file first, each from its start, whatever the clock said when a line
// was written. A [Problem] is yielded where something could not be read. A
// log that does not exist yet is empty.
func Read(dir string, f Filter) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		files, err := open(dir)
		defer closeAll(files)
		if err != nil && !yield(Line{}, err) {
			return
		}
		for _, file := range files {
			if r := (forward{file: file}); !r.read(f, false, yield) {
				return
			}
		}
	}
}

// open opens all files of the log, oldest first. The current one is opened
// first, so that a rotation in between hides nothing and shows nothing twice.
func open(dir string) ([]*os.File, error) {
	var files []*os.File
	var errs []error
	current, err := openFile(filepath.Join(dir, FileName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, &Problem{File: filepath.Join(dir, FileName), Err: err})
	}
	names, err := rotatedFiles(dir)
	for _, name := range names {
		file, err := openFile(name)
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

// openFile opens a regular file and nothing else, without blocking.
func openFile(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
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

func closeAll(files []*os.File) {
	for _, file := range files {
		file.Close()
	}
}

// forward reads the lines of a file from its start, or from where it stopped.
type forward struct {
	file *os.File
	pos  int64
	line int // how many were read
}

// read yields the lines that are there; false ends the reading. whole leaves a last line
// whose end is missing for the next time.
func (r *forward) read(f Filter, whole bool, yield func(Line, error) bool) bool {
	in := bufio.NewReaderSize(io.NewSectionReader(r.file, r.pos, math.MaxInt64-r.pos), 64<<10)
	newer := &Newer{}
	for {
		raw, size, err := readLine(in)
		ends := err == io.EOF
		if ends && (size == 0 || whole) {
			break
		}
		r.pos, r.line = r.pos+int64(size), r.line+1
		p := &Problem{File: r.file.Name(), Line: r.line}
		if err != nil && !ends && !errors.Is(err, errLong) {
			p.Err = err
			return yield(Line{}, p)
		}
		if len(raw) > 0 || errors.Is(err, errLong) {
			if !give(raw, err, p, newer, f, yield) {
				return false
			}
		}
		if ends {
			break
		}
	}
	return newer.Lines == 0 || yield(Line{}, &Problem{File: r.file.Name(), Err: newer})
}

// give yields one line, or the problem with it.
func give(raw []byte, err error, p *Problem, newer *Newer, f Filter, yield func(Line, error) bool) bool {
	if errors.Is(err, errLong) {
		p.Err = err
		return yield(Line{}, p)
	}
	l, version, err := decode(bytes.TrimRight(raw, "\r"))
	switch {
	case err != nil:
		p.Err = err
		return yield(Line{}, p)
	case version > 0:
		newer.Lines++
		newer.Version = max(newer.Version, version)
		return true
	}
	return !f.Match(l.Entry) || yield(l, nil)
}

var errLong = errors.New("longer than 8 MiB") // readLimit

// readLine returns the next line without its newline, and its size with it.
// A line over the limit is read to its end and not returned.
func readLine(in *bufio.Reader) (line []byte, size int, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if size += len(part); size <= readLimit {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case size > readLimit && (err == nil || err == io.EOF):
			return nil, size, errLong
		default:
			return bytes.TrimSuffix(line, []byte("\n")), size, err
		}
	}
}
