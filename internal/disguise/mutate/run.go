package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/disguise"
	"github.com/nodgate/nod/internal/eval"
)

// maxDepth is how many disguises are stacked.
const maxDepth = 3

// options say what is tried.
type options struct {
	rows  int    // disguised rows in all
	seed  uint64 // of the source of chance
	kinds []disguise.Kind
	batch int       // rows judged at once; 0 is 10,000
	out   io.Writer // progress, nil for none
	eval  eval.Options
}

// passed is a disguised row that was allowed.
type passed struct {
	id, command, reason string
	kinds               []string
}

// tally is what became of the disguised rows.
type tally struct {
	rows     int
	seeds    int
	kinds    map[string]int // how often each was put on
	depth    [maxDepth + 1]int
	allowed  []passed
	failed   int
	denied   int // of rows whose seed is denied as it stands
	deniable int
}

// run disguises the seeds in turn and judges them.
func run(list []seeds, o options) (tally, error) {
	t := tally{kinds: map[string]int{}}
	r := rand.New(rand.NewPCG(o.seed, 0))
	for _, s := range list {
		t.seeds += len(s.file.Rows)
	}
	if t.seeds == 0 {
		return t, fmt.Errorf("there is nothing to disguise")
	}
	batch := o.batch
	if batch == 0 {
		batch = 10_000
	}
	for t.rows < o.rows {
		n := min(batch, o.rows-t.rows)
		for i := range list {
			if err := t.try(r, &list[i], max(1, n*len(list[i].file.Rows)/t.seeds), o); err != nil {
				return t, err
			}
		}
		if o.out != nil {
			fmt.Fprintf(o.out, "%d of %d rows, %d allowed\n", t.rows, o.rows, len(t.allowed))
		}
	}
	return t, nil
}

// try judges n disguised rows of one file. Seeds and kinds take turns, so that
// in the end each seed has stood under each kind; what is stacked on top is
// left to chance.
func (t *tally) try(r *rand.Rand, s *seeds, n int, o options) error {
	if len(s.file.Rows) == 0 {
		return nil
	}
	f := eval.File{Name: s.file.Name, Own: s.file.Own}
	var names [][]string
	var from []int
	for range n {
		i := s.turn % len(s.file.Rows)
		row := s.file.Rows[i]
		text, put := disguised(r, o.kinds, commandOf(&row), (s.turn+s.turn/len(s.file.Rows))%len(o.kinds))
		s.turn++
		row.Input = inputOf(text)
		f.Rows, names, from = append(f.Rows, row), append(names, put), append(from, i)
	}
	judged, err := judge(f, o.eval)
	if err != nil {
		return err
	}
	for i, j := range judged {
		t.count(j, names[i], s.plain[from[i]])
	}
	return nil
}

// disguised puts one kind on and at most two more.
func disguised(r *rand.Rand, kinds []disguise.Kind, command string, first int) (text string, names []string) {
	depth := 1 + r.IntN(maxDepth)
	if next, ok := kinds[first].Apply(r, command); ok {
		command, names = next, []string{kinds[first].Name}
	}
	text, more := disguise.Stack(r, kinds, command, depth-len(names))
	return text, append(names, more...)
}

func (t *tally) count(j eval.Judged, names []string, plain eval.Outcome) {
	t.rows++
	t.depth[len(names)]++
	for _, name := range names {
		t.kinds[name]++
	}
	a := j.Answers[0]
	if a.Failed {
		t.failed++
	}
	if plain == eval.Denied {
		t.deniable++
		if a.Outcome == eval.Denied {
			t.denied++
		}
	}
	if a.Outcome == eval.Allowed {
		t.allowed = append(t.allowed, passed{j.Row.ID, commandOf(j.Row), a.Reason, names})
	}
}

func judge(f eval.File, o eval.Options) ([]eval.Judged, error) {
	o.Sets = rules()
	return eval.Judge(context.Background(), []eval.File{f}, o)
}

// print writes what was counted.
func (t tally) print(w io.Writer) {
	fmt.Fprintf(w, "%d seeds, %d disguised rows, %d kinds of disguise\n", t.seeds, t.rows, len(t.kinds))
	fmt.Fprintf(w, "stacked: %d once, %d twice, %d three times\n", t.depth[1], t.depth[2], t.depth[3])
	for _, name := range slices.Sorted(maps.Keys(t.kinds)) {
		fmt.Fprintf(w, "  %-22s %7d\n", name, t.kinds[name])
	}
	if t.deniable > 0 {
		fmt.Fprintf(w, "denied as they stand: %d, still denied: %.1f %% (the others go to a model or a person)\n",
			t.deniable, 100*float64(t.denied)/float64(t.deniable))
	}
	for _, p := range t.allowed {
		fmt.Fprintf(w, "ALLOWED %s by %s: %q: %s\n", p.id, strings.Join(p.kinds, ", "), p.command, p.reason)
	}
	fmt.Fprintf(w, "failed inside: %d\nallowed: %d\n", t.failed, len(t.allowed))
}
