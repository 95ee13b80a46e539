package audit

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// Head is the newest line of a machine's chain on a team's server.
type Head struct {
	Org     string    `json:"org"`
	Machine string    `json:"machine"`
	Lines   int64     `json:"lines"` // how many came from the joining on: the line's place
	Gaps    int64     `json:"gaps"`  // how often a line came that did not continue the chain
	Hash    string    `json:"hash"`
	Time    time.Time `json:"time"` // when it was signed
}

const headPurpose = "nod head 1\n"

// signedHead is a head as it lies outside. The signature is over headPurpose and the bytes of head.
type signedHead struct {
	Version   int             `json:"v"`
	Head      json.RawMessage `json:"head"`
	Signature []byte          `json:"signature"`
}

// Sign returns the head as a line of JSON, without a newline.
func (h Head) Sign(key ed25519.PrivateKey) ([]byte, error) {
	text, err := json.Marshal(h)
	line, wrong := json.Marshal(signedHead{1, text, ed25519.Sign(key, append([]byte(headPurpose), text...))})
	return line, errors.Join(err, wrong)
}

// Shipped is a line that a team's server keeps, as `nod-serve lines --chains` prints it.
type Shipped struct {
	Org     string `json:"org"`
	Machine string `json:"machine"`
	Seq     int64  `json:"seq"` // its place in the machine's chain, from 1 on
	ID      string `json:"id"`  // its hash
	Text    string `json:"line"`
}

// shippedVerifier follows the chains of a server's machines, one behind the other.
type shippedVerifier struct {
	verifier
	since  time.Time
	bare   bool
	heads  map[seat][]Head // by machine and place
	recent []string        // the newest ids
	shippedChain
}

// shippedChain is the one that is followed.
type shippedChain struct {
	org, machine, id   string // id is that of the newest line
	last, gaps, behind int64  // its place; how many lines did not fit; how many are behind the newest head that stands
	loose, later       bool   // it was written without the lock; retention has removed lines
	latest             time.Time
}

// VerifyShipped reads lines that a team's server keeps, each a [Shipped], machine by machine and by their places. It
// lays the heads that the key has signed beside each chain: up to the newest nothing was cut, moved or changed. What is
// older than since may be gone, by retention. A line that did not come whole is a break unless it is bare, which says
// that only its link is proved. The heads are held in memory. After an error nothing is proved.
func VerifyShipped(ctx context.Context, from, heads io.Reader, key ed25519.PublicKey, since time.Time,
	bare bool) (Report, error) {
	v := shippedVerifier{since: since, bare: bare, heads: map[seat][]Head{}}
	in := bufio.NewScanner(heads)
	for in.Buffer(nil, 16<<20); in.Scan(); {
		v.head(in.Bytes(), key)
	}
	if in.Err() != nil || len(v.heads) == 0 {
		return Report{}, errors.Join(fmt.Errorf("heads: the key has signed none, others %d", v.Foreign), in.Err())
	}
	for list := json.NewDecoder(from); ; {
		raw, l := json.RawMessage{}, Shipped{}
		err := cmp.Or(list.Decode(&raw), ctx.Err())
		if err == io.EOF {
			return v.end(), nil
		}
		_ = json.Unmarshal(raw, &l)
		if again, _ := json.Marshal(l); err != nil || l.Seq < 1 || !bytes.Equal(raw, again) { // it has one reading
			return Report{}, errors.Join(fmt.Errorf("line %d is none of nod-serve lines --chains", v.Lines+1), err)
		}
		v.take(l)
	}
}

// head takes a line of the heads. A syslog server has written something before the JSON.
func (v *shippedVerifier) head(line []byte, key ed25519.PublicKey) {
	var s signedHead
	var h Head
	at := max(0, bytes.Index(line, []byte(`{"v":`)))
	if json.Unmarshal(line[at:], &s) != nil || json.Unmarshal(s.Head, &h) != nil ||
		!ed25519.Verify(key, append([]byte(headPurpose), s.Head...), s.Signature) {
		v.Foreign++
		return
	}
	of := seat{file: h.Machine, line: int(h.Lines)}
	v.heads[of] = append(v.heads[of], h)
}

// take follows one line. As on the server, a line that was written without the lock, and the one behind it, may be
// linked to an older line. Retention goes by time, so that of the oldest lines some may be gone.
func (v *shippedVerifier) take(l Shipped) {
	var s struct {
		Hash, Prev, Kind string
		Unlocked         bool
		Time             time.Time
		Input            json.RawMessage
	}
	unread := json.Unmarshal([]byte(l.Text), &s) != nil || s.Kind == string(Unread)
	if v.machine != l.Machine || v.org != l.Org {
		v.shippedChain, v.Files = shippedChain{org: l.Org, machine: l.Machine}, v.Files+1
	}
	at, what := seat{file: l.Machine, line: int(l.Seq)}, ""
	switch {
	case s.Hash != l.ID && Link([]byte(l.Text)) != l.ID:
		what = "is not the hash of its line: one of the two was changed"
	case s.Hash == l.ID && (!v.bare || s.Input != nil):
		what = "did not come whole, or was made to look so: only its link is proved (see --bare)"
	case l.Seq > v.last+1 && v.latest.Before(v.since):
		v.Gone, v.later = v.Gone+1, true
	case l.Seq != v.last+1:
		what = fmt.Sprintf("follows place %d: lines were moved, cut, or removed by retention (see --since)", v.last)
	case v.last > 0 && s.Prev != v.id && (s.Prev != "" || !unread) &&
		(!s.Unlocked && !v.loose || !slices.Contains(v.recent, s.Prev)):
		what = "is not linked to the line before: it was changed, or lines between were cut or never sent"
	}
	if what != "" {
		v.gaps++
		v.broken(at, l.ID+" "+what)
	}
	if s.Unlocked {
		v.Unlocked++
	}
	if s.Hash == l.ID {
		v.ByWord++
	}
	v.latest = slices.MaxFunc([]time.Time{v.latest, s.Time}, time.Time.Compare)
	v.recent = append(v.recent[max(0, len(v.recent)-seatLimit):], l.ID)
	v.last, v.id, v.loose = l.Seq, l.ID, s.Unlocked
	v.Lines, v.Behind, v.behind = v.Lines+1, v.Behind+1, v.behind+1
	for _, h := range v.heads[at] {
		switch {
		case h.Hash != l.ID || h.Org != l.Org:
			v.broken(at, h.Hash+" stood here when a head was signed: now another line does")
		case h.Gaps > v.gaps && !v.later:
			v.broken(at, h.Hash+" came behind a line that did not fit: by a signed head, and now all fit")
		default:
			v.Heads, v.Behind, v.behind = v.Heads+1, v.Behind-int(v.behind), 0
		}
	}
	delete(v.heads, at)
}

func (v *shippedVerifier) end() Report {
	inOrder := func(a, b seat) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line)) }
	for _, at := range slices.SortedFunc(maps.Keys(v.heads), inOrder) {
		for _, h := range v.heads[at] {
			if h.Time.Before(v.since) {
				v.Gone++
			} else {
				v.broken(at, h.Hash+" is gone, and has a signed head: cut, or removed by retention (see --since)")
			}
		}
	}
	v.Version, v.Whole = 1, len(v.Breaks) == 0
	return v.Report
}
