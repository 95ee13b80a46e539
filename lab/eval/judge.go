package main

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/corpus"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

// Outcome is what became of a row.
type Outcome string

const (
	Open    Outcome = "open" // left to a model or a person
	Denied  Outcome = "deny"
	Allowed Outcome = "allow"
)

// Judged is a row and what the gate made of it.
type Judged struct {
	Row     *Row
	Outcome Outcome
	Layer   nod.Layer // LayerNone where the row is open
	Reason  string    // one line, escaped
	// Failed says that nod itself failed, or that the agent's adapter refuses the payload. The row is open.
	Failed bool
	// Confined says that an open row may run behind nod's boundary.
	Confined bool
}

// Options say how rows are judged, under nod's own rules.
type Options struct {
	// Agent leaves out the rows of all other agents; "" keeps all.
	Agent string
	// Confine says which of the open rows may run behind nod's boundary, and that
	// what a row takes away is kept before it, as the hook does.
	Confine bool
}

// Judge answers for every row, in the order of the files. The error is ctx's,
// or a rule in a header that cannot be used.
func Judge(ctx context.Context, files []File, o Options) ([]Judged, error) {
	var all []Judged
	var list []*group
	own := corpus.World()
	for i := range files {
		rules, err := files[i].rules(nod.DefaultRules())
		if err != nil {
			return nil, err
		}
		from := len(all)
		for j := range files[i].Rows {
			if r := &files[i].Rows[j]; o.Agent == "" || r.Agent == o.Agent {
				all = append(all, Judged{Row: r, Outcome: Open})
			}
		}
		for _, rows := range groups(all, from) {
			g := &group{rows: rows, session: all[rows[0]].Row.Session, rules: rules, options: o,
				gates: map[string]*nod.Gate{}}
			if files[i].Own != nil {
				g.own = own
			}
			list = append(list, g)
		}
	}
	// The longest first, so that no core is left alone with one at the end.
	slices.SortStableFunc(list, func(a, b *group) int { return len(b.rows) - len(a.rows) })
	return all, inParallel(ctx, len(list), func(i int) {
		list[i].world = newWorld()
		for _, row := range list[i].rows {
			list[i].row(ctx, &all[row])
		}
		list[i] = nil
	})
}

// rules adds those of a header of nod's own corpus.
func (f *File) rules(base nod.Rules) (nod.Rules, error) {
	if f.Own == nil {
		return base, nil
	}
	for _, l := range []struct {
		list nod.RuleList
		text []string
		into *[]nod.Rule
	}{
		{nod.ListAllow, f.Own.Rules.Allow, &base.Allow},
		{nod.ListSoftDeny, f.Own.Rules.SoftDeny, &base.SoftDeny},
		{nod.ListHardDeny, f.Own.Rules.HardDeny, &base.HardDeny},
	} {
		*l.into = slices.Clone(*l.into)
		for _, text := range l.text {
			r, err := nod.ParseRule(l.list, text, f.Name+":1")
			if err != nil {
				return base, fmt.Errorf("%s:1: %w", f.Name, err)
			}
			*l.into = append(*l.into, r)
		}
	}
	base.Hosts = slices.Concat(base.Hosts, f.Own.Rules.Hosts)
	return base, nil
}

// groups splits the rows of a file, from an index on, into what must be judged
// one after the other: the rows of a session, and some of those without one.
func groups(all []Judged, from int) [][]int {
	const some = 128
	var list [][]int
	at := map[string]int{}
	for i := from; i < len(all); i++ {
		session := all[i].Row.Session
		g, ok := at[session]
		if !ok || session == "" && len(list[g]) >= some {
			g = len(list)
			at[session], list = g, append(list, nil)
		}
		list[g] = append(list[g], i)
	}
	return list
}

// inParallel calls do for 0 to n-1, on all cores, until ctx ends.
func inParallel(ctx context.Context, n int, do func(i int)) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// group is rows that are judged one after the other, in one world.
type group struct {
	rows    []int
	session string // of all rows; "" means none
	rules   nod.Rules
	own     *view.Memory // the machine of nod's own corpus; nil: another file's rows
	options Options
	world   *world
	gates   map[string]*nod.Gate // by directory
}

func (g *group) row(ctx context.Context, j *Judged) {
	call, err := callOf(j.Row, g.own != nil)
	if err != nil {
		j.Reason, j.Failed = "the adapter refuses the payload: "+printable.Line(err.Error(), 200), true
		return
	}
	g.world.enter(call.Dir)
	j.take(g.gate(call.Dir).Check(ctx, call))
	if j.Row.Session != "" && g.own == nil {
		remember(j.Row, call, g.world)
	}
}

// take reads a decision.
func (j *Judged) take(d nod.Decision) {
	j.Reason = d.Reason
	switch {
	case d.Err != nil:
		j.Failed = d.Err.Kind != fault.NoModel
	case d.Instead != "":
		j.Confined = true
	case d.Layer == nod.LayerNone || d.Verdict == nod.Ask:
	case d.Verdict == nod.Allow:
		j.Outcome, j.Layer = Allowed, d.Layer
	default:
		j.Outcome, j.Layer = Denied, d.Layer
	}
}

// kept claims to keep everything that a row would take away: nothing is run.
type kept struct{}

func (kept) Keep(string, nod.Call, []string, []nod.KeptCommit) error { return nil }

func (g *group) gate(dir string) *nod.Gate {
	if g.gates[dir] != nil {
		return g.gates[dir]
	}
	files, home, self := view.Files(g.world), HomeOf(dir), []string{"/usr/bin/nod", "/usr/bin/nod-hook"}
	if g.own != nil {
		files, home, self = g.own, corpus.Home, []string{corpus.Nod, corpus.Hook}
	}
	places := config.DefaultPlaces(home)
	self = append(self, places.Managed, path.Dir(places.Managed), path.Dir(places.User), places.User, places.State)
	o := nod.Options{Rules: g.rules, Files: files, Home: home, Self: self}
	if g.session != "" && g.own == nil {
		o.Memory = g.world
	}
	if g.options.Confine {
		o.Confine, o.Keeper = func() string { return self[0] }, kept{}
	}
	g.gates[dir] = nod.New(o)
	return g.gates[dir]
}

// What a session would know of the time before a row.
var _ nod.Witness = (*world)(nil)

// Standing implements [nod.Memory].
func (w *world) Standing(d nod.Evidence) nod.Standing {
	if w.Wrote(d.Path) {
		return nod.Changed
	}
	return nod.Untouched
}

// Wrote implements [nod.Witness].
func (w *world) Wrote(name string) bool {
	_, wrote := w.wrote[name]
	info, err := w.Lstat(name)
	return wrote && err == nil && info.Mode.IsRegular()
}

// History and Blocked implement [nod.Witness].
func (*world) History() []string { return nil }
func (*world) Blocked() []string { return nil }
