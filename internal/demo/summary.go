package demo

import (
	"slices"
	"time"

	"github.com/nodgate/nod"
)

// share is what one layer settled.
type share struct {
	layer  nod.Layer // LayerNone: what no layer settled
	calls  int
	tenths int           // of a percent; those of all shares add up to 1000
	median time.Duration // of the whole answer; 0 where there are no calls
	gate   time.Duration // median of the time in the gate alone
}

// count is how often something occurred.
type count struct {
	what  string
	calls int
}

// summary is what a whole session came to.
type summary struct {
	calls    int
	shares   []share // in the order of the flow, what was left open last
	open     []count // the tools that were left open, most frequent first
	verdicts []count // allow, ask, deny
	took     time.Duration
}

func summarize(all []played) summary {
	s := summary{calls: len(all)}
	var exact []int
	for _, l := range []nod.Layer{nod.LayerGuard, nod.LayerAllowlist, nod.LayerEdit, nod.LayerShell, nod.LayerNone} {
		whole, gate := timesOf(all, l)
		s.shares = append(s.shares, share{layer: l, calls: len(whole), median: median(whole), gate: median(gate)})
		exact = append(exact, len(whole))
	}
	for i, tenths := range apportion(exact, 1000) {
		s.shares[i].tenths = tenths
	}
	for _, p := range all {
		s.took += p.took
	}
	s.open = counts(all, func(p played) (string, bool) { return p.row.ToolName, layerOf(p) == nod.LayerNone })
	s.verdicts = counts(all, func(p played) (string, bool) { return p.decision.Verdict.String(), true })
	return s
}

// layerOf is the layer that settled a call; none where a failure answered.
func layerOf(p played) nod.Layer {
	if !p.settled() {
		return nod.LayerNone
	}
	return p.decision.Layer
}

func timesOf(all []played, l nod.Layer) (whole, gate []time.Duration) {
	for _, p := range all {
		if layerOf(p) == l {
			whole, gate = append(whole, p.took), append(gate, p.decision.Latency)
		}
	}
	return whole, gate
}

// median is the middle one, of an even number the mean of the middle two.
func median(times []time.Duration) time.Duration {
	n := len(times)
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// apportion splits whole into parts in proportion to counts, so that the
// parts add up: rounded down, the rest to the largest remainders.
func apportion(counts []int, whole int) []int {
	total, given := 0, 0
	for _, c := range counts {
		total += c
	}
	parts := make([]int, len(counts))
	if total == 0 {
		return parts
	}
	order := make([]int, len(counts))
	for i, c := range counts {
		parts[i], order[i] = c*whole/total, i
		given += parts[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return counts[b]*whole%total - counts[a]*whole%total })
	for _, i := range order[:whole-given] {
		parts[i]++
	}
	return parts
}

// counts counts what pick picks, most frequent first.
func counts(all []played, pick func(played) (string, bool)) []count {
	var found []count
	for _, p := range all {
		what, ok := pick(p)
		if !ok {
			continue
		}
		i := slices.IndexFunc(found, func(c count) bool { return c.what == what })
		if i < 0 {
			found = append(found, count{what: what})
			i = len(found) - 1
		}
		found[i].calls++
	}
	slices.SortStableFunc(found, func(a, b count) int { return b.calls - a.calls })
	return found
}
