package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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

// chained is what a line says of its place.
type chained struct {
	prev     link
	has      bool // there is a link
	unlocked bool
}

func chainedOf(line []byte) (c chained) {
	const digits = 2 * len(link{})
	_, rest, _ := bytes.Cut(line, []byte(","))
	rest, found := bytes.CutPrefix(rest, []byte(prevKey))
	if !found || len(rest) < digits || !bytes.HasPrefix(line, []byte(`{"v":`)) {
		return c
	}
	if _, err := hex.Decode(c.prev[:], rest[:digits]); err != nil || !bytes.HasPrefix(rest[digits:], []byte(`",`)) {
		return c
	}
	c.has = true
	c.unlocked = bytes.HasPrefix(rest[digits+len(`",`):], []byte(unlockedPair))
	return c
}

// seat is a line that was read, as far as others may be linked to it.
type seat struct {
	place
	link  link
	loose bool // unlocked or torn: another writer may not have seen it
	fork  bool // unlocked
}

// seats are the newest lines that were read.
type seats []seat

const seatLimit = 4096

func (s *seats) add(one seat) {
	if len(*s) == 2*seatLimit {
		*s = append((*s)[:0], (*s)[seatLimit:]...)
	}
	*s = append(*s, one)
}

// find returns where the line stands that a link is to, counted from the newest, and whether a line may be linked so:
// to the newest alone, unless writers without the lock were on the way.
func (s seats) find(c chained) (back int, may bool) {
	fork, bound := c.unlocked, false
	for i, one := range slices.Backward(s) {
		back = len(s) - 1 - i
		if one.link == c.prev {
			return back, back == 0 || fork && !bound
		}
		fork, bound = fork || one.fork, bound || !one.loose && !c.unlocked
	}
	return -1, false
}
