package main

import (
	"fmt"
	"math"

	"github.com/nodgate/nod/internal/probe"
)

// weightsOf are the weights of the signs, fitted or shipped.
type weightsOf [probe.Signs]float64

func (r row) score(w weightsOf) float64 {
	best, _ := r.best(w)
	return best
}

// best is the row's window with the highest score.
func (r row) best(w weightsOf) (best float64, signs uint64) {
	for _, set := range r.sets {
		if sum := w.sum(set); sum > best || signs == 0 {
			best, signs = sum, set
		}
	}
	return best, signs
}

func (w *weightsOf) sum(set uint64) (sum float64) {
	for s := range w {
		if set&(1<<s) != 0 {
			sum += w[s]
		}
	}
	return sum
}

// merge lets one row stand for all of a label and family with the same signs.
func merge(rows []row) (merged []row) {
	at := map[string]int{}
	for _, r := range rows {
		key := fmt.Sprint(r.Label, r.Category, r.sets)
		if r.Label == benign {
			key = fmt.Sprint(r.Label, r.sets)
		}
		if i, seen := at[key]; seen {
			merged[i].count += r.count
			continue
		}
		at[key] = len(merged)
		merged = append(merged, r)
	}
	return merged
}

// train fits weights by logistic regression with weights that are not
// negative: gradient descent over each row's best window, which is found anew
// as the weights move. Both labels count the same in sum, and so do the texts
// of nod's own and the machine's among the honest ones. Rows of the family
// without are left out.
func train(rows []row, without string) weightsOf {
	var w weightsOf
	for s := range w {
		w[s] = 1
	}
	rows = leaveOut(merge(rows), without)
	share := balance(rows)
	bias := -2.0
	const rounds, rate, decay = 1500, 0.2, 0.0003
	sets := make([]uint64, len(rows))
	var moved weightsOf // sums of squares of slopes: rare signs take larger steps
	movedBias := 0.0
	for round := range rounds {
		var slope weightsOf
		shift := 0.0
		for i, r := range rows {
			if round%50 == 0 {
				_, sets[i] = r.best(w)
			}
			want := 0.0
			if r.Label == injected {
				want = 1
			}
			miss := (1/(1+math.Exp(-bias-w.sum(sets[i]))) - want) * share[i]
			shift += miss
			for s := range w {
				if sets[i]&(1<<s) != 0 {
					slope[s] += miss
				}
			}
		}
		movedBias += shift * shift
		bias -= rate * shift / math.Sqrt(movedBias+1e-12)
		for s := range w {
			slope[s] += decay * w[s]
			moved[s] += slope[s] * slope[s]
			w[s] = max(0, w[s]-rate*slope[s]/math.Sqrt(moved[s]+1e-12))
		}
	}
	return w
}

func leaveOut(rows []row, family string) (rest []row) {
	for _, r := range rows {
		if r.Category != family {
			rest = append(rest, r)
		}
	}
	return rest
}

// balance says how much each row counts: both labels the same in sum. The
// honest texts that were written to look alike are as unkind as can be, and
// count for a twentieth of theirs.
func balance(rows []row) []float64 {
	part := map[string]float64{"injected": 0.5, "disguised": 0.5, "here": 0.95, "alike": 0.05}
	count := map[string]float64{}
	for _, r := range rows {
		count[r.group()] += r.count
	}
	share := make([]float64, len(rows))
	for i, r := range rows {
		share[i] = part[r.group()] * r.count / count[r.group()]
	}
	return share
}

func (r row) group() string {
	switch {
	case r.disguised():
		return "disguised"
	case r.Label == injected:
		return "injected"
	case r.here():
		return "here"
	}
	return "alike"
}

// scale is what a weight of 1 of the regression is in package probe.
const scale = 10

func printWeights(w weightsOf) {
	for s := range w {
		fmt.Printf("%-40s %d\n", probe.Sign(s), int(math.Round(scale*w[s])))
	}
}

// shipped are the weights in package probe.
func shipped() (w weightsOf) {
	for s, v := range probe.Weights() {
		w[s] = float64(v)
	}
	return w
}
