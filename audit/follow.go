package audit

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"github.com/nodgate/nod/internal/lines"
)

// Place is where a reader of the log stands; it is kept as JSON. The zero value is before the oldest line.
type Place struct {
	First  string    `json:"first,omitempty"` // hash of the first line of the file, which a rotation does not change
	Offset int64     `json:"offset,omitempty"`
	Time   time.Time `json:"time,omitzero"`  // of the last line
	Since  time.Time `json:"since,omitzero"` // older lines are left out: a file that was read has gone
}

// Batch is some lines that follow each other, what could not be read among them, and the place behind them.
type Batch struct {
	Lines    []Line
	Raw      [][]byte // all lines as they stand in the file, also those that are left out and cannot be read
	Problems []error  // see [Problem]
	Place    Place
}

// End is the place behind the newest line of the log in dir.
func End(dir string) (Place, error) {
	files, err := open(dir)
	defer closeAll(files)
	for _, file := range slices.Backward(files) {
		if first, size := firstOf(file); first != "" {
			return Place{First: first, Offset: size, Time: time.Now().UTC()}, nil
		}
	}
	return Place{}, err
}

// After returns what stands behind a place, at most about 256 KiB: nothing where nothing is new. Where the file of the
// place has gone, or was cut, it goes on with the lines that are newer, and names the problem.
func After(dir string, at Place) (b Batch, err error) {
	files, err := open(dir)
	defer closeAll(files)
	from := slices.IndexFunc(files, func(file *os.File) bool {
		first, size := firstOf(file)
		return first != "" && first == at.First && size >= at.Offset
	})
	if b.Place = at; from < 0 && len(files) > 0 && at.First != "" {
		gone := errors.New("the file that was read has gone, or was cut; going on with what is newer")
		b.Problems = append(b.Problems, &Problem{File: dir, Err: gone})
		b.Place = Place{Time: at.Time, Since: at.Time.Add(1)}
	}
	for i := max(from, 0); i < len(files); i++ {
		first, _ := firstOf(files[i])
		if first == "" {
			continue
		}
		if first != b.Place.First {
			b.Place.First, b.Place.Offset = first, 0
		}
		text, err := chunk(files[i], b.Place.Offset, i == len(files)-1)
		if err != nil || len(text) > 0 {
			b.add(page{files[i].Name(), text})
			return b, err
		}
	}
	return b, err
}

// add takes the lines of a text behind the place.
func (b *Batch) add(p page) {
	b.Place.Offset += int64(len(p.text))
	b.Raw = slices.DeleteFunc(bytes.Split(p.text, []byte("\n")), func(line []byte) bool { return len(line) == 0 })
	p.read(Filter{Since: b.Place.Since}, false, func(l Line, problem error) bool {
		if problem != nil {
			b.Problems = append(b.Problems, problem)
		} else {
			b.Lines, b.Place.Time = append(b.Lines, l), l.Time
		}
		return true
	})
}

// chunk reads whole lines. Where the file still grows, a line without an end is not there yet.
func chunk(file *os.File, at int64, grows bool) ([]byte, error) {
	for size := 256 << 10; ; size *= 4 {
		text := make([]byte, size)
		n, err := file.ReadAt(text, at)
		end := bytes.LastIndexByte(text[:n], '\n') + 1
		switch {
		case err != nil && err != io.EOF:
			return nil, err
		case end > 0 || n < size && grows:
			return text[:end], nil
		case n < size:
			return text[:n], nil
		}
	}
}

// firstOf returns the hash of the first line that is not empty, "" where there is none yet, and the file's size.
func firstOf(file *os.File) (first string, size int64) {
	info, err := file.Stat()
	in := bufio.NewReader(io.NewSectionReader(file, 0, 2*lines.LastLimit))
	for err == nil {
		var line []byte
		if line, err = in.ReadBytes('\n'); err == nil && len(line) > 1 {
			sum := linkOf(line)
			return hex.EncodeToString(sum[:]), info.Size()
		}
	}
	return "", 0
}

func closeAll(files []*os.File) {
	for _, file := range files {
		file.Close()
	}
}
