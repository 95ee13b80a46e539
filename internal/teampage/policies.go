package teampage

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/cedar"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/web"
)

// policyPages are the pages of policies. They concern the whole organisation, and are not for whose role is for a team.
type policyPages struct{ *Server }

func (s policyPages) routes() []route {
	return []route{
		{"GET", "/policies", store.Viewer, true, s.page("policies", "Policies", s.policies)},
		{"GET", "/policies/edit", store.Editor, true, s.page("edit", "Policies", s.edit)},
		{"POST", "/policies/drafts", store.Editor, true, s.makeDraft},
		{"GET", "/policies/drafts/{id}", store.Viewer, true, s.page("draft", "Policies", s.draft)},
		{"POST", "/policies/drafts/{id}/review", store.Editor, true, s.post("/policies", s.review)},
		{"POST", "/policies/drafts/{id}/publish", store.Editor, true, s.post("/policies", s.publish)},
		{"POST", "/policies/restore", store.Editor, true, s.post("/policies", s.restore)},
	}
}

// holds is the policy that holds now.
func (s policyPages) holds(r *http.Request, v *visit) (store.Policy, error) {
	now, err := s.o.Store.Policies(r.Context(), v.person.Org, 0, 1)
	return append(now, store.Policy{})[0], err
}

// shown are people by their ids.
func (s *Server) shown(r *http.Request, v *visit) (map[string]string, error) {
	people, err := s.o.Store.People(r.Context(), v.person.Org)
	by := map[string]string{}
	for _, p := range people {
		by[p.ID] = p.Shown()
	}
	return by, err
}

func (s policyPages) policies(r *http.Request, v *visit) (any, error) {
	const most = 20
	versions, err := s.o.Store.Policies(r.Context(), v.person.Org, 0, most)
	drafts, wrong := s.o.Store.Drafts(r.Context(), v.person.Org, "", most)
	drafts = slices.DeleteFunc(drafts, func(d store.Draft) bool { return d.Version != 0 })
	teams, wrong2 := s.teams(r, v)
	people, wrong3 := s.shown(r, v)
	return map[string]any{"Now": append(slices.Clone(versions), store.Policy{})[0], "Versions": versions,
			"Drafts": drafts, "Teams": names(teams), "People": people, "Editor": v.person.May(store.Editor)},
		errors.Join(err, wrong, wrong2, wrong3)
}

// edit shows the editor with a document that holds, or an empty one.
func (s policyPages) edit(r *http.Request, v *visit) (any, error) {
	now, err := s.holds(r, v)
	teams, wrong := s.teams(r, v)
	d := store.PolicyDocument{Document: team.Document{For: team.ForOrg}}
	if old := now.Document(r.URL.Query().Get("name")); old.Name != "" {
		d = old
	}
	if strings.HasSuffix(d.Name, cedar.Suffix) {
		d.Text = cedar.Source(d.Text)
	}
	return map[string]any{"Document": d, "Teams": teams}, errors.Join(err, wrong)
}

func (s policyPages) makeDraft(w http.ResponseWriter, r *http.Request, v *visit) error {
	f := r.PostForm
	d := store.PolicyDocument{Team: f.Get("team"), Document: team.Document{Name: f.Get("name"), For: team.ForOrg,
		Repository: f.Get("repository"), Text: strings.ReplaceAll(f.Get("text"), "\r\n", "\n")}}
	switch {
	case d.Team != "" && d.Repository != "":
		return wrong("A document is for a team or for repositories, not for both.")
	case d.Team != "":
		d.For = team.ForTeam
	case d.Repository != "":
		d.For = team.ForRepository
	}
	teams, err := s.teams(r, v)
	if err == nil && d.Team != "" && names(teams)[d.Team] == "" {
		err = store.ErrNotFound
	}
	if err != nil {
		return err
	}
	if d.Document, err = s.o.Read(d.Document); err != nil {
		return wrong(printable.Line(err.Error(), 500))
	}
	var made store.Draft
	err = s.o.Store.Tx(r.Context(), func(tx *store.Tx) (err error) {
		made, err = tx.MakeDraft(r.Context(), v.who(), d, f.Has("removes"))
		return err
	})
	return web.Leads(w, r, "/policies/drafts/"+made.ID, err)
}

// draft shows what a draft changes: in the document, and by the shared log.
func (s policyPages) draft(r *http.Request, v *visit) (any, error) {
	d, err := s.o.Store.Draft(r.Context(), v.person.Org, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	now, err := s.holds(r, v)
	people, wrong := s.shown(r, v)
	teams, wrong2 := s.teams(r, v)
	org, wrong3 := s.o.Store.Org(r.Context(), v.person.Org)
	if err = errors.Join(err, wrong, wrong2, wrong3); err != nil {
		return nil, err
	}
	before, after := now.Document(d.Document.Name).Text, d.Document.Text
	if d.Removes {
		after = ""
	}
	replay, untried := s.o.Replay(r.Context(), v.person.Org, d)
	return map[string]any{"Draft": d, "People": people, "Team": names(teams)[d.Document.Team],
		"Diff": web.Diff(before, after), "Replay": replay, "Untried": untried,
		"May": v.person.May(store.Editor) && d.Version == 0, "Own": d.Author == v.person.ID,
		"Waits": org.Settings.TwoPeople && d.Reviewer == ""}, nil
}

func (s policyPages) review(r *http.Request, v *visit, tx *store.Tx) error {
	return tx.Review(r.Context(), v.who(), r.PathValue("id"))
}

func (s policyPages) publish(r *http.Request, v *visit, tx *store.Tx) error {
	_, err := tx.Publish(r.Context(), v.who(), r.PathValue("id"))
	return err
}

// restore publishes an old version as a new one.
func (s policyPages) restore(r *http.Request, v *visit, tx *store.Tx) error {
	to, err := strconv.ParseInt(r.PostForm.Get("version"), 10, 64)
	if err != nil || to < 1 {
		return store.ErrNotFound
	}
	_, err = tx.RollBack(r.Context(), v.who(), to)
	return err
}
