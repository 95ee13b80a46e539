// Package teampage is the page of nod-serve: what an organisation's people see and change.
//
//	p := teampage.New(teampage.Options{Store: s, Origins: web.Origins{"https://nod.example"}, ...})
//	http.ListenAndServe(address, p)
//
// Whoever reaches the page changes what thousands of machines allow, so it trusts nobody:
//
//   - Each request is looked at before the mux: its Host must be one of the origins', and a POST must come from the
//     page itself ([web.Origins]).
//   - A session is a cookie (HttpOnly, SameSite=Lax: links and the identity provider lead here) whose hash the database
//     has. It begins by a link that is good once (door.go) or by OpenID Connect (login.go), ends after twelve hours or
//     when it is revoked, and does what its person's role allows at that moment.
//   - What changes something is a POST that carries a token of the session as well, and is an event.
//   - A role may be for one team. Then the person sees that team's machines, decisions and questions, and nothing that
//     is the whole organisation's.
//   - No page has a script, and the browser is told to run none. Texts of machines and people are texts (html/template)
//     and printable.
//
// [routes] is the whole list of what can be asked for, each with the role that it needs.
package teampage

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/web"
)

// Options are what the page shows and where it stands.
type Options struct {
	Store *store.Store
	// Origins are how a browser may name the page. The first is its own address, which links lead to.
	Origins web.Origins
	Login   Login
	Say     func(form string, with ...any) // tells whoever runs the server; nil: nobody
	// Read returns the settings that a document says, or why it says none. Replay says what a draft would change, as
	// policies.html shows it.
	Read   func(team.Document) (team.Document, error)
	Replay func(ctx context.Context, org string, d store.Draft) (any, error)
}

// Server is the page. Make one with [New].
type Server struct {
	o      Options
	login  login
	mux    *http.ServeMux
	views  *template.Template
	visits *rate.Limiter // how often the database is asked who somebody is
	slow   time.Duration // how long a request's body may come in
}

//go:embed templates
var files embed.FS

const (
	maxBody   = 1 << 20
	slowest   = 30 * time.Second // for a body
	maxVisits = 500              // a second
	pageRows  = 100
	hereTime  = 10 * time.Minute // a machine that was seen is there for as long
)

// New makes a page.
func New(o Options) *Server {
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	s := &Server{o: o, login: newLogin(o.Login), mux: http.NewServeMux(), visits: rate.NewLimiter(maxVisits, maxVisits),
		slow: slowest}
	s.views = web.Views(files, template.FuncMap{"when": when, "ago": s.ago,
		"home": func(name string) string { return printable.Line(name, 200) }})
	for _, r := range s.routes() {
		s.mux.HandleFunc(r.method+" "+r.path, s.guarded(r))
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.refuse(w, r, &visit{}, store.ErrNotFound) })
	return s
}

// anybody is of routes that need no session.
const anybody store.Role = ""

// route is one thing that can be asked for.
type route struct {
	method, path string
	needs        store.Role
	wide         bool // the role must be for the whole organisation
	serve        handler
}

// handler answers a request, or returns what [Server.refuse] says.
type handler func(w http.ResponseWriter, r *http.Request, v *visit) error

// routes is all of them.
func (s *Server) routes() []route {
	return slices.Concat([]route{
		{"GET", "/static/{file}", anybody, false, static},
		{"GET", "/enter/{kind}/{code}", anybody, false, s.showEnter},
		{"POST", "/enter/{kind}/{code}", anybody, false, s.enter},
		{"GET", "/login", anybody, false, s.signIn},
		{"GET", "/login/done", anybody, false, s.signedIn},
		{"POST", "/leave", store.Viewer, false, s.leave},
	}, machinePages{s}.routes(), decisionPages{s}.routes(),
		questionPages{s}.routes(), policyPages{s}.routes(), peoplePages{s}.routes())
}

// part is a part of the page, as its navigation names it.
type part struct {
	Path, Title string
	needs       store.Role
	wide        bool
}

// parts are those that a person may see.
func parts(p store.Person) (list []part) {
	for _, one := range []part{{"/", "Overview", store.Viewer, false},
		{"/decisions", "Decisions", store.Viewer, false}, {"/questions", "Questions", store.Viewer, false},
		{"/machines", "Machines", store.Viewer, false},
		{"/policies", "Policies", store.Viewer, true},
		{"/people", "People", store.Admin, true}, {"/tokens", "Tokens", store.Admin, true},
		{"/events", "Events", store.Admin, true}, {"/settings", "Settings", store.Admin, true}} {
		if p.May(one.needs) && !(one.wide && p.Team != "") {
			list = append(list, one)
		}
	}
	return list
}

// ServeHTTP looks at where a request comes from before anything else looks at it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.Protect(w, web.Scriptless)
	if !s.o.Origins.Admits(w, r, func(*http.Request) bool { return true }) {
		return
	}
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(s.slow)) // where the connection has one; package http sets the next one
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	s.mux.ServeHTTP(w, r)
}

// show writes a page.
func (s *Server) show(w http.ResponseWriter, v *visit, status int, name, title string, data any) error {
	page := struct {
		Here, Title string
		Form        string // the token of the session
		Who         store.Person
		Parts       []part
		Data        any
	}{name, title, v.form, v.person, nil, data}
	if v.form != "" {
		page.Parts = parts(v.person)
	}
	web.Show(w, s.views, status, name, page)
	return nil
}

// refuse shows what went wrong. What the database says is for those who run the server.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, v *visit, err error) {
	known := web.Refusal{Status: http.StatusServiceUnavailable}
	switch {
	case errors.As(err, &known):
		err = known
	case errors.Is(err, store.ErrTaken), errors.Is(err, store.ErrUnfit):
		known.Status = http.StatusUnprocessableEntity
	case errors.Is(err, store.ErrNotFound):
		known.Status, err = http.StatusNotFound, errors.New("there is no such thing here, or it is gone")
	default:
		s.o.Say("the page: %v", err)
		err = errors.New("the database does not answer")
	}
	if known.Status == http.StatusUnauthorized {
		_ = s.show(w, v, known.Status, "sign", "Sign in", map[string]any{"Text": web.Sentence(err),
			"Login": s.login.Issuer != "", "To": r.URL.RequestURI()})
		return
	}
	_ = s.show(w, v, known.Status, "message", http.StatusText(known.Status), web.Sentence(err))
}

// page is a handler that shows what is looked up.
func (s *Server) page(name, title string, look func(r *http.Request, v *visit) (any, error)) handler {
	return func(w http.ResponseWriter, r *http.Request, v *visit) error {
		data, err := look(r, v)
		if err != nil {
			return err
		}
		return s.show(w, v, http.StatusOK, name, title, data)
	}
}

// post is a handler that makes a change and leads to where it is seen.
func (s *Server) post(to string, do func(r *http.Request, v *visit, tx *store.Tx) error) handler {
	return func(w http.ResponseWriter, r *http.Request, v *visit) error {
		err := s.o.Store.Tx(r.Context(), func(tx *store.Tx) error { return do(r, v, tx) })
		return web.Leads(w, r, to, err)
	}
}

// secret makes a secret and shows it, the only time.
func (s *Server) secret(w http.ResponseWriter, r *http.Request, v *visit, title string, data map[string]string,
	err error, make func(tx *store.Tx) (string, error)) error {
	if err == nil {
		err = s.o.Store.Tx(r.Context(), func(tx *store.Tx) (err error) {
			data["Secret"], err = make(tx)
			return err
		})
	}
	if err != nil {
		return err
	}
	return s.show(w, v, http.StatusOK, "secret", title, data)
}

// wrong is a refusal of what somebody filled in.
func wrong(text string) error { return web.Refuse(http.StatusUnprocessableEntity, text) }

// when is a time as the lists show it.
func when(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// ago is how long ago a time was.
func (s *Server) ago(t time.Time) string {
	d := s.o.Store.Now().Sub(t)
	switch {
	case t.IsZero():
		return "never"
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprint(int(d.Minutes()), " min ago")
	case d < 48*time.Hour:
		return fmt.Sprint(int(d.Hours()), " h ago")
	}
	return fmt.Sprint(int(d.Hours()/24), " days ago")
}

// static is a file that every nod has.
func static(w http.ResponseWriter, r *http.Request, _ *visit) error {
	web.Static(w, r, files)
	return nil
}

// field is a text of a form that fits on one line and shows what it says.
func field(r *http.Request, name string, most int) (string, error) {
	text := strings.TrimSpace(r.PostForm.Get(name))
	if text == "" || text != printable.Line(text, most) {
		return "", wrong(fmt.Sprintf("The %s must have 1 to %d printable characters.", name, most))
	}
	return text, nil
}
