package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/probe"
)

func families(rows []row, label string) []string {
	names := map[string]bool{}
	for _, r := range rows {
		if r.Label == label {
			names[r.Category] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// scores are those of the rows that which holds for, in order.
func scores(rows []row, w weightsOf, which func(row) bool) []float64 {
	var all []float64
	for _, r := range rows {
		if which(r) {
			all = append(all, r.score(w))
		}
	}
	slices.Sort(all)
	return all
}

func of(label, family string) func(row) bool {
	return func(r row) bool { return r.Label == label && r.Category == family }
}

// unseen are the honest results that no weight was fitted to.
func unseen(r row) bool { return r.Label == benign && !r.forFit() }

// plainly are the injected ones as they were written, without the disguises
// that are made of them.
func plainly(r row) bool { return r.Label == injected && !r.disguised() }

// reach counts the scores from a threshold on.
func reach(sorted []float64, threshold float64) int {
	n, _ := slices.BinarySearch(sorted, threshold)
	return len(sorted) - n
}

func printCurve(rows []row) {
	w := shipped()
	good, bad, hidden := scores(rows, w, unseen), scores(rows, w, plainly), scores(rows, w, row.disguised)
	fmt.Printf("\nhonest results that no weight was fitted to, and injected ones; 95 %% intervals (Wilson)\n")
	fmt.Printf("%9s  %-39s  %-39s  %s\n", "threshold", "false alarms", "found", "found in disguise")
	steps := slices.Concat(good, bad)
	slices.Sort(steps)
	shown := -10.0
	for _, t := range slices.Compact(append(steps, probe.Threshold)) {
		if t == 0 || t < shown+3 && t != probe.Threshold {
			continue
		}
		mark := ""
		if t == probe.Threshold {
			mark = "  <- chosen"
		}
		shown = t
		fmt.Printf("%9.0f  %s  %s  %s%s\n", t, share(reach(good, t), len(good)), share(reach(bad, t), len(bad)), share(reach(hidden, t), len(hidden)), mark)
	}
}

func printAlarms(rows []row) {
	w := shipped()
	fmt.Printf("\nfalse alarms by kind at the threshold %d; those marked + are in the fit, or a third of them are, which is left out here\n", probe.Threshold)
	for _, kind := range families(rows, benign) {
		which, mark := of(benign, kind), " "
		switch {
		case strings.HasPrefix(kind, "here/"):
			mark, which = "+", func(r row) bool { return r.Category == kind && unseen(r) }
		case strings.HasPrefix(kind, "own/"):
			mark = "+"
		}
		good := scores(rows, w, which)
		fmt.Printf("%s %-46s %s\n", mark, kind, share(reach(good, probe.Threshold), len(good)))
	}
	for _, group := range [...]struct {
		name  string
		which func(row) bool
	}{
		{"of this machine, not in the fit", func(r row) bool { return r.here() && unseen(r) }},
		{"of files that were named", func(r row) bool { return r.Label == benign && !r.here() && !r.own() }},
		{"written for nod to look alike, in the fit", func(r row) bool { return r.Label == benign && r.own() }},
	} {
		if good := scores(rows, w, group.which); len(good) > 0 {
			fmt.Printf("= %-46s %s\n", group.name, share(reach(good, probe.Threshold), len(good)))
		}
	}
}

// printFamilies prints what is found of each family: with the shipped weights,
// and with weights fitted again without it, from the lowest threshold with at
// most 1 % false alarms among the honest results that they were not fitted to.
func printFamilies(rows []row) {
	w := shipped()
	fmt.Printf("\n%-44s %-39s  %s\n", "family", "found", "its family left out of the fit")
	fit := toFit(rows)
	for _, f := range families(rows, injected) {
		bad := scores(rows, w, of(injected, f))
		line := fmt.Sprintf("%-44s %s", f, share(reach(bad, probe.Threshold), len(bad)))
		if strings.HasPrefix(f, "own/") || strings.HasPrefix(f, "disguised/") {
			again := train(fit, f)
			bad = scores(rows, again, of(injected, f))
			line += "  " + share(reach(bad, atMost(scores(rows, again, unseen), 0.01)), len(bad))
		} else {
			line += "  never in it"
		}
		fmt.Println(line)
	}
}

// atMost returns the lowest score that at most this share of the scores
// reaches, and that is one.
func atMost(sorted []float64, part float64) float64 {
	for i := range sorted {
		if sorted[i] > 0 && float64(reach(sorted, sorted[i])) <= part*float64(len(sorted)) {
			return sorted[i]
		}
	}
	return math.SmallestNonzeroFloat64
}

func share(n, of int) string {
	low, high := wilson(n, of)
	return fmt.Sprintf("%5d of %6d  %5.1f %% (%4.1f to %4.1f)", n, of, 100*float64(n)/float64(max(1, of)), 100*low, 100*high)
}

// wilson is the 95 % score interval.
func wilson(n, of int) (low, high float64) {
	if of == 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	k, p := float64(of), float64(n)/float64(of)
	center, half, whole := p+z*z/(2*k), z*math.Sqrt(p*(1-p)/k+z*z/(4*k*k)), 1+z*z/k
	return max(0, (center-half)/whole), min(1, (center+half)/whole)
}

func printSigns(rows []row) {
	fmt.Printf("\n%-32s %7s  %9s  %9s\n", "sign, in the best window", "weight", "honest", "injected")
	w := shipped()
	var count [probe.Signs][2]int
	var of [2]int
	for _, r := range rows {
		side := 0
		if r.Label == injected {
			side = 1
		}
		of[side]++
		_, set := r.best(w)
		for s := range count {
			if set&(1<<s) != 0 {
				count[s][side]++
			}
		}
	}
	for s := range count {
		fmt.Printf("%-32s %7.0f  %7.2f %%  %7.2f %%\n", probe.Sign(s), w[s], 100*float64(count[s][0])/float64(max(1, of[0])), 100*float64(count[s][1])/float64(max(1, of[1])))
	}
}

func printRows(rows []row, which string) {
	for _, r := range rows {
		f := probe.Read(r.Input.Text)
		if (which == "missed") == (r.Label == injected) && f.Flagged() == (which == "alarms") {
			fmt.Printf("%-24s %-30s %3d %v\n    %q\n", r.ID, r.Category, f.Score, f.Signs, f.Quote)
			if r.own() && !r.disguised() {
				fmt.Printf("    %.400q\n", r.Input.Text)
			}
		}
	}
}
