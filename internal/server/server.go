// Package server is nod-serve serve: an HTTP server that answers tool calls of harnesses in any language by the gate.
//
//	s, err := server.New(server.Options{State: dir, Places: places, ...})
//	err = s.Serve(ctx, listener)
//
// [routes] is the whole list of what can be asked for, each with the scope that it needs. A request is looked at in
// this order: its route, its token and the token's scope, the token's rate, its media type, its body. Nothing of a body
// is read before the token holds.
//
//   - A token is a row of the database (internal/store): its SHA-256, its scopes, when it ends. What a server remembers
//     of it goes when the database says that tokens changed (tokens.go). Where it does not answer, nobody is let in.
//   - A call is read strictly (read.go): JSON with one reading, known keys as they are spelled, nothing else.
//   - A call is decided by a gate of its own (decide.go), with the settings files that hold everywhere else. What goes
//     wrong (an error, a time-out, a panic, a request that is cancelled) is a denial, or a problem without a verdict.
//   - An Idempotency-Key has the same answer given again (repeat.go).
//   - Errors are problems of RFC 9457 (problem.go). openapi.json describes all of it, and a test holds it to the code.
package server

import (
	"context"
	_ "embed" // the description
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/otlp"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/teampage"
)

// Options say what the server decides by. The zero value of each field but Places is the strictest.
type Options struct {
	Places  config.Places // the settings, and the state directory with the log
	Store   *store.Store  // the team's database
	Environ []string      // the server's own, for the keys of a model's provider
	Nod     string        // the nod program, for nod classify; "" means that no model is asked
	Self    []string      // nod's own programs
	// Files are the calls' files; nil means that nod sees none of them, so that what depends on files is open.
	Files nod.Files
	Model nod.Model // replaces nod classify, for tests
	// Rate is how many calls a second each token may ask about; 0 is 1,000.
	Rate float64
	// Page is what people see beside /v1; nil: nothing. What it needs of the gate, the server adds.
	Page    *teampage.Options
	TLS     bool          // the server is reached by TLS alone
	Timeout time.Duration // for one call; 0 is 50 s; a model has its own limit within
	Stderr  io.Writer     // many may write at once; nil: nowhere
	Heads   Outside       // takes signed heads of the machines' logs; nil: none are signed
	OTLP    string        // the collector that gets what machines ship; "" for none
	Public  string        // the server's address as people reach it, for links; "" sends none
	Web     *http.Client  // for webhooks; nil is one that follows no redirects
	Now     func() time.Time
}

// Server answers. Make one with [New].
type Server struct {
	o       Options
	log     *audit.Log
	door    *door
	rules   ruleBook
	repeats repeats
	mux     *http.ServeMux
	page    http.Handler
	models  chan struct{} // bounds how many models are asked at once
	batches chan struct{} // bounds how many batches are held at once
	ships   chan struct{} // bounds how many batches of lines
	hooks   chan struct{} // bounds how many webhooks are called at once
	ending  atomic.Bool
	closing chan struct{} // closed when it ends, for whoever waits
	heads   heads
	slow    time.Duration // how long a body may take; a whole request four times as long
}

// The bounds of one server.
const (
	maxBody        = 1 << 20
	maxBatchBody   = 16 << 20
	maxBatch       = 1000
	maxBatches     = 4
	maxModels      = 8
	maxHeader      = 16 << 10
	maxConnections = 32768            // each machine of a team holds two
	slowest        = 10 * time.Second // for a header
	slowestBody    = 30 * time.Second
	most           = 50 * time.Second // for deciding what a request asks about
	longest        = slowestBody + most + slowest
	grace          = 10 * time.Second // for what runs when the server ends
)

// New opens the log. Close what it returns; the database is the caller's.
func New(o Options) (*Server, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	if o.Web == nil {
		o.Web = &http.Client{Timeout: slowest, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
	}
	l, err := audit.Open(o.Places.State)
	if err != nil {
		return nil, err
	}
	s := &Server{o: o, log: l, door: newDoor(o), mux: http.NewServeMux(), repeats: newRepeats(o.Now),
		models: make(chan struct{}, maxModels), batches: make(chan struct{}, maxBatches), closing: make(chan struct{}),
		ships: make(chan struct{}, maxShips), hooks: make(chan struct{}, maxHooks), slow: slowestBody}
	if o.Page != nil {
		page := *o.Page
		page.Read = settingsOf
		page.Replay = func(ctx context.Context, org string, d store.Draft) (any, error) { return s.tried(ctx, org, d) }
		page.Say = s.say
		s.page = teampage.New(page)
	}
	for _, r := range s.routes() {
		s.mux.HandleFunc(r.method+" "+r.path, s.guarded(r))
	}
	s.mux.HandleFunc("/", s.unknown)
	return s, nil
}

// Close closes the log.
func (s *Server) Close() error {
	s.door.stop()
	return s.log.Close()
}

// route is one thing that can be asked for.
type route struct {
	method, path string
	needs        scope // "" is for anybody: what it says is in every copy of nod
	limit        int64 // the longest body; 0 means that none is read
	serve        func(w http.ResponseWriter, r *http.Request, v *visit)
}

// routes is all of them.
func (s *Server) routes() []route {
	return slices.Concat([]route{
		{"POST", "/v1/check", scopeCheck, maxBody, s.check},
		{"POST", "/v1/check/batch", scopeCheck, maxBatchBody, s.checkBatch},
		{"GET", "/v1/openapi.json", anybody, 0, describe},
		{"GET", "/healthz", anybody, 0, healthy},
		{"GET", "/readyz", anybody, 0, s.ready},
	}, s.machineRoutes(), policyDesk{s}.routes(), shipping{s}.routes(), asking{s}.routes(),
		verdicts{s}.routes())
}

// visit is a request that was let in.
type visit struct {
	token store.Token
	who   store.Identity
	body  []byte // whole; nil where the route takes none
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if s.o.TLS {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	defer func() {
		if p := recover(); p != nil {
			s.say("a request failed inside: %v; please report this", p)
			refuse(w, internalError)
		}
	}()
	s.mux.ServeHTTP(w, r)
}

// guarded lets a request to a route that has what the route needs.
func (s *Server) guarded(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &visit{}
		if rt.needs != anybody {
			t, p := s.door.admit(r, rt.needs)
			if p != nil {
				refuse(w, *p)
				return
			}
			v.token, v.who = t, t.Identity()
		}
		if rt.limit == 0 {
			rt.serve(w, r, v)
			return
		}
		if rt.limit > maxBody {
			select {
			case s.batches <- struct{}{}:
				defer func() { <-s.batches }()
			case <-r.Context().Done():
				return
			}
		}
		body, p := s.bodyOf(w, r, rt.limit)
		if p != nil {
			refuse(w, *p)
			return
		}
		if v.body = body; rt.needs == anybody { // there is nobody whose key it could be
			rt.serve(w, r, v)
			return
		}
		s.once(w, r, v, rt.serve)
	}
}

// bodyOf reads the body of a request that may have one.
func (s *Server) bodyOf(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, *problem) {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(kind), "application/json") || r.Header.Get("Content-Encoding") != "" {
		return nil, notJSON.because("send application/json, without Content-Encoding")
	}
	body, err := s.inTime(w, func() ([]byte, error) { return io.ReadAll(http.MaxBytesReader(w, r.Body, limit)) })
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, tooLarge.because(fmt.Sprintf("the body is longer than %d MiB", limit>>20))
	case err != nil:
		return nil, badRequest.because("the body ended early, or came too slowly")
	}
	return body, nil
}

// inTime reads a body. Where that fails the deadline stays and the connection ends: package http reads no further.
func (s *Server) inTime(w http.ResponseWriter, read func() ([]byte, error)) ([]byte, error) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(s.slow)) // where the connection has one
	body, err := read()
	if err != nil {
		w.Header().Set("Connection", "close")
		return body, err
	}
	_ = c.SetReadDeadline(time.Now().Add(longest)) // what waits for the end of the client does so as long as this works
	return body, nil
}

// unknown answers what no route answers.
func (s *Server) unknown(w http.ResponseWriter, r *http.Request) {
	var methods []string
	for _, rt := range s.routes() {
		other := &http.Request{Method: rt.method, URL: r.URL, Host: r.Host}
		if _, pattern := s.mux.Handler(other); pattern == rt.method+" "+rt.path {
			methods = append(methods, rt.method)
		}
	}
	switch {
	case methods == nil && s.page != nil && !strings.HasPrefix(r.URL.Path, "/v1/"):
		s.page.ServeHTTP(w, r)
		return
	case methods == nil:
		refuse(w, notFound)
		return
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	refuse(w, *wrongMethod.because("this takes " + strings.Join(methods, ", ")))
}

//go:embed openapi.json
var description []byte

func describe(w http.ResponseWriter, _ *http.Request, _ *visit) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(description)
}

// health is the answer of /healthz and /readyz.
type health struct {
	Status string `json:"status"`
}

func healthy(w http.ResponseWriter, _ *http.Request, _ *visit) { put(w, health{"ok"}) }

// ready says whether calls are decided: the settings can be read, the database answers, and the server does not end.
// Why not is for those who see the server's standard error.
func (s *Server) ready(w http.ResponseWriter, r *http.Request, _ *visit) {
	err := errors.Join(s.rules.of(s, "", "").err, s.o.Store.DB.PingContext(r.Context()))
	if err != nil {
		s.say("not ready: %v", err)
	}
	if err != nil || s.ending.Load() {
		refuse(w, notReady)
		return
	}
	put(w, health{"ready"})
}

// Serve answers until ctx ends, and then finishes what runs, for at most ten seconds. With a certificate it speaks TLS.
func (s *Server) Serve(ctx context.Context, l net.Listener, certificate, key string) error {
	server := &http.Server{Handler: s, ReadHeaderTimeout: slowest, ReadTimeout: 4 * s.slow, WriteTimeout: longest,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader, ErrorLog: log.New(quoted{s}, "", 0)}
	var ended sync.WaitGroup
	ended.Add(1)
	stop := context.AfterFunc(ctx, func() {
		defer ended.Done()
		s.ending.Store(true)
		close(s.closing)
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		if server.Shutdown(last) != nil {
			_ = server.Close()
		}
	})
	work, end := context.WithCancel(ctx)
	defer end()
	go shipping{s}.keepLog(work)
	if s.o.OTLP != "" {
		c, err := otlp.New(work, otlp.Options{URL: s.o.OTLP})
		if err != nil {
			return err
		}
		go shipping{s}.export(work, c)
	}
	l = netutil.LimitListener(l, maxConnections)
	serve := func() error { return server.Serve(l) }
	if certificate != "" {
		serve = func() error { return server.ServeTLS(l, certificate, key) }
	}
	err := serve()
	if stop() { // ctx goes on: the listener failed
		return err
	}
	ended.Wait()
	return nil
}

// say tells whoever runs the server.
func (s *Server) say(form string, with ...any) {
	fmt.Fprintf(s.o.Stderr, "nod-serve: %s\n", printable.Line(fmt.Sprintf(form, with...), 300))
}

// quoted is where package http writes what it has to say.
type quoted struct{ s *Server }

func (q quoted) Write(text []byte) (int, error) {
	q.s.say("%s", strings.TrimSpace(string(text)))
	return len(text), nil
}
