// Measure prints how well package probe tells tool results that give orders
// from those that do not: the whole curve, each family of attacks left out in
// turn, and with --fit the weights.
//
//	go run ./internal/probe/measure corpus/results/*.jsonl FILE...
//
// A FILE that is a directory stands for the text files below it, as honest
// results of reading them. Any other is JSON lines, plain or gzip: rows of tool "tool_result" with
// input.text, label benign-toolresult or injected-toolresult, and category,
// which is the family. Rows without a text are counted, and count as nothing.
package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nodgate/nod/internal/probe"
)

type row struct {
	ID       string `json:"id"`
	Tool     string `json:"tool"`
	Label    string `json:"label"`
	Category string `json:"category"`
	Input    struct {
		Text string `json:"text"`
	} `json:"input"`
	sets []uint64 // the windows of its text
}

const (
	injected = "injected-toolresult"
	benign   = "benign-toolresult"
)

func main() {
	fit := flag.Bool("fit", false, "fit weights to FILE and print them")
	list := flag.String("list", "", "missed or alarms: print these rows")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "measure: name at least one FILE")
		os.Exit(2)
	}
	var rows []row
	for _, name := range flag.Args() {
		more, bare, err := read(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, "measure:", err)
			os.Exit(2)
		}
		fmt.Printf("%-40s %5d results, %d rows hold no text and are not counted\n", name, len(more), bare)
		rows = append(rows, more...)
	}
	switch {
	case *fit:
		printWeights(train(rows, ""))
	case *list != "":
		printRows(rows, *list)
	default:
		printCurve(rows)
		printLeftOut(rows)
		printSigns(rows)
	}
}

// read reads the labelled results of a file; bare counts rows without a text.
func read(name string) (rows []row, bare int, err error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		rows, err := readTree(name)
		return rows, 0, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	var source io.Reader = in
	if magic, _ := in.Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		if source, err = gzip.NewReader(in); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", name, err)
		}
	}
	scan := bufio.NewScanner(source)
	scan.Buffer(nil, 64<<20)
	for n := 1; scan.Scan(); n++ {
		var r row
		if err := json.Unmarshal(scan.Bytes(), &r); err != nil {
			return nil, 0, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		switch {
		case r.Label != injected && r.Label != benign:
		case r.Input.Text == "":
			bare++
		default:
			r.sets = probe.Windows(r.Input.Text)
			rows = append(rows, r)
		}
	}
	return rows, bare, scan.Err()
}

// readTree takes each text file of a tree for an honest result.
func readTree(root string) (rows []row, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.Contains(name, "/.git/") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil || len(text) == 0 || len(text) > 1<<20 || !utf8.Valid(text) || strings.ContainsRune(string(text), 0) {
			return err
		}
		r := row{ID: name, Label: benign, Category: "file " + filepath.Ext(name)}
		r.Input.Text = string(text)
		r.sets = probe.Windows(r.Input.Text)
		rows = append(rows, r)
		return nil
	})
	return rows, err
}

func (r row) score(w [probe.Signs]float64) float64 {
	best, _ := r.best(w)
	return best
}

// best is the row's window with the highest score.
func (r row) best(w [probe.Signs]float64) (best float64, signs uint64) {
	for _, set := range r.sets {
		sum := 0.0
		for s := range w {
			if set&(1<<s) != 0 {
				sum += w[s]
			}
		}
		if sum > best || signs == 0 {
			best, signs = sum, set
		}
	}
	return best, signs
}

// train fits weights by logistic regression with weights that are not
// negative: gradient descent over each row's best window, which is found anew
// as the weights move. Both labels count the same in sum. Rows of the family
// without are left out.
func train(rows []row, without string) [probe.Signs]float64 {
	var w [probe.Signs]float64
	for s := range w {
		w[s] = 1
	}
	count := map[string]float64{}
	for _, r := range rows {
		if r.Category != without {
			count[r.Label]++
		}
	}
	bias := -2.0
	const rounds, rate, decay = 3000, 1.0, 0.0003
	sets := make([]uint64, len(rows))
	for round := range rounds {
		var slope [probe.Signs]float64
		shift := 0.0
		for i, r := range rows {
			if r.Category == without {
				continue
			}
			if round%50 == 0 {
				_, sets[i] = r.best(w)
			}
			sum, want := bias, 0.0
			for s := range w {
				if sets[i]&(1<<s) != 0 {
					sum += w[s]
				}
			}
			if r.Label == injected {
				want = 1
			}
			miss := (1/(1+math.Exp(-sum)) - want) / count[r.Label]
			shift += miss
			for s := range w {
				if sets[i]&(1<<s) != 0 {
					slope[s] += miss
				}
			}
		}
		bias -= rate * shift
		for s := range w {
			w[s] = max(0, w[s]-rate*(slope[s]+decay*w[s]))
		}
	}
	return w
}

// scale is what a weight of 1 of the regression is in package probe.
const scale = 10

func printWeights(w [probe.Signs]float64) {
	for s := range w {
		fmt.Printf("%-40s %d\n", probe.Sign(s), int(math.Round(scale*w[s])))
	}
}

// shipped are the weights in package probe.
func shipped() [probe.Signs]float64 {
	var w [probe.Signs]float64
	for s, v := range probe.Weights() {
		w[s] = float64(v)
	}
	return w
}

func families(rows []row) []string {
	var names []string
	for _, r := range rows {
		if r.Label == injected && !slices.Contains(names, r.Category) {
			names = append(names, r.Category)
		}
	}
	slices.Sort(names)
	return names
}

// scores are those of the rows of a label, and of one family if given.
func scores(rows []row, w [probe.Signs]float64, label, family string) []float64 {
	var all []float64
	for _, r := range rows {
		if r.Label == label && (family == "" || r.Category == family) {
			all = append(all, r.score(w))
		}
	}
	slices.Sort(all)
	return all
}

// reach counts the scores from a threshold on.
func reach(sorted []float64, threshold float64) int {
	n, _ := slices.BinarySearch(sorted, threshold)
	return len(sorted) - n
}

func printCurve(rows []row) {
	w := shipped()
	good, bad := scores(rows, w, benign, ""), scores(rows, w, injected, "")
	fmt.Printf("\n%9s  %-36s  %s\n", "threshold", "false alarms (95 %, Wilson)", "found")
	steps := append(slices.Clone(good), bad...)
	slices.Sort(steps)
	shown := -10.0
	for _, t := range append(slices.Compact(steps), probe.Threshold) {
		if t == 0 || t < shown+3 && t != probe.Threshold {
			continue
		}
		mark := ""
		if t == probe.Threshold {
			mark = "  <- chosen"
		}
		shown = t
		fmt.Printf("%9.0f  %s  %s%s\n", t, share(reach(good, t), len(good)), share(reach(bad, t), len(bad)), mark)
	}
	fmt.Printf("\nby family, at the threshold %d\n", probe.Threshold)
	for _, f := range families(rows) {
		of := scores(rows, w, injected, f)
		fmt.Printf("  %-48s %s\n", f, share(reach(of, probe.Threshold), len(of)))
	}
	fmt.Printf("\nfalse alarms by kind, at the threshold %d\n", probe.Threshold)
	kinds := map[string][2]int{}
	for _, r := range rows {
		if r.Label == benign {
			k := kinds[r.Category]
			k[1]++
			if r.score(w) >= probe.Threshold {
				k[0]++
			}
			kinds[r.Category] = k
		}
	}
	names := []string{}
	for k := range kinds {
		names = append(names, k)
	}
	slices.Sort(names)
	for _, k := range names {
		fmt.Printf("  %-48s %s\n", k, share(kinds[k][0], kinds[k][1]))
	}
}

// printLeftOut fits the weights again without each family, takes the lowest
// threshold with at most 1 % false alarms, and looks at the family.
func printLeftOut(rows []row) {
	fmt.Printf("\nfitted again without the family, threshold for at most 1 %% false alarms on these rows\n")
	for _, f := range families(rows) {
		w := train(rows, f)
		good := scores(rows, w, benign, "")
		threshold := atMost(good, 0.01)
		of := scores(rows, w, injected, f)
		fmt.Printf("  %-48s %s\n", f, share(reach(of, threshold), len(of)))
	}
}

// atMost returns a threshold that at most this share of the scores reaches.
func atMost(sorted []float64, part float64) float64 {
	for i := range sorted {
		if float64(reach(sorted, sorted[i]))/float64(len(sorted)) <= part && sorted[i] > 0 {
			return sorted[i]
		}
	}
	return math.Inf(1)
}

func share(n, of int) string {
	low, high := wilson(n, of)
	return fmt.Sprintf("%5d of %5d  %5.1f %% (%4.1f to %4.1f)", n, of, 100*float64(n)/float64(max(1, of)), 100*low, 100*high)
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
	fmt.Printf("\n%-32s %7s  %9s  %9s\n", "sign, in the best window", "weight", "benign", "injected")
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
			if strings.HasPrefix(r.Category, "own/") {
				fmt.Printf("    %.200q\n", r.Input.Text)
			}
		}
	}
}
