//go:build unix

package teampage

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/history"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/store/storetest"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/web"
)

// world is a page over a database with an organisation, "acme", and another.
type world struct {
	testing.TB
	*Server
	db           *store.Store
	acme, other  string // organisations
	shop, theirs string // their teams
	at           string // the page's origin
}

func newWorld(t testing.TB, db *store.Store, change func(*Options)) *world {
	t.Helper()
	w := &world{TB: t, db: db}
	w.do(func(tx *store.Tx) error {
		for name, into := range map[string][2]*string{"acme": {&w.acme, &w.shop}, "other": {&w.other, &w.theirs}} {
			o, err := tx.MakeOrg(t.Context(), name)
			if err != nil {
				return err
			}
			team, err := tx.MakeTeam(t.Context(), o.ID, "shop")
			if err != nil {
				return err
			}
			*into[0], *into[1] = o.ID, team.ID
		}
		return nil
	})
	var page http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		page.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	w.at = server.URL
	replay := func(context.Context, string, store.Draft) (any, error) {
		return map[string]any{"Before": history.Counts{Calls: 7}, "After": history.Counts{Calls: 7, Denied: 1},
			"Missed": 0, "More": 0,
			"Changed": []map[string]any{{"Input": evil, "Before": "allow", "After": "deny", "Reason": evil}}}, nil
	}
	o := Options{Read: func(d team.Document) (team.Document, error) { return d, d.Check() }, Replay: replay, Store: db,
		Origins: web.Origins{w.at}, Login: Login{Org: w.acme},
		Say: func(form string, with ...any) { t.Logf(form, with...) }}
	if change != nil {
		change(&o)
	}
	w.Server = New(o)
	page = w.Server
	return w
}

func sqlite(t testing.TB) *store.Store { return storetest.Open(t, storetest.SQLite(t)) }

func (w *world) do(step func(tx *store.Tx) error) {
	w.Helper()
	if err := w.db.Tx(w.Context(), step); err != nil {
		w.Fatal(err)
	}
}

// someone is a person with a role, "" for none, and a session of theirs.
func (w *world) someone(org string, role store.Role, team string) (p store.Person, cookie string) {
	w.Helper()
	w.do(func(tx *store.Tx) (err error) {
		id := store.NewID()
		p = store.Person{Org: org, Issuer: "x", Subject: id, Email: id + "@x.example"}
		if p, err = tx.Arrive(w.Context(), p); err != nil {
			return err
		}
		if role != "" {
			if err = tx.SetRole(w.Context(), store.Identity{Org: org, Name: "a test"}, p.ID, role, team); err != nil {
				return err
			}
		}
		cookie, err = tx.Begin(w.Context(), p)
		return err
	})
	p.Role, p.Team = role, team
	return p, cookie
}

// machine is a member of a team.
func (w *world) machine(org, team, name string) (m store.Machine) {
	w.Helper()
	w.do(func(tx *store.Tx) (err error) {
		m, _, err = tx.Join(w.Context(), org, team, name, []string{"ship"})
		return err
	})
	return m
}

// request is what a browser with a session sends when its person uses the page.
func (w *world) request(method, path, cookie string, form url.Values) *http.Request {
	w.Helper()
	all := url.Values{"form": {store.Hash("form " + cookie)}}
	for k, v := range form {
		all[k] = v
	}
	r, err := http.NewRequestWithContext(w.Context(), method, w.at+path, strings.NewReader(all.Encode()))
	if err != nil {
		w.Fatal(err)
	}
	if r.Header.Set("Sec-Fetch-Site", "same-origin"); method == "POST" {
		r.Header.Set("Origin", w.at)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if cookie != "" {
		r.AddCookie(&http.Cookie{Name: "nod-serve", Value: cookie})
	}
	return r
}

// answer sends a request, follows nothing and holds the answer to what all answers have.
func (w *world) answer(r *http.Request) (*http.Response, string) {
	w.Helper()
	a, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		w.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil {
		w.Fatal(err)
	}
	if h := a.Header; h.Get("Access-Control-Allow-Origin") != "" || h.Get("Content-Security-Policy") != web.Scriptless ||
		h.Get("X-Frame-Options") != "DENY" || h.Get("Cache-Control") != "no-store" ||
		h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
		w.Errorf("%s %s: %v", r.Method, r.URL.Path, h)
	}
	if strings.Contains(string(body), "<script") {
		w.Errorf("%s has a script", r.URL.Path)
	}
	return a, string(body)
}

func (w *world) get(path, cookie string) (int, string) {
	w.Helper()
	a, body := w.answer(w.request("GET", path, cookie, nil))
	return a.StatusCode, body
}

func (w *world) post(path, cookie string, form url.Values) (int, string) {
	w.Helper()
	a, body := w.answer(w.request("POST", path, cookie, form))
	return a.StatusCode, body
}

// code is a code of a link.
func (w *world) code(c store.Code) (text string) {
	w.Helper()
	w.do(func(tx *store.Tx) (err error) {
		if c.Expires = w.db.Now().Add(time.Hour); c.Kind == store.SetUpCode {
			text, err = tx.FirstCode(w.Context(), c.Org)
		} else {
			text, err = tx.MakeCode(w.Context(), c)
		}
		return err
	})
	return text
}

// evil is a text that would do harm if it were more than a text.
const evil = "<img src=x onerror=alert(1)>'); DROP TABLE orgs;--\x1b[31m\u202egnp.exe"

// asks has a machine of a team ask.
func (w *world) asks(org, of string) store.Question {
	w.Helper()
	m := w.machine(org, of, "till")
	text, _ := json.Marshal(question.Question{Agent: "codex", Session: "s1", Tool: "bash", RawTool: "Bash",
		Dir: "/src/shop", Root: "/src/shop", Input: json.RawMessage(`{"command":"npm publish"}`), Reason: evil, Does: []string{evil}})
	q := store.Question{ID: store.NewID(), Org: org, Machine: m.ID, Team: of, Name: "q1", Key: "k1", Text: text,
		Scopes: "once,session", Asked: w.db.Now(), Ends: w.db.Now().Add(time.Minute)}
	w.do(func(tx *store.Tx) error { _, err := tx.Ask(w.Context(), org, m.ID, []store.Question{q}); return err })
	return q
}

// draft is one of somebody's.
func (w *world) drafts(org string) (d store.Draft) {
	w.Helper()
	p, _ := w.someone(org, store.Editor, "")
	w.do(func(tx *store.Tx) (err error) {
		text := team.Document{Name: "base", For: "org", Text: "deny = [\"x\"] # " + evil}
		d, err = tx.MakeDraft(w.Context(), p.Identity(), store.PolicyDocument{Document: text}, false)
		return err
	})
	return d
}

// decides has a machine of a team share a decision, and returns its path.
func (w *world) decides(org, of, command string) (path string) {
	w.Helper()
	input, _ := json.Marshal(map[string]string{"command": command})
	m, now := w.machine(org, of, "till"), w.db.Now()
	c := nod.NewCall("bash", input, "/src/shop", nil)
	c.RawTool, c.Agent = "Bash", "codex"
	e := audit.FromDecision(c, nod.Decision{ID: store.NewID(), Verdict: nod.Deny, Reason: "because " + evil}, now)
	e.Version = audit.Version
	text, _ := json.Marshal(e)
	l := store.Line{ID: e.ID, Time: now, Kind: string(e.Kind), Verdict: "deny", Agent: "codex", Text: string(text)}
	if _, err := w.db.Ship(w.Context(), org, m.ID, []store.Line{l}); err != nil {
		w.Fatal(err)
	}
	return fmt.Sprintf("/decisions/%s/%d/%s", m.ID, store.Micro(now), e.ID)
}
