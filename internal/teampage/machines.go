package teampage

import (
	"errors"
	"net/http"
	"time"

	"github.com/nodgate/nod/internal/store"
)

// machinePages are the pages of machines.
type machinePages struct{ *Server }

func (s machinePages) routes() []route {
	return []route{
		{"GET", "/{$}", store.Viewer, false, s.page("overview", "Overview", s.overview)},
		{"GET", "/machines", store.Viewer, false, s.page("machines", "Machines", s.machines)},
		{"POST", "/machines/code", store.Admin, false, s.machineCode},
		{"POST", "/machines/remove", store.Admin, false, s.post("/machines", s.removeMachine)},
	}
}

// overview shows how things stand.
func (s machinePages) overview(r *http.Request, v *visit) (any, error) {
	org, err := s.o.Store.Org(r.Context(), v.person.Org)
	teams, wrong := s.teams(r, v)
	all, here, wrong2 := s.o.Store.CountMachines(r.Context(), v.person.Org, v.person.Team,
		s.o.Store.Now().Add(-hereTime))
	waits, wrong3 := s.o.Store.Waiting(r.Context(), v.person.Org, v.person.Team)
	policies, wrong4 := s.o.Store.Policies(r.Context(), v.person.Org, 0, 1)
	return map[string]any{"Org": org, "Teams": teams, "All": all, "Here": here, "Admin": v.person.May(store.Admin),
		"Waits": len(waits), "Policies": policies}, errors.Join(err, wrong, wrong2, wrong3, wrong4)
}

// teams are those that a person may see.
func (s *Server) teams(r *http.Request, v *visit) (list []store.Team, err error) {
	all, err := s.o.Store.Teams(r.Context(), v.person.Org)
	for _, t := range all {
		if v.sees(t.ID) {
			list = append(list, t)
		}
	}
	return list, err
}

// names are teams by their ids.
func names(teams []store.Team) map[string]string {
	by := map[string]string{}
	for _, t := range teams {
		by[t.ID] = t.Name
	}
	return by
}

func (s machinePages) machines(r *http.Request, v *visit) (any, error) {
	teams, err := s.teams(r, v)
	list, wrong := s.o.Store.MachinesOf(r.Context(), v.person.Org, v.person.Team, r.URL.Query().Get("after"),
		pageRows+1)
	more := ""
	if len(list) > pageRows {
		list = list[:pageRows]
		more = list[pageRows-1].ID
	}
	return map[string]any{"Machines": list, "Teams": teams, "Names": names(teams), "More": more,
		"Admin": v.person.May(store.Admin)}, errors.Join(err, wrong)
}

// machineCode makes a code and shows it, the only time.
func (s machinePages) machineCode(w http.ResponseWriter, r *http.Request, v *visit) error {
	teams, err := s.teams(r, v)
	team := r.PostForm.Get("team")
	name, is := names(teams)[team]
	if err == nil && !is {
		err = store.ErrNotFound
	}
	return s.secret(w, r, v, "A code for "+name, map[string]string{"Back": "/machines",
		"Text":    "It is good for one machine, for an hour, and is not shown again. On the machine, type this and paste it:",
		"Command": "nod-serve join " + s.o.Origins[0]}, err, func(tx *store.Tx) (string, error) {
		err := v.audit(r, tx, "machine code made", name, "")
		code, wrong := tx.MakeCode(r.Context(), store.Code{Org: v.person.Org, Kind: store.MachineCode, Team: team,
			Expires: s.o.Store.Now().Add(time.Hour)})
		return code, errors.Join(err, wrong)
	})
}

func (s machinePages) removeMachine(r *http.Request, v *visit, tx *store.Tx) error {
	m, err := tx.Machine(r.Context(), v.person.Org, r.PostForm.Get("id"))
	if err == nil && !v.sees(m.Team) {
		err = store.ErrNotFound
	}
	return errors.Join(err, tx.Leave(r.Context(), v.person.Org, m.ID), v.audit(r, tx, "machine removed", m.ID, m.Name))
}
