package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/index"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/web"
)

// pageRows is how many rows a page without scripts has, and the most that are asked for at once.
const pageRows = 100

// row is a decision as the list shows it. All of it is printable.
type row struct {
	Key     index.Key `json:"key,string"`
	ID      string    `json:"id"`
	When    string    `json:"when"`
	Time    string    `json:"time"`
	Verdict string    `json:"verdict"`
	Said    string    `json:"said"`
	Layer   string    `json:"layer"`
	Tool    string    `json:"tool"`
	Call    string    `json:"call"`
	Why     string    `json:"why"`
	Agent   string    `json:"agent"`
}

func (s *Server) row(r index.Row) row {
	out := row{Key: r.Key, When: s.when(r.Time), Time: r.Time.Local().Format(time.DateTime),
		Verdict: r.Verdict.String(), Layer: r.Layer.String(), Tool: printable.Line(r.Tool, 24),
		Agent: printable.Line(r.Agent, 24)}
	line, err := s.o.Log.Entry(r)
	if err != nil {
		out.Call = "this line cannot be read any more"
		return out
	}
	e := line.Entry
	out.ID, out.Said = printable.Line(e.ID, 100), printable.Line(s.o.Words.Said(e), 24)
	out.Call = printable.Line(printable.Near(s.o.Words.Call(e), []string{e.Root}, s.o.Home), 200)
	out.Why = printable.Line(s.o.Words.Why(e), 300)
	return out
}

// filter reads the filter in an address, and what is new in the log.
func (s *Server) filter(ctx context.Context, q url.Values) (f index.Filter, err error) {
	f.Kinds, f.Session, f.Text = []audit.Kind{audit.Decision}, q.Get("session"), q.Get("text")
	if verdict := q.Get("verdict"); verdict != "" {
		f.Verdicts = make([]nod.Verdict, 1)
		err = f.Verdicts[0].UnmarshalText([]byte(verdict))
	}
	if layer := q.Get("layer"); layer != "" && err == nil {
		f.Layers = make([]nod.Layer, 1)
		err = f.Layers[0].UnmarshalText([]byte(layer))
	}
	for name, to := range map[string]*[]string{"agent": &f.Agents, "repository": &f.Roots, "tool": &f.Tools} {
		if text := q.Get(name); text != "" {
			*to = []string{text}
		}
	}
	if q.Get("since") != "" && err == nil {
		f.Since, err = index.Since(q.Get("since"), s.o.Now())
	}
	if err == nil {
		err = s.o.Log.Refresh(ctx)
	}
	return f, err
}

// batch is some rows, newest first.
type batch struct {
	Rows []row     `json:"rows"`
	From index.Key `json:"from,string,omitempty"` // asks for the same rows again
	Next index.Key `json:"next,string,omitempty"` // asks for those behind them; 0 for none
	Busy string    `json:"busy,omitempty"`
}

// batch reads the rows that an address asks for.
func (s *Server) batch(r *http.Request) (b batch, err error) {
	q := r.URL.Query()
	f, err := s.filter(r.Context(), q)
	n, key := pageRows, uint64(0)
	if err == nil && q.Get("n") != "" {
		n, err = strconv.Atoi(q.Get("n"))
	}
	if err == nil && q.Get("before") != "" {
		key, err = strconv.ParseUint(q.Get("before"), 10, 64)
	}
	if err == nil && (n < 1 || n > pageRows) {
		err = fmt.Errorf("n is 1 to %d", pageRows)
	}
	if err != nil {
		return b, err
	}
	list, next, err := s.o.Log.Rows(f, index.Key(key), n)
	b = batch{Rows: make([]row, 0, len(list)), From: index.Key(key), Next: next, Busy: busy(s.o.Log)}
	for _, r := range list {
		b.Rows = append(b.Rows, s.row(r))
	}
	if len(list) > 0 {
		b.From = list[0].Key + 1
	}
	return b, err
}

// busy says how far the log was read, "" when all of it was.
func busy(log *index.Index) string {
	if done, total := log.Progress(); done < total {
		return fmt.Sprintf("%d %% of the older log is read", 100*done/total)
	}
	return ""
}

// list is the first page.
func (s *Server) list(w http.ResponseWriter, r *http.Request, v *visit) error {
	b, err := s.batch(r)
	if err != nil {
		return web.Refuse(http.StatusBadRequest, err.Error())
	}
	q := r.URL.Query()
	data := map[string]any{"Batch": b, "Chosen": r.URL.Query(), "Paged": q.Has("before"), "Layers": layers(),
		"More":     q.Get("agent")+q.Get("session")+q.Get("repository")+q.Get("tool") != "",
		"Verdicts": []string{"allow", "ask", "deny"}}
	if q.Set("before", fmt.Sprint(b.Next)); b.Next != 0 {
		data["Older"] = "/?" + q.Encode()
	}
	return s.show(w, v, http.StatusOK, "decisions", "Decisions", data)
}

func layers() (list []string) {
	for l := nod.LayerNone; l <= nod.LayerApproval; l++ {
		list = append(list, l.String())
	}
	return list
}

// rows is what the list's script asks for.
func (s *Server) rows(w http.ResponseWriter, r *http.Request, _ *visit) error {
	b, err := s.batch(r)
	return writeJSON(w, b, err)
}

// writeJSON answers a script: an error as one line of text.
func writeJSON(w http.ResponseWriter, v any, err error) error {
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return nil
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // escapes <, > and &
	return nil
}

// look is how often a listener's log is looked at.
const look = 500 * time.Millisecond

// events tells a browser that there is something new. It says no more than that: the browser asks.
func (s *Server) events(w http.ResponseWriter, r *http.Request, v *visit) error {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		return web.Refuse(http.StatusServiceUnavailable, "too many pages listen; close one")
	}
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{})
	w.Header().Set("Content-Type", "text/event-stream")
	said, at := "", time.Time{}
	for s.door.session(v.cookie, false) != nil {
		if err := s.o.Log.Refresh(r.Context()); err != nil && r.Context().Err() == nil {
			break
		}
		waits := []string{}
		for _, q := range s.open() {
			waits = append(waits, q.ID)
		}
		news, _ := json.Marshal(map[string]any{"lines": s.o.Log.Len(), "questions": waits})
		if now := string(news); now != said || time.Since(at) > 15*time.Second {
			said, at = now, time.Now()
			_ = out.SetWriteDeadline(at.Add(slowest))
			if _, err := fmt.Fprintf(w, "data: %s\n\n", now); err != nil || out.Flush() != nil {
				break
			}
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-time.After(look):
		}
	}
	return nil
}

// open lists the questions that wait.
func (s *Server) open() []question.Question {
	list, _ := question.Open(s.o.State, s.o.Now())
	return list
}

// decision shows one.
func (s *Server) decision(w http.ResponseWriter, r *http.Request, v *visit) error {
	err := s.o.Log.Refresh(r.Context())
	var line audit.Line
	if err == nil {
		line, err = s.o.Log.Find(r.Context(), r.PathValue("id"))
	}
	if err != nil {
		return web.Refuse(http.StatusNotFound, err.Error())
	}
	e := line.Entry
	return s.show(w, v, http.StatusOK, "decision", "Decision", map[string]any{"Entry": e, "Call": s.o.Words.Call(e),
		"Said": s.o.Words.Said(e), "Sections": s.o.Words.About(r.Context(), e), "Input": web.Arguments(e.Input),
		"Cut": e.InputBytes})
}
