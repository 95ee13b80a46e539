package audit

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/nodgate/nod/internal/lines"
)

// Anchor is what the log was at a time: how many lines it had, and the hash of the newest. It proves something where it
// is kept out of reach of whoever may write the log.
type Anchor struct {
	Version int       `json:"v"`
	Time    time.Time `json:"time"`
	Lines   int       `json:"lines"`
	Hash    string    `json:"hash"`
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
	At     string `json:"at"` // FILE:LINE
	What   string `json:"what"`
	before int    // how many lines stand before it
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
	UnlockedAt  []string  `json:"unlocked_at,omitempty"` // FILE:LINE of the first
	Breaks      []Break   `json:"breaks,omitempty"`
	MoreBreaks  int       `json:"more_breaks,omitempty"`
	Anchors     []Checked `json:"anchors,omitempty"`
	Head        *Anchor   `json:"head,omitempty"` // of the newest line that is whole
	// Of [VerifyShipped] alone, where a machine is a file. A break is at MACHINE:SEQ, and begins with the line's id.
	Heads   int `json:"heads,omitempty"`         // that stand
	Gone    int `json:"gone,omitempty"`          // holes among lines that old, and heads of such lines
	Foreign int `json:"heads_foreign,omitempty"` // that the key has not signed, or that are none
	Behind  int `json:"behind,omitempty"`        // lines behind their machine's newest head
	ByWord  int `json:"by_word,omitempty"`       // lines that were not sent whole, and say their hash themselves
}

// namedLimit bounds what a report names.
const namedLimit = 20

// Verify reads the whole log once, in bounded memory, and follows the links from line to line. It shows what was
// changed, removed or put in by somebody who did not write all links behind it anew, and nothing else: for all else
// there are anchors. progress is told how many bytes of how many were read.
func Verify(ctx context.Context, dir string, anchors []Anchor, progress func(done, all int64)) (Report, error) {
	files, err := open(dir)
	defer closeAll(files)
	v := verifier{ctx: ctx, progress: progress, Report: Report{Version: 1, Files: len(files)}, wanted: map[link][]int{},
		in: bufio.NewReaderSize(nil, lines.LastLimit+2)}
	if err = errors.Join(err, v.want(anchors)); err != nil {
		return Report{}, err
	}
	for _, file := range files {
		if info, err := file.Stat(); err == nil {
			v.all += info.Size()
		}
	}
	for _, file := range files {
		if err := v.file(file); err != io.EOF {
			return Report{}, &Problem{File: file.Name(), Err: err}
		}
	}
	v.Whole = len(v.Breaks) == 0 && !slices.ContainsFunc(v.Anchors, func(a Checked) bool { return !a.Stands })
	if v.head.Lines > 0 {
		v.head.Version, v.head.Time, v.head.Hash = 1, time.Now().UTC(), hex.EncodeToString(v.newest[:])
		v.Head = &v.head
	}
	return v.Report, nil
}

type verifier struct {
	Report
	ctx       context.Context
	progress  func(done, all int64)
	done, all int64
	in        *bufio.Reader  // its buffer holds two of the longest lines, glued
	wanted    map[link][]int // anchors by their hash
	head      Anchor
	newest    link   // of the head
	seats     []seat // the newest lines
	chain     bool   // it has begun
}

// want notes the anchors.
func (v *verifier) want(anchors []Anchor) error {
	const lost = "no line has this hash: the newest lines of then were removed, or a line was changed"
	for i, a := range anchors {
		var hash link
		sum, err := hex.DecodeString(a.Hash)
		if copy(hash[:], sum); err != nil || len(sum) != len(hash) {
			return fmt.Errorf("anchor %d: %q is not a hash of %d hex digits", i+1, a.Hash, 2*len(hash))
		}
		v.Anchors = append(v.Anchors, Checked{Anchor: a, Why: lost})
		v.wanted[hash] = append(v.wanted[hash], i)
	}
	return nil
}

// file reads one file until there is an error, io.EOF at its end.
func (v *verifier) file(file *os.File) error {
	v.in.Reset(file)
	for at := (seat{file: file.Name(), line: 1}); ; at.line++ {
		text, err := v.in.ReadSlice('\n')
		v.done += int64(len(text))
		if line := bytes.TrimSuffix(text, []byte("\n")); len(line) > 0 {
			v.take(at, line)
			v.found(len(line) < len(text))
		}
		for err == bufio.ErrBufferFull {
			text, err = v.in.ReadSlice('\n')
			v.done += int64(len(text))
		}
		if at.line%10_000 == 0 || err == io.EOF {
			v.progress(v.done, v.all)
			err = cmp.Or(v.ctx.Err(), err)
		}
		if err != nil {
			return err
		}
	}
}

// take follows the link of one line.
func (v *verifier) take(at seat, line []byte) {
	at.link, at.torn = linkOf(line), len(line) > lines.LastLimit || line[0] != '{' || !json.Valid(line)
	at.read(line)
	if at.torn {
		v.Torn++
	}
	if at.unlocked {
		if v.Unlocked++; v.Unlocked <= namedLimit {
			v.UnlockedAt = append(v.UnlockedAt, at.String())
		}
	}
	switch {
	case at.linked:
		v.follow(at)
	case at.torn: // its link is lost
	case v.chain:
		v.broken(at, "no link: an older nod wrote it, or it was put in")
	default:
		v.BeforeChain++
	}
	if len(v.seats) == 2*seatLimit {
		v.seats = append(v.seats[:0], v.seats[seatLimit:]...)
	}
	v.Lines, v.seats, v.chain = v.Lines+1, append(v.seats, at), v.chain || at.linked
}

// found looks for an anchor of the newest line, if it is ended: without its newline it may still be growing.
func (v *verifier) found(ended bool) {
	at := v.seats[len(v.seats)-1]
	if !ended {
		return
	}
	v.head.Lines, v.newest = v.Lines, at.link
	for _, i := range v.wanted[at.link] {
		if a := &v.Anchors[i]; !a.Stands {
			a.At, a.Why, a.Stands = at.String(), "", a.Lines == v.Lines
			if !a.Stands {
				a.Why = fmt.Sprintf("%d lines stood up to here, and now %d", a.Lines, v.Lines)
			}
		}
	}
}

// follow looks where the line is that this one is linked to.
func (v *verifier) follow(at seat) {
	behind, may := find(v.seats, at)
	if v.Lines == 0 {
		if at.prev != linkOf(nil) {
			v.broken(at, "lines, or files, before it were removed")
		}
		return
	}
	switch last := v.seats[len(v.seats)-1]; {
	case may:
	case behind > 0:
		for n := len(v.Breaks) - 1; n >= 0 && v.MoreBreaks == 0 && v.Breaks[n].before >= v.Lines-behind; n-- {
			v.Breaks = v.Breaks[:n] // what was said of the lines that were put in
		}
		v.broken(at, fmt.Sprintf("%d line(s) before it were put in or moved, from %s on", behind,
			v.seats[len(v.seats)-behind]))
	case last.file != at.file:
		v.broken(at, fmt.Sprintf("the file before it was removed, or the end of %s was changed or cut off", last))
	default:
		v.broken(at, fmt.Sprintf("line %d was changed, or lines between the two were removed", last.line))
	}
}

func (v *verifier) broken(at seat, what string) {
	if len(v.Breaks) == namedLimit {
		v.MoreBreaks++
		return
	}
	v.Breaks = append(v.Breaks, Break{At: at.String(), What: what, before: v.Lines})
}
