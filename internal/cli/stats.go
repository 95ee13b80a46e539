package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/history"
	"github.com/nodgate/nod/internal/index"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/propose"
)

// statistics is the answer of nod stats --json. Fields are only ever added.
type statistics struct {
	Version   int                `json:"v"`
	Total     group              `json:"total"`
	By        map[string][]group `json:"by"`
	Questions []asked            `json:"questions"`
}

// group sums the decisions of a day, an agent and so on.
type group struct {
	Name string `json:"name,omitempty"`
	history.Counts
	Settled int     `json:"settled"` // allowed or denied without a person
	P50     int64   `json:"p50_us"`
	P90     int64   `json:"p90_us"`
	P99     int64   `json:"p99_us"`
	Cost    float64 `json:"cost_usd"`
	Tokens  int     `json:"tokens"`
}

// asked are questions about calls of one shape.
type asked struct {
	Shape   string `json:"shape"`
	Calls   int    `json:"calls"`
	Example string `json:"example"`
}

// statsBy are the words of --by, in the order in which they are shown.
func statsBy() []string { return []string{"day", "agent", "repository", "layer", "tool"} }

func showStats(ctx context.Context, p *Process, args []string) error {
	var f index.Filter
	a := newArguments(p).state()
	asJSON, by := a.Bool("json", false, ""), []string(nil)
	a.since(&f.Since)
	a.Func("by", "", func(s string) error {
		if by = append(by, s); !slices.Contains(statsBy(), s) {
			return fmt.Errorf("want one of %s", strings.Join(statsBy(), ", "))
		}
		return nil
	})
	if err := a.withState(args, 0); err != nil {
		return err
	}
	x, err := openLog(ctx, p, "stats", a.places.State)
	if err != nil {
		return err
	}
	if by == nil {
		by = statsBy()[:4]
	}
	s := statistics{Version: 1, By: map[string][]group{}, Questions: []asked{}}
	for _, sum := range x.Sum(f, index.All) {
		s.Total = groupOf(sum)
	}
	for _, word := range by {
		kind := map[string]index.By{"day": index.ByDay, "agent": index.ByAgent, "repository": index.ByRoot,
			"layer": index.ByLayer, "tool": index.ByTool}[word]
		s.By[word] = []group{}
		for _, sum := range x.Sum(f, kind) {
			s.By[word] = append(s.By[word], groupOf(sum))
		}
	}
	if s.Questions, err = questions(p, x, f); err != nil {
		return err
	}
	if *asJSON {
		return printJSON(p, s)
	}
	return s.print(p, by)
}

func groupOf(s index.Sum) group {
	counts := history.Counts{Calls: s.Decisions, Allowed: s.Verdicts[nod.Allow], Asked: s.Verdicts[nod.Ask],
		Denied: s.Verdicts[nod.Deny]}
	return group{s.Name, counts, s.Settled(), s.P50.Microseconds(), s.P90.Microseconds(), s.P99.Microseconds(), s.Cost,
		s.Tokens}
}

// mostQuestions is how many of the newest questions are looked at: each is read and taken apart.
const mostQuestions = 5000

// questions groups what a person was asked about by the shape of the calls, the most frequent first.
func questions(p *Process, x *index.Index, f index.Filter) ([]asked, error) {
	f.Kinds, f.Verdicts = []audit.Kind{audit.Decision}, []nod.Verdict{nod.Ask}
	rows, _, err := x.Rows(f, 0, mostQuestions)
	counts, examples, l := tally{}, map[string]string{}, logged{process: p, home: p.Getenv("HOME")}
	for _, row := range rows {
		line, err := x.Entry(row)
		if err != nil {
			return nil, err
		}
		shape := printable.Line(row.Tool, 40)
		if row.Tool == "bash" {
			shape = printable.Line(propose.Shape(l.analyze(line.Entry)), 40)
		}
		counts[shape]++
		examples[shape] = toolCall(line.Entry)
	}
	list := []asked{}
	for _, shape := range counts.sorted() {
		list = append(list, asked{shape, counts[shape], examples[shape]})
	}
	return list, err
}

func (s statistics) print(p *Process, by []string) error {
	if s.Total.Calls == 0 {
		fmt.Fprintln(p.Stderr, "nod stats: the log holds no decision of that time")
		return nil
	}
	var b strings.Builder
	t := s.Total
	fmt.Fprintf(&b, "%s: %d allowed, %d asked, %d denied; %s settled without a person\n", counted(t.Calls, "call"),
		t.Allowed, t.Asked, t.Denied, share(t.Settled, t.Calls))
	fmt.Fprintf(&b, "latency p50 %s, p90 %s, p99 %s; cost $%.4f\n", shortTime(t.P50), shortTime(t.P90),
		shortTime(t.P99), t.Cost)
	for _, word := range by {
		printGroups(&b, word, s.By[word])
	}
	if len(s.Questions) > 0 {
		fmt.Fprintln(&b, "\nmost questions")
		for _, q := range s.Questions[:min(len(s.Questions), shownReasons)] {
			fmt.Fprintf(&b, "%7d  %-26s %s\n", q.Calls, q.Shape, printable.Line(q.Example, 44))
		}
	}
	_, err := io.WriteString(p.Stdout, b.String())
	return internal(err)
}

// printGroups prints a table; of days the last.
func printGroups(b *strings.Builder, word string, groups []group) {
	const most = 14
	rest, last := "", 0
	if len(groups) > most {
		rest = fmt.Sprintf("and %s (--json has all)\n", counted(len(groups)-most, "other"))
		if word == "day" {
			last = len(groups) - most
		}
		groups = groups[last : last+most]
	}
	const form = "%-18s %7v %6v %6v %7s %7s %7s %7s %7s\n"
	fmt.Fprintf(b, "\n"+form, word, "calls", "asked", "denied", "settled", "p50", "p90", "p99", "cost")
	for _, g := range groups {
		name := g.Name
		if word == "repository" {
			name = filepath.Base(name)
		}
		name = cmp.Or(printable.Line(name, 18), "-")
		fmt.Fprintf(b, form, name, g.Calls, g.Asked, g.Denied, share(g.Settled, g.Calls), shortTime(g.P50),
			shortTime(g.P90), shortTime(g.P99), fmt.Sprintf("$%.2f", g.Cost))
	}
	b.WriteString(rest)
}

func share(part, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(max(of, 1))) }

// shortTime is a latency in at most six columns.
func shortTime(us int64) string {
	switch {
	case us < 1000:
		return fmt.Sprintf("%d µs", us)
	case us < 99_950:
		return fmt.Sprintf("%.1f ms", float64(us)/1e3)
	case us < 999_500:
		return fmt.Sprintf("%.0f ms", float64(us)/1e3)
	}
	return fmt.Sprintf("%.1f s", float64(us)/1e6)
}
