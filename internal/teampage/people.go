package teampage

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/web"
)

func (s *Server) peopleRoutes() []route {
	return []route{
		{"GET", "/people", store.Admin, true, s.people},
		{"POST", "/people/role", store.Admin, true, s.setRole},
		{"POST", "/people/sessions", store.Admin, true, s.endSessions},
		{"POST", "/people/remove", store.Admin, true, s.removePerson},
		{"GET", "/tokens", store.Admin, true, s.tokens},
		{"POST", "/tokens", store.Admin, true, s.makeToken},
		{"POST", "/tokens/revoke", store.Admin, true, s.revokeToken},
		{"GET", "/events", store.Admin, true, s.events},
		{"GET", "/settings", store.Admin, true, s.settings},
		{"POST", "/settings", store.Admin, true, s.setSettings},
		{"POST", "/teams", store.Admin, true, s.makeTeam},
	}
}

func (s *Server) people(w http.ResponseWriter, r *http.Request, v *visit) error {
	all, err := s.o.Store.People(r.Context(), v.person.Org)
	if err != nil {
		return err
	}
	teams, err := s.o.Store.Teams(r.Context(), v.person.Org)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(p store.Person) bool { return !p.Gone.IsZero() })
	return s.show(w, v, http.StatusOK, "people", "People", map[string]any{"People": all, "Teams": teams,
		"Roles": store.Roles(), "Self": v.person.ID})
}

// other is the person of a form, who is not the one that asks: nobody locks themselves out.
func (s *Server) other(r *http.Request, v *visit) (string, error) {
	id := r.PostForm.Get("id")
	if id == v.person.ID {
		return "", wrong("Another admin must change what you may do.")
	}
	return id, nil
}

func (s *Server) setRole(w http.ResponseWriter, r *http.Request, v *visit) error {
	id, err := s.other(r, v)
	role := r.PostForm.Get("role")
	switch {
	case err != nil:
		return err
	case !slices.Contains(store.Roles(), role):
		return wrong("The roles are viewer, approver, editor and admin.")
	}
	err = s.o.Store.Tx(r.Context(), func(tx *store.Tx) error {
		return tx.SetRole(r.Context(), v.who(), id, role, r.PostForm.Get("team"))
	})
	return web.Leads(w, r, "/people", err)
}

func (s *Server) removePerson(w http.ResponseWriter, r *http.Request, v *visit) error {
	id, err := s.other(r, v)
	if err == nil {
		err = s.o.Store.Tx(r.Context(), func(tx *store.Tx) error { return tx.RemovePerson(r.Context(), v.who(), id) })
	}
	return web.Leads(w, r, "/people", err)
}

func (s *Server) endSessions(w http.ResponseWriter, r *http.Request, v *visit) error {
	p, err := s.o.Store.Person(r.Context(), v.person.Org, r.PostForm.Get("id"))
	if err == nil {
		err = s.o.Store.Tx(r.Context(), func(tx *store.Tx) error { return tx.EndSessions(r.Context(), v.who(), p.ID) })
	}
	return web.Leads(w, r, "/people", err)
}

func (s *Server) tokens(w http.ResponseWriter, r *http.Request, v *visit) error {
	all, err := s.o.Store.Tokens(r.Context(), v.person.Org)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(t store.Token) bool { return t.Machine != "" }) // those go with their machines
	return s.show(w, v, http.StatusOK, "tokens", "Tokens", map[string]any{"Tokens": all, "Scopes": store.Scopes(),
		"Now": s.o.Store.Now()})
}

// makeToken makes a token and shows it, the only time.
func (s *Server) makeToken(w http.ResponseWriter, r *http.Request, v *visit) error {
	t := store.Token{Org: v.person.Org, Scopes: r.PostForm["scope"]}
	name, err := field(r, "name", 60)
	if err != nil {
		return err
	}
	for _, scope := range t.Scopes {
		if !slices.Contains(store.Scopes(), scope) {
			return wrong("The scopes are " + strings.Join(store.Scopes(), ", ") + ".")
		}
	}
	days, err := strconv.Atoi(r.PostForm.Get("days"))
	if err != nil || days < 1 || days > 3650 || len(t.Scopes) == 0 {
		return wrong("A token has at least one scope, and holds for 1 to 3650 days.")
	}
	t.Name, t.Expires = name, s.o.Store.Now().Add(time.Duration(days)*24*time.Hour)
	have, err := s.o.Store.Tokens(r.Context(), t.Org)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(have, func(old store.Token) bool { return old.Name == name }) {
		return wrong("There is a token of that name. Revoke it first, or take another name.")
	}
	var secret string
	e := store.Event{What: "token made", About: name, Detail: strings.Join(t.Scopes, " ")}
	err = s.change(r, v, e, func(tx *store.Tx) (err error) {
		secret, err = tx.MakeToken(r.Context(), t)
		return err
	})
	if err != nil {
		return err
	}
	return s.show(w, v, http.StatusOK, "secret", "Token "+name, map[string]string{"Secret": secret, "Back": "/tokens",
		"Text": "It is not shown again. Programs send it as: Authorization: Bearer TOKEN"})
}

func (s *Server) revokeToken(w http.ResponseWriter, r *http.Request, v *visit) error {
	all, err := s.o.Store.Tokens(r.Context(), v.person.Org)
	i := slices.IndexFunc(all, func(t store.Token) bool { return t.ID == r.PostForm.Get("id") && t.Machine == "" })
	switch {
	case err != nil:
		return err
	case i < 0:
		return store.ErrNotFound
	}
	err = s.change(r, v, store.Event{What: "token revoked", About: all[i].Name}, func(tx *store.Tx) error {
		return tx.RevokeToken(r.Context(), v.person.Org, all[i].Name)
	})
	return web.Leads(w, r, "/tokens", err)
}

// events shows who changed what.
func (s *Server) events(w http.ResponseWriter, r *http.Request, v *visit) error {
	list, err := s.o.Store.Events(r.Context(), v.person.Org, r.URL.Query().Get("before"), pageRows)
	if err != nil {
		return err
	}
	people, err := s.o.Store.People(r.Context(), v.person.Org)
	if err != nil {
		return err
	}
	older := ""
	if len(list) == pageRows {
		older = "?" + url.Values{"before": {list[pageRows-1].ID}}.Encode()
	}
	shown := map[string]string{} // who and what, by ids
	for _, p := range people {
		shown[p.ID] = p.Shown()
	}
	for i, e := range list {
		list[i].Who, list[i].About = cmp.Or(shown[e.Who], e.Who), cmp.Or(shown[e.About], e.About)
	}
	return s.show(w, v, http.StatusOK, "events", "Events", map[string]any{"Events": list, "Older": older})
}

func (s *Server) settings(w http.ResponseWriter, r *http.Request, v *visit) error {
	org, err := s.o.Store.Org(r.Context(), v.person.Org)
	if err != nil {
		return err
	}
	teams, err := s.o.Store.Teams(r.Context(), v.person.Org)
	if err != nil {
		return err
	}
	return s.show(w, v, http.StatusOK, "settings", "Settings", map[string]any{"Org": org, "Teams": teams})
}

func (s *Server) setSettings(w http.ResponseWriter, r *http.Request, v *visit) error {
	days, err := strconv.Atoi(r.PostForm.Get("days"))
	hours, wrongHours := strconv.Atoi(r.PostForm.Get("hours"))
	set := store.OrgSettings{RetentionDays: days, PolicyHours: hours, NoInputs: r.PostForm.Get("no_inputs") == "yes",
		TwoPeople: r.PostForm.Get("two_people") == "yes", Webhook: r.PostForm.Get("webhook")}
	if err = errors.Join(err, wrongHours, set.Check()); err != nil {
		return wrong(err.Error())
	}
	err = s.o.Store.Tx(r.Context(), func(tx *store.Tx) error { return tx.ChangeOrg(r.Context(), v.who(), set) })
	return web.Leads(w, r, "/settings", err)
}

func (s *Server) makeTeam(w http.ResponseWriter, r *http.Request, v *visit) error {
	name, err := field(r, "name", 60)
	if err != nil {
		return err
	}
	teams, err := s.o.Store.Teams(r.Context(), v.person.Org)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(teams, func(t store.Team) bool { return t.Name == name }) {
		return wrong(fmt.Sprintf("There is a team %q.", name))
	}
	err = s.change(r, v, store.Event{What: "team made", About: name}, func(tx *store.Tx) error {
		_, err := tx.MakeTeam(r.Context(), v.person.Org, name)
		return err
	})
	return web.Leads(w, r, "/settings", err)
}
