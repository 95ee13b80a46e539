package teampage

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/web"
)

// visit is a request that was let in.
type visit struct {
	person store.Person
	cookie string
	form   string // the token that the session's forms carry
}

func (v *visit) who() store.Identity { return v.person.Identity() }

// sees reports whether the person's role is for a team.
func (v *visit) sees(team string) bool { return v.person.Team == "" || v.person.Team == team }

// audit adds an event of what the person does.
func (v *visit) audit(r *http.Request, tx *store.Tx, what, about, detail string) error {
	return tx.Audit(r.Context(), store.Event{Org: v.person.Org, Who: v.person.ID, What: what, About: about,
		Detail: detail})
}

// guarded lets a request to a route that has what the route needs.
func (s *Server) guarded(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &visit{}
		err := s.admit(r, rt, v)
		if err == nil {
			err = rt.serve(w, r, v)
		}
		if err != nil {
			s.refuse(w, r, v, err)
		}
	}
}

// admit finds whose request it is, and says why the route does not take it.
func (s *Server) admit(r *http.Request, rt route, v *visit) error {
	if rt.needs != anybody {
		if err := s.know(r, v); err != nil {
			return err
		}
		if !v.person.May(rt.needs) || rt.wide && v.person.Team != "" {
			return web.Refuse(http.StatusForbidden, "Your role does not allow this. An admin can give you another.")
		}
	}
	var err error
	if r.Method == http.MethodPost {
		err = web.Form(r, v.form)
	} else if r.ParseForm() != nil {
		err = web.Refuse(http.StatusBadRequest, "The address cannot be read.")
	}
	if err == nil && !readable(r) {
		err = web.Refuse(http.StatusBadRequest, "That is no text.")
	}
	return err
}

// readable reports whether all that a request says are texts that a database keeps.
func readable(r *http.Request) bool {
	texts := []string{r.URL.Path}
	for _, values := range r.Form {
		texts = append(texts, values...)
	}
	return !slices.ContainsFunc(texts, func(text string) bool {
		return !utf8.ValidString(text) || strings.ContainsRune(text, 0)
	})
}

// know finds the session of a request.
func (s *Server) know(r *http.Request, v *visit) error {
	c, err := r.Cookie(s.cookie(r, "").Name)
	if err != nil {
		return web.Refuse(http.StatusUnauthorized, "There is no session here.")
	}
	if !s.visits.Allow() {
		return web.Refuse(http.StatusTooManyRequests, "Too many requests. Try again in a moment.")
	}
	p, err := s.o.Store.Session(r.Context(), store.Hash(c.Value))
	if errors.Is(err, store.ErrNotFound) {
		return web.Refuse(http.StatusUnauthorized, "The session is over.")
	}
	if err == nil {
		v.person, v.cookie, v.form = p, c.Value, store.Hash("form "+c.Value)
	}
	return err
}

func (s *Server) cookie(r *http.Request, value string) *http.Cookie {
	return s.o.Origins.Cookie(r, "nod-serve", value, int(store.SessionTime.Seconds()), http.SameSiteLaxMode)
}

// showEnter shows the button of a link. A chat that looks at its links uses nothing up.
func (s *Server) showEnter(w http.ResponseWriter, r *http.Request, v *visit) error {
	first := r.PathValue("kind") == store.SetUpCode
	if !first && r.PathValue("kind") != store.PersonCode {
		return store.ErrNotFound
	}
	return s.show(w, v, http.StatusOK, "enter", "Begin", first)
}

// enter begins a session by a link.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, v *visit) error {
	kind, email, err := r.PathValue("kind"), "", error(nil)
	switch kind {
	case store.SetUpCode:
		if email, err = field(r, "email", 200); err != nil || !strings.Contains(email, "@") {
			return wrong("Give your e-mail address. It is your name here.")
		}
	case store.PersonCode:
	default:
		return store.ErrNotFound
	}
	if !s.visits.Allow() {
		return web.Refuse(http.StatusTooManyRequests, "Too many requests. Try again in a moment.")
	}
	var secret string
	err = s.o.Store.Tx(r.Context(), func(tx *store.Tx) error {
		p, err := tx.Enter(r.Context(), r.PathValue("code"), kind, email)
		if err == nil {
			secret, err = tx.Begin(r.Context(), p)
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return web.Refuse(http.StatusForbidden, "That link was used already, or its time is up. A start of nod-serve "+
			"serve prints the first admin's; nod-serve person link EMAIL prints one for somebody who is known.")
	}
	return s.welcome(w, r, secret, "/", err)
}

// welcome gives the browser its session.
func (s *Server) welcome(w http.ResponseWriter, r *http.Request, secret, to string, err error) error {
	if err == nil {
		http.SetCookie(w, s.cookie(r, secret))
	}
	return web.Leads(w, r, to, err)
}

func (s *Server) leave(w http.ResponseWriter, r *http.Request, v *visit) error {
	if err := s.o.Store.End(r.Context(), store.Hash(v.cookie)); err != nil {
		return err
	}
	*v = visit{}
	gone := s.cookie(r, "")
	gone.MaxAge = -1
	http.SetCookie(w, gone)
	return web.Refuse(http.StatusOK, "The session is over.")
}
