package page

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nodgate/nod/internal/question"
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

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

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

// policy is what a browser may do with a page of ours.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'"

// scriptless is the same for pages that have no script.
const scriptless = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'"

// ServeHTTP looks at where a request comes from before anything else looks at it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	maps.Copy(w.Header(), http.Header{
		"Content-Security-Policy": {policy}, "X-Content-Type-Options": {"nosniff"}, "Referrer-Policy": {"no-referrer"},
		"Cache-Control": {"no-store"}, "Cross-Origin-Resource-Policy": {"same-origin"},
		"Cross-Origin-Opener-Policy": {"same-origin"}, "X-Frame-Options": {"DENY"},
	})
	switch why := s.foreign(r); {
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "only GET and POST", http.StatusMethodNotAllowed)
	case why != "":
		http.Error(w, why, http.StatusForbidden)
	default:
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		s.mux.ServeHTTP(w, r)
	}
}

// foreign says why a request does not come from the page itself, or from the person.
func (s *Server) foreign(r *http.Request) string {
	origin, site := r.Header.Values("Origin"), r.Header.Values("Sec-Fetch-Site")
	same := slices.Equal(site, []string{"same-origin"})
	switch {
	case !slices.ContainsFunc(s.o.Origins, func(origin string) bool { return s.ours(origin, r.Host) }):
		return "this page is not served under that name"
	case len(origin) > 1 || len(site) > 1:
		return "a header that stands there twice"
	case len(site) > 0 && !same && site[0] != "none" && !linked(r):
		return "another page asked for this"
	case len(origin) > 0 && !s.ours(origin[0], r.Host) && !(origin[0] == "null" && same):
		return "another page asked for this"
	case r.Method == http.MethodPost && len(origin) == 0 && !same:
		return "no browser says which page asked for this"
	}
	return ""
}

// ours reports whether an origin is the one of the page under the host that was asked. A form of a page that names no
// referrer has the origin null.
func (s *Server) ours(origin, host string) bool {
	return slices.ContainsFunc(s.o.Origins, func(o string) bool {
		return strings.EqualFold(o, origin) && strings.HasSuffix(strings.ToLower(o), "://"+strings.ToLower(host))
	})
}

// linked reports whether a request is somebody's following of a link, to where links lead.
func linked(r *http.Request) bool {
	leads := strings.HasPrefix(r.URL.Path, "/answer/") || strings.HasPrefix(r.URL.Path, "/enter/")
	return leads && r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
}

// guarded lets a request to a route that has what the route needs.
func (s *Server) guarded(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &visit{}
		if rt.needs == word {
			w.Header().Set("Content-Security-Policy", scriptless)
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

// refusal is an answer of one sentence: what is wrong, and what to do next.
type refusal struct {
	status int
	text   string
}

func (e refusal) Error() string { return e.text }

// leads shows another page where nothing is wrong.
func leads(w http.ResponseWriter, r *http.Request, to string, err error) error {
	if err == nil {
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
	return err
}

// refuse shows what went wrong.
func (s *Server) refuse(w http.ResponseWriter, v *visit, err error) {
	known := refusal{status: http.StatusUnprocessableEntity}
	errors.As(err, &known)
	if errors.Is(err, question.ErrGone) || errors.Is(err, question.ErrAnswered) || errors.Is(err, question.ErrFits) {
		known.status = http.StatusGone
	}
	text := err.Error()
	text = strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
	_ = s.show(w, v, known.status, "message", http.StatusText(known.status), text)
}

// admit finds whose request it is, and says why the route does not take it.
func (s *Server) admit(r *http.Request, rt route, v *visit) error {
	if rt.needs == session || rt.needs == form {
		if c, err := r.Cookie(s.cookieName(r)); err == nil {
			v.cookie = c.Value
			v.session = s.door.session(c.Value, rt.path != "/events")
		}
		if v.session == nil {
			return refusal{http.StatusUnauthorized, "There is no session here, or it is over. Begin one with " +
				"the link that nod ui prints in its terminal. If you have just followed it, load this page again."}
		}
	}
	if rt.method != http.MethodPost && rt.needs != entrance {
		return nil
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case rt.method != http.MethodPost:
	case kind != "application/x-www-form-urlencoded":
		return refusal{http.StatusUnsupportedMediaType, "Only forms of this page are read."}
	case r.ParseForm() != nil:
		return refusal{http.StatusRequestEntityTooLarge, "The form is too long, or came too slowly."}
	case rt.needs == form && !equal(r.PostForm.Get("form"), v.session.form):
		return refusal{http.StatusForbidden, "That form is of another session. Load the page again."}
	}
	return s.byPerson(r)
}

// byPerson returns an error if an agent is seen at the other end.
func (s *Server) byPerson(r *http.Request) error {
	c, _ := r.Context().Value(connKey{}).(net.Conn)
	if c == nil {
		return refusal{http.StatusForbidden, "It cannot be seen who asks."}
	}
	if name, is := s.o.Agent(c.RemoteAddr(), c.LocalAddr()); is {
		return refusal{http.StatusForbidden, "A coding agent (" + name + ") runs the browser that asks, and agents " +
			"may not answer. Use a browser of your own."}
	}
	return nil
}

// cookieName is the one that a browser keeps for this host alone; it can only be had over https.
func (s *Server) cookieName(r *http.Request) string {
	if s.ours("https://"+r.Host, r.Host) {
		return "__Host-nod"
	}
	return "nod"
}

// enter begins a session. The address with the word stands in no history: it leads on.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, _ *visit) error {
	if strings.Contains(r.Header.Get("Sec-Purpose"), "prefetch") { // nobody has followed the link yet
		return refusal{http.StatusForbidden, "Not ahead of time."}
	}
	cookie := s.door.enter(r.PathValue("word"))
	if cookie == "" {
		return refusal{http.StatusForbidden, "That link was used already, or is older than five minutes. Press " +
			"Enter where nod ui runs for another."}
	}
	name := s.cookieName(r)
	http.SetCookie(w, &http.Cookie{Name: name, Value: cookie, Path: "/", MaxAge: int(fullTime.Seconds()),
		HttpOnly: true, Secure: name != "nod", SameSite: http.SameSiteStrictMode})
	return leads(w, r, "/", nil)
}

func (s *Server) leave(_ http.ResponseWriter, _ *http.Request, v *visit) error {
	s.door.leave(v.cookie)
	v.session = nil
	return refusal{http.StatusOK, "The session is over."}
}

// static is a file that every nod has. The system's own table of types may say anything of a script.
func static(w http.ResponseWriter, r *http.Request, _ *visit) error {
	kinds := map[string]string{".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
	kind := cmp.Or(kinds[path.Ext(r.PathValue("file"))], "text/plain")
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	http.ServeFileFS(w, r, files, "static/"+r.PathValue("file"))
	return nil
}
