package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/nodgate/nod/internal/lines"
)

// link is what one line holds of the line before it.
type link [16]byte

// linkOf is the link to a line. The first line of a log is linked to no bytes, and so is one behind a line that is
// longer than any that nod writes.
func linkOf(line []byte) link {
	if len(line) > lines.LastLimit {
		line = nil
	}
	sum := sha256.Sum256(line)
	return link(sum[:len(link{})])
}

// Link names a line as the line behind it does: the first half of its SHA-256, in hexadecimal digits.
func Link(line []byte) string {
	l := linkOf(line)
	return hex.EncodeToString(l[:])
}

// The link stands behind the version, so that a torn line has it too.
const (
	prevKey      = `"prev":"`
	unlockedPair = `"unlocked":true,`
	linkRoom     = len(prevKey) + 2*len(link{}) + len(`",`) + len(unlockedPair)
)

// linked returns a line with the link to the last one.
func linked(line, last []byte, locked bool) []byte {
	at := bytes.IndexByte(line, ',') + 1
	prev := linkOf(last)
	out := append(make([]byte, 0, len(line)+linkRoom), line[:at]...)
	out = append(hex.AppendEncode(append(out, prevKey...), prev[:]), `",`...)
	if !locked {
		out = append(out, unlockedPair...)
	}
	return append(out, line[at:]...)
}

// seat is a line in the chain.
type seat struct {
	file string
	line int
	link link // to this line

	prev     link // what the line says it is linked to
	linked   bool // it says so
	unlocked bool
	torn     bool
}

func (s seat) String() string { return fmt.Sprintf("%s:%d", s.file, s.line) }

// read takes from a line what it says of its place.
func (s *seat) read(line []byte) {
	const digits = 2 * len(link{})
	_, rest, _ := bytes.Cut(line, []byte(","))
	rest, found := bytes.CutPrefix(rest, []byte(prevKey))
	if !found || len(rest) < digits || !bytes.HasPrefix(line, []byte(`{"v":`)) {
		return
	}
	_, err := hex.Decode(s.prev[:], rest[:digits])
	rest, found = bytes.CutPrefix(rest[digits:], []byte(`",`))
	s.linked = found && err == nil
	s.unlocked = s.linked && bytes.HasPrefix(rest, []byte(unlockedPair))
}

// seatLimit is how many of the newest lines are remembered, at least.
const seatLimit = 4096

// find returns how many lines stand behind the one that a line is linked to, and whether they may: a writer without the
// lock, and one that was stopped with it, have not seen them.
func find(seats []seat, of seat) (behind int, may bool) {
	fork, bound := of.unlocked, false
	for i, one := range slices.Backward(seats) {
		behind = len(seats) - 1 - i
		if one.link == of.prev {
			return behind, behind == 0 || fork && !bound
		}
		fork = fork || one.unlocked
		bound = bound || !one.unlocked && !one.torn && !of.unlocked
	}
	return -1, false
}
