package page

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/web"
)

// How long words and sessions hold.
const (
	wordTime = 5 * time.Minute
	idleTime = 2 * time.Hour
	fullTime = 12 * time.Hour
)

// door lets people in. Words and cookies are kept as their hashes.
type door struct {
	now func() time.Time

	mu       sync.Mutex
	words    map[string]time.Time // until when
	sessions map[string]*person
}

// person is somebody with a session.
type person struct {
	made, seen time.Time
	form       string
}

func hashed(word string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(word))) }

// word makes a word that lets one person in.
func (d *door) word() string {
	w := rand.Text()
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	maps.DeleteFunc(d.words, func(_ string, until time.Time) bool { return !now.Before(until) })
	d.words[hashed(w)] = now.Add(wordTime)
	return w
}

// enter takes a word and returns a cookie's value, "" for a word that does not hold.
func (d *door) enter(w string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	until, known := d.words[hashed(w)]
	delete(d.words, hashed(w))
	now := d.now()
	if !known || !now.Before(until) {
		return ""
	}
	maps.DeleteFunc(d.sessions, func(_ string, p *person) bool { return p.over(now) })
	cookie := rand.Text()
	d.sessions[hashed(cookie)] = &person{made: now, seen: now, form: rand.Text()}
	return cookie
}

func (p *person) over(now time.Time) bool {
	return now.Sub(p.seen) > idleTime || now.Sub(p.made) > fullTime
}

// session returns whose cookie it is, nil for nobody's. used says that the person did something.
func (d *door) session(cookie string, used bool) *person {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, now := d.sessions[hashed(cookie)], d.now()
	if p == nil || p.over(now) {
		return nil
	}
	if used {
		p.seen = now
	}
	return p
}

// anybody reports whether somebody has a session.
func (d *door) anybody() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	maps.DeleteFunc(d.sessions, func(_ string, p *person) bool { return p.over(now) })
	return len(d.sessions) > 0
}

func (d *door) leave(cookie string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.sessions, hashed(cookie))
}

// visit is a request whose credential holds.
type visit struct {
	session *person
	cookie  string
}

// ServeHTTP looks at where a request comes from before anything else looks at it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if web.Protect(w, web.Scripted); web.Origins(s.o.Origins).Admits(w, r, linked) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		s.mux.ServeHTTP(w, r)
	}
}

// linked reports whether links on other pages lead there.
func linked(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/answer/") || strings.HasPrefix(r.URL.Path, "/enter/")
}

// guarded lets a request to a route that has what the route needs.
func (s *Server) guarded(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &visit{}
		if rt.needs == word {
			w.Header().Set("Content-Security-Policy", web.Scriptless)
		}
		err := s.admit(r, rt, v)
		if err == nil {
			err = rt.serve(w, r, v)
		}
		if err != nil {
			s.refuse(w, v, err)
		}
	}
}

// refuse shows what went wrong.
func (s *Server) refuse(w http.ResponseWriter, v *visit, err error) {
	known := web.Refusal{Status: http.StatusUnprocessableEntity}
	errors.As(err, &known)
	if errors.Is(err, question.ErrGone) || errors.Is(err, question.ErrAnswered) || errors.Is(err, question.ErrFits) {
		known.Status = http.StatusGone
	}
	_ = s.show(w, v, known.Status, "message", http.StatusText(known.Status), web.Sentence(err))
}

// admit finds whose request it is, and says why the route does not take it.
func (s *Server) admit(r *http.Request, rt route, v *visit) error {
	if rt.needs == session || rt.needs == form {
		if c, err := r.Cookie(s.cookie(r, "").Name); err == nil {
			v.cookie = c.Value
			v.session = s.door.session(c.Value, rt.path != "/events")
		}
		if v.session == nil {
			return web.Refuse(http.StatusUnauthorized, "There is no session here, or it is over. Begin one with "+
				"the link that nod ui prints in its terminal. If you have just followed it, load this page again.")
		}
	}
	if rt.method != http.MethodPost && rt.needs != entrance {
		return nil
	}
	if rt.method == http.MethodPost {
		token := ""
		if rt.needs == form {
			token = v.session.form
		}
		if err := web.Form(r, token); err != nil {
			return err
		}
	}
	return s.byPerson(r)
}

// byPerson returns an error if an agent is seen at the other end.
func (s *Server) byPerson(r *http.Request) error {
	c, _ := r.Context().Value(connKey{}).(net.Conn)
	if c == nil {
		return web.Refuse(http.StatusForbidden, "It cannot be seen who asks.")
	}
	if name, is := s.o.Agent(c.RemoteAddr(), c.LocalAddr()); is {
		return web.Refuse(http.StatusForbidden, "A coding agent ("+name+") runs the browser that asks, and agents "+
			"may not answer. Use a browser of your own.")
	}
	return nil
}

// enter begins a session. The address with the word stands in no history: it leads on.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, _ *visit) error {
	if web.Prefetched(r) {
		return web.Refuse(http.StatusForbidden, "Not ahead of time.")
	}
	cookie := s.door.enter(r.PathValue("word"))
	if cookie == "" {
		return web.Refuse(http.StatusForbidden, "That link was used already, or is older than five minutes. Press "+
			"Enter where nod ui runs for another.")
	}
	http.SetCookie(w, s.cookie(r, cookie))
	return web.Leads(w, r, "/", nil)
}

func (s *Server) cookie(r *http.Request, value string) *http.Cookie {
	return web.Origins(s.o.Origins).Cookie(r, "nod", value, int(fullTime.Seconds()), http.SameSiteStrictMode)
}

func (s *Server) leave(_ http.ResponseWriter, _ *http.Request, v *visit) error {
	s.door.leave(v.cookie)
	v.session = nil
	return web.Refuse(http.StatusOK, "The session is over.")
}

// static is a file that every nod has.
func static(w http.ResponseWriter, r *http.Request, _ *visit) error {
	web.Static(w, r, files)
	return nil
}
