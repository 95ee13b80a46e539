package page

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/index"
	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/shown"
)

// site is a page that is served, with a clock that tests set and an agent that tests put behind the browser.
type site struct {
	testing.TB
	*Server
	state, host string
	late        atomic.Int64
	agent       atomic.Bool
	wrote       []shown.Edit
	cookie      *http.Cookie
}

func (s *site) List() ([]shown.Rule, error) {
	return []shown.Rule{{List: "allow", Text: "<b>npm test</b>", Origin: "/home/ada/nod.toml:3", Own: true}}, nil
}

func (s *site) Preview(context.Context, shown.Edit) (string, error) {
	return "it would have let through 3", nil
}

func (s *site) Write(e shown.Edit) error {
	s.wrote = append(s.wrote, e)
	return nil
}

func (s *site) now() time.Time { return time.Now().Add(time.Duration(s.late.Load())) }

func serve(t testing.TB, change func(*Server)) *site {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{TB: t, state: t.TempDir() + "/nod", host: l.Addr().String()}
	log, err := index.Open(ctx, s.state)
	if err != nil {
		t.Fatal(err)
	}
	whole := func(e audit.Entry) string { return string(e.Input) }
	s.Server = New(shown.Page{State: s.state, Log: log, Origins: []string{"http://" + s.host}, Now: s.now, Rules: s,
		Agent: func(_, _ net.Addr) (string, bool) { return "codex", s.agent.Load() },
		Words: shown.Words{Call: whole, Said: func(e audit.Entry) string { return e.Verdict.String() },
			Why: func(e audit.Entry) string { return e.Reason },
			About: func(_ context.Context, e audit.Entry) []shown.Section {
				return []shown.Section{{Text: e.Reason}}
			}}})
	if change != nil {
		change(s.Server)
	}
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

// request is one with what a browser sends; tests change it.
func (s *site) request(method, path string, form url.Values) *http.Request {
	s.Helper()
	r, err := http.NewRequest(method, "http://"+s.host+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if method == "POST" {
		r.Header.Set("Origin", "null") // a form of a page that names no referrer
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if s.cookie != nil {
		r.AddCookie(s.cookie)
	}
	return r
}

func (s *site) do(r *http.Request) (int, string) {
	s.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	answer, err := transport.RoundTrip(r)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	for _, c := range answer.Cookies() {
		s.cookie = c
	}
	if h := answer.Header; h.Get("Access-Control-Allow-Origin") != "" ||
		!strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none'; s") ||
		!strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
		strings.Contains(h.Get("Content-Security-Policy"), "unsafe") || h.Get("Cache-Control") != "no-store" ||
		h.Get("Referrer-Policy") != "no-referrer" || h.Get("X-Content-Type-Options") != "nosniff" {
		s.Errorf("%s %s: %v", r.Method, r.URL.Path, h)
	}
	if strings.HasSuffix(r.URL.Path, "/events") {
		line, _ := bufio.NewReader(answer.Body).ReadString('\n')
		return answer.StatusCode, line
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		s.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

func (s *site) get(path string) (int, string) { s.Helper(); return s.do(s.request("GET", path, nil)) }

// enter begins a session.
func (s *site) enter() {
	s.Helper()
	_, path, _ := strings.Cut(s.Enter(0), s.host)
	if code, _ := s.get(path); code != http.StatusSeeOther || s.cookie == nil {
		s.Fatal("no session: ", code)
	}
	if c := s.cookie; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" {
		s.Errorf("%+v", c)
	}
}

func (s *site) form(more ...string) url.Values {
	v := url.Values{}
	if s.cookie != nil {
		if p := s.door.session(s.cookie.Value, false); p != nil {
			v.Set("form", p.form)
		}
	}
	for i := 0; i < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return v
}

// ask puts a question with a link, and returns the link's word.
func (s *site) ask(id string, change func(*question.Question)) (q question.Question, word string, p *question.Pending) {
	s.Helper()
	word = strings.Repeat("ab", 32)
	q = question.Question{ID: id, Key: strings.Repeat("0", 64), Agent: "claude-code", Session: "s1", Tool: "bash",
		RawTool: "Bash", Root: "/src/shop", Dir: "/src/shop", Input: json.RawMessage(`{"command":"npm publish"}`),
		Reason: "it publishes", Lasting: "npm publish *", Asked: time.Now(), Until: time.Now().Add(time.Hour),
		Link: hashed(word)}
	if change != nil {
		change(&q)
	}
	p, err := question.Ask(s.state, q)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(p.Close)
	return q, word, p
}

func (s *site) logged(e audit.Entry) string {
	s.Helper()
	log, err := audit.Open(s.state)
	if err == nil {
		defer log.Close()
		err = log.Write(e)
	}
	if err != nil {
		s.Fatal(err)
	}
	return e.ID
}

func decision(id, command, reason string) audit.Entry {
	input, _ := json.Marshal(map[string]string{"command": command})
	c := nod.NewCall("bash", input, "/src/shop", nil)
	c.RawTool, c.Agent, c.Session = "Bash", "claude-code", "s1"
	return audit.FromDecision(c, nod.Decision{ID: id, Reason: reason}, time.Now())
}

const decisionID = "20261120T091502.120417-00000000000a"

// Every route there is, and what it answers: with its credential, without, with a wrong one and with one that is over.
// A route that is not here fails the test.
func TestRoutes(t *testing.T) {
	const id, other = "20261120T091502.120417-00000000000b", "/answer/20261120T091502.120417-00000000000b/"
	type answers struct {
		path                     string // with its wildcards filled in
		form                     []string
		good, none, wrong, ended int
	}
	expected := map[string]answers{
		"GET /static/{file}":       {"/static/app.js", nil, 200, 200, 200, 200},
		"GET /enter/{word}":        {"/enter/WORD", nil, 303, 403, 403, 403},
		"GET /{$}":                 {"/", nil, 200, 401, 401, 401},
		"GET /rows":                {"/rows", nil, 200, 401, 401, 401},
		"GET /events":              {"/events", nil, 200, 401, 401, 401},
		"GET /decision/{id}":       {"/decision/" + decisionID, nil, 200, 401, 401, 401},
		"GET /questions":           {"/questions", nil, 200, 401, 401, 401},
		"GET /question/{id}":       {"/question/" + id, nil, 200, 401, 401, 401},
		"POST /question/{id}":      {"/question/" + id, []string{"answer", "no", "key", "KEY"}, 303, 401, 401, 401},
		"GET /charts":              {"/charts", nil, 200, 401, 401, 401},
		"GET /charts/data":         {"/charts/data", nil, 200, 401, 401, 401},
		"GET /rules":               {"/rules", nil, 200, 401, 401, 401},
		"POST /rules/preview":      {"/rules/preview", []string{"list", "allow", "text", "x"}, 200, 401, 401, 401},
		"POST /rules":              {"/rules", []string{"list", "allow", "text", "x"}, 303, 401, 401, 401},
		"GET /passkeys":            {"/passkeys", nil, 200, 401, 401, 401},
		"POST /passkeys/begin":     {"/passkeys/begin", nil, 422, 401, 401, 401}, // an address has no passkeys
		"POST /passkeys/finish":    {"/passkeys/finish", nil, 422, 401, 401, 401},
		"POST /passkeys/remove":    {"/passkeys/remove", nil, 303, 401, 401, 401},
		"GET /sign/{id}/{word}":    {strings.Replace(other, "answer", "sign", 1) + "LINK", nil, 422, 410, 410, 410},
		"POST /sign/{id}/{word}":   {strings.Replace(other, "answer", "sign", 1) + "LINK", []string{"key", "KEY"}, 403, 410, 410, 410},
		"POST /leave":              {"/leave", nil, 200, 401, 401, 401},
		"GET /answer/{id}/{word}":  {other + "LINK", nil, 200, 410, 410, 410},
		"POST /answer/{id}/{word}": {other + "LINK", []string{"answer", "once", "key", "KEY"}, 200, 410, 410, 410},
	}
	for _, r := range serve(t, nil).routes() {
		name := r.method + " " + r.path
		want, is := expected[name]
		delete(expected, name)
		if !is {
			t.Errorf("nobody says what %s answers", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			s := serve(t, nil)
			s.logged(decision(decisionID, "npm publish", "it publishes"))
			q, word, _ := s.ask(id, nil)
			good, _, _ := strings.Cut(strings.TrimPrefix(s.Enter(0), "http://"+s.host+"/enter/"), "?")
			path := strings.NewReplacer("WORD", good, "LINK", word).Replace(want.path)
			for i := range want.form {
				want.form[i] = strings.Replace(want.form[i], "KEY", q.Key, 1)
			}
			try := func(why string, status int, change func(r *http.Request)) {
				t.Helper()
				request := s.request(r.method, path, s.form(want.form...))
				if change != nil {
					change(request)
				}
				if code, body := s.do(request); code != status {
					t.Errorf("%s: %d, want %d: %.200s", why, code, status, body)
				}
			}
			wrongPath := func(r *http.Request) {
				if strings.Contains(want.path, "WORD") || strings.Contains(want.path, "LINK") {
					r.URL.Path = r.URL.Path[:len(r.URL.Path)-4] + "0000"
				}
			}
			try("none", want.none, wrongPath)
			s.cookie = &http.Cookie{Name: "nod", Value: rand.Text()}
			try("wrong", want.wrong, wrongPath)
			s.cookie = nil
			if r.needs == session || r.needs == form {
				s.enter()
			}
			s.late.Store(int64(13 * time.Hour))
			if r.needs != entrance {
				try("over", want.ended, nil)
			} else {
				s.door.words[hashed(good)] = s.now().Add(-time.Second) // looking at it would take it
				try("over", want.ended, nil)
				path = "/enter/" + s.door.word()
			}
			s.late.Store(0)
			if s.cookie = nil; r.needs == session || r.needs == form {
				s.enter()
			}
			s.foreigners(try)
			if r.method == "POST" {
				s.forgers(r, try)
			}
			if s.agent.Store(true); r.method == "POST" || r.needs == entrance {
				try("from below an agent", 403, nil)
			}
			s.agent.Store(false)
			if r.needs == entrance {
				path = "/enter/" + s.door.word()
			}
			try("good", want.good, nil)
		})
	}
	for name := range expected {
		t.Errorf("there is no %s", name)
	}
}

// foreigners are requests that come from elsewhere.
func (s *site) foreigners(try func(string, int, func(*http.Request))) {
	s.Helper()
	for _, host := range []string{"evil.example", "evil.example:80", "127.0.0.1", "localhost", s.host + ".evil.example",
		"127.0.0.1:1", "-"} {
		try("Host "+host, 403, func(r *http.Request) { r.Host = host })
	}
	for _, origin := range []string{"http://evil.example", "https://" + s.host, "http://127.0.0.1:1", "file://"} {
		try("Origin "+origin, 403, func(r *http.Request) { r.Header.Set("Origin", origin) })
	}
	try("Origin null from nowhere", 403, func(r *http.Request) {
		r.Header.Set("Origin", "null")
		r.Header.Del("Sec-Fetch-Site")
	})
	for _, site := range []string{"cross-site", "same-site", "x"} {
		try("Sec-Fetch-Site "+site, 403, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", site) })
	}
	try("two origins", 403, func(r *http.Request) { r.Header["Origin"] = []string{"http://" + s.host, "http://evil.example"} })
	for _, method := range []string{"PUT", "DELETE", "OPTIONS", "HEAD", "TRACE"} {
		try(method, 405, func(r *http.Request) { r.Method = method })
	}
	try("in a frame", 403, func(r *http.Request) {
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		r.Header.Set("Sec-Fetch-Dest", "iframe")
	})
}

// forgers are requests that change something, and may not.
func (s *site) forgers(r route, try func(string, int, func(*http.Request))) {
	s.Helper()
	body := func(v url.Values) func(*http.Request) {
		return func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(v.Encode())), int64(len(v.Encode()))
		}
	}
	if r.needs == form {
		try("no token", 403, body(url.Values{"answer": {"once"}}))
		try("another's token", 403, body(url.Values{"form": {rand.Text()}}))
	}
	try("JSON", 415, func(r *http.Request) { r.Header.Set("Content-Type", "application/json") })
	try("plain text", 415, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") })
	try("no origin", 403, func(r *http.Request) {
		r.Header.Del("Origin")
		r.Header.Del("Sec-Fetch-Site")
	})
	try("a huge body", 413, body(url.Values{"x": {strings.Repeat("x", maxBody)}}))
}

// A one-time word lets one in, for its time; looking whether it is there does not take it.
func TestOneTimeWord(t *testing.T) {
	s := serve(t, nil)
	_, path, _ := strings.Cut(s.Enter(0), s.host)
	if code, _ := s.do(s.request("HEAD", path, nil)); code != 405 {
		t.Error(code)
	}
	s.enter()
	for i, want := range []int{303, 403} {
		if code, _ := s.get(path); code != want {
			t.Errorf("time %d: %d", i, code)
		}
	}
	_, path, _ = strings.Cut(s.Enter(0), s.host)
	s.late.Store(int64(6 * time.Minute))
	if code, _ := s.get(path); code != 403 {
		t.Error("after six minutes:", code)
	}
}

// Behind a proxy the page is known by its public name, and by no other; its cookie never leaves https.
func TestAPublicName(t *testing.T) {
	s := serve(t, func(s *Server) {
		s.o.Origins = append(s.o.Origins, "https://box.example")
	})
	_, path, _ := strings.Cut(s.Enter(1), "https://box.example")
	r := s.request("GET", path, nil)
	r.Host = "box.example"
	if code, _ := s.do(r); code != 303 || s.cookie.Name != "__Host-nod" || !s.cookie.Secure {
		t.Errorf("%d %+v", code, s.cookie)
	}
	for _, row := range []struct {
		origin string
		want   int
	}{{"http://box.example", 403}, {"http://" + s.host, 403}, {"https://box.example:8443", 403},
		{"https://box.example", 200}} {
		r := s.request("POST", "/leave", s.form())
		r.Host = "box.example"
		r.Header.Set("Origin", row.origin)
		if code, _ := s.do(r); code != row.want {
			t.Errorf("%s: %d, want %d", row.origin, code, row.want)
		}
	}
}

// A session ends when nobody uses it, after half a day, and when the person leaves.
func TestASessionEnds(t *testing.T) {
	s := serve(t, nil)
	s.enter()
	at := func(late time.Duration, want int) {
		t.Helper()
		s.late.Store(int64(late))
		if code, _ := s.get("/questions"); code != want {
			t.Errorf("after %s: %d, want %d", late, code, want)
		}
	}
	for late := time.Duration(0); late < 12*time.Hour; late += 100 * time.Minute {
		at(late, 200)
	}
	at(12*time.Hour+time.Minute, 401)
	s.late.Store(0)
	s.enter()
	at(121*time.Minute, 401)
	s.late.Store(0)
	s.enter()
	if code, _ := s.do(s.request("POST", "/leave", s.form())); code != 200 {
		t.Error(code)
	}
	at(0, 401)
}

// The link answers one question, once, for its time, with once or no; looking at it takes nothing.
func TestTheLink(t *testing.T) {
	const id = "20261120T091502.120417-00000000000b"
	for _, row := range []struct {
		name, answer string
		change       func(*question.Question)
		again        bool
		want         int
		yes, heard   bool
	}{
		{"yes", "once", nil, true, 200, true, true},
		{"no", "no", nil, true, 200, false, true},
		{"always", "always", nil, false, 410, false, false},
		{"nothing", "", nil, false, 410, false, false},
		{"no link was sent", "once", func(q *question.Question) { q.Link = "" }, false, 410, false, false},
		{"another's link", "once", func(q *question.Question) { q.Link = hashed("x") }, false, 410, false, false},
		{"not all of it is shown", "once", func(q *question.Question) { q.InputBytes = 70_000 }, false, 410, false, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := serve(t, nil)
			q, word, p := s.ask(id, row.change)
			path := "/answer/" + id + "/" + word
			linked := s.request("GET", path, nil)
			linked.Header.Set("Sec-Fetch-Site", "cross-site")
			linked.Header.Set("Sec-Fetch-Mode", "navigate")
			linked.Header.Set("Sec-Fetch-Dest", "document")
			for range 3 {
				if code, body := s.do(linked); code == 200 && (strings.Contains(body, "<script") ||
					!strings.Contains(body, "npm publish") || strings.Contains(body, "always")) {
					t.Error(body)
				}
			}
			post := func() int {
				code, _ := s.do(s.request("POST", path, s.form("answer", row.answer, "key", q.Key)))
				return code
			}
			if code := post(); code != row.want {
				t.Errorf("%d, want %d", code, row.want)
			}
			if code := post(); row.again && code != 410 {
				t.Error("it answered twice:", code)
			}
			ctx, stop := context.WithCancel(context.Background())
			if !row.heard {
				stop()
			}
			defer stop()
			if a, heard := p.Wait(ctx, time.Now); heard != row.heard || a.Yes != row.yes || heard && a.By != "a link" {
				t.Errorf("%+v, %v", a, heard)
			}
		})
	}
}

// Where the person has a passkey a link alone says no. A file that cannot be read is no way around that.
func TestALinkWithoutASignature(t *testing.T) {
	for _, file := range []string{`{"v":1,"keys":[{"name":"phone","host":"localhost"}]}`, `{"v":2}`, "torn"} {
		s := serve(t, nil)
		q, word, p := s.ask("20261120T091502.120417-00000000000b", nil)
		if err := lines.Replace(s.state+"/passkeys.json", []byte(file), 0o600, -1); err != nil {
			t.Fatal(err)
		}
		for _, ticket := range []string{"", rand.Text()} {
			yes := s.form("answer", "once", "key", q.Key, "ticket", ticket)
			if code, _ := s.do(s.request("POST", "/answer/"+q.ID+"/"+word, yes)); code != 403 {
				t.Error(code)
			}
		}
		no := s.form("answer", "no", "key", q.Key)
		if code, _ := s.do(s.request("POST", "/answer/"+q.ID+"/"+word, no)); code != 200 {
			t.Error(code)
		}
		if a, heard := p.Wait(context.Background(), time.Now); !heard || a.Yes {
			t.Errorf("%+v %v", a, heard)
		}
	}
}

// A yes that lasts is shown with its rule first, and saved when it was seen.
func TestAYesThatLasts(t *testing.T) {
	s := serve(t, nil)
	s.enter()
	q, _, p := s.ask("20261120T091502.120417-00000000000b", nil)
	post := func(more ...string) (int, string) {
		return s.do(s.request("POST", "/question/"+q.ID, s.form(more...)))
	}
	if code, _ := post("answer", "once", "key", "other"); code != 410 {
		t.Error("another call's key:", code)
	}
	code, body := post("answer", "repository", "key", q.Key)
	if code != 200 || !strings.Contains(body, "it would have let through 3") || len(s.wrote) > 0 {
		t.Errorf("%d %s %v", code, body, s.wrote)
	}
	if code, body := post("answer", "repository", "key", q.Key, "seen", "yes"); code != 303 {
		t.Errorf("%d %s", code, body)
	}
	if code, _ := post("answer", "always", "key", q.Key, "seen", "yes"); code != 410 {
		t.Error("it was answered twice:", code)
	}
	if diff := cmp.Diff([]shown.Edit{{List: "allow", Text: "npm publish *", Root: "/src/shop"}}, s.wrote); diff != "" {
		t.Error(diff)
	}
	a, heard := p.Wait(context.Background(), time.Now)
	if !heard || a.Scope != question.Repository || a.By != "the page" {
		t.Errorf("%+v %v", a, heard)
	}
}

// Whatever a call says is a text.
func TestHostileContent(t *testing.T) {
	s := serve(t, nil)
	s.enter()
	hostile := "</pre><script>alert(1)</script>\x1b[2J\u202egpj.exe\u2066 <img src=x onerror=alert(1)> {{.Form}} '\"`&"
	s.logged(decision(decisionID, hostile+strings.Repeat("A", 1<<20), hostile+strings.Repeat("B", 1<<20)))
	s.logged(decision(strings.Replace(decisionID, "0a", "0c", 1), hostile, hostile))
	s.ask("20261120T091502.120417-00000000000b", func(q *question.Question) {
		q.Input, _ = json.Marshal(map[string]string{hostile: hostile})
		q.Reason, q.Lost, q.Does, q.Agent, q.Dir = hostile, hostile, []string{hostile}, hostile, hostile
		q.Tool, q.RawTool, q.Session, q.Root = hostile, hostile, hostile, hostile
	})
	for _, path := range []string{"/", "/rows", "/decision/" + decisionID, "/questions", "/rules", "/charts", "/events",
		"/decision/" + strings.Replace(decisionID, "0a", "0c", 1), "/?text=" + url.QueryEscape(hostile),
		"/?since=" + url.QueryEscape(hostile), "/question/20261120T091502.120417-00000000000b",
		"/answer/20261120T091502.120417-00000000000b/" + strings.Repeat("ab", 32), "/decision/" + url.PathEscape(hostile)} {
		code, body := s.get(path)
		if code != 200 && !strings.ContainsAny(path, "?%") {
			t.Errorf("%s: %d", path, code)
		}
		for _, raw := range []string{"<script>alert", "<img", "\x1b", "\u202e", "\u2066", "<b>npm"} {
			if strings.Contains(body, raw) {
				t.Errorf("%s has %q", path, raw)
			}
		}
		if len(body) > 300<<10 {
			t.Errorf("%s: %d bytes", path, len(body))
		}
	}
}

// What comes too slowly, too long or too often is ended, and the page answers others meanwhile.
func TestSlowAndMany(t *testing.T) {
	s := serve(t, func(s *Server) { s.slow = 200 * time.Millisecond })
	s.enter()
	for name, text := range map[string]string{
		"a slow header": "GET / HTTP/1.1\r\nHost: " + s.host + "\r\nX: ",
		"a slow body": fmt.Sprintf("POST /rules HTTP/1.1\r\nHost: %s\r\nCookie: nod=%s\r\nSec-Fetch-Site: same-origin\r\n"+
			"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nform=", s.host, s.cookie.Value),
		"a long header": "GET / HTTP/1.1\r\nHost: " + s.host + "\r\nX: " + strings.Repeat("x", 2*maxHeader) + "\r\n\r\n",
	} {
		c, err := net.Dial("tcp", s.host)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, text)
		answer, err := io.ReadAll(c) // ends because the page ends it
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !strings.Contains(err.Error(), "reset") ||
			strings.HasPrefix(string(answer), "HTTP/1.1 200") || strings.HasPrefix(string(answer), "HTTP/1.1 303") {
			t.Errorf("%s: %.60s %v", name, answer, err)
		}
		c.Close()
	}
	if len(s.wrote) > 0 {
		t.Error(s.wrote)
	}
	transport := &http.Transport{}
	for i := range maxStreams + 1 {
		answer, err := transport.RoundTrip(s.request("GET", "/events", nil))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if want := map[bool]int{true: 200, false: 503}[i < maxStreams]; answer.StatusCode != want {
			t.Errorf("stream %d: %d", i, answer.StatusCode)
		}
	}
	if code, _ := s.get("/questions"); code != 200 {
		t.Error(code)
	}
}

// A stream ends with its session.
func TestAStreamEndsWithItsSession(t *testing.T) {
	s := serve(t, nil)
	s.enter()
	answer, err := (&http.Transport{}).RoundTrip(s.request("GET", "/events", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	in := bufio.NewReader(answer.Body)
	if line, _ := in.ReadString('\n'); !strings.HasPrefix(line, `data: {"lines":0`) {
		t.Error(line)
	}
	s.logged(decision(decisionID, "npm publish", ""))
	for line := ""; !strings.Contains(line, `"lines":1`); line, err = in.ReadString('\n') {
		if err != nil {
			t.Fatal(err)
		}
	}
	s.door.leave(s.cookie.Value)
	_, _ = io.ReadAll(in)
}

// Calls wait for an answer while somebody has a session.
func TestHeard(t *testing.T) {
	s := serve(t, func(s *Server) { s.o.Asks = true })
	until := func(want bool) {
		t.Helper()
		for question.Heard(s.state) != want {
			time.Sleep(time.Millisecond)
		}
	}
	until(false)
	s.enter()
	until(true)
	s.door.leave(s.cookie.Value)
	until(false)
}
