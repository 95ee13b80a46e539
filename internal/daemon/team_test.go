//go:build unix

package daemon_test

import (
	"bufio"
	"compress/gzip"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/daemon"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/team/client"
)

// office is a team's server on loopback. It keeps lines as the real one does: by their id, and once each.
type office struct {
	*httptest.Server
	t     *testing.T
	state string
	key   ed25519.PrivateKey

	mu       sync.Mutex
	requests int
	ids      []string // newest last
	lines    map[string]string
	gaps     []string // ids that are not linked to the line before
	asked    client.Asked
	answers  []client.Signed
	news     chan struct{} // closed when there is an answer
}

func newOffice(t *testing.T) *office {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := &office{t: t, state: filepath.Join(t.TempDir(), "state"), key: private, lines: map[string]string{},
		news: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/log", o.log)
	mux.HandleFunc("POST /v1/questions", o.ask)
	mux.HandleFunc("GET /v1/questions/answers", o.hear)
	o.Server = httptest.NewServer(mux)
	t.Cleanup(o.Close)
	m := team.Member{Version: 1, Server: o.URL, Org: "acme", Team: "shop", Machine: "m1", Token: "nod_t",
		Key: base64.StdEncoding.EncodeToString(public)}
	if err := os.MkdirAll(o.state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := m.SaveAt(team.Seat{Dir: team.Dir(o.state)}); err != nil {
		t.Fatal(err)
	}
	return o
}

// log takes a batch. Every third request is refused before, and every third after it was kept.
func (o *office) log(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.requests++
	if o.requests%3 == 1 {
		w.Header().Set("Retry-After", "0")
		http.Error(w, "busy", http.StatusTooManyRequests)
		return
	}
	zip, err := gzip.NewReader(r.Body)
	if err != nil || r.Header.Get("Authorization") != "Bearer nod_t" || r.Header.Get("Content-Type") != client.Lines {
		o.t.Error(err, r.Header)
	}
	in := bufio.NewScanner(zip)
	for in.Buffer(nil, 4<<20); in.Scan(); {
		var l client.Bare
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			o.t.Error(err)
		}
		id := l.Hash
		if id == "" {
			id = audit.Link(in.Bytes())
		}
		if o.lines[id] != "" {
			continue
		}
		if n := len(o.ids); n > 0 && l.Kind != audit.Unread && l.Prev != o.ids[n-1] {
			o.gaps = append(o.gaps, id)
		}
		o.ids, o.lines[id] = append(o.ids, id), in.Text()
	}
	if o.requests%3 == 2 {
		panic(http.ErrAbortHandler) // it has the lines, and the machine does not know
	}
}

func (o *office) ask(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var q client.Asked
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		o.t.Error(err)
	}
	o.asked = q
	fmt.Fprint(w, `{"status":"ok"}`)
}

func (o *office) hear(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	news, none := o.news, len(o.answers) == 0
	o.mu.Unlock()
	if none && r.FormValue("wait") != "" {
		select {
		case <-news:
		case <-r.Context().Done():
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	_ = json.NewEncoder(w).Encode(client.Answers{Version: 1, Asks: true, Answers: o.answers})
	o.answers = nil
}

// say has the machine hear an answer.
func (o *office) say(a client.Answer, key ed25519.PrivateKey) {
	o.t.Helper()
	signed, err := a.Sign(key)
	if err != nil {
		o.t.Fatal(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answers = append(o.answers, signed)
	close(o.news)
	o.news = make(chan struct{})
}

func (o *office) seen(what func() bool) func() bool {
	return func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return what()
	}
}

// Each line from the joining on comes once, whole and linked to the one before: the server is often busy and often
// breaks off, the log is rotated, torn lines stand in it, and the daemon is away for a while.
func TestShipping(t *testing.T) {
	o := newOffice(t)
	write := writer(t, o.state)
	before := some("before")
	before.Time = time.Now().Add(-time.Hour) // a file's time is that of a clock that ticks seldom
	write(before)
	torn(t, o.state)
	join(t, o.state)
	want := 0
	for range 4 {
		_, stop := start(t, daemon.Options{State: o.state})
		for i := range 20 {
			write(some("codex"))
			if want++; i == 7 {
				torn(t, o.state)
				want++
			}
		}
		hang.Until(t, "all lines", o.seen(func() bool { return len(o.ids) == want }))
		stop()
		write(some("codex")) // nobody follows
		want++
	}
	if len(o.gaps) > 0 || strings.Contains(fmt.Sprint(o.lines), "before") {
		t.Errorf("gaps: %v in %v", o.gaps, o.lines)
	}
	in := o.lines[o.ids[0]]
	if !strings.Contains(in, "git push") || audit.Link([]byte(in)) != o.ids[0] {
		t.Error(in)
	}
}

// Where the settings keep inputs out, only the digest goes, and the links stand all the same.
func TestShippingWithoutInputs(t *testing.T) {
	o := newOffice(t)
	settings := filepath.Join(t.TempDir(), "nod.toml")
	if err := os.WriteFile(settings, []byte("[team]\ninputs = false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	write := writer(t, o.state)
	_, stop := start(t, daemon.Options{State: o.state, Places: config.Places{User: settings}})
	defer stop()
	for range 3 {
		e := some("codex")
		e.Dir, e.Root = "/src/secret-project", "/src/secret-project"
		write(e)
	}
	hang.Until(t, "three lines", o.seen(func() bool { return len(o.ids) == 3 }))
	all := fmt.Sprint(o.lines)
	if len(o.gaps) > 0 || strings.Contains(all, "git push") || strings.Contains(all, "secret-project") ||
		strings.Count(all, "input_sha256") != 3 {
		t.Error(all, o.gaps)
	}
	var raw []string
	for l, err := range audit.Read(o.state, audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, audit.Link(l.Raw))
	}
	if diff := cmp.Diff(raw, o.ids); diff != "" {
		t.Error(diff)
	}
}

// A question goes up, and the answer that comes down counts once, if it is the organisation's and fits.
func TestAnswersFromElsewhere(t *testing.T) {
	o := newOffice(t)
	_, other, _ := ed25519.GenerateKey(nil)
	places := config.Places{Managed: filepath.Join(t.TempDir(), "etc/nod.toml")}
	out, stop := start(t, daemon.Options{State: o.state, Places: places})
	defer stop()
	hang.Until(t, "a listener", func() bool { return question.Heard(o.state) })
	now := time.Now()
	p, err := question.Ask(o.state, question.Question{ID: "20260101T000000-0a", Key: "k1", Agent: "codex", Session: "s",
		RawTool: "Bash", Lasting: "npm test", Link: "aa", Asked: now, Until: now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	hang.Until(t, "the question", o.seen(func() bool { return len(o.asked.Questions) == 1 }))
	if q := o.asked.Questions[0]; q.Question.Lasting != "" || q.Question.Link != "" || q.Left < 1 {
		t.Errorf("%+v", q)
	}
	good := client.Answer{Version: 1, Machine: "m1", Question: "20260101T000000-0a", Key: "k1", Yes: true,
		Scope: question.Once, By: "ada"}
	refused := func(said string, change func(*client.Answer), key ed25519.PrivateKey) {
		t.Helper()
		a := good
		change(&a)
		o.say(a, key)
		for text := ""; !strings.Contains(text, said); text = hang.Receive(t, said, out) {
		}
		if open, _ := question.Open(o.state, time.Now()); len(open) != 1 {
			t.Fatalf("%s: the question is over", said)
		}
	}
	refused("did not sign", func(*client.Answer) {}, other)
	refused("another machine", func(a *client.Answer) { a.Machine = "m2" }, o.key)
	refused("does not fit", func(a *client.Answer) { a.Key = "k2" }, o.key)
	refused(`cannot hold "always"`, func(a *client.Answer) { a.Scope = question.Always }, o.key)
	root, err := team.Load("", o.state) // joins the machine to another organisation, and leaves it
	root.Key = base64.StdEncoding.EncodeToString(make([]byte, ed25519.PublicKeySize))
	seat := team.Seat{Dir: team.Managed(places.Managed), Public: true}
	if err = errors.Join(err, root.SaveAt(seat), os.Remove(filepath.Join(seat.Dir, team.MemberFile))); err != nil {
		t.Fatal(err)
	}
	for range 2 { // when the second is fetched, the first was looked at
		o.say(good, o.key)
		hang.Until(t, "the fetching", o.seen(func() bool { return o.answers == nil }))
	}
	if open, _ := question.Open(o.state, time.Now()); len(open) != 1 || question.Heard(o.state) ||
		os.RemoveAll(seat.Dir) != nil {
		t.Fatal("an answer of another organisation than root's")
	}
	for range 3 { // a replay counts for nothing
		o.say(good, o.key)
	}
	a, ok := p.Wait(hang.Context(t), time.Now)
	if !ok || !a.Yes || a.Scope != question.Once || !strings.HasPrefix(a.By, "ada, by") {
		t.Errorf("%+v", a)
	}
	p.Close()
	hang.Until(t, "the server knows", o.seen(func() bool { return len(o.asked.Questions) == 0 }))
}

// torn leaves what a writer leaves that was killed.
func torn(t *testing.T, state string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(state, audit.FileName), os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = fmt.Fprintf(f, "{\"v\":1,\"torn at %d\n", time.Now().UnixNano())
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// join has the machine join anew, now.
func join(t *testing.T, state string) {
	t.Helper()
	m, err := team.Load("", state)
	if err == nil {
		err = m.SaveAt(team.Seat{Dir: team.Dir(state)})
	}
	if err != nil {
		t.Fatal(err)
	}
}
