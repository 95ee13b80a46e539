package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/history"
	"github.com/nodgate/nod/internal/printable"
)

// Report is everything that is printed. Shares lie between 0 and 1.
type Report struct {
	Version int            `json:"v"`
	Files   []string       `json:"files"`
	Agent   string         `json:"agent,omitempty"`
	Labels  *LabelList     `json:"label_list,omitempty"` // by which labels were corrected
	Rows    int            `json:"rows"`
	LeftOut map[string]int `json:"left_out"` // rows that hold no call, by kind
	Failed  int            `json:"failed"`   // rows at which nod or the adapter failed
	Table   []LabelShare   `json:"labels"`
	// Misses are harmful rows allowed, FalseAlarms benign rows denied, OpenReads
	// read-only rows left open.
	Misses      Share `json:"misses"`
	FalseAlarms Share `json:"false_alarms"`
	OpenReads   Share `json:"open_readonly"`
	// Why counts the open rows by their kind of reason, the most frequent first.
	Why    []Reason `json:"why,omitempty"`
	Listed []Listed `json:"list,omitempty"`
}

// LabelShare says which layers settled the rows of one label, or of all.
type LabelShare struct {
	Label     string `json:"label"` // "all" for all
	Allowlist int    `json:"allowlist"`
	Edit      int    `json:"edit"`
	Shell     int    `json:"shell"` // allowed
	Denied    int    `json:"denied"`
	Open      int    `json:"open"`
	Settled   Share  `json:"settled"`
	Confined  int    `json:"confined,omitempty"` // of the open rows
	Outside   int    `json:"outside,omitempty"`  // of the open rows
}

// Reason is why rows stay open.
type Reason struct {
	Text string `json:"text"`
	Rows int    `json:"rows"`
}

// Listed is a row that was asked for.
type Listed struct {
	ID     string    `json:"id"`
	Label  string    `json:"label"`
	Answer Outcome   `json:"answer"`
	Layer  nod.Layer `json:"layer"`
	Reason string    `json:"reason"`
	Shown  string    `json:"shown"`
}

// lists names what --list takes.
func lists() []string { return []string{"allowed-harmful", "denied-benign", "open-readonly"} }

// Summarize counts what became of rows. list is of [lists], or "".
func Summarize(files []File, all []Judged, list string) Report {
	r := Report{Version: 1, Rows: len(all), LeftOut: map[string]int{}}
	for _, f := range files {
		r.Files = append(r.Files, f.Name)
		for kind, n := range f.LeftOut {
			r.LeftOut[kind] += n
		}
	}
	for _, label := range append(Labels(), "all") {
		if l := labelShare(all, label); l.Settled.Of > 0 {
			r.Table = append(r.Table, l)
		}
	}
	r.Misses = shareOf(all, isHarmful, func(j *Judged) bool { return j.Outcome == Allowed })
	r.FalseAlarms = shareOf(all, isBenign, func(j *Judged) bool { return j.Outcome == Denied })
	r.OpenReads = shareOf(all, func(j *Judged) bool { return j.Row.Label == Readonly },
		func(j *Judged) bool { return j.Outcome == Open })
	r.Why = reasonsOf(all)
	for i := range all {
		if j := &all[i]; j.Failed {
			r.Failed++
		}
		if j := &all[i]; belongs(j, list) {
			r.Listed = append(r.Listed, Listed{ID: printable.Line(j.Row.ID, 60), Label: j.Row.Label,
				Answer: j.Outcome, Layer: j.Layer, Reason: j.Reason, Shown: shown(j.Row, 200)})
		}
	}
	return r
}

func isHarmful(j *Judged) bool { return j.Row.Label == Harmful }
func isBenign(j *Judged) bool  { return j.Row.Label == Readonly || j.Row.Label == Sideeffect }
func isSettled(j *Judged) bool { return j.Outcome == Allowed || j.Outcome == Denied }

func belongs(j *Judged, list string) bool {
	switch list {
	case "allowed-harmful":
		return isHarmful(j) && j.Outcome == Allowed
	case "denied-benign":
		return isBenign(j) && j.Outcome == Denied
	case "open-readonly":
		return j.Row.Label == Readonly && j.Outcome == Open
	}
	return false
}

func labelShare(all []Judged, label string) LabelShare {
	of := func(j *Judged) bool { return label == "all" || j.Row.Label == label }
	number := func(hit func(*Judged) bool) (n int) {
		for i := range all {
			if of(&all[i]) && hit(&all[i]) {
				n++
			}
		}
		return n
	}
	by := func(l nod.Layer) int {
		return number(func(j *Judged) bool { return j.Outcome == Allowed && j.Layer == l })
	}
	return LabelShare{Label: label, Settled: shareOf(all, of, isSettled),
		Allowlist: by(nod.LayerAllowlist), Edit: by(nod.LayerEdit), Shell: by(nod.LayerShell),
		Denied:   number(func(j *Judged) bool { return j.Outcome == Denied }),
		Open:     number(func(j *Judged) bool { return !isSettled(j) }),
		Confined: number(func(j *Judged) bool { return j.Confined }),
		Outside:  number(func(j *Judged) bool { return j.Outside }),
	}
}

// reasonsOf counts the open rows by the kind of their reason.
func reasonsOf(all []Judged) []Reason {
	count := map[string]int{}
	for i := range all {
		if all[i].Outcome == Open {
			count[printable.Line(history.Class(all[i].Reason), 100)]++
		}
	}
	list := []Reason{}
	for text, n := range count {
		list = append(list, Reason{text, n})
	}
	slices.SortFunc(list, func(a, b Reason) int { return cmp.Or(b.Rows-a.Rows, strings.Compare(a.Text, b.Text)) })
	return list
}

// Print writes the report for people. Brief is the table of labels and layers
// alone, without anything that a list of files says.
func (r Report) Print(w io.Writer, brief bool) error {
	p := &printer{}
	if !brief {
		r.head(p)
	}
	p.table(r.labelRows())
	if !brief {
		r.details(p)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

func (r Report) head(p *printer) {
	p.line("%s rows of %s", count(r.Rows), printable.Text(strings.Join(r.Files, ", ")))
	if l := r.Labels; l != nil {
		p.line("labels: by %s, %s rows stand under another label, %s are left out (nobody can say), %s are not here",
			printable.Text(l.Name), count(l.Corrected), count(l.LeftOut), count(l.Absent))
	}
	for _, kind := range slices.Sorted(maps.Keys(r.LeftOut)) {
		p.line("left out: %s %s rows, which hold no call that a hook sees", count(r.LeftOut[kind]), kind)
	}
	p.line("")
}

func (r Report) labelRows() [][]string {
	rows := [][]string{{"label", "allowlist", "edit", "shell", "denied", "open", "rows", "settled", "95 % interval"}}
	confined := slices.ContainsFunc(r.Table, func(l LabelShare) bool { return l.Confined > 0 })
	if confined {
		rows[0] = append(rows[0], "confined", "settled with", "outside")
	}
	for _, l := range r.Table {
		row := []string{l.Label, count(l.Allowlist), count(l.Edit), count(l.Shell), count(l.Denied), count(l.Open),
			count(l.Settled.Of), percent(l.Settled.Share), l.Settled.interval()}
		if confined {
			with := float64(l.Settled.Rows+l.Confined) / float64(max(1, l.Settled.Of))
			row = append(row, count(l.Confined), percent(with), count(l.Outside))
		}
		rows = append(rows, row)
	}
	return rows
}

// details are what stands below the first table.
func (r Report) details(p *printer) {
	p.line("")
	rows := [][]string{{"", "rows", "of", "share", "95 % interval"}}
	for _, s := range []struct {
		name string
		Share
	}{
		{"misses: harmful rows allowed", r.Misses}, {"false alarms: benign rows denied", r.FalseAlarms},
		{"read-only rows left open", r.OpenReads},
	} {
		rows = append(rows, []string{s.name, count(s.Rows), count(s.Of), percent(s.Share.Share), s.interval()})
	}
	p.table(rows)
	if r.Failed > 0 {
		p.line("  %s rows at which nod or the adapter failed; they count as open", count(r.Failed))
	}
	p.line("\nwhy rows are open:")
	for _, w := range r.Why[:min(len(r.Why), 30)] {
		p.line("  %6s  %s", count(w.Rows), w.Text)
	}
	for _, l := range r.Listed {
		p.line("\n  %s  %s  %s: %s\n      %s", l.ID, l.Label, l.Answer, l.Reason, l.Shown)
	}
}

// printer gathers what is printed.
type printer struct{ strings.Builder }

func (p *printer) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// table prints rows of cells in columns: the first to the left, all others to
// the right, which text/tabwriter cannot do.
func (p *printer) table(rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		line := fmt.Sprintf("  %-*s", width[0], row[0])
		for i, cell := range row[1:] {
			line += fmt.Sprintf("  %*s", width[i+1], cell)
		}
		p.line("%s", strings.TrimRight(line, " "))
	}
}

func (s Share) interval() string {
	if s.Of == 0 {
		return "-"
	}
	return percent(s.Low) + " to " + percent(s.High)
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

// count writes a number with commas.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
