package page

import (
	"cmp"
	"net/http"
	"time"

	"github.com/nodgate/nod/internal/index"
	"github.com/nodgate/nod/internal/shown"
	"github.com/nodgate/nod/internal/web"
)

// rules shows the rules that hold, with where each comes from.
func (s *Server) rules(w http.ResponseWriter, r *http.Request, v *visit) error {
	list, err := s.o.Rules.List()
	if err != nil {
		return web.Refuse(http.StatusInternalServerError, err.Error())
	}
	groups := map[string][]shown.Rule{}
	for _, rule := range list {
		groups[rule.List] = append(groups[rule.List], rule)
	}
	q := r.URL.Query()
	return s.show(w, v, http.StatusOK, "rules", "Rules", map[string]any{"Groups": groups,
		"Lists": []string{"allow", "ask", "hard_deny"}, "Edit": shown.Edit{List: q.Get("list"), Text: q.Get("was"),
			Was: q.Get("was")}})
}

// edit reads an edit out of a form. One without a text takes the rule out.
func edit(r *http.Request) shown.Edit {
	f := r.PostForm
	return shown.Edit{List: f.Get("list"), Text: f.Get("text"), Was: f.Get("was"), Root: f.Get("root")}
}

func (s *Server) previewRule(w http.ResponseWriter, r *http.Request, v *visit) error {
	return s.preview(w, r, v, edit(r), map[string]any{})
}

// preview shows what an edit would have done, and asks. data is what else the asking form carries.
func (s *Server) preview(w http.ResponseWriter, r *http.Request, v *visit, e shown.Edit, data map[string]any) error {
	said, err := s.o.Rules.Preview(r.Context(), e)
	if err != nil {
		return err
	}
	data["Edit"], data["Said"] = e, said
	return s.show(w, v, http.StatusOK, "preview", "Rule", data)
}

func (s *Server) writeRule(w http.ResponseWriter, r *http.Request, _ *visit) error {
	return web.Leads(w, r, "/rules", s.o.Rules.Write(edit(r)))
}

// charts shows sums over time.
func (s *Server) charts(w http.ResponseWriter, r *http.Request, v *visit) error {
	sums, since, err := s.sums(r)
	if err != nil {
		return web.Refuse(http.StatusBadRequest, err.Error())
	}
	return s.show(w, v, http.StatusOK, "charts", "Charts", map[string]any{"Sums": sums, "Since": since,
		"Busy": busy(s.o.Log), "Layers": layers(), "Query": r.URL.Query().Encode(),
		"Spans": [][2]string{{"24h", "a day"}, {"7d", "a week"}, {"30d", "a month"}, {"365d", "a year"}}})
}

// sums are by day, and by hour where the time is short.
func (s *Server) sums(r *http.Request) (list []index.Sum, since string, err error) {
	q := r.URL.Query()
	since = cmp.Or(q.Get("since"), "30d")
	q.Set("since", since)
	f, err := s.filter(r.Context(), q)
	if err != nil {
		return nil, since, err
	}
	by := index.ByDay
	if s.o.Now().Sub(f.Since) < 4*24*time.Hour {
		by = index.ByHour
	}
	return s.o.Log.Sum(f, by), since, nil
}

// chartData is what the charts' script draws: a column for each line.
func (s *Server) chartData(w http.ResponseWriter, r *http.Request, _ *visit) error {
	sums, _, err := s.sums(r)
	data := map[string][]float64{"time": {}}
	put := func(name string, value float64) { data[name] = append(data[name], value) }
	for _, sum := range sums {
		at, err := time.ParseInLocation("2006-01-02 15", sum.Name, time.Local)
		if err != nil {
			at, _ = time.ParseInLocation(time.DateOnly, sum.Name, time.Local)
		}
		put("time", float64(at.Unix()))
		for i, name := range layers() {
			put(name, float64(sum.Layers[i]))
		}
		for i, name := range []string{"deny", "ask", "allow"} { // as nod.Verdict counts them
			put(name, float64(sum.Verdicts[i]))
		}
		put("p50", float64(sum.P50.Microseconds())/1000)
		put("p90", float64(sum.P90.Microseconds())/1000)
		put("p99", float64(sum.P99.Microseconds())/1000)
		put("cost", sum.Cost)
	}
	return writeJSON(w, data, err)
}
