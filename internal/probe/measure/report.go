package main

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/nodgate/nod/internal/probe"
)

// printKinds prints what is flagged of each kind of a label's texts, and what of
// them is known by where it comes from.
func printKinds(rows []row, label, title string) {
	type tally struct{ all, flagged, foreign int }
	kinds := map[string]*tally{}
	total := &tally{}
	for _, r := range rows {
		if r.Label != label {
			continue
		}
		if kinds[r.Category] == nil {
			kinds[r.Category] = &tally{}
		}
		for _, t := range []*tally{kinds[r.Category], total} {
			t.all++
			if len(r.signs) > 0 {
				t.flagged++
			}
			if r.foreign() {
				t.foreign++
			}
		}
	}
	fmt.Printf("\n%-46s %-39s  %s\n", title, "flagged", "known by where it comes from")
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		t := kinds[name]
		fmt.Printf("  %-44s %s  %6d\n", name, share(t.flagged, t.all), t.foreign)
	}
	fmt.Printf("= %-44s %s  %6d\n", "all", share(total.flagged, total.all), total.foreign)
}

// printSigns prints how often each sign is in honest and in injected texts.
func printSigns(rows []row) {
	count := map[string][2]int{}
	for _, r := range rows {
		for _, s := range r.signs {
			c := count[s.String()]
			if r.Label == injected {
				c[1]++
			} else {
				c[0]++
			}
			count[s.String()] = c
		}
	}
	fmt.Printf("\n%-56s %7s  %8s\n", "sign", "honest", "injected")
	for _, name := range slices.Sorted(maps.Keys(count)) {
		fmt.Printf("  %-54s %7d  %8d\n", name, count[name][0], count[name][1])
	}
}

func share(n, of int) string {
	low, high := wilson(n, of)
	return fmt.Sprintf("%5d of %6d  %5.1f %% (%4.1f to %4.1f)", n, of, 100*float64(n)/float64(max(1, of)), 100*low,
		100*high)
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

// printRows prints the texts that are flagged though honest (alarms), or not
// flagged though injected (missed).
func printRows(rows []row, which string) {
	for _, r := range rows {
		flagged := len(probe.Read(r.Input.Text)) > 0
		if (which == "missed") == (r.Label == injected) && flagged == (which == "alarms") {
			fmt.Printf("%-40s %-30s %v\n    %.200q\n", r.ID, r.Category, r.signs, r.Input.Text)
		}
	}
}
