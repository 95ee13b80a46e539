package eval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
)

// Version is that of the JSON report. Fields are only ever added.
const Version = 1

// Report is everything that `nod eval` prints.
type Report struct {
	Version int         `json:"v"`
	World   string      `json:"world"` // "virtual"
	Agent   string      `json:"agent,omitempty"`
	Without []string    `json:"without,omitempty"` // programs whose rows are left out
	Labels  *LabelList  `json:"labels,omitempty"`  // the list by which labels were corrected
	Files   []FileCount `json:"files"`
	Rows    int         `json:"rows"`
	LeftOut []LeftOut   `json:"left_out"`
	Clipped int         `json:"clipped"` // rows whose input was shortened; judged as they stand
	// Sets has one part for each rule set.
	Sets []SetReport `json:"sets"`
	// Changes is set where there are two rule sets.
	Changes *Changes `json:"changes,omitempty"`
	// Paired is set where two models were asked.
	Paired *Paired `json:"paired,omitempty"`
	// Halves is set where the second half of sessions was judged.
	Halves *Halves `json:"halves,omitempty"`
	// Listed is what List asked for.
	Listed []Listed `json:"list,omitempty"`

	list string
}

// FileCount is one file.
type FileCount struct {
	Name string `json:"name"`
	Rows int    `json:"rows"` // without those left out
	Own  bool   `json:"own,omitempty"`
}

// LeftOut counts rows of a kind that no hook sees.
type LeftOut struct {
	Kind string `json:"kind"`
	Why  string `json:"why"`
	Rows int    `json:"rows"`
}

// SetReport is what one rule set made of the rows.
type SetReport struct {
	Rules   string       `json:"rules"`
	Settled Share        `json:"settled"`
	Layers  []LayerShare `json:"layers"`
	Labels  []LabelShare `json:"labels"`
	By      string       `json:"by"`
	Table   []Tally      `json:"table"`
	// Misses are harmful rows allowed, FalseAlarms benign rows denied, OpenReads
	// read-only rows left open.
	Misses      Share `json:"misses"`
	FalseAlarms Share `json:"false_alarms"`
	OpenReads   Share `json:"open_readonly"`
	Failed      int   `json:"failed"` // rows at which nod or the adapter failed
	// Model is what a model made of the rows that it was asked about; nil where
	// none was.
	Model   *ModelReport `json:"model,omitempty"`
	Times   Times        `json:"times_us"`
	Slowest []Slow       `json:"slowest"`
}

// LayerShare is what one layer settled, of all rows.
type LayerShare struct {
	Layer nod.Layer `json:"layer"`
	Share
}

// LabelShare says which layers settled the rows of one label, or of all.
type LabelShare struct {
	Label     string `json:"label"` // "" for all
	Allowlist int    `json:"allowlist"`
	Edit      int    `json:"edit"`
	Shell     int    `json:"shell"`           // allowed
	Model     int    `json:"model,omitempty"` // allowed
	Denied    int    `json:"denied"`
	Open      int    `json:"open"`
	Settled   Share  `json:"settled"`
	// Confined are those of the open rows that may run behind nod's boundary,
	// where that was asked for.
	Confined int `json:"confined,omitempty"`
	// Outside are those that may not, since they need the network or change
	// something outside of the workspace. They do not count as settled.
	Outside int `json:"outside,omitempty"`
}

// Tally counts the rows with one value of what the table is by.
type Tally struct {
	Key   string `json:"key"`
	Allow int    `json:"allow"`
	Deny  int    `json:"deny"`
	Open  int    `json:"open"`
	Rows  int    `json:"rows"`
}

// Times are in microseconds, of the gate alone.
type Times struct {
	Median float64 `json:"median"`
	P99    float64 `json:"p99"`
	Worst  float64 `json:"worst"`
}

// Slow is one of the slowest rows.
type Slow struct {
	ID    string  `json:"id"`
	Took  float64 `json:"us"`
	Shown string  `json:"shown"`
}

// Listed is a row that was asked for.
type Listed struct {
	ID     string    `json:"id"`
	Label  string    `json:"label"`
	Before *Outcome  `json:"before,omitempty"` // under the first of two rule sets
	Answer Outcome   `json:"answer"`
	Layer  nod.Layer `json:"layer"`
	Reason string    `json:"reason"`
	Shown  string    `json:"shown"`
}

// Changes compares two rule sets row by row.
type Changes struct {
	Rows    int      `json:"rows"` // with another outcome
	Same    int      `json:"same"`
	Changes []Change `json:"changes"`
}

// Change counts the rows of a label whose outcome went from one to another.
type Change struct {
	Before Outcome `json:"before"`
	After  Outcome `json:"after"`
	Label  string  `json:"label"`
	Rows   int     `json:"rows"`
}

// By lists what a table may be by.
func By() []string {
	return []string{"label", "layer", "category", "tool", "session", "reason"}
}

// Lists are the rows that may be listed. The last needs two rule sets.
func Lists() []string {
	return []string{"allowed-harmful", "denied-benign", "open-readonly", "changed"}
}

// Summarize counts. by is one of [By], list one of [Lists] or "".
func Summarize(files []File, all []Judged, o Options, by, list string) Report {
	r := Report{Version: Version, World: "virtual", Agent: o.Agent, Without: o.Without, Rows: len(all),
		LeftOut: leftOutOf(files), list: list}
	for _, f := range files {
		r.Files = append(r.Files, FileCount{Name: f.Name, Rows: len(f.Rows), Own: f.Own != nil})
	}
	for _, j := range all {
		if strings.Contains(string(j.Row.Input), clipMark) {
			r.Clipped++
		}
	}
	for i, s := range o.Sets {
		r.Sets = append(r.Sets, summarizeSet(all, i, s.Name, by))
	}
	if len(o.Sets) == 2 {
		r.Changes = changesOf(all)
		r.Paired = pairedOf(all)
	}
	r.Listed = listed(all, list, len(o.Sets))
	return r
}

// AddWithout counts the rows that Options.Without left out.
func (r *Report) AddWithout(rows int) {
	if len(r.Without) > 0 {
		r.LeftOut = append(r.LeftOut,
			LeftOut{Kind: "without", Why: "they run " + strings.Join(r.Without, " or "), Rows: rows})
	}
}

func leftOutOf(files []File) []LeftOut {
	var list []LeftOut
	for _, k := range []struct{ kind, why string }{
		{"write_stdin", "typed into a live terminal, which reaches no hook"},
		{"tool_result", "what a tool returned, no call"},
		{"user_prompt", "what a person said, no call"},
	} {
		l := LeftOut{Kind: k.kind, Why: k.why}
		for _, f := range files {
			l.Rows += f.LeftOut[k.kind]
		}
		list = append(list, l)
	}
	return list
}

func summarizeSet(all []Judged, set int, name, by string) SetReport {
	every := func(*Row) bool { return true }
	settled := func(a Answer) bool { return a.Outcome != Open }
	s := SetReport{Rules: name, By: by, Table: tallies(all, set, by), Settled: shareOf(all, set, every, settled)}
	for _, l := range []nod.Layer{nod.LayerGuard, nod.LayerAllowlist, nod.LayerEdit, nod.LayerShell, nod.LayerModel} {
		if l == nod.LayerModel && !slices.ContainsFunc(all, func(j Judged) bool { return j.Answers[set].Layer == l }) {
			continue // none was asked
		}
		s.Layers = append(s.Layers,
			LayerShare{l, shareOf(all, set, every, func(a Answer) bool { return a.Layer == l })})
	}
	for _, label := range append(Labels(), "") {
		if l := labelShare(all, set, label); l.Settled.Of > 0 {
			s.Labels = append(s.Labels, l)
		}
	}
	s.Misses = shareOf(all, set, func(r *Row) bool { return r.Label == Harmful },
		func(a Answer) bool { return a.Outcome == Allowed })
	s.FalseAlarms = shareOf(all, set, benign, func(a Answer) bool { return a.Outcome == Denied })
	s.OpenReads = shareOf(all, set, func(r *Row) bool { return r.Label == Readonly },
		func(a Answer) bool { return a.Outcome == Open })
	for i := range all {
		if a := all[i].Answers[set]; a.Failed && a.Unanswered == "" {
			s.Failed++
		}
	}
	s.Model = modelOf(all, set)
	s.Times, s.Slowest = timesOf(all, set)
	return s
}

func labelShare(all []Judged, set int, label string) LabelShare {
	of := func(r *Row) bool { return label == "" || r.Label == label }
	l := LabelShare{Label: label, Settled: shareOf(all, set, of, func(a Answer) bool { return a.Outcome != Open })}
	for i := range all {
		a := all[i].Answers[set]
		if !of(all[i].Row) || a.Unanswered != "" {
			continue
		}
		if a.Confined {
			l.Confined++
		}
		if a.Outside {
			l.Outside++
		}
		switch {
		case a.Outcome == Open:
			l.Open++
		case a.Outcome == Denied:
			l.Denied++
		case a.Layer == nod.LayerAllowlist:
			l.Allowlist++
		case a.Layer == nod.LayerEdit:
			l.Edit++
		case a.Layer == nod.LayerModel:
			l.Model++
		default:
			l.Shell++
		}
	}
	return l
}

func benign(r *Row) bool { return r.Label == Readonly || r.Label == Sideeffect }

// tallies counts outcomes by one property. Labels come in their order, all
// else with the most rows first. A table by reason holds the open rows.
func tallies(all []Judged, set int, by string) []Tally {
	at := map[string]int{}
	var table []Tally
	for i := range all {
		a := all[i].Answers[set]
		if a.Unanswered != "" || by == "reason" && a.Outcome != Open {
			continue
		}
		key := keyOf(all[i].Row, a, by)
		n, ok := at[key]
		if !ok {
			n = len(table)
			at[key], table = n, append(table, Tally{Key: key})
		}
		table[n].add(a.Outcome)
	}
	slices.SortStableFunc(table, func(a, b Tally) int {
		if by == "label" {
			return slices.Index(Labels(), a.Key) - slices.Index(Labels(), b.Key)
		}
		return cmp.Or(b.Rows-a.Rows, strings.Compare(a.Key, b.Key))
	})
	return table
}

func (t *Tally) add(o Outcome) {
	t.Rows++
	switch o {
	case Allowed:
		t.Allow++
	case Denied:
		t.Deny++
	default:
		t.Open++
	}
}

func keyOf(r *Row, a Answer, by string) string {
	key := r.Label
	switch by {
	case "layer":
		if key = a.Layer.String(); a.Outcome == Open {
			key = "open"
		}
	case "category":
		key = r.Category
	case "tool":
		key = cmp.Or(r.ToolName, r.Tool)
	case "session":
		key = r.Session
	case "reason":
		key = ReasonClass(a.Reason)
	}
	return printable.Line(cmp.Or(key, "(none)"), 100)
}

func timesOf(all []Judged, set int) (Times, []Slow) {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	took := func(i int) time.Duration { return all[i].Answers[set].Latency }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(took(a), took(b)) })
	n := len(order)
	if n == 0 {
		return Times{}, nil
	}
	times := Times{Median: micros(took(order[n/2])), P99: micros(took(order[n*99/100])),
		Worst: micros(took(order[n-1]))}
	var slow []Slow
	for k := n - 1; k >= 0 && len(slow) < 5; k-- {
		r := all[order[k]].Row
		slow = append(slow, Slow{ID: printable.Line(r.ID, 60), Took: micros(took(order[k])), Shown: shown(r, 100)})
	}
	return times, slow
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func changesOf(all []Judged) *Changes {
	c := &Changes{}
	count := map[Change]int{}
	for i := range all {
		if all[i].Answers[0].Unanswered+all[i].Answers[1].Unanswered != "" {
			continue
		}
		before, after := all[i].Answers[0].Outcome, all[i].Answers[1].Outcome
		if before == after {
			c.Same++
			continue
		}
		c.Rows++
		count[Change{Before: before, After: after, Label: all[i].Row.Label}]++
	}
	for key, n := range count {
		key.Rows = n
		c.Changes = append(c.Changes, key)
	}
	slices.SortFunc(c.Changes, func(a, b Change) int {
		return cmp.Or(b.Rows-a.Rows,
			strings.Compare(fmt.Sprint(a.Before, a.After, a.Label), fmt.Sprint(b.Before, b.After, b.Label)))
	})
	return c
}

// listed returns the rows of a list. With two rule sets they are those that
// are of that kind under the second and were not under the first.
func listed(all []Judged, list string, sets int) []Listed {
	var rows []Listed
	for i := range all {
		j := &all[i]
		a := j.Answers[sets-1]
		l := Listed{ID: printable.Line(j.Row.ID, 60), Label: j.Row.Label, Answer: a.Outcome, Layer: a.Layer,
			Reason: a.Reason, Shown: shown(j.Row, 200)}
		if sets == 2 {
			l.Before = &j.Answers[0].Outcome
		}
		if belongs(j, list, sets) {
			rows = append(rows, l)
		}
	}
	return rows
}

func belongs(j *Judged, list string, sets int) bool {
	now := j.Answers[sets-1].Outcome
	if j.Answers[0].Unanswered+j.Answers[sets-1].Unanswered != "" {
		return false
	}
	if list == "changed" {
		return j.Answers[0].Outcome != now
	}
	if sets == 2 && j.Answers[0].Outcome == now {
		return false
	}
	switch list {
	case "allowed-harmful":
		return j.Row.Label == Harmful && now == Allowed
	case "denied-benign":
		return benign(j.Row) && now == Denied
	case "open-readonly":
		return j.Row.Label == Readonly && now == Open
	}
	return false
}
