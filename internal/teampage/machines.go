package teampage

import (
	"errors"
	"net/http"
	"time"

	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/web"
)

func (s *Server) machineRoutes() []route {
	return []route{
		{"GET", "/machines", store.Viewer, false, s.machines},
		{"POST", "/machines/code", store.Admin, false, s.machineCode},
		{"POST", "/machines/remove", store.Admin, false, s.removeMachine},
	}
}

// overview shows how things stand.
func (s *Server) overview(w http.ResponseWriter, r *http.Request, v *visit) error {
	org, err := s.o.Store.Org(r.Context(), v.person.Org)
	if err != nil {
		return err
	}
	teams, err := s.teams(r, v)
	if err != nil {
		return err
	}
	all, here, err := s.o.Store.CountMachines(r.Context(), v.person.Org, v.person.Team,
		s.o.Store.Now().Add(-hereTime))
	if err != nil {
		return err
	}
	return s.show(w, v, http.StatusOK, "overview", "Overview", map[string]any{"Org": org, "Teams": teams, "All": all,
		"Here": here, "Admin": v.person.May(store.Admin)})
}

// teams are those that a person may see.
func (s *Server) teams(r *http.Request, v *visit) (list []store.Team, err error) {
	all, err := s.o.Store.Teams(r.Context(), v.person.Org)
	for _, t := range all {
		if v.person.Team == "" || v.person.Team == t.ID {
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

func (s *Server) machines(w http.ResponseWriter, r *http.Request, v *visit) error {
	teams, err := s.teams(r, v)
	if err != nil {
		return err
	}
	list, err := s.o.Store.MachinesOf(r.Context(), v.person.Org, v.person.Team, r.URL.Query().Get("after"), pageRows+1)
	if err != nil {
		return err
	}
	more := ""
	if len(list) > pageRows {
		list = list[:pageRows]
		more = list[pageRows-1].ID
	}
	return s.show(w, v, http.StatusOK, "machines", "Machines", map[string]any{"Machines": list, "Teams": teams,
		"Names": names(teams), "More": more, "Admin": v.person.May(store.Admin)})
}

// machineCode makes a code and shows it, the only time.
func (s *Server) machineCode(w http.ResponseWriter, r *http.Request, v *visit) error {
	const holds = time.Hour
	teams, err := s.teams(r, v)
	if err != nil {
		return err
	}
	team := r.PostForm.Get("team")
	name, is := names(teams)[team]
	if !is {
		return store.ErrNotFound
	}
	var code string
	err = s.change(r, v, store.Event{What: "machine code made", About: name}, func(tx *store.Tx) (err error) {
		code, err = tx.MakeCode(r.Context(), store.Code{Org: v.person.Org, Kind: store.MachineCode, Team: team,
			Expires: s.o.Store.Now().Add(holds)})
		return err
	})
	if err != nil {
		return err
	}
	return s.show(w, v, http.StatusOK, "secret", "A code for "+name, map[string]string{"Secret": code, "Back": "/machines",
		"Text":    "It is good for one machine, for an hour, and is not shown again. On the machine, type this and paste it:",
		"Command": "nod-serve join " + s.o.Origins[0]})
}

func (s *Server) removeMachine(w http.ResponseWriter, r *http.Request, v *visit) error {
	m, err := s.o.Store.Machine(r.Context(), v.person.Org, r.PostForm.Get("id"))
	if err == nil && v.person.Team != "" && v.person.Team != m.Team {
		err = store.ErrNotFound
	}
	if err != nil {
		return err
	}
	err = s.change(r, v, store.Event{What: "machine removed", About: m.ID, Detail: m.Name}, func(tx *store.Tx) error {
		return tx.Leave(r.Context(), v.person.Org, m.ID)
	})
	return web.Leads(w, r, "/machines", err)
}

// change works in a transaction, with an event of what a person does.
func (s *Server) change(r *http.Request, v *visit, e store.Event, do func(tx *store.Tx) error) error {
	e.Org, e.Who = v.person.Org, v.person.ID
	return s.o.Store.Tx(r.Context(), func(tx *store.Tx) error {
		return errors.Join(do(tx), tx.Audit(r.Context(), e))
	})
}
