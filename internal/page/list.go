package page

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/index"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/question"
)

// pageRows is how many rows a page without scripts has, and the most that are asked for at once.
const pageRows = 100

// row is a decision as the list shows it. All of it is printable.
type row struct {
	Key     string `json:"key"`
	ID      string `json:"id"`
	When    string `json:"when"`
	Time    string `json:"time"`
	Verdict string `json:"verdict"`
	Said    string `json:"said"`
	Layer   string `json:"layer"`
	Tool    string `json:"tool"`
	Call    string `json:"call"`
	Why     string `json:"why"`
	Agent   string `json:"agent"`
}

func (s *Server) row(r index.Row) row {
	out := row{Key: strconv.FormatUint(uint64(r.Key), 10), When: s.when(r.Time), Verdict: r.Verdict.String(),
		Time: r.Time.Local().Format(time.DateTime), Layer: r.Layer.String(), Tool: printable.Line(r.Tool, 24),
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

// chosen is the filter as it stands in the address.
type chosen struct {
	Verdict, Layer, Agent, Session, Repository, Tool, Text, Since string
}

// filter reads the filter in an address.
func (s *Server) filter(q url.Values) (f index.Filter, c chosen, err error) {
	c = chosen{q.Get("verdict"), q.Get("layer"), q.Get("agent"), q.Get("session"), q.Get("repository"), q.Get("tool"),
		q.Get("text"), q.Get("since")}
	f.Kinds = []audit.Kind{audit.Decision}
	if c.Verdict != "" {
		f.Verdicts = make([]nod.Verdict, 1)
		err = f.Verdicts[0].UnmarshalText([]byte(c.Verdict))
	}
	if c.Layer != "" && err == nil {
		f.Layers = make([]nod.Layer, 1)
		err = f.Layers[0].UnmarshalText([]byte(c.Layer))
	}
	for _, list := range []struct {
		text string
		to   *[]string
	}{{c.Agent, &f.Agents}, {c.Repository, &f.Roots}, {c.Tool, &f.Tools}} {
		if list.text != "" {
			*list.to = []string{list.text}
		}
	}
	f.Session, f.Text = c.Session, c.Text
	if c.Since != "" && err == nil {
		f.Since, err = since(c.Since, s.o.Now())
	}
	return f, c, err
}

// since reads a day (2026-11-20), or how long ago (30m, 24h, 7d).
func since(text string, now time.Time) (time.Time, error) {
	if t, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return t, nil
	}
	if days, is := strings.CutSuffix(text, "d"); is {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n < 10_000 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return now, fmt.Errorf("since is a day such as 2026-11-20, or how long ago: 30m, 24h, 7d; not %q",
		printable.Line(text, 40))
}

// batch is some rows, newest first.
type batch struct {
	Rows []row  `json:"rows"`
	From string `json:"from"` // asks for the same rows again
	Next string `json:"next"` // asks for those behind them; "" for none
	Busy string `json:"busy,omitempty"`
}

// batch reads the rows that an address asks for.
func (s *Server) batch(r *http.Request) (b batch, c chosen, err error) {
	q := r.URL.Query()
	f, c, err := s.filter(q)
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
	if err == nil && key == 0 {
		err = s.o.Log.Refresh(r.Context())
	}
	if err != nil {
		return b, c, err
	}
	list, next, err := s.o.Log.Rows(f, index.Key(key), n)
	b = batch{Rows: make([]row, 0, len(list)), From: q.Get("before"), Busy: s.busy()}
	for _, r := range list {
		b.Rows = append(b.Rows, s.row(r))
	}
	if len(list) > 0 {
		b.From = strconv.FormatUint(uint64(list[0].Key)+1, 10)
	}
	if next != 0 {
		b.Next = strconv.FormatUint(uint64(next), 10)
	}
	return b, c, err
}

// busy says how far the log was read, "" when all of it was.
func (s *Server) busy() string {
	if done, total := s.o.Log.Progress(); done < total {
		return fmt.Sprintf("%d %% of the older log is read", 100*done/total)
	}
	return ""
}

// list is the first page.
func (s *Server) list(w http.ResponseWriter, r *http.Request, v *visit) {
	b, c, err := s.batch(r)
	if err != nil {
		s.message(w, v, http.StatusBadRequest, err.Error())
		return
	}
	older, q := "", r.URL.Query()
	if q.Set("before", b.Next); b.Next != "" {
		older = "/?" + q.Encode()
	}
	s.show(w, v, http.StatusOK, "decisions", "Decisions", map[string]any{"Batch": b, "Chosen": c,
		"Older": older, "More": c.Agent+c.Session+c.Repository+c.Tool != "", "Paged": r.URL.Query().Has("before"),
		"Verdicts": []string{"allow", "ask", "deny"},
		"Layers":   layers()})
}

func layers() (list []string) {
	for l := nod.LayerNone; l <= nod.LayerApproval; l++ {
		list = append(list, l.String())
	}
	return list
}

// rows is what the list's script asks for.
func (s *Server) rows(w http.ResponseWriter, r *http.Request, v *visit) {
	b, _, err := s.batch(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	writeJSON(w, b)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // escapes <, > and &
}

// look is how often a listener's log is looked at.
const look = 500 * time.Millisecond

// events tells a browser that there is something new. It says no more than that: the browser asks.
func (s *Server) events(w http.ResponseWriter, r *http.Request, v *visit) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		http.Error(w, "too many pages listen; close one", http.StatusServiceUnavailable)
		return
	}
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{})
	w.Header().Set("Content-Type", "text/event-stream")
	said, at := "", time.Time{}
	for s.door.session(v.cookie, false) != nil {
		if err := s.o.Log.Refresh(r.Context()); err != nil && r.Context().Err() == nil {
			return
		}
		if now := s.news(); now != said || time.Since(at) > 15*time.Second {
			said, at = now, time.Now()
			_ = out.SetWriteDeadline(at.Add(slowest))
			if _, err := fmt.Fprintf(w, "data: %s\n\n", now); err != nil || out.Flush() != nil {
				return
			}
		}
		select {
		case <-r.Context().Done():
			return
		case <-s.over:
			return
		case <-time.After(look):
		}
	}
}

// news is a text that changes when there is something new: the lines of the log, and the questions that wait.
func (s *Server) news() string {
	ids := []string{}
	for _, q := range s.open() {
		ids = append(ids, q.ID)
	}
	text, _ := json.Marshal(map[string]any{"lines": s.o.Log.Len(), "questions": ids})
	return string(text)
}

// open lists the questions that wait.
func (s *Server) open() []question.Question {
	list, _ := question.Open(s.o.State, s.o.Now())
	return list
}

// decision shows one.
func (s *Server) decision(w http.ResponseWriter, r *http.Request, v *visit) {
	err := s.o.Log.Refresh(r.Context())
	var line audit.Line
	if err == nil {
		line, err = s.o.Log.Find(r.Context(), r.PathValue("id"))
	}
	if err != nil {
		s.message(w, v, http.StatusNotFound, err.Error())
		return
	}
	e := line.Entry
	s.show(w, v, http.StatusOK, "decision", "Decision", map[string]any{"Entry": e, "Call": s.o.Words.Call(e),
		"Said": s.o.Words.Said(e), "Sections": s.o.Words.About(r.Context(), e), "Input": arguments(e.Input),
		"Cut": e.InputBytes})
}

// argument is one argument of a call.
type argument struct{ Name, Text string }

// arguments are those of a call, by their names; one without a name where the input is no object.
func arguments(input json.RawMessage) (list []argument) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		fields = map[string]json.RawMessage{"": input}
	}
	for name, value := range fields {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		list = append(list, argument{name, text})
	}
	slices.SortFunc(list, func(a, b argument) int { return strings.Compare(a.Name, b.Name) })
	return list
}
