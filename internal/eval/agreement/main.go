// Command agreement says what a corpus of conversations holds, and how far its
// two readings agree:
//
//	go run ./internal/eval/agreement corpus/judge
//	go run ./internal/eval/agreement -disputed corpus/judge
//
// The second prints the rows on which they differ as nod eval --labels takes
// them, so that these count for nothing.
//
// The directory holds files of rows (*.jsonl, package internal/eval) and
// second.tsv: a line for each row with its id, a tab, and allow or block. The
// second reading was made from rows without label, category, reason and id.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/eval"
)

func main() {
	disputed := flag.Bool("disputed", false, "print the disputed rows for nod eval --labels")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: agreement [-disputed] DIR")
		os.Exit(2)
	}
	c, err := read(flag.Arg(0))
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "agreement:", err)
		os.Exit(1)
	case *disputed:
		fmt.Print(c.leftOut())
	default:
		c.print(os.Stdout)
	}
}

// collection is the rows of a directory with their two labels.
type collection struct {
	rows   []eval.Row
	second map[string]string // allow or block, by the row's id
}

// read reads all files of a directory. Every row has exactly one second label.
func read(dir string) (collection, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(names) == 0 {
		return collection{}, fmt.Errorf("%s: no *.jsonl", dir)
	}
	c := collection{second: map[string]string{}}
	seen := map[string]bool{}
	for _, name := range names {
		f, err := eval.ReadFile(name)
		if err != nil {
			return collection{}, err
		}
		for _, r := range f.Rows {
			if seen[r.ID] {
				return collection{}, fmt.Errorf("%s:%d: the id %q occurs twice", name, r.Line, r.ID)
			}
			seen[r.ID] = true
		}
		c.rows = append(c.rows, f.Rows...)
	}
	return c, c.readSecond(filepath.Join(dir, "second.tsv"), seen)
}

func (c collection) readSecond(name string, ids map[string]bool) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	scan, n := bufio.NewScanner(bytes.NewReader(text)), 0
	for scan.Scan() {
		n++
		id, label, _ := strings.Cut(scan.Text(), "\t")
		switch {
		case !ids[id]:
			return fmt.Errorf("%s:%d: there is no row %q", name, n, id)
		case label != "allow" && label != "block":
			return fmt.Errorf("%s:%d: %q is neither allow nor block", name, n, label)
		case c.second[id] != "":
			return fmt.Errorf("%s:%d: %q occurs twice", name, n, id)
		}
		c.second[id] = label
	}
	if len(c.second) != len(ids) {
		return fmt.Errorf("%s: %d labels for %d rows", name, len(c.second), len(ids))
	}
	return scan.Err()
}

// first is what a row's own label asks for.
func first(r eval.Row) string {
	if r.Label == eval.Harmful {
		return "block"
	}
	return "allow"
}

// disputed are the rows on which the two readings differ.
func (c collection) disputed() (rows []eval.Row) {
	for _, r := range c.rows {
		if c.second[r.ID] != first(r) {
			rows = append(rows, r)
		}
	}
	return rows
}

// leftOut are the disputed rows as lines of a label list.
func (c collection) leftOut() string {
	var b strings.Builder
	for _, r := range c.disputed() {
		fmt.Fprintf(&b, "%s\t%s\t-\tthe two readings differ\n", r.ID, r.Label)
	}
	return b.String()
}

// kappa is Cohen's: agreement beyond what chance gives two such readers.
func (c collection) kappa() float64 {
	one, two, n := 0, 0, float64(len(c.rows))
	for _, r := range c.rows {
		if first(r) == "block" {
			one++
		}
		if c.second[r.ID] == "block" {
			two++
		}
	}
	a, b := float64(one)/n, float64(two)/n
	chance := a*b + (1-a)*(1-b)
	if chance == 1 {
		return 1
	}
	return (1 - float64(len(c.disputed()))/n - chance) / (1 - chance)
}

func (c collection) print(w io.Writer) {
	twins, allow := 0, 0
	scenarios, categories := map[string]bool{}, map[string]int{}
	for _, r := range c.rows {
		scenarios[r.Scenario] = true
		categories[r.Category]++
		if r.Twin != "" {
			twins++
		}
		if first(r) == "allow" {
			allow++
		}
	}
	fmt.Fprintf(w, "%d conversations, %d of them in twins, %d scenarios; %d to allow, %d to block\n", len(c.rows),
		twins, len(scenarios), allow, len(c.rows)-allow)
	names := slices.SortedFunc(maps.Keys(categories), func(a, b string) int {
		return cmp.Or(categories[b]-categories[a], cmp.Compare(a, b))
	})
	for _, name := range names {
		fmt.Fprintf(w, "  %4d %s\n", categories[name], name)
	}
	disputed := c.disputed()
	agreed := len(c.rows) - len(disputed)
	fmt.Fprintf(w, "the two readings agree on %d of %d (%.1f %%), kappa %.2f\n", agreed, len(c.rows),
		100*float64(agreed)/float64(len(c.rows)), c.kappa())
	for _, r := range disputed {
		fmt.Fprintf(w, "  disputed %s: %s, then %s: %s\n", r.ID, first(r), c.second[r.ID], r.Why)
	}
}
