package index

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
)

// By is what [Index.Sum] groups by.
type By int

const (
	All    By = iota // one sum of everything
	ByDay            // local days: 2026-01-31
	ByHour           // local hours: 2026-01-31 15
	ByAgent
	ByRoot
	ByLayer
	ByTool
)

// Sum is of the decisions of one group.
type Sum struct {
	Name      string // of the group
	Decisions int
	Verdicts  [3]int // by nod.Verdict
	Layers    [7]int // by nod.Layer, of allows and denials
	Approved  int    // allowed because a person approved the call
	Cost      float64
	Tokens    int
	P50       time.Duration
	P90       time.Duration
	P99       time.Duration

	latencies []uint32
}

// Settled is how many were allowed or denied without a person.
func (s Sum) Settled() int { return s.Verdicts[nod.Allow] + s.Verdicts[nod.Deny] - s.Approved }

// Sum sums the decisions that f selects, by day, agent and so on: days and hours in their order, others by how many
// decisions there are. A filter's kinds and text are not heeded.
func (x *Index) Sum(f Filter, by By) []Sum {
	v := x.view()
	f.Kinds = []audit.Kind{audit.Decision}
	s, g := v.selection(f), grouping{view: v, by: by, sums: map[string]*Sum{}}
	for _, part := range v.segments {
		for i := range part.rows {
			if r := &part.rows[i]; s.takes(r) {
				g.of(r).add(r, &v.names.classes[r.Class])
			}
		}
	}
	return g.sorted()
}

func (s *Sum) add(r *row, c *class) {
	s.Decisions++
	s.Verdicts[c.Verdict]++
	if c.Verdict != nod.Ask {
		s.Layers[c.Layer]++
	}
	if c.Verdict == nod.Allow && c.Layer == nod.LayerApproval {
		s.Approved++
	}
	s.Cost += float64(r.Cost)
	s.Tokens += int(r.Tokens)
	s.latencies = append(s.latencies, r.Latency)
}

// grouping finds the sum that a row belongs to.
type grouping struct {
	view
	by   By
	sums map[string]*Sum
	last *Sum // of the last row

	from, until int64 // the period of the last row
}

func (g *grouping) of(r *row) *Sum {
	c := &g.names.classes[r.Class]
	switch g.by {
	case ByDay, ByHour:
		return g.period(r.Time)
	case ByAgent:
		return g.sum(c.Agent)
	case ByTool:
		return g.sum(c.Tool)
	case ByRoot:
		return g.sum(g.names.texts[r.Root])
	case ByLayer:
		return g.sum(c.Layer.String())
	}
	return g.sum("")
}

func (g *grouping) sum(name string) *Sum {
	if g.last != nil && g.last.Name == name {
		return g.last
	}
	if g.last = g.sums[name]; g.last == nil {
		g.last = &Sum{Name: name}
		g.sums[name] = g.last
	}
	return g.last
}

// period is the sum of a time. Lines stand about in the order of their times, so the last one is mostly right.
func (g *grouping) period(micro int64) *Sum {
	if g.last != nil && micro >= g.from && micro < g.until {
		return g.last
	}
	t, form := time.UnixMicro(micro).Local(), time.DateOnly
	begin := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.Local)
	end := begin.AddDate(0, 0, 1)
	if g.by == ByHour {
		form, begin = "2006-01-02 15", t.Truncate(time.Minute).Add(-time.Duration(t.Minute())*time.Minute)
		end = begin.Add(time.Hour)
	}
	g.from, g.until = begin.UnixMicro(), end.UnixMicro()
	return g.sum(t.Format(form))
}

func (g *grouping) sorted() []Sum {
	list := []Sum{}
	for _, s := range g.sums {
		s.percentiles()
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b Sum) int {
		if g.by == ByDay || g.by == ByHour {
			return cmp.Compare(a.Name, b.Name)
		}
		return cmp.Or(b.Decisions-a.Decisions, cmp.Compare(a.Name, b.Name))
	})
	return list
}

// percentiles are the smallest latencies that so many of a hundred do not exceed.
func (s *Sum) percentiles() {
	slices.Sort(s.latencies)
	at := func(percent float64) time.Duration {
		i := int(math.Ceil(percent/100*float64(len(s.latencies)))) - 1
		return time.Duration(s.latencies[max(i, 0)]) * time.Microsecond
	}
	s.P50, s.P90, s.P99, s.latencies = at(50), at(90), at(99), nil
}
