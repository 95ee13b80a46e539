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

// Report is everything that is printed.
type Report struct {
	Files   []string
	Rows    int
	LeftOut map[string]int // rows that hold no call, by kind
	Failed  int            // rows at which nod or the adapter failed
	Table   []LabelShare
	// Why counts the open rows by their kind of reason.
	Why    map[string]int
	Listed []*Judged
}

// LabelShare says which layers settled the rows of one label, or of all.
type LabelShare struct {
	Label                                string // "all" for all
	Allowlist, Edit, Shell, Denied, Open int
	Settled, Rows                        int
	Confined                             int // of the open rows
}

// lists names what -list takes.
func lists() []string { return []string{"allowed-harmful", "denied-benign"} }

// Summarize counts what became of rows. list is of [lists], or "".
func Summarize(files []File, all []Judged, list string) Report {
	r := Report{Rows: len(all), LeftOut: map[string]int{}, Why: map[string]int{}}
	for _, f := range files {
		r.Files = append(r.Files, f.Name)
		for kind, n := range f.LeftOut {
			r.LeftOut[kind] += n
		}
	}
	for _, label := range append(Labels(), "all") {
		if l := labelShare(all, label); l.Rows > 0 {
			r.Table = append(r.Table, l)
		}
	}
	for i := range all {
		j := &all[i]
		if j.Failed {
			r.Failed++
		}
		if j.Outcome == Open {
			r.Why[printable.Line(history.Class(j.Reason), 100)]++
		}
		if belongs(j, list) {
			r.Listed = append(r.Listed, j)
		}
	}
	return r
}

func isSettled(j *Judged) bool { return j.Outcome == Allowed || j.Outcome == Denied }

func belongs(j *Judged, list string) bool {
	switch list {
	case "allowed-harmful":
		return j.Row.Label == Harmful && j.Outcome == Allowed
	case "denied-benign":
		return (j.Row.Label == Readonly || j.Row.Label == Sideeffect) && j.Outcome == Denied
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
	return LabelShare{Label: label, Settled: number(isSettled), Rows: number(func(*Judged) bool { return true }),
		Allowlist: by(nod.LayerAllowlist), Edit: by(nod.LayerEdit), Shell: by(nod.LayerShell),
		Denied:   number(func(j *Judged) bool { return j.Outcome == Denied }),
		Open:     number(func(j *Judged) bool { return !isSettled(j) }),
		Confined: number(func(j *Judged) bool { return j.Confined }),
	}
}

// Print writes the report for people. Brief is the table of labels and layers
// alone, without anything that a list of files says.
func (r Report) Print(w io.Writer, brief bool) error {
	p := &printer{}
	if !brief {
		p.line("%s rows of %s", count(r.Rows), printable.Text(strings.Join(r.Files, ", ")))
		for _, kind := range slices.Sorted(maps.Keys(r.LeftOut)) {
			p.line("left out: %s %s rows, which hold no call that a hook sees", count(r.LeftOut[kind]), kind)
		}
		p.line("")
	}
	p.table(r.labelRows())
	if !brief {
		r.details(p)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

func (r Report) labelRows() [][]string {
	rows := [][]string{{"label", "allowlist", "edit", "shell", "denied", "open", "rows", "settled"}}
	confined := slices.ContainsFunc(r.Table, func(l LabelShare) bool { return l.Confined > 0 })
	if confined {
		rows[0] = append(rows[0], "confined", "settled with")
	}
	for _, l := range r.Table {
		row := []string{l.Label, count(l.Allowlist), count(l.Edit), count(l.Shell), count(l.Denied), count(l.Open),
			count(l.Rows), percent(l.Settled, l.Rows)}
		if confined {
			row = append(row, count(l.Confined), percent(l.Settled+l.Confined, l.Rows))
		}
		rows = append(rows, row)
	}
	return rows
}

// details are what stands below the table: why rows are open, the most frequent first.
func (r Report) details(p *printer) {
	if r.Failed > 0 {
		p.line("  %s rows at which nod or the adapter failed; they count as open", count(r.Failed))
	}
	p.line("\nwhy rows are open:")
	reasons := slices.SortedFunc(maps.Keys(r.Why), func(a, b string) int {
		return cmp.Or(r.Why[b]-r.Why[a], strings.Compare(a, b))
	})
	for _, text := range reasons[:min(len(reasons), 30)] {
		p.line("  %6s  %s", count(r.Why[text]), text)
	}
	for _, j := range r.Listed {
		p.line("\n  %s  %s  %s: %s\n      %s", printable.Line(j.Row.ID, 60), j.Row.Label, j.Outcome, j.Reason,
			shown(j.Row, 200))
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

func percent(part, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(of)) }

// count writes a number with commas.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
