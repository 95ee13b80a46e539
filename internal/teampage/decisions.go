package teampage

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/web"
)

// decisionPages are the pages of the log that machines share.
type decisionPages struct{ *Server }

func (s decisionPages) routes() []route {
	return []route{
		{"GET", "/decisions", store.Viewer, false, s.page("decisions", "Decisions", s.list)},
		{"GET", "/decisions/{machine}/{time}/{id}", store.Viewer, false, s.page("decision", "Decisions", s.one)},
	}
}

// spans are how far back a search may go.
func spans() []string { return []string{"24h", "168h", "720h", "8760h"} }

const linesBytes = 8 << 20

// list shows what an address looks for. Who is of one team sees that team's.
func (s decisionPages) list(r *http.Request, v *visit) (any, error) {
	get, now := r.URL.Query(), s.o.Store.Now()
	since, err := time.ParseDuration(cmp.Or(get.Get("since"), spans()[0]))
	if err != nil || since <= 0 {
		return nil, wrong("A span of time is such as 24h.")
	}
	page, next, err := s.o.Store.Lines(r.Context(), store.Search{Org: v.person.Org,
		Team: cmp.Or(v.person.Team, get.Get("team")), Machine: get.Get("machine"), Agent: get.Get("agent"),
		Verdict: get.Get("verdict"), Layer: get.Get("layer"), Rule: get.Get("rule"), From: now.Add(-since),
		To: now.Add(time.Hour), Before: get.Get("before"), Most: 3 * pageRows, Bytes: linesBytes})
	teams, wrongTeams := s.teams(r, v)
	names, rows := map[string]string{}, make([]row, 0, len(page))
	for _, l := range page {
		if names[l.Machine] == "" {
			names[l.Machine] = s.o.Store.MachineName(r.Context(), v.person.Org, l.Machine)
		}
		if one := rowOf(l, names[l.Machine]); one.Entry.Kind == audit.Decision {
			rows = append(rows, one)
		}
	}
	older := ""
	if next != "" {
		get.Set("before", next)
		older = "/decisions?" + get.Encode()
	}
	return map[string]any{"Rows": rows, "Chosen": get, "Older": older, "Spans": spans(), "Teams": teams,
		"Verdicts": []nod.Verdict{nod.Allow, nod.Ask, nod.Deny}}, errors.Join(err, wrongTeams)
}

// row is a line as it is shown. Its texts are a machine's; what cannot be read is no decision.
type row struct {
	Entry         audit.Entry
	Machine, Call string
	Path          string
	Args          []web.Argument
}

func rowOf(l store.Line, machine string) row {
	read, _, _ := audit.Decode([]byte(l.Text))
	e := read.Entry
	return row{e, machine, printable.Near(printable.Call(e.Input), []string{e.Root}, ""), "/decisions/" +
		url.PathEscape(l.Machine) + "/" + strconv.FormatInt(store.Micro(l.Time), 10) + "/" + url.PathEscape(l.ID),
		web.Arguments(e.Input)}
}

// one shows a decision.
func (s decisionPages) one(r *http.Request, v *visit) (any, error) {
	micro, _ := strconv.ParseInt(r.PathValue("time"), 10, 64) // what is no number finds nothing
	at := store.Time(micro)
	page, _, err := s.o.Store.Lines(r.Context(), store.Search{Org: v.person.Org, Team: v.person.Team,
		Machine: r.PathValue("machine"), From: at, To: at.Add(time.Microsecond), Most: pageRows, Bytes: linesBytes})
	i := slices.IndexFunc(page, func(l store.Line) bool { return l.ID == r.PathValue("id") })
	if err != nil || i < 0 {
		return nil, cmp.Or(err, store.ErrNotFound)
	}
	return rowOf(page[i], s.o.Store.MachineName(r.Context(), v.person.Org, page[i].Machine)), nil
}
