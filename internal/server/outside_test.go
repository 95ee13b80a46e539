//go:build unix

package server

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/team/client"
)

// signs lays heads outside.
func (w *world) signs() {
	w.Helper()
	if err := (shipping{w.Server}).signHeads(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// sends ships a line as a machine wrote it without the lock, linked to another, and returns its id.
func (w *world) sends(m team.Member, prev string) string {
	w.Helper()
	line := fmt.Sprintf(`{"v":1,"prev":%q,"unlocked":true,"kind":"decision","time":%q}`, prev,
		time.Now().UTC().Format(time.RFC3339Nano))
	r, text := w.ask("POST", "/v1/log", line, "Content-Type: "+client.Lines, "Authorization: Bearer "+m.Token)
	if r.StatusCode != 200 {
		w.Fatal(text)
	}
	return audit.Link([]byte(line))
}

// chained are the lines as nod-serve lines --chains prints them.
func (w *world) chained(db string) (list []audit.Shipped) {
	w.Helper()
	_, out, said := w.typed("lines", "--chains", "--db", db)
	for in := json.NewDecoder(strings.NewReader(out)); in.More(); {
		var l audit.Shipped
		if err := in.Decode(&l); err != nil {
			w.Fatal(out, said)
		}
		list = append(list, l)
	}
	return list
}

// Whatever is done to lines up to the newest head is seen, and where; what may happen is none of that.
func TestHeadsProveWhatIsKept(t *testing.T) {
	on(t, func(w *world, db string) {
		m, state := w.join("box", w.at)
		w.logs(state, 10)
		w.ship(m, state, atOnce)
		w.signs()
		w.signs() // nothing is new
		name := state + "/decisions.jsonl"
		text, err := os.ReadFile(name)
		torn := strings.Repeat("{\"v\":1,\"ki\n", 2)
		if err = errors.Join(err, os.WriteFile(name, append(text, torn...), 0o600)); err != nil {
			w.Fatal(err)
		}
		w.logs(state, 8)         // behind two that are torn, and the same
		w.ship(m, state, atOnce) // all of it once more
		w.signs()
		last := w.chained(db)[18].ID
		w.sends(m, w.sends(m, last))
		w.sends(m, last) // its writer had not seen the two before
		w.signs()
		w.sends(m, last)
		kept := w.chained(db)
		heads, err := os.ReadFile(w.home + "/heads")
		if err != nil || len(kept) != 23 {
			w.Fatal(len(kept), err)
		}
		key, _ := base64.StdEncoding.DecodeString(m.Key)
		_, sign, _ := ed25519.GenerateKey(nil)
		foreign, _ := audit.Head{Machine: m.Machine, Lines: 5, Hash: last}.Sign(sign)
		if err := w.db.Tx(w.Context(), func(tx *store.Tx) (err error) {
			sign, err = tx.SigningKey(w.Context(), w.org)
			return err
		}); err != nil {
			w.Fatal(err)
		}
		by := func(place int64, gaps int64, hash string) string {
			h := audit.Head{Org: w.org, Machine: m.Machine, Lines: place, Gaps: gaps, Hash: hash, Time: time.Now()}
			line, _ := h.Sign(sign)
			return string(line)
		}
		cut := func(from, to int) func() { return func() { kept = slices.Delete(kept, from, to) } }
		numbered := func() {
			for i := range kept {
				kept[i].Seq = int64(i) + 1
			}
		}
		swap := func() { kept[4], kept[5] = kept[5], kept[4] }
		never, old := time.Time{}, time.Now().Add(time.Hour)
		for _, c := range []struct {
			name         string
			change       func()
			more         string // a head
			since        time.Time
			want, breaks string // heads, behind, gone, foreign
		}{
			{"as it is", nil, "", never, "3 1 0 0", ""},
			{"cut in the middle", cut(4, 6), "", never, "3 1 0 0", "7 follows place 4"},
			{"and numbered anew", func() { cut(4, 6)(); numbered() }, "", never, "0 21 0 0",
				"5 is not linked to the line before; 10 stood here when a head was signed; " +
					"19 stood here when a head was signed; 22 is gone"},
			{"cut at the end", cut(21, 23), "", never, "2 2 0 0", "22 is gone"},
			{"cut behind the heads", cut(22, 23), "", never, "3 0 0 0", ""},
			{"changed", func() { kept[7].Text = strings.Replace(kept[7].Text, "deny", "allow", 1) }, "", never,
				"3 1 0 0", "8 is not the hash of its line"},
			{"without --bare", nil, "", never, "3 1 0 0", "11 did not come whole"},
			{"made bare", func() {
				kept[7].Text = `{"hash":"` + kept[7].ID + `","prev":"` + kept[6].ID + `","input":{}}`
			}, "", never, "3 1 0 0", "8 did not come whole"},
			{"given to another organisation", func() {
				for i := range kept {
					kept[i].Org = "other"
				}
			}, "", never, "0 23 0 0", "10 stood here when a head was signed; 19 stood here when a head was signed; " +
				"22 stood here when a head was signed"},
			{"swapped", func() { swap(); numbered() }, "", never, "3 1 0 0", "5 is not linked to the line before; " +
				"6 is not linked to the line before; 7 is not linked to the line before"},
			{"moved", swap, "", never, "3 1 0 0", "6 follows place 4; 5 follows place 6; 7 follows place 5"},
			{"put in again", func() { kept = append(kept, kept[4]) }, "", never, "3 2 0 0", "5 follows place 23"},
			{"id forged", func() { kept[9].ID = last }, "", never, "2 1 0 0", "10 is not the hash of its line; " +
				"10 stood here when a head was signed"},
			{"another key's head", nil, string(foreign), never, "3 1 0 1", ""},
			{"by syslog, and torn", nil, "Nov 30 box nod: " + by(1, 0, kept[0].ID) + "\n{\"v\":1", never,
				"4 1 0 1", ""},
			{"head replaced", nil, by(5, 0, last), never, "3 1 0 0", "5 stood here when a head was signed"},
			{"a gap was seen", nil, by(10, 1, kept[9].ID), never, "3 1 0 0", "10 came behind a line that did not fit"},
			{"retention", cut(0, 10), "", old, "2 1 2 0", ""},
			{"retention by time", cut(2, 10), "", old, "2 1 2 0", ""},
			{"retention of which nobody knows", cut(0, 10), "", never, "2 1 0 0", "11 follows place 0; 10 is gone"},
			{"all gone", cut(0, 23), "", never, "0 0 0 0", "10 is gone; 19 is gone; 22 is gone"},
			{"all gone, and old", cut(0, 23), "", old, "0 0 3 0", ""},
		} {
			before := slices.Clone(kept)
			if c.change != nil {
				c.change()
			}
			var in bytes.Buffer
			for _, l := range kept {
				_ = json.NewEncoder(&in).Encode(l)
			}
			kept = before
			r, err := audit.VerifyShipped(w.Context(), &in, strings.NewReader(string(heads)+c.more), key, c.since,
				c.name != "without --bare")
			var breaks []string
			for _, b := range r.Breaks {
				_, what, _ := strings.Cut(b.What[:strings.IndexAny(b.What, ":,")], " ")
				breaks = append(breaks, strings.TrimPrefix(b.At, m.Machine+":")+" "+what)
			}
			got := fmt.Sprint(r.Heads, r.Behind, r.Gone, r.Foreign)
			if d := strings.Join(breaks, "; "); got != c.want || d != c.breaks || r.Whole != (d == "") || err != nil {
				w.Errorf("%s: %v, %s, %s, %v", c.name, r.Whole, got, d, err)
			}
		}
	})
}

// What an S3-compatible place is told, and that a head counts as signed once the place has it.
func TestHeadsGoIntoABucket(t *testing.T) {
	w := shared(t, "")
	m, state := w.join("box", w.at)
	w.logs(state, 3)
	w.ship(m, state, atOnce)
	var got *http.Request
	var body []byte
	status := 412
	s3 := httptest.NewServer(http.HandlerFunc(func(a http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		a.WriteHeader(status)
	}))
	defer s3.Close()
	var err error
	if w.o.Heads, err = OutsideOf("s3://kept/a/b/?region=here&endpoint="+s3.URL, []string{"AWS_ACCESS_KEY_ID=me",
		"AWS_SECRET_ACCESS_KEY=x", "AWS_SESSION_TOKEN=y"}); err != nil {
		t.Fatal(err)
	}
	err = (shipping{w.Server}).signHeads(t.Context())
	if left, _ := w.db.Heads(t.Context()); err == nil || !strings.Contains(err.Error(), "412") || len(left) != 1 {
		t.Error(err, left)
	}
	status = 200
	w.signs()
	sum, key := sha256.Sum256(body), regexp.MustCompile(`^/kept/a/b/20\d{6}T\d{6}Z-[0-9a-f-]{36}\.jsonl$`)
	for name, want := range map[string]string{"If-None-Match": "*", "X-Amz-Security-Token": "y",
		"X-Amz-Content-Sha256":  hex.EncodeToString(sum[:]),
		"X-Amz-Checksum-Sha256": base64.StdEncoding.EncodeToString(sum[:])} {
		said := got.Header.Get("Authorization")
		if got.Header.Get(name) != want || !strings.Contains(said, strings.ToLower(name)) ||
			!strings.Contains(said, "/here/s3/aws4_request") {
			t.Errorf("%s: %s %s", name, got.Header.Get(name), said)
		}
	}
	left, _ := w.db.Heads(t.Context())
	if got.Method != "PUT" || !key.MatchString(got.URL.Path) || bytes.Count(body, []byte("\n")) != 1 || len(left) != 0 {
		t.Errorf("%s %s %s %v", got.Method, got.URL, body, left)
	}
}

// A syslog server gets messages behind their lengths. What it has not read to the end it has not taken.
func TestHeadsGoToSyslog(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	out, err := OutsideOf("syslog://"+l.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	heads := [][]byte{[]byte(`{"n":1}`), bytes.Repeat([]byte("long "), 1<<21)} // more than a connection holds
	form := regexp.MustCompile(`^<109>1 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ - nod-serve - head - $`)
	for _, reads := range []bool{true, false} {
		took, sent := make(chan error, 1), heads
		if !reads {
			sent = heads[:1]
		}
		go func() { took <- out(context.Background(), nil, sent) }()
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReaderSize(conn, 16)
		_, _ = in.Peek(1) // so that what is unread is there when it closes
		for n := 0; reads && n < len(heads); n++ {
			var size int
			var space rune
			_, err := fmt.Fscanf(in, "%d%c", &size, &space)
			text := make([]byte, size)
			_, wrong := io.ReadFull(in, text)
			before, whole := bytes.CutSuffix(text, heads[n])
			if err != nil || wrong != nil || space != ' ' || !whole || !form.Match(before) {
				t.Errorf("%d: %.200s %v %v", n, text, err, wrong)
			}
		}
		if _, err := in.Peek(1); reads && err != io.EOF {
			t.Error("there is more", err)
		}
		conn.Close()
		if err := hang.Receive(t, "it ends", took); (err == nil) != reads {
			t.Errorf("read: %v, taken: %v", reads, err)
		}
	}
}

// A place that cannot be used is refused at the start.
func TestPlacesThatAreRefused(t *testing.T) {
	for _, text := range []string{"ftp://h/x", "syslog://h", "syslog://:5", "syslog+tls://h:1/x", "syslog+tcp://h:1",
		"s3://b/p", "s3://b?region=r", "s3://b/p?region=r&endpoint=http://h", "s3://b/p?region=r&endpoint=https://h/x",
		"s3://b/p?region=r&acl=x", "s3://b/p%20q?region=r", "s3://u:p@b/p?region=r"} {
		if _, err := OutsideOf(text, []string{"AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x"}); err == nil {
			t.Error(text)
		}
	}
	code, _, said := newWorld(t, nil).typed("serve", "--heads=s3://b/p?region=r")
	if code != 2 || !strings.Contains(said, "AWS_SECRET_ACCESS_KEY") {
		t.Error(code, said)
	}
}
