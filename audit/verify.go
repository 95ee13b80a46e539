package audit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/nodgate/nod/internal/lines"
)

// Anchor is what the log was at a time: how many lines it had, and the hash of the newest. It proves something where it
// is kept out of reach of whoever may write the log.
type Anchor struct {
	Time  time.Time `json:"time"`
	Lines int       `json:"lines"`
	Hash  string    `json:"hash"`
}

// Checked is an anchor, and what has become of it.
type Checked struct {
	Anchor
	Stands bool   `json:"stands"`
	At     string `json:"at,omitempty"` // FILE:LINE
	Why    string `json:"why,omitempty"`
}

// Break is where a line is not linked to the one before it.
type Break struct {
	File string `json:"file"`
	Line int    `json:"line"`
	What string `json:"what"`
	seat int    // how many lines stand before it
}

// Report is what [Verify] found. It is `nod verify --json`.
type Report struct {
	Version     int       `json:"v"`
	Whole       bool      `json:"whole"` // nothing is broken, and every anchor stands
	Files       int       `json:"files"`
	Lines       int       `json:"lines"` // all that are not empty
	Torn        int       `json:"torn"`
	BeforeChain int       `json:"before_chain"` // written by a nod that did not link them
	Unlocked    int       `json:"unlocked"`
	TornAt      []string  `json:"torn_at,omitempty"` // FILE:LINE of the first
	UnlockedAt  []string  `json:"unlocked_at,omitempty"`
	Breaks      []Break   `json:"breaks,omitempty"`
	MoreBreaks  int       `json:"more_breaks,omitempty"`
	Anchors     []Checked `json:"anchors,omitempty"`
	Head        *Anchor   `json:"head,omitempty"` // of the newest line that is whole
}

// Bounds of what a report names.
const (
	breakLimit = 100
	namedLimit = 20
)

// Verify reads the whole log once, in bounded memory, and follows the links from line to line. It shows what was
// changed, removed or put in by somebody who did not write all links behind it anew, and nothing else: for all else
// there are anchors. progress may be nil; it is told how many bytes of how many were read.
func Verify(ctx context.Context, dir string, anchors []Anchor, progress func(done, all int64)) (Report, error) {
	files, err := open(dir)
	defer func() {
		for _, file := range files {
			file.Close()
		}
	}()
	if err != nil {
		return Report{}, err
	}
	v := verifier{ctx: ctx, progress: progress, report: Report{Version: 1, Files: len(files)},
		in: bufio.NewReaderSize(nil, lines.LastLimit+2), wanted: map[link][]int{}}
	const lost = "no line has this hash: the newest lines of then were removed, or a line was changed"
	for i, a := range anchors {
		v.report.Anchors = append(v.report.Anchors, Checked{Anchor: a, Why: lost})
		var hash link
		if sum, err := hex.DecodeString(a.Hash); err != nil || copy(hash[:], sum) != len(sum) || len(sum) != len(hash) {
			return Report{}, fmt.Errorf("anchor %d: %q is not a hash of %d hex digits", i+1, a.Hash, 2*len(hash))
		}
		v.wanted[hash] = append(v.wanted[hash], i)
	}
	for _, file := range files {
		if info, err := file.Stat(); err == nil {
			v.all += info.Size()
		}
	}
	for _, file := range files {
		if err := v.file(file); err != nil {
			return Report{}, &Problem{File: file.Name(), Err: err}
		}
	}
	return v.ended(), nil
}

type verifier struct {
	ctx       context.Context
	progress  func(done, all int64)
	done, all int64
	in        *bufio.Reader // its buffer holds two of the longest lines, glued
	report    Report
	wanted    map[link][]int // anchors by their hash
	head      Anchor
	headLink  link
	seats     seats
	chain     bool // it has begun
	place     place
	first     bool // no line of this file was read yet
}

// place is a line of a file.
type place struct {
	file string
	line int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// file reads one file.
func (v *verifier) file(file *os.File) error {
	v.in.Reset(file)
	v.place, v.first = place{file: file.Name()}, true
	defer v.tell()
	for {
		v.place.line++
		text, err := v.in.ReadSlice('\n')
		over := err == bufio.ErrBufferFull
		v.done += int64(len(text))
		for err == bufio.ErrBufferFull {
			var more []byte
			more, err = v.in.ReadSlice('\n')
			v.done += int64(len(more))
		}
		if line := bytes.TrimSuffix(text, []byte("\n")); len(line) > 0 {
			v.line(line, over, len(line) == len(text))
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case v.place.line%10_000 == 0:
			if err := v.ctx.Err(); err != nil {
				return errors.New("interrupted")
			}
			v.tell()
		}
	}
}

func (v *verifier) tell() {
	if v.progress != nil {
		v.progress(v.done, v.all)
	}
}

// line takes one line. over: it is longer than any that nod writes. open: it has no newline.
func (v *verifier) line(line []byte, over, open bool) {
	torn := over || line[0] != '{' || !json.Valid(line)
	c := chainedOf(line)
	v.report.Lines++
	if torn {
		v.report.Torn++
		v.report.TornAt = v.named(v.report.TornAt)
	}
	if c.unlocked {
		v.report.Unlocked++
		v.report.UnlockedAt = v.named(v.report.UnlockedAt)
	}
	switch {
	case c.has:
		v.follow(c)
	case torn: // its link is lost
	case v.chain:
		v.broken("no link: an older nod wrote it, or it was put in")
	default:
		v.report.BeforeChain++
	}
	v.chain, v.first = v.chain || c.has, false
	v.sit(seat{place: v.place, link: linkOf(line), loose: c.unlocked || torn, fork: c.unlocked}, open)
}

func (v *verifier) named(list []string) []string {
	if len(list) == namedLimit {
		return list
	}
	return append(list, v.place.String())
}

// sit notes a line for those that follow, and for the anchors. A line without its newline may still be growing.
func (v *verifier) sit(one seat, open bool) {
	v.seats.add(one)
	if open {
		return
	}
	v.head.Lines, v.headLink = v.report.Lines, one.link
	for _, i := range v.wanted[one.link] {
		a := &v.report.Anchors[i]
		if a.Stands {
			continue
		}
		a.At, a.Why, a.Stands = one.place.String(), "", a.Lines == v.report.Lines
		if !a.Stands {
			a.Why = fmt.Sprintf("%d lines stood up to here, and now %d", a.Lines, v.report.Lines)
		}
	}
}

// follow looks where the line is that this one is linked to.
func (v *verifier) follow(c chained) {
	before := v.report.Lines - 1
	back, may := v.seats.find(c)
	switch {
	case may, before == 0 && c.prev == linkOf(nil):
	case before == 0:
		v.broken("lines, or files, before it were removed")
	case back > 0:
		from := v.seats[len(v.seats)-back]
		v.forget(before - back)
		v.broken(fmt.Sprintf("%d line(s) before it were put in or moved, from %s on", back, from.place))
	case v.first:
		v.broken(fmt.Sprintf("the file before it was removed, or the end of %s was changed or cut off", v.last()))
	default:
		v.broken(fmt.Sprintf("line %d was changed, or lines between the two were removed", v.last().line))
	}
}

func (v *verifier) last() place { return v.seats[len(v.seats)-1].place }

// forget takes back what was said of lines that, as it turns out, were put in.
func (v *verifier) forget(before int) {
	list := v.report.Breaks
	for len(list) > 0 && list[len(list)-1].seat >= before && v.report.MoreBreaks == 0 {
		list = list[:len(list)-1]
	}
	v.report.Breaks = list
}

func (v *verifier) broken(what string) {
	if len(v.report.Breaks) == breakLimit {
		v.report.MoreBreaks++
		return
	}
	v.report.Breaks = append(v.report.Breaks, Break{File: v.place.file, Line: v.place.line, What: what,
		seat: v.report.Lines - 1})
}

func (v *verifier) ended() Report {
	v.report.Whole = len(v.report.Breaks) == 0
	for _, a := range v.report.Anchors {
		v.report.Whole = v.report.Whole && a.Stands
	}
	if v.head.Lines > 0 {
		v.head.Time, v.head.Hash = time.Now().UTC(), hex.EncodeToString(v.headLink[:])
		v.report.Head = &v.head
	}
	return v.report
}
