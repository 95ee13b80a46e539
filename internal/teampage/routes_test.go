//go:build unix

package teampage

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/store/storetest"
)

// guardedRoute is what a route is tried with.
type guardedRoute struct {
	needs store.Role
	wide  bool
	path  string                                      // "": the pattern itself
	at    func(w *world, org, team string) string     // the path of a thing of an organisation; nil: path
	form  func(w *world, org, team string) url.Values // what is sent for things of an organisation
	ok    int                                         // what the right person gets
	other int                                         // what comes of another organisation's things
}

// guardedRoutes is every route of the page.
func guardedRoutes() map[string]guardedRoute {
	person := func(w *world, org, _ string) url.Values {
		p, _ := w.someone(org, store.Viewer, "")
		return url.Values{"id": {p.ID}, "role": {"editor"}}
	}
	question := func(w *world, org, team string) string { return "/questions/" + w.asks(org, team).ID }
	draft := func(then string) func(w *world, org, team string) string {
		return func(w *world, org, _ string) string { return "/policies/drafts/" + w.drafts(org).ID + then }
	}
	return map[string]guardedRoute{
		"GET /static/{file}":        {path: "/static/style.css", ok: 200},
		"GET /enter/{kind}/{code}":  {path: "/enter/setup/x", ok: 200},
		"POST /enter/{kind}/{code}": {path: "/enter/person/x", ok: 403},
		"GET /login":                {ok: 404},
		"GET /login/done":           {ok: 403},
		"POST /leave":               {needs: store.Viewer, ok: 200},
		"GET /{$}":                  {needs: store.Viewer, path: "/", ok: 200},
		"GET /machines":             {needs: store.Viewer, ok: 200},
		"POST /machines/code": {needs: store.Admin, ok: 200, other: 404,
			form: func(_ *world, _, team string) url.Values { return url.Values{"team": {team}} }},
		"POST /machines/remove": {needs: store.Admin, ok: 303, other: 404,
			form: func(w *world, org, team string) url.Values {
				return url.Values{"id": {w.machine(org, team, "box").ID}}
			}},
		"GET /decisions": {needs: store.Viewer, ok: 200},
		"GET /decisions/{machine}/{time}/{id}": {needs: store.Viewer, ok: 200, other: 404,
			at: func(w *world, org, team string) string { return w.decides(org, team, "ls") }},
		"GET /questions":      {needs: store.Viewer, ok: 200},
		"GET /questions/{id}": {needs: store.Viewer, ok: 200, other: 410, at: question},
		"POST /questions/{id}": {needs: store.Approver, ok: 303, other: 404, at: question,
			form: func(*world, string, string) url.Values { return url.Values{"key": {"k1"}, "answer": {"once"}} }},
		"GET /policies":             {needs: store.Viewer, wide: true, ok: 200},
		"GET /policies/edit":        {needs: store.Editor, wide: true, ok: 200},
		"GET /policies/drafts/{id}": {needs: store.Viewer, wide: true, ok: 200, other: 404, at: draft("")},
		"POST /policies/drafts": {needs: store.Editor, wide: true, ok: 303, other: 404,
			form: func(_ *world, _, team string) url.Values {
				return url.Values{"name": {"base"}, "team": {team}, "text": {"deny = []"}}
			}},
		"POST /policies/drafts/{id}/review":  {needs: store.Editor, wide: true, ok: 303, other: 422, at: draft("/review")},
		"POST /policies/drafts/{id}/publish": {needs: store.Editor, wide: true, ok: 303, other: 404, at: draft("/publish")},
		"POST /policies/restore": {needs: store.Editor, wide: true, ok: 303, other: 404,
			form: func(w *world, org, _ string) url.Values {
				version := "2000"
				if org == w.acme {
					d := w.drafts(org)
					version = "1"
					w.do(func(tx *store.Tx) error {
						_, err := tx.Publish(w.Context(), store.Identity{Org: org, Name: "a test"}, d.ID)
						return err
					})
				}
				return url.Values{"version": {version}}
			}},
		"GET /people":           {needs: store.Admin, wide: true, ok: 200},
		"POST /people/role":     {needs: store.Admin, wide: true, ok: 303, other: 404, form: person},
		"POST /people/sessions": {needs: store.Admin, wide: true, ok: 303, other: 404, form: person},
		"POST /people/remove":   {needs: store.Admin, wide: true, ok: 303, other: 404, form: person},
		"GET /tokens":           {needs: store.Admin, wide: true, ok: 200},
		"POST /tokens": {needs: store.Admin, wide: true, ok: 200, form: func(*world, string, string) url.Values {
			return url.Values{"name": {store.NewID()}, "scope": {"check"}, "days": {"3"}}
		}},
		"POST /tokens/revoke": {needs: store.Admin, wide: true, ok: 303, other: 404,
			form: func(w *world, org, _ string) url.Values {
				name := store.NewID()
				w.do(func(tx *store.Tx) error {
					_, err := tx.MakeToken(w.Context(), store.Token{Org: org, Name: name, Scopes: []string{"check"}})
					return err
				})
				return url.Values{"name": {name}}
			}},
		"GET /events":   {needs: store.Admin, wide: true, ok: 200},
		"GET /settings": {needs: store.Admin, wide: true, ok: 200},
		"POST /settings": {needs: store.Admin, wide: true, ok: 303, form: func(*world, string, string) url.Values {
			return url.Values{"days": {"30"}, "hours": {"24"}, "webhook": {"https://chat.example/x"}}
		}},
		"POST /teams": {needs: store.Admin, wide: true, ok: 303,
			form: func(*world, string, string) url.Values { return url.Values{"name": {store.NewID()}} }},
	}
}

// Who sends a form too slowly is cut off.
func TestASlowFormIsCut(t *testing.T) {
	w := newWorld(t, sqlite(t), nil)
	w.slow = time.Nanosecond
	host := strings.TrimPrefix(w.at, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /enter/person/x HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nSec-Fetch-Site: same-origin\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 99\r\n\r\nf", host, w.at)
	got := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(conn)
		got <- string(text)
	}()
	text := hang.Receive(t, "the connection's end", got)
	if !strings.HasPrefix(text, "HTTP/1.1 413 ") || !strings.Contains(text, "Connection: close") {
		t.Errorf("%s", text)
	}
}

// Every route is tried without a session, with one that has ended or was revoked, with each lower role, with a role for
// one team, from other pages, under other names, and with another organisation's things. One that is missing fails.
func TestEveryRouteIsGuarded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		w := newWorld(t, db, nil)
		known := guardedRoutes()
		for _, rt := range w.routes() {
			name := rt.method + " " + rt.path
			g, is := known[name]
			if !is {
				t.Errorf("%s is not in this test", name)
				continue
			}
			if delete(known, name); g.needs != rt.needs || g.wide != rt.wide {
				t.Errorf("%s needs %q %v, want %q %v", name, rt.needs, rt.wide, g.needs, g.wide)
			}
			if g.path == "" {
				g.path = rt.path
			}
			w.try(name, rt.method, g)
		}
		for name := range known {
			t.Errorf("there is no route %s", name)
		}
	})
}

func (w *world) try(name, method string, g guardedRoute) {
	form := func(org, team string) url.Values {
		if g.form == nil {
			return nil
		}
		return g.form(w, org, team)
	}
	if g.at != nil {
		g.path = g.at(w, w.acme, w.shop)
	}
	want := func(what string, status int, r *http.Request) {
		w.Helper()
		if a, body := w.answer(r); a.StatusCode != status {
			w.Errorf("%s, %s: %d, want %d: %.300s", name, what, a.StatusCode, status, body)
		}
	}
	right := func() string { // a session of somebody who may
		_, cookie := w.someone(w.acme, g.needs, "")
		return cookie
	}
	if g.needs != anybody {
		want("without a session", 401, w.request(method, g.path, "", form(w.acme, w.shop)))
		want("with a session that never was", 401, w.request(method, g.path, "x", form(w.acme, w.shop)))
		for _, lower := range slices.Concat([]store.Role{""}, store.Roles()) {
			if lower == g.needs {
				break
			}
			_, cookie := w.someone(w.acme, lower, "")
			want("as "+lower, 403, w.request(method, g.path, cookie, form(w.acme, w.shop)))
		}
		if g.wide {
			_, cookie := w.someone(w.acme, g.needs, w.shop)
			want("with a role for a team", 403, w.request(method, g.path, cookie, form(w.acme, w.shop)))
		}
		now := w.db.Now
		old := right()
		w.db.Now = func() time.Time { return now().Add(store.SessionTime) }
		want("with a session that has ended", 401, w.request(method, g.path, old, form(w.acme, w.shop)))
		w.db.Now = now
	}
	if method == "POST" && g.needs != anybody {
		token := form(w.acme, w.shop)
		if token == nil {
			token = url.Values{}
		}
		token.Set("form", "x")
		want("with another form's token", 403, w.request(method, g.path, right(), token))
	}
	for what, change := range map[string]func(r *http.Request){
		"under another name":   func(r *http.Request) { r.Host = "evil.example" },
		"under no port":        func(r *http.Request) { r.Host = "localhost" },
		"from another page":    func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"for another page":     func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"for one of that site": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
	} {
		r := w.request(method, g.path, right(), form(w.acme, w.shop))
		change(r)
		want(what, 403, r)
	}
	if method == "POST" {
		r := w.request(method, g.path, right(), form(w.acme, w.shop))
		r.Header.Del("Origin")
		r.Header.Del("Sec-Fetch-Site")
		want("from nowhere", 403, r)
		r = w.request(method, g.path, right(), form(w.acme, w.shop))
		r.Header.Set("Content-Type", "text/plain")
		want("as another type", 415, r)
	}
	if g.other != 0 && g.at != nil {
		theirs := g.at(w, w.other, w.theirs)
		want("with another organisation's", g.other, w.request(method, theirs, right(), form(w.acme, w.shop)))
		parts := strings.Split(theirs, "/")
		parts[slices.IndexFunc(parts, func(p string) bool { return len(p) == 36 })] = url.PathEscape("' OR '1'='1")
		want("with SQL", g.other, w.request(method, strings.Join(parts, "/"), right(), form(w.acme, w.shop)))
	} else if g.other != 0 {
		want("with another organisation's", g.other, w.request(method, g.path, right(), form(w.other, w.theirs)))
		for _, id := range []string{"' OR '1'='1", "1; DROP TABLE people", "\u202egnp.exe", strings.Repeat("x", 10000)} {
			values := form(w.acme, w.shop)
			for k := range values {
				values.Set(k, id)
			}
			a, body := w.answer(w.request(method, g.path, right(), values))
			if a.StatusCode != 404 && a.StatusCode != 422 {
				w.Errorf("%s, with %.30q: %d %.300s", name, id, a.StatusCode, body)
			}
		}
		values := form(w.acme, w.shop)
		for k := range values {
			values.Set(k, "a\x00b")
		}
		want("with NUL", 400, w.request(method, g.path, right(), values))
	}
	want("by who may", g.ok, w.request(method, g.path, right(), form(w.acme, w.shop)))
}

// A role for one team shows and changes that team's machines alone.
func TestOneTeam(t *testing.T) {
	w := newWorld(t, sqlite(t), nil)
	var depot store.Team
	w.do(func(tx *store.Tx) (err error) { depot, err = tx.MakeTeam(t.Context(), w.acme, "depot"); return err })
	mine, others := w.machine(w.acme, w.shop, "till"), w.machine(w.acme, depot.ID, "crane")
	_, cookie := w.someone(w.acme, store.Admin, w.shop)
	if _, body := w.get("/machines", cookie); !strings.Contains(body, "till") || strings.Contains(body, "crane") ||
		strings.Contains(body, "depot") || strings.Contains(body, "/people") {
		t.Error(body)
	}
	for path, forms := range map[string][2]url.Values{
		"/machines/code":   {{"team": {w.shop}}, {"team": {depot.ID}}},
		"/machines/remove": {{"id": {mine.ID}}, {"id": {others.ID}}},
	} {
		if code, body := w.post(path, cookie, forms[1]); code != 404 {
			t.Errorf("%s of another team: %d %s", path, code, body)
		}
		if code, body := w.post(path, cookie, forms[0]); code >= 400 {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
}

// Whatever machines and people are called is a text, and one that shows what it says.
func TestHostileTexts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		w := newWorld(t, db, nil)
		m := w.machine(w.acme, w.shop, evil)
		if err := db.Seen(t.Context(), w.acme, m.ID, store.Report{Version: evil,
			Doctor: "2026-01-02T03:04:05Z " + evil}); err != nil {
			t.Fatal(err)
		}
		w.do(func(tx *store.Tx) error {
			_, err := tx.Arrive(t.Context(), store.Person{Org: w.acme, Issuer: evil, Subject: evil, Email: evil,
				Name: evil})
			if err == nil {
				err = tx.Audit(t.Context(), store.Event{Org: w.acme, Who: evil, What: evil, About: evil, Detail: evil})
			}
			if err == nil {
				_, err = tx.MakeToken(t.Context(), store.Token{Org: w.acme, Name: "<img>", Scopes: []string{evil}})
			}
			if err == nil {
				_, err = tx.MakeTeam(t.Context(), w.acme, evil)
			}
			return err
		})
		_, cookie := w.someone(w.acme, store.Admin, "")
		for _, path := range []string{"/", "/machines", "/people", "/tokens", "/events", "/settings", "/questions",
			"/questions/" + w.asks(w.acme, w.shop).ID, "/policies/drafts/" + w.drafts(w.acme).ID} {
			code, body := w.get(path, cookie)
			if code != 200 || !strings.Contains(body, "&lt;img") || strings.Contains(body, "<img") ||
				strings.ContainsAny(body, "\x1b\u202e") {
				t.Errorf("%s: %d %s", path, code, body)
			}
		}
		for path, form := range map[string]url.Values{
			"/teams":    {"name": {"a\u202eb"}},
			"/tokens":   {"name": {"a\x1b[31m"}, "scope": {"check"}, "days": {"1"}},
			"/settings": {"days": {"1"}, "hours": {"1"}, "webhook": {"javascript:alert(1)"}},
		} {
			if code, body := w.post(path, cookie, form); code != 422 {
				t.Errorf("%s: %d %s", path, code, body)
			}
		}
	})
}

// The set-up link's session is an admin's; nobody changes their own role, and what anybody changes is an event.
func TestFromTheFirstAdminOn(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		w := newWorld(t, db, nil)
		link := "/enter/setup/" + w.code(store.Code{Org: w.acme, Kind: store.SetUpCode})
		for range 2 { // to look at a link uses nothing up
			if code, body := w.get(link, ""); code != 200 || !strings.Contains(body, "first admin") {
				t.Fatal(code, body)
			}
		}
		if code, _ := w.post(link, "", url.Values{"email": {"root"}}); code != 422 {
			t.Error("no e-mail:", code)
		}
		a, body := w.answer(w.request("POST", link, "", url.Values{"email": {"root@x.example"}}))
		if a.StatusCode != 303 || len(a.Cookies()) != 1 {
			t.Fatal(a.Status, body)
		}
		c := a.Cookies()[0]
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || len(c.Value) < 40 {
			t.Errorf("%+v", c)
		}
		if code, _ := w.post(link, "", url.Values{"email": {"eve@x.example"}}); code != 403 {
			t.Error("a link is good twice:", code)
		}
		self, err := db.Session(t.Context(), store.Hash(c.Value))
		if err != nil || self.Role != store.Admin || self.Email != "root@x.example" {
			t.Fatal(self, err)
		}
		for _, path := range []string{"/people/role", "/people/remove"} {
			if code, _ := w.post(path, c.Value, url.Values{"id": {self.ID}, "role": {"viewer"}}); code != 422 {
				t.Error(path, "of oneself:", code)
			}
		}
		ada, hers := w.someone(w.acme, "", "")
		if code, _ := w.get("/", hers); code != 403 {
			t.Error("without a role:", code)
		}
		w.post("/people/role", c.Value, url.Values{"id": {ada.ID}, "role": {"viewer"}})
		if code, _ := w.get("/", hers); code != 200 {
			t.Error("a role does not hold at once:", code)
		}
		w.post("/people/sessions", c.Value, url.Values{"id": {ada.ID}})
		if code, _ := w.get("/", hers); code != 401 {
			t.Error("a session that was ended:", code)
		}
		link = "/enter/person/" + w.code(store.Code{Org: w.acme, Kind: store.PersonCode, Person: ada.ID})
		if a, body := w.answer(w.request("POST", link, "", nil)); a.StatusCode != 303 || len(a.Cookies()) != 1 {
			t.Error(a.Status, body)
		}
		if _, body := w.get("/events", c.Value); !strings.Contains(body, "role given") ||
			!strings.Contains(body, "root@x.example") || !strings.Contains(body, ada.Email) {
			t.Error(body)
		}
		if code, _ := w.post("/leave", c.Value, nil); code != 200 {
			t.Error(code)
		}
		if code, body := w.get("/", c.Value); code != 401 || !strings.Contains(body, "nod-serve person link") {
			t.Error("the session goes on:", code, body)
		}
	})
}

// An answer counts once, to the call that was seen, and not where none may say yes.
func TestAQuestionIsAnswered(t *testing.T) {
	w := newWorld(t, sqlite(t), nil)
	q := w.asks(w.acme, w.shop)
	p, cookie := w.someone(w.acme, store.Approver, "")
	if _, body := w.get("/questions/"+q.ID, cookie); !strings.Contains(body, "npm publish") ||
		!strings.Contains(body, "on till?") || !strings.Contains(body, "Yes, in this session") {
		t.Error(body)
	}
	_, reads := w.someone(w.acme, store.Viewer, "")
	if _, body := w.get("/questions/"+q.ID, reads); strings.Contains(body, `name="answer"`) {
		t.Error("a viewer is offered an answer")
	}
	for _, c := range []struct {
		key, answer string
		code        int
	}{{"k2", "once", 410}, {"", "once", 410}, {"k1", "", 422}, {"k1", "always", 422}, {"k1", "once", 303},
		{"k1", "no", 410}} {
		code, body := w.post("/questions/"+q.ID, cookie, url.Values{"key": {c.key}, "answer": {c.answer}})
		if code != c.code {
			t.Errorf("%v: %d %s", c, code, body)
		}
	}
	got, err := w.db.Answers(t.Context(), w.acme, q.Machine)
	if err != nil || len(got) != 1 || !got[0].Yes || got[0].Scope != "once" || got[0].Who != p.Email {
		t.Error(got, err)
	}
	if _, body := w.get("/questions", cookie); !strings.Contains(body, "No call waits") {
		t.Error(body)
	}
}

// The shared log is found by what an address says, and within a role's team alone.
func TestDecisions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		w := newWorld(t, db, nil)
		var depot store.Team
		w.do(func(tx *store.Tx) (err error) { depot, err = tx.MakeTeam(t.Context(), w.acme, "depot"); return err })
		w.decides(w.other, w.theirs, "theirs")
		one, two := w.decides(w.acme, w.shop, "ls "+evil), w.decides(w.acme, depot.ID, "rm x")
		_, all := w.someone(w.acme, store.Viewer, "")
		_, some := w.someone(w.acme, store.Viewer, depot.ID)
		for _, c := range []struct{ path, cookie, has, not string }{
			{"/decisions", all, "&lt;img", "theirs"}, {"/decisions", all, "rm x", "<img"},
			{"/decisions", some, "rm x", "ls "},
			{"/decisions?verdict=allow", all, "Nothing here", "rm x"}, {"/decisions?team=" + depot.ID, all, "rm x", "ls "},
			{"/decisions?rule=%27+OR+1%3D1", all, "Nothing here", "rm x"}, {"/decisions?since=-1h", all, "such as 24h", "rm x"},
			{one, all, "because &lt;img", "\x1b"}, {two, some, "rm x", "\x1b"}, {one, some, "no such thing", "img"},
			{"/decisions?before=x", all, "no such thing", "rm x"}, {"/decisions?team=" + w.theirs, all, "Nothing", "rm x"},
		} {
			if _, body := w.get(c.path, c.cookie); !strings.Contains(body, c.has) || strings.Contains(body, c.not) {
				t.Errorf("%s has not %q, or has %q: %s", c.path, c.has, c.not, body)
			}
		}
	})
}
