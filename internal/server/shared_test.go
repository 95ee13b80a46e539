//go:build unix

package server

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/store/storetest"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/team/client"
)

// on runs a test with a world on each kind of database, and its address.
func on(t *testing.T, test func(w *world, db string)) {
	t.Run("sqlite", func(t *testing.T) {
		w := shared(t, "")
		test(w, "sqlite:"+w.file)
	})
	t.Run("postgres", func(t *testing.T) {
		db := storetest.Postgres(t).Address()
		test(shared(t, db), db)
	})
}

// shared is a world with a database, its own if none is named, that keeps heads and sends links.
func shared(t *testing.T, db string) *world {
	return newWorld(t, func(w *world, o *Options) {
		o.Heads, _ = OutsideOf(w.home+"/heads", nil)
		if o.Public = "https://nod.example/"; db == "" {
			return
		}
		w.db = storetest.Open(t, db)
		err := w.db.SetUp(t.Context())
		orgs, err2 := w.db.Orgs(t.Context())
		if err = errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		o.Store, w.org = w.db, orgs[0].ID
	})
}

// join makes a machine of a world's team, with a state directory, and returns its membership.
func (w *world) join(name, server string) (m team.Member, state string) {
	w.Helper()
	teams, err := w.db.Teams(w.Context(), w.org)
	if err != nil {
		w.Fatal(err)
	}
	m, state = team.Member{Version: 1, Server: server, Org: w.org, Team: teams[0].ID}, w.home+"/"+name
	if err := w.db.Tx(w.Context(), func(tx *store.Tx) error {
		box, token, err := tx.Join(w.Context(), w.org, teams[0].ID, name, machineScopes())
		if err != nil {
			return err
		}
		key, err := tx.SigningKey(w.Context(), w.org)
		m.Machine, m.Token = box.ID, token
		if err == nil {
			m.Key = base64.StdEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
		}
		return err
	}); err != nil {
		w.Fatal(err)
	}
	return m, state
}

// log writes so many lines into a state directory.
func (w *world) logs(state string, count int) {
	w.Helper()
	l, err := audit.Open(state)
	for i := 0; i < count && err == nil; i++ {
		err = l.Write(audit.Entry{Kind: audit.Decision, ID: fmt.Sprint("d", i), Agent: "codex", RawTool: "Bash",
			Verdict: nod.Deny, Layer: nod.LayerGuard, Rule: &audit.Rule{Text: "git push *"},
			Input: json.RawMessage(`{"command":"git push"}`), Reason: "a rule\x00"})
	}
	if err != nil {
		w.Fatal(err)
	}
	l.Close()
}

// ship ships a whole log in batches, each until it is taken, whatever happens to the server. before is told how many
// went already.
func (w *world) ship(m team.Member, state string, before func(int)) {
	w.Helper()
	c, err := client.New(m)
	if err != nil {
		w.Fatal(err)
	}
	n, b := 0, audit.Batch{}
	for at := (audit.Place{Offset: -1}); b.Place != at; {
		at = b.Place
		if b, err = audit.After(state, at); err != nil {
			w.Fatal(err)
		}
		for part := range slices.Chunk(b.Raw, 100) {
			before(n)
			n++
			hang.Until(w, "a batch is taken", func() bool {
				return c.Ship(w.Context(), audit.Batch{Raw: part}, true) == nil
			})
		}
	}
}

func atOnce(int) {}

// What a machine ships is found by its own organisation, counted once, and chained; a cut is seen.
func TestAMachineShipsItsLog(t *testing.T) {
	on(t, func(w *world, _ string) {
		m, state := w.join("box", w.at)
		_, elsewhere := w.join("other", w.at)
		w.logs(state, 250)
		w.logs(elsewhere, 1)
		w.ship(m, state, atOnce)
		w.ship(m, state, atOnce) // the place was lost
		bearer := "Authorization: Bearer " + m.Token
		var got foundLines
		lines, path := 0, "/v1/log?limit=100&verdict=deny&rule=push&machine=not-mine"
		for more := path; more != ""; {
			r, text := w.ask("GET", more, "", bearer)
			got = foundLines{}
			if err := json.Unmarshal([]byte(text), &got); err != nil || r.StatusCode != 200 {
				w.Fatal(text)
			}
			for _, l := range got.Lines {
				if lines++; audit.Link([]byte(l.Text)) != l.ID || l.Machine != m.Machine {
					w.Error(l)
				}
			}
			if more = ""; got.Next != "" {
				more = path + "&before=" + strings.ReplaceAll(got.Next, " ", "+")
			}
		}
		if _, text := w.ask("GET", "/v1/log/stats?by=layer", "", bearer); lines != 250 ||
			!strings.Contains(text, `{"key":"guard","verdict":"deny","count":250}`) {
			w.Error(lines, text)
		}
		if err := w.db.Tx(w.Context(), func(tx *store.Tx) error {
			return tx.SetOrg(w.Context(), w.org, store.OrgSettings{NoInputs: true})
		}); err != nil {
			w.Fatal(err)
		}
		w.logs(elsewhere, 3) // and now lines that follow no line of this machine
		w.ship(m, elsewhere, atOnce)
		events, err := w.db.Events(w.Context(), w.org, "", 1)
		if err != nil || len(events) != 1 || events[0].What != "log broken" || events[0].About != m.Machine {
			w.Error(events, err)
		}
		if _, text := w.ask("GET", "/v1/log?limit=4", "", bearer); strings.Contains(text, `\"input\"`) ||
			strings.Count(text, "input_sha256") != 4 {
			w.Error(text)
		}
	})
}

// Odd bodies are refused as a whole or taken as far as they go; none is refused for one odd line.
func TestOddLines(t *testing.T) {
	on(t, func(w *world, _ string) {
		m, _ := w.join("box", w.at)
		bearer, kind := "Authorization: Bearer "+m.Token, "Content-Type: "+client.Lines
		pack := func(text string) string {
			var b bytes.Buffer
			zip := gzip.NewWriter(&b)
			_, _ = io.WriteString(zip, text)
			_ = zip.Close()
			return b.String()
		}
		bomb := pack(strings.Repeat("\n", maxLines+1))
		for _, c := range []struct {
			name, body string
			headers    []string
			status     int
			said       string
		}{
			{"nothing", "", []string{kind, bearer}, 200, `"new":0`},
			{"text that is none", "{\"v\":1,\"agent\":\"\\u0000\xff\"}\n\x00\xfe\nnull\n[]\n" +
				"{\"time\":\"9999-12-31T23:59:59Z\",\"hash\":\"x\"}\n", []string{kind, bearer}, 200, `"new":5,"whole":false`},
			{"JSON", "{}", []string{bearer}, 415, ""},
			{"no gzip", "{}", []string{kind, bearer, "Content-Encoding: gzip"}, 400, ""},
			{"half a gzip", bomb[:len(bomb)/2], []string{kind, bearer, "Content-Encoding: gzip"}, 400, ""},
			{"a bomb", bomb, []string{kind, bearer, "Content-Encoding: gzip"}, 413, ""},
			{"brotli", "{}", []string{kind, bearer, "Content-Encoding: br"}, 415, ""},
			{"too much", strings.Repeat("\n", maxPacked+1), []string{kind, bearer}, 413, ""},
			{"no machine", "{}", []string{kind, "Authorization: Bearer " + w.newToken("harness", scopeShip)}, 400, ""},
		} {
			r, text := w.ask("POST", "/v1/log", c.body, c.headers...)
			if r.StatusCode != c.status || !strings.Contains(text, c.said) {
				w.Errorf("%s: %d %s", c.name, r.StatusCode, text)
			}
		}
		for path, status := range map[string]int{"?limit=0": 400, "?from=now": 400, "?rule=%00": 200, "?agent=%ff": 200,
			"?before=x": 404, "/stats?by=line": 404} {
			if r, text := w.ask("GET", "/v1/log"+path, "", bearer); r.StatusCode != status {
				w.Errorf("%s: %d %s", path, r.StatusCode, text)
			}
		}
	})
}

// A call on one machine waits, somebody is told, and the one answer that counts is that of whoever may give it.
func TestAQuestionIsAnsweredElsewhere(t *testing.T) {
	on(t, func(w *world, _ string) {
		type told struct {
			body      []byte
			signature string
		}
		tell := make(chan told, 9)
		slack := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			tell <- told{body, r.Header.Get("Nod-Signature")}
		}))
		defer slack.Close()
		w.Server.o.Web = slack.Client()
		if err := w.db.Tx(w.Context(), func(tx *store.Tx) error {
			return tx.SetOrg(w.Context(), w.org, store.OrgSettings{Approvals: true, Webhook: slack.URL})
		}); err != nil {
			w.Fatal(err)
		}
		m, state := w.join("box", w.at)
		c, err := client.New(m)
		if err != nil {
			w.Fatal(err)
		}
		ctx, stop := context.WithCancel(w.Context())
		var relay sync.WaitGroup
		relay.Go(func() {
			r := client.Relay{Client: c, State: state, May: func() bool { return true },
				Say: func(err error) { w.Log(err) }, Every: time.Millisecond, Retry: time.Millisecond}
			r.Run(ctx)
		})
		defer relay.Wait()
		defer stop()
		hang.Until(w, "a listener", func() bool { return question.Heard(state) })
		now := time.Now()
		p, err := question.Ask(state, question.Question{ID: "20260101T000000-0a", Key: "k1",
			Agent: "codex\x1b<!channel>", Session: "s", RawTool: "Bash", Dir: "/src/shop", Input: json.RawMessage(`{"command":"echo <b>"}`),
			Asked: now, Until: now.Add(time.Hour)})
		if err != nil {
			w.Fatal(err)
		}
		defer p.Close()
		said := hang.Receive(w, "the webhook", tell)
		at, signature, _ := strings.Cut(said.signature, ".")
		key, _ := base64.StdEncoding.DecodeString(m.Key)
		sum, _ := base64.StdEncoding.DecodeString(signature)
		var list waiting
		ada := "Authorization: Bearer " + w.newToken("ada", scopeApprove)
		if _, text := w.ask("GET", "/v1/questions", "", ada); json.Unmarshal([]byte(text), &list) != nil ||
			len(list.Questions) != 1 || !strings.Contains(text, "echo ") {
			w.Fatal(text)
		}
		q := list.Questions[0]
		want := `{"text":"codexchannel wants to use Bash in shop\nhttps://nod.example/questions/` + q.ID + `"}`
		if string(said.body) != want || !ed25519.Verify(key, append([]byte(hookPurpose+at+"."), said.body...), sum) {
			w.Errorf("%s", said.body)
		}
		foreign := ""
		if err := w.db.Tx(w.Context(), func(tx *store.Tx) error {
			org, err := tx.MakeOrg(w.Context(), "foreign")
			if err == nil {
				foreign, err = tx.MakeToken(w.Context(), store.Token{Org: org.ID, Name: "eve", Scopes: scopes()})
			}
			return err
		}); err != nil {
			w.Fatal(err)
		}
		good := `{"key":"k1","yes":true,"scope":"session"}`
		for _, c := range []struct {
			name, bearer, id, body string
			status                 int
		}{
			{"another call's key", ada, q.ID, `{"key":"k2","yes":true,"scope":"once"}`, 422},
			{"a lasting yes", ada, q.ID, `{"key":"k1","yes":true,"scope":"always"}`, 422},
			{"a yes without a scope", ada, q.ID, `{"key":"k1","yes":true}`, 400},
			{"another question", ada, "x", good, 404},
			{"another organisation", "Authorization: Bearer " + foreign, q.ID, good, 404},
			{"no scope", "Authorization: Bearer " + w.newToken("reader", scopeRead, scopeShip), q.ID, good, 403},
			{"the machine itself", "Authorization: Bearer " + m.Token, q.ID, good, 403},
			{"it counts", ada, q.ID, good, 200},
			{"a replay", ada, q.ID, good, 422},
		} {
			r, text := w.ask("POST", "/v1/questions/"+c.id+"/answer", c.body, c.bearer)
			if r.StatusCode != c.status {
				w.Errorf("%s: %d %s", c.name, r.StatusCode, text)
			}
		}
		if a, ok := p.Wait(hang.Context(w), time.Now); !ok || !a.Yes || a.Scope != question.Session {
			w.Errorf("%+v", a)
		}
		hang.Until(w, "it is over", func() bool {
			var over int
			err := w.db.DB.QueryRow(`SELECT COUNT(*) FROM questions WHERE closed > 0`).Scan(&over)
			return err == nil && over == 1
		})
		late, text := w.ask("POST", "/v1/questions/"+q.ID+"/answer", `{"key":"k1","yes":false}`, ada)
		if late.StatusCode != 422 {
			w.Errorf("a late answer: %d %s", late.StatusCode, text)
		}
	})
}

// replica is a server in a process of its own.
type replica struct {
	*exec.Cmd
	address string
}

func (w *world) replica(db string, flags ...string) replica {
	w.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"serve", "--db", db, "--listen", "127.0.0.1:0", "--managed=",
		"--rate", "1e6", "--state", w.TempDir() + "/state"}, flags...)...)
	out, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		w.Fatal(err)
	}
	in := bufio.NewReader(out)
	line, err := in.ReadString('\n')
	if err != nil {
		w.Fatal(err)
	}
	go io.Copy(io.Discard, in)
	_, address, _ := strings.Cut(strings.TrimSuffix(line, "/v1/check\n"), "http://")
	return replica{cmd, address}
}

func (r replica) kill() {
	_ = r.Process.Kill()
	_ = r.Wait()
}

// balance forwards each connection to the next of the addresses.
func (w *world) balance(next func() string) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", next())
			if err != nil {
				from.Close()
				continue
			}
			go func() { _, _ = io.Copy(to, from); to.Close() }()
			go func() { _, _ = io.Copy(from, to); from.Close() }()
		}
	}()
	return l.Addr().String()
}

// Two servers share a database. Each is killed again and again while machines ship and people answer, and so is the
// database. Each line counts once and reaches the collector, and no question is answered twice. A million lines:
//
//	NOD_LINES=1000000 go test ./internal/server -run TestServersAreKilled -v -timeout 2h
func TestServersAreKilled(t *testing.T) {
	lines, machines, questions := 5000, 4, 20
	if os.Getenv("NOD_DEEP") != "" {
		lines, questions = 100_000, 100
	}
	if many, err := strconv.Atoi(os.Getenv("NOD_LINES")); err == nil {
		lines, questions = many, 100
	}
	cluster := storetest.Postgres(t)
	db := cluster.Address()
	w, c := shared(t, db), newCollector(t)
	var mu sync.Mutex
	two, turn := []replica{w.replica(db, "--otlp", c.URL), w.replica(db, "--otlp", c.URL)}, 0
	server := w.balance(func() string {
		mu.Lock()
		defer mu.Unlock()
		turn++
		return two[turn%2].address
	})
	var work sync.WaitGroup
	var members []team.Member
	var kills atomic.Int64 // that are about to be: then there is work to be killed in
	after := func(n int) {
		hang.Until(t, "a server is about to be killed", func() bool { return kills.Load() >= int64(min(n, 8)) })
	}
	for i := range machines {
		m, state := w.join(fmt.Sprint("box", i), "http://"+server)
		members = append(members, m)
		w.logs(state, lines/machines)
		work.Go(func() { w.ship(m, state, func(n int) { after(n / 2) }) })
	}
	ada := w.newToken("ada", scopeApprove)
	for _, m := range members {
		work.Go(func() { w.asksAndAnswers(m, ada, questions/machines, after) })
	}
	ended := make(chan struct{})
	go func() { work.Wait(); close(ended) }()
	for over := false; !over; {
		fresh := w.replica(db, "--otlp", c.URL)
		at := kills.Add(1) % 2
		select {
		case <-ended:
			over = true
		case <-time.After(rand.N(30 * time.Millisecond)): // it does not matter how far they are
		}
		mu.Lock()
		old := two[at]
		two[at] = fresh
		mu.Unlock()
		if old.kill(); kills.Load()%5 == 0 {
			cluster.Kill()
			cluster.Start()
		}
	}
	hang.Until(t, "all lines at the collector", func() bool { n, _ := c.has(); return n == lines })
	for _, r := range two {
		r.kill()
	}
	var kept, once int
	err := w.db.DB.QueryRow(`SELECT COUNT(*), COUNT(DISTINCT (machine, id)) FROM lines`).Scan(&kept, &once)
	heads, err2 := w.db.Heads(t.Context())
	events, err3 := w.db.Events(t.Context(), w.org, "", 10*questions)
	answered := map[string]int{}
	for _, e := range events {
		answered[e.What+e.About]++
	}
	if kept != lines || once != lines || len(heads) != machines || len(answered) != questions || err != nil ||
		err2 != nil || err3 != nil {
		t.Errorf("%d lines, %d of them once, %d heads, %d answers: %v %v %v", kept, once, len(heads), len(answered),
			err, err2, err3)
	}
	for _, h := range heads {
		if h.Lines != int64(lines/machines) || h.Gaps != 0 {
			t.Errorf("%+v", h)
		}
	}
	for what, times := range answered {
		if times != 1 {
			t.Errorf("%s: %d times", what, times)
		}
	}
	t.Logf("%d lines and %d answers, each once; %d kills", kept, len(answered), kills.Load())
}

// post sends a body until it is answered by one of two statuses, whatever happens to the server.
func (w *world) post(address, token, kind string, body []byte, want ...int) {
	hang.Until(w, address, func() bool {
		r, err := http.NewRequestWithContext(w.Context(), "POST", address, bytes.NewReader(body))
		if err != nil {
			return false
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", kind)
		if kind == client.Lines {
			r.Header.Set("Content-Encoding", "gzip")
		}
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			return false
		}
		got.Body.Close()
		return slices.Contains(want, got.StatusCode)
	})
}

// asksAndAnswers has a machine ask, and two people answer each question differently at once, until both know.
func (w *world) asksAndAnswers(m team.Member, token string, questions int, after func(int)) {
	now, asked := time.Now(), client.Asked{Version: 1}
	for i := range questions {
		asked.Questions = append(asked.Questions, client.AskedCall{Left: 1e6, Question: question.Question{Version: 1,
			ID: fmt.Sprintf("20260101T000000-%04x", i), Key: "k", Agent: "codex", Session: "s", RawTool: "Bash",
			Asked: now, Until: now.Add(time.Hour)}})
	}
	body, _ := json.Marshal(asked)
	w.post(m.Server+"/v1/questions", m.Token, "application/json", body, 200)
	for i, q := range asked.Questions {
		after(i % 9)
		path := "/v1/questions/" + store.Hash(m.Machine + "\n" + q.Question.ID)[:32] + "/answer"
		var both sync.WaitGroup
		for _, said := range []string{`{"key":"k","yes":true,"scope":"once"}`, `{"key":"k","yes":false}`} {
			both.Go(func() { w.post(m.Server+path, token, "application/json", []byte(said), 200, 422) })
		}
		both.Wait()
	}
}

// How many lines a second a server in its own process takes: NOD_DEEP=1 go test ./internal/server -run Ingest -v
func TestIngest(t *testing.T) {
	if os.Getenv("NOD_DEEP") == "" {
		t.Skip("a measurement; NOD_DEEP=1 makes it")
	}
	on(t, func(w *world, db string) {
		const machines, batches, size = 4, 50, 1000
		server := w.replica(db)
		defer server.kill()
		bodies, line := [][]byte{}, []byte(nil)
		for range batches {
			var body bytes.Buffer
			zip := gzip.NewWriter(&body)
			for range size {
				line = fmt.Appendf(nil, `{"v":1,"prev":%q,"kind":"decision","time":%q,"nod":"0.2.0","agent":"codex",`+
					`"session":"5f0c1a","tool":"bash","raw_tool":"Bash","dir":"/home/ada/shop","root":"/home/ada/shop",`+
					`"input":{"command":"go test ./..."},"verdict":"allow","answered":"allow","layer":"shell","reason":`+
					`"runs the workspace's tests","rule":{"text":"go test *","origin":"/home/ada/nod.toml:4"},`+
					`"latency_us":412}`, audit.Link(line), time.Now().UTC().Format(time.RFC3339Nano))
				_, _ = zip.Write(append(line, '\n'))
			}
			_ = zip.Close()
			bodies = append(bodies, body.Bytes())
		}
		var members []team.Member
		for i := range machines {
			m, _ := w.join(fmt.Sprint("box", i), "http://"+server.address)
			members = append(members, m)
		}
		var all sync.WaitGroup
		begun := time.Now()
		for _, m := range members {
			all.Go(func() {
				for _, body := range bodies {
					w.post(m.Server+"/v1/log", m.Token, client.Lines, body, 200)
				}
			})
		}
		all.Wait()
		took := time.Since(begun)
		w.Logf("%d lines of %d bytes in %s: %.0f a second", machines*batches*size, len(line), took,
			machines*batches*size/took.Seconds())
	})
}
