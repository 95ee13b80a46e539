package teampage

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/store"
)

// peoplePages are the pages of people and what they may do.
type peoplePages struct{ *Server }

func (s peoplePages) routes() []route {
	return []route{
		{"GET", "/people", store.Admin, true, s.page("people", "People", s.people)},
		{"POST", "/people/role", store.Admin, true, s.post("/people", s.setRole)},
		{"POST", "/people/sessions", store.Admin, true, s.post("/people", s.endSessions)},
		{"POST", "/people/remove", store.Admin, true, s.post("/people", s.removePerson)},
		{"GET", "/tokens", store.Admin, true, s.page("tokens", "Tokens", s.tokens)},
		{"POST", "/tokens", store.Admin, true, s.makeToken},
		{"POST", "/tokens/revoke", store.Admin, true, s.post("/tokens", s.revokeToken)},
		{"GET", "/events", store.Admin, true, s.page("events", "Events", s.events)},
		{"GET", "/settings", store.Admin, true, s.page("settings", "Settings", s.settings)},
		{"POST", "/settings", store.Admin, true, s.post("/settings", s.setSettings)},
		{"POST", "/teams", store.Admin, true, s.post("/settings", s.makeTeam)},
	}
}

func (s peoplePages) people(r *http.Request, v *visit) (any, error) {
	all, err := s.o.Store.People(r.Context(), v.person.Org)
	teams, wrong := s.teams(r, v)
	return map[string]any{"Teams": teams, "Roles": store.Roles(), "Self": v.person.ID,
			"People": slices.DeleteFunc(all, func(p store.Person) bool { return !p.Gone.IsZero() })},
		errors.Join(err, wrong)
}

// other refuses a form that is about the one who asks: nobody locks themselves out.
func other(r *http.Request, v *visit) error {
	if r.PostForm.Get("id") == v.person.ID {
		return wrong("Another admin must change what you may do.")
	}
	return nil
}

func (s peoplePages) setRole(r *http.Request, v *visit, tx *store.Tx) error {
	f := r.PostForm
	if !slices.Contains(store.Roles(), f.Get("role")) {
		return wrong("The roles are viewer, approver, editor and admin.")
	}
	return errors.Join(other(r, v), tx.SetRole(r.Context(), v.who(), f.Get("id"), f.Get("role"), f.Get("team")))
}

func (s peoplePages) removePerson(r *http.Request, v *visit, tx *store.Tx) error {
	return errors.Join(other(r, v), tx.RemovePerson(r.Context(), v.who(), r.PostForm.Get("id")))
}

func (s peoplePages) endSessions(r *http.Request, v *visit, tx *store.Tx) error {
	return tx.EndSessions(r.Context(), v.who(), r.PostForm.Get("id"))
}

func (s peoplePages) tokens(r *http.Request, v *visit) (any, error) {
	all, err := s.o.Store.Tokens(r.Context(), v.person.Org)
	all = slices.DeleteFunc(all, func(t store.Token) bool { return t.Machine != "" }) // those go with their machines
	return map[string]any{"Tokens": all, "Scopes": store.Scopes(), "Now": s.o.Store.Now()}, err
}

// makeToken makes a token and shows it, the only time.
func (s peoplePages) makeToken(w http.ResponseWriter, r *http.Request, v *visit) error {
	t := store.Token{Org: v.person.Org, Scopes: r.PostForm["scope"]}
	name, err := field(r, "name", 60)
	if err != nil {
		return err
	}
	days, err := strconv.Atoi(r.PostForm.Get("days"))
	unknown := func(scope string) bool { return !slices.Contains(store.Scopes(), scope) }
	if err != nil || days < 1 || days > 3650 || len(t.Scopes) == 0 || slices.ContainsFunc(t.Scopes, unknown) {
		return wrong("A token has at least one of the scopes, and holds for 1 to 3650 days.")
	}
	t.Name, t.Expires = name, s.o.Store.Now().Add(time.Duration(days)*24*time.Hour)
	return s.secret(w, r, v, "Token "+name, map[string]string{"Back": "/tokens",
		"Text": "It is not shown again. Programs send it as: Authorization: Bearer TOKEN"}, nil,
		func(tx *store.Tx) (string, error) {
			err := v.audit(r, tx, "token made", name, strings.Join(t.Scopes, " "))
			text, wrong := tx.MakeToken(r.Context(), t)
			return text, errors.Join(err, wrong)
		})
}

func (s peoplePages) revokeToken(r *http.Request, v *visit, tx *store.Tx) error {
	name := r.PostForm.Get("name")
	return errors.Join(tx.RevokeToken(r.Context(), v.person.Org, name), v.audit(r, tx, "token revoked", name, ""))
}

// events shows who changed what.
func (s peoplePages) events(r *http.Request, v *visit) (any, error) {
	list, err := s.o.Store.Events(r.Context(), v.person.Org, r.URL.Query().Get("before"), pageRows)
	shown, wrong := s.shown(r, v)
	older := ""
	if len(list) == pageRows {
		older = "?" + url.Values{"before": {list[pageRows-1].ID}}.Encode()
	}
	for i, e := range list {
		list[i].Who, list[i].About = cmp.Or(shown[e.Who], e.Who), cmp.Or(shown[e.About], e.About)
	}
	return map[string]any{"Events": list, "Older": older}, errors.Join(err, wrong)
}

func (s peoplePages) settings(r *http.Request, v *visit) (any, error) {
	org, err := s.o.Store.Org(r.Context(), v.person.Org)
	teams, wrong := s.teams(r, v)
	return map[string]any{"Org": org, "Teams": teams}, errors.Join(err, wrong)
}

func (s peoplePages) setSettings(r *http.Request, v *visit, tx *store.Tx) error {
	f := r.PostForm
	days, err := strconv.Atoi(f.Get("days"))
	hours, wrongHours := strconv.Atoi(f.Get("hours"))
	set := store.OrgSettings{RetentionDays: days, PolicyHours: hours, NoInputs: f.Has("no_inputs"),
		TwoPeople: f.Has("two_people"), Approvals: f.Has("approvals"), Webhook: f.Get("webhook")}
	if err = errors.Join(err, wrongHours, set.Check()); err != nil {
		return wrong(err.Error())
	}
	return tx.ChangeOrg(r.Context(), v.who(), set)
}

func (s peoplePages) makeTeam(r *http.Request, v *visit, tx *store.Tx) error {
	name, err := field(r, "name", 60)
	if err != nil {
		return err
	}
	_, err = tx.MakeTeam(r.Context(), v.person.Org, name)
	return errors.Join(err, v.audit(r, tx, "team made", name, ""))
}
