package page

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"maps"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
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

func newDoor(now func() time.Time) *door {
	return &door{now: now, words: map[string]time.Time{}, sessions: map[string]*person{}}
}

func hashed(word string) string {
	sum := sha256.Sum256([]byte(word))
	return hex.EncodeToString(sum[:])
}

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
	h := w.Header()
	for name, value := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin",
		"Cross-Origin-Opener-Policy": "same-origin", "X-Frame-Options": "DENY",
	} {
		h.Set(name, value)
	}
	switch why := s.foreign(r); {
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		h.Set("Allow", "GET, POST")
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
	case !slices.ContainsFunc(s.hosts, func(host string) bool { return strings.EqualFold(host, r.Host) }):
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
		if rt.needs == session || rt.needs == form {
			if c, err := r.Cookie(s.cookieName(r)); err == nil {
				v.cookie = c.Value
				v.session = s.door.session(c.Value, rt.path != "/events")
			}
			if v.session == nil {
				s.message(w, nil, http.StatusUnauthorized, "There is no session here, or it is over. Begin one with "+
					"the link that nod ui prints in its terminal. If you have just followed it, load this page again.")
				return
			}
		}
		if rt.method == http.MethodPost && !s.mayChange(w, r, rt, v) {
			return
		}
		if (rt.method == http.MethodPost || rt.needs == entrance) && !s.byPerson(w, r, v) {
			return
		}
		rt.serve(w, r, v)
	}
}

// mayChange reads the form of a request, and reports whether it may change something.
func (s *Server) mayChange(w http.ResponseWriter, r *http.Request, rt route, v *visit) bool {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "application/x-www-form-urlencoded" {
		s.message(w, v, http.StatusUnsupportedMediaType, "Only forms of this page are read.")
		return false
	}
	if err := r.ParseForm(); err != nil {
		s.message(w, v, http.StatusRequestEntityTooLarge, "The form is too long, or came too slowly.")
		return false
	}
	if rt.needs == form && !equal(r.PostForm.Get("form"), v.session.form) {
		s.message(w, v, http.StatusForbidden, "That form is of another session. Load the page again.")
		return false
	}
	return true
}

// byPerson reports whether no agent is seen at the other end.
func (s *Server) byPerson(w http.ResponseWriter, r *http.Request, v *visit) bool {
	c, _ := r.Context().Value(connKey{}).(net.Conn)
	if c == nil {
		s.message(w, v, http.StatusForbidden, "It cannot be seen who asks.")
		return false
	}
	if name, is := s.o.Agent(c.RemoteAddr(), c.LocalAddr()); is {
		s.message(w, v, http.StatusForbidden, "A coding agent ("+name+") runs the browser that asks, and agents may "+
			"not answer. Use a browser of your own.")
		return false
	}
	return true
}

// cookieName is the one that a browser keeps for this host alone; it can only be had over https.
func (s *Server) cookieName(r *http.Request) string {
	if s.ours("https://"+r.Host, r.Host) {
		return "__Host-nod"
	}
	return "nod"
}

// enter begins a session. The address with the word stands in no history: it leads on.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, _ *visit) {
	if strings.Contains(r.Header.Get("Sec-Purpose"), "prefetch") { // nobody has followed the link yet
		http.Error(w, "not ahead of time", http.StatusForbidden)
		return
	}
	cookie := s.door.enter(r.PathValue("word"))
	if cookie == "" {
		s.message(w, nil, http.StatusForbidden, "That link was used already, or is older than five minutes. Press "+
			"Enter where nod ui runs for another.")
		return
	}
	name := s.cookieName(r)
	http.SetCookie(w, &http.Cookie{Name: name, Value: cookie, Path: "/", MaxAge: int(fullTime.Seconds()),
		HttpOnly: true, Secure: name != "nod", SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *Server) leave(w http.ResponseWriter, r *http.Request, v *visit) {
	s.door.leave(v.cookie)
	s.message(w, nil, http.StatusOK, "The session is over.")
}

// static is a file that every nod has.
func static(w http.ResponseWriter, r *http.Request, _ *visit) {
	text, err := files.ReadFile("static/" + r.PathValue("file"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	kinds := map[string]string{"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
	name := r.PathValue("file")
	kind := kinds[name[strings.LastIndexByte(name, '.')+1:]]
	if kind == "" {
		kind = "text/plain"
	}
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	_, _ = w.Write(text)
}
