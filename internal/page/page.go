// Package page is nod ui: a page on this machine that shows the decisions, asks a person what waits for an answer, and
// changes the person's rules.
//
//	s := page.New(shown.Page{State: dir, Log: x, Origins: []string{"http://127.0.0.1:7311"}, ...})
//	fmt.Println(s.Enter(0))             // http://127.0.0.1:7311/enter/WORD: good once, for five minutes
//	err := s.Serve(ctx, listener)
//
// Whoever reaches the page lets calls run and writes rules, so it trusts nobody:
//
//   - Each request is looked at before the mux: its Host must be one of the origins', which ends DNS rebinding; what
//     the browser says of where it comes from (Origin, Sec-Fetch-Site) must be the page itself or the person's typing.
//   - A session begins with a one-time word and is a cookie (HttpOnly, SameSite=Strict). It ends when it is not used,
//     and after half a day. What changes something is a POST that carries a token of the session as well.
//   - What changes something, or begins a session, is refused where the process at the other end runs below a coding
//     agent, as far as the system tells ([ancestry.Peer]).
//   - The browser is told to take scripts, styles and connections from here alone, to run nothing inline, to be in no
//     frame, and to keep nothing. Texts of calls are texts: html/template, and textContent in the scripts.
//   - A link that was sent to the person ([question.Question].Link) needs no session: it answers one question, once, by
//     a page without any script. Looking at it changes nothing. Where the person has a passkey, a yes takes its
//     signature over what the call does, made on a page of its own.
//
// [routes] is the whole list of what can be asked for. Without scripts, lists, details and forms work all the same.
package page

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"html/template"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"

	"github.com/nodgate/nod/internal/ancestry"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/shown"
	"github.com/nodgate/nod/internal/web"
)

//go:embed static templates
var files embed.FS

// Server is the page. Make one with [New].
type Server struct {
	o       shown.Page
	door    *door
	keys    *passkeys
	mux     *http.ServeMux
	views   *template.Template
	slow    time.Duration // how long a request may take to come
	streams chan struct{} // bounds how many browsers listen at once
}

// The bounds of one server.
const (
	maxBody        = 64 << 10
	maxHeader      = 16 << 10
	maxStreams     = 16
	maxConnections = 128
	slowest        = 10 * time.Second
	writeTime      = 60 * time.Second
)

// New makes a page.
func New(o shown.Page) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Agent == nil {
		o.Agent = agentOf
	}
	s := &Server{o: o, mux: http.NewServeMux(), slow: slowest,
		streams: make(chan struct{}, maxStreams),
		door:    &door{now: o.Now, words: map[string]time.Time{}, sessions: map[string]*person{}}}
	s.keys = &passkeys{Server: s, pending: map[string]pending{}}
	s.views = web.Views(files, s.functions())
	for _, r := range s.routes() {
		s.mux.HandleFunc(r.method+" "+r.path, s.guarded(r))
	}
	return s
}

// agentOf asks the system. Where it does not tell, the credential alone decides.
func agentOf(remote, local net.Addr) (string, bool) {
	above, marked, _ := ancestry.Peer(remote, local)
	name, _ := ancestry.Agent(above)
	name = cmp.Or(name, marked)
	return name, name != ""
}

// credential is what a route needs.
type credential int

const (
	session  credential = iota // the cookie of a session
	form                       // a session, its token, and no agent at the other end
	word                       // the word of a link, which the route itself looks at; and no agent where it is a POST
	anybody                    // nothing: what it returns is in every copy of nod
	entrance                   // the one-time word, and no agent at the other end
)

// route is one thing that can be asked for.
type route struct {
	method, path string
	needs        credential
	serve        handler
}

// handler answers a request, or returns what [Server.refuse] says.
type handler func(w http.ResponseWriter, r *http.Request, v *visit) error

// routes is all of them.
func (s *Server) routes() []route {
	return []route{
		{"GET", "/static/{file}", anybody, static},
		{"GET", "/enter/{word}", entrance, s.enter},
		{"GET", "/{$}", session, s.list},
		{"GET", "/rows", session, s.rows},
		{"GET", "/events", session, s.events},
		{"GET", "/decision/{id}", session, s.decision},
		{"GET", "/questions", session, s.queue},
		{"GET", "/question/{id}", session, s.question},
		{"POST", "/question/{id}", form, s.answer},
		{"GET", "/charts", session, s.charts},
		{"GET", "/charts/data", session, s.chartData},
		{"GET", "/rules", session, s.rules},
		{"POST", "/rules/preview", form, s.previewRule},
		{"POST", "/rules", form, s.writeRule},
		{"GET", "/passkeys", session, s.keys.list},
		{"POST", "/passkeys/begin", form, s.keys.begin},
		{"POST", "/passkeys/finish", form, s.keys.finish},
		{"POST", "/passkeys/remove", form, s.keys.remove},
		{"POST", "/leave", form, s.leave},
		{"GET", "/answer/{id}/{word}", word, s.byLink(s.showLinked)},
		{"POST", "/answer/{id}/{word}", word, s.byLink(s.answerLinked)},
		{"GET", "/sign/{id}/{word}", word, s.byLink(s.keys.sign)},
		{"POST", "/sign/{id}/{word}", word, s.byLink(s.showSigned)},
	}
}

// Enter returns an address that begins a session, by the origin of that number.
func (s *Server) Enter(origin int) string { return s.o.Origins[origin] + "/enter/" + s.door.word() }

// Serve answers until ctx ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	with := func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) }
	server := &http.Server{Handler: s, ReadHeaderTimeout: s.slow, ReadTimeout: s.slow, WriteTimeout: writeTime,
		IdleTimeout: time.Minute, MaxHeaderBytes: maxHeader, ConnContext: with,
		BaseContext: func(net.Listener) context.Context { return ctx }} // what listens ends with it
	stop := context.AfterFunc(ctx, func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(ending) != nil {
			_ = server.Close()
		}
	})
	defer stop()
	go s.hear(ctx)
	if err := server.Serve(netutil.LimitListener(l, maxConnections)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// hear has calls wait while somebody is there who could answer.
func (s *Server) hear(ctx context.Context) {
	var stop func()
	for ctx.Err() == nil {
		switch there := s.o.Asks && s.door.anybody(); {
		case there && stop == nil:
			stop, _ = question.Listen(s.o.State) // else the next look tries again
		case !there && stop != nil:
			stop()
			stop = nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(look):
		}
	}
	if stop != nil {
		stop()
	}
}

// connKey is under which a request's context has its connection.
type connKey struct{}

// functions are what the templates call beside those of [web.Views].
func (s *Server) functions() template.FuncMap {
	return template.FuncMap{
		"when": s.when,
		"yes":  yes,
		"home": func(name string) string { return printable.Line(printable.Near(name, nil, s.o.Home), 200) },
	}
}

// when is a time as the lists show it.
func (s *Server) when(t time.Time) string {
	t = t.Local()
	if now := s.o.Now().Local(); t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format(time.TimeOnly)
	}
	return t.Format("Jan _2 15:04")
}

// show writes a page.
func (s *Server) show(w http.ResponseWriter, v *visit, status int, name, title string, data any) error {
	page := struct {
		Here, Title string // the part of the page: "decisions" ...
		Form        string // the token of the session
		Wait        int    // how many questions wait
		Data        any
	}{Here: name, Title: title, Data: data}
	if v.session != nil {
		page.Form = v.session.form
		page.Wait = len(s.open())
	}
	web.Show(w, s.views, status, name, page)
	return nil
}
