package eval

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
)

// tableLimit is how many lines of a table are printed; JSON has all.
const tableLimit = 40

// Print writes the report for people.
func (r Report) Print(w io.Writer) error {
	p := &printer{w: w}
	r.head(p)
	if r.Halves != nil {
		r.Halves.print(p)
	}
	for i, s := range r.Sets {
		s.print(p, len(r.Sets) > 1 && (r.Halves == nil || i == 0))
	}
	if r.Changes != nil && r.Halves == nil {
		r.Changes.print(p, r.Sets)
	}
	p.paired(r.Paired)
	r.rows(p)
	return p.err
}

// PrintBrief writes one table for each rule set: labels by layers, and nothing
// that differs from run to run.
func (r Report) PrintBrief(w io.Writer) error {
	p := &printer{w: w}
	for _, s := range r.Sets {
		model := slices.ContainsFunc(s.Layers, func(l LayerShare) bool { return l.Layer == nod.LayerModel })
		rows := [][]string{{"label", "allowlist", "edit", "shell", "denied", "open", "rows", "settled",
			"95 % interval"}}
		if model {
			rows[0] = slices.Insert(rows[0], 4, "model")
		}
		confined := slices.ContainsFunc(s.Labels, func(l LabelShare) bool { return l.Confined > 0 })
		if confined {
			rows[0] = append(rows[0], "confined", "settled with", "outside")
		}
		for _, l := range s.Labels {
			name := l.Label
			if name == "" {
				name = "all"
			}
			share := shareCells(name, l.Settled)
			row := []string{name, count(l.Allowlist), count(l.Edit), count(l.Shell), count(l.Denied), count(l.Open),
				count(l.Settled.Of), share[2], share[3]}
			if model {
				row = slices.Insert(row, 4, count(l.Model))
			}
			if confined {
				row = append(row, count(l.Confined),
					percent(float64(l.Settled.Rows+l.Confined)/float64(max(1, l.Settled.Of))), count(l.Outside))
			}
			rows = append(rows, row)
		}
		if len(r.Sets) > 1 {
			p.line("rules: %s", printable.Text(s.Rules))
		}
		p.table(rows)
		p.model(s.Model)
	}
	p.paired(r.Paired)
	return p.err
}

// printer keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// print shows the rules and what they settle, repository by repository.
func (h Halves) print(p *printer) {
	p.line("")
	p.line("halves: rules proposed from the first half of each repository's sessions, judged on the second")
	if h.NoSession > 0 {
		p.line("left out: %s rows without a session", count(h.NoSession))
	}
	p.line("")
	rows := [][]string{{"repository", "sessions", "learned from", "rules", "rows judged", "settled before", "after"}}
	for _, r := range h.Repositories {
		rows = append(rows, []string{printable.Text(r.Path), count(r.Sessions), count(r.Learned), count(len(r.Rules)),
			count(r.Rows), shareText(r.Before), shareText(r.After)})
	}
	p.table(rows)
	for _, r := range h.Repositories {
		if len(r.Rules) == 0 {
			continue
		}
		p.line("")
		p.line("proposed for %s:", printable.Text(r.Path))
		for _, rule := range r.Rules {
			p.line("  %-9s %-28s %s: %s", rule.List, printable.Text(rule.Text), rule.Why, rule.Seen)
		}
	}
}

func shareText(s Share) string {
	if s.Of == 0 {
		return "-"
	}
	return percent(s.Share)
}

// table prints rows of cells in columns: the first to the left, all others to
// the right.
func (p *printer) table(rows [][]string) {
	width := []int{}
	for _, row := range rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-len([]rune(cell)))
			if i == 0 {
				b.WriteString("  " + cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
		p.line("%s", strings.TrimRight(b.String(), " "))
	}
}

func (r Report) head(p *printer) {
	var names []string
	own := false
	for _, f := range r.Files {
		names, own = append(names, printable.Text(f.Name)), own || f.Own
	}
	p.line("%s rows of %s", count(r.Rows), strings.Join(names, ", "))
	if r.Agent != "" {
		p.line("agent %s only", printable.Text(r.Agent))
	}
	if l := r.Labels; l != nil {
		p.line("labels: by %s, %s rows stand under another label, %s are left out (nobody can say), %s are not here",
			printable.Text(l.Name), count(l.Corrected), count(l.LeftOut), count(l.Absent))
	}
	p.line("world: %s (see nod help eval); nothing is run", r.World)
	if own {
		p.line("a file of nod's own corpus is judged on that corpus's machine, its header's rules added")
	}
	for _, l := range r.LeftOut {
		if l.Kind == "without" {
			p.line("left out: %s rows (%s)", count(l.Rows), printable.Text(l.Why))
		} else if l.Rows > 0 || l.Kind != "user_prompt" {
			p.line("left out: %s %s rows (%s)", count(l.Rows), l.Kind, l.Why)
		}
	}
	if r.Clipped > 0 {
		p.line("clipped: %s rows, judged as they stand", count(r.Clipped))
	}
}

func (s SetReport) print(p *printer, brief bool) {
	p.line("")
	p.line("rules: %s", printable.Text(s.Rules))
	p.line("")
	rows := [][]string{{"settled by", "rows", "share", "95 % interval"}}
	for _, l := range s.Layers {
		rows = append(rows, shareCells(l.Layer.String(), l.Share))
	}
	p.table(append(rows, shareCells("all layers", s.Settled)))
	p.line("")
	if !brief {
		s.printTable(p)
	}
	p.table([][]string{
		{"", "rows", "share", "95 % interval", "of"},
		append(shareCells("misses: harmful rows allowed", s.Misses), count(s.Misses.Of)),
		append(shareCells("false alarms: benign rows denied", s.FalseAlarms), count(s.FalseAlarms.Of)),
		append(shareCells("read-only rows left open", s.OpenReads), count(s.OpenReads.Of)),
	})
	p.model(s.Model)
	if s.Failed > 0 {
		p.line("  %s rows at which nod or the adapter failed; they count as open", count(s.Failed))
	}
	if !brief {
		s.printTimes(p)
	}
}

func (s SetReport) printTable(p *printer) {
	rows := [][]string{{"by " + s.By, "allow", "deny", "open", "rows", "settled"}}
	for i, t := range s.Table {
		if i == tableLimit {
			rows = append(rows, []string{fmt.Sprintf("... %s more; --json has all", count(len(s.Table)-i))})
			break
		}
		rows = append(rows, []string{printable.Text(t.Key), count(t.Allow), count(t.Deny), count(t.Open), count(t.Rows),
			percent(float64(t.Allow+t.Deny) / float64(t.Rows))})
	}
	p.table(rows)
	p.line("")
}

func (s SetReport) printTimes(p *printer) {
	p.line("")
	p.line("  time of the gate: median %s, 99 %% within %s, worst %s; the slowest rows:", micro(s.Times.Median),
		micro(s.Times.P99), micro(s.Times.Worst))
	for _, slow := range s.Slowest {
		p.line("  %9s  %s  %s", micro(slow.Took), slow.ID, slow.Shown)
	}
}

func (c Changes) print(p *printer, sets []SetReport) {
	p.line("")
	p.line("from %s to %s: %s rows change, %s stay", printable.Text(sets[0].Rules), printable.Text(sets[1].Rules),
		count(c.Rows), count(c.Same))
	rows := [][]string{{"change", "rows"}}
	for _, change := range c.Changes {
		rows = append(rows, []string{fmt.Sprintf("%s -> %s  %s", change.Before, change.After, change.Label),
			count(change.Rows)})
	}
	if len(c.Changes) > 0 {
		p.table(rows)
	}
}

// rows prints what --list asked for.
func (r Report) rows(p *printer) {
	if r.list == "" {
		return
	}
	p.line("")
	p.line("%s: %s rows", r.list, count(len(r.Listed)))
	for _, l := range r.Listed {
		change := l.Answer.String()
		if l.Before != nil && *l.Before != l.Answer {
			change = l.Before.String() + " -> " + change
		}
		p.line("  %s  %s  %s: %s", l.ID, l.Label, change, l.Reason)
		p.line("      %s", l.Shown)
	}
}

func shareCells(name string, s Share) []string {
	if s.Of == 0 {
		return []string{name, "0", "-", "-"}
	}
	return []string{name, count(s.Rows), percent(s.Share), fmt.Sprintf("%s to %s", percent(s.Low), percent(s.High))}
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

func micro(us float64) string {
	if us >= 1000 {
		return strconv.FormatFloat(us/1000, 'f', 1, 64) + " ms"
	}
	return strconv.FormatFloat(us, 'f', 0, 64) + " µs"
}
