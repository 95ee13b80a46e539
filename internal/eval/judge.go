package eval

import (
	"context"
	"path"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/corpus"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// RuleSet is one set of rules to judge by.
type RuleSet struct {
	Name  string
	Rules nod.Rules

	model   nod.Model
	profile nod.Profile
}

// Outcome is what became of a row. The zero value is [Open].
type Outcome uint8

const (
	Open    Outcome = iota // left to a model or a person
	Denied                 // by layers 0 to 3, or by the model that was asked
	Allowed                // the same
)

// String returns "open", "deny" or "allow".
func (o Outcome) String() string {
	switch o {
	case Allowed:
		return "allow"
	case Denied:
		return "deny"
	}
	return "open"
}

// MarshalText implements encoding.TextMarshaler.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Answer is what one rule set made of a row.
type Answer struct {
	Outcome Outcome
	Layer   nod.Layer // LayerNone where the row is open
	Reason  string    // one line, escaped
	Latency time.Duration
	// Failed says that nod itself failed, or that the agent's adapter refuses
	// the payload. The row is open.
	Failed bool
	// Asked says that a model was asked, Unanswered why it gave no answer ("" if
	// it did). Cost and Usage are of that question.
	Asked bool
	// Confined says that the row is open but for code that was not read, so that
	// it may run behind nod's boundary.
	Confined bool
	// Outside says that an open row needs what no boundary holds: the network,
	// or to change something outside of the workspace.
	Outside    bool
	Unanswered string
	Cost       float64
	Usage      nod.Usage
}

// Judged is one row with an answer for each rule set.
type Judged struct {
	Row     *Row
	Answers []Answer
	// Facts are what rules are learned from. nil unless [JudgeHalves] or
	// [ProposeFor] asked, and of settled rows.
	Facts *Facts
}

// Facts are what an open row does.
type Facts struct {
	Tool   string // canonical
	Report shell.Report
}

// Options say what is judged and how.
type Options struct {
	Sets []RuleSet // at least one
	// Agent leaves out the rows of all other agents; "" keeps all.
	Agent string
	// Models answer the rows that stay open, one for each set; nil asks none.
	// Profile says what they are shown.
	Models  []nod.Model
	Profile nod.Profile
	// Without leaves out the rows whose command runs one of these programs.
	Without []string
	// Confine says which of the open rows may run behind nod's boundary.
	Confine bool
	// Keeps says that what a row takes away is kept before it, as the hook does. Confine
	// says so too. False: rows are judged by what could be restored without.
	Keeps bool
	// Workers is how many rows are judged at once; 0 is one for each core.
	Workers int
	// Done is called now and then with the number of rows judged since the
	// last call, from several goroutines. nil: nobody asks.
	Done func(rows int)

	keep bool
}

// Judge answers for every row, in the order of the files. The error is ctx's,
// or a rule in a header that cannot be used.
func Judge(ctx context.Context, files []File, o Options) ([]Judged, error) {
	var all []Judged
	var list []group
	shared := newWorlds()
	for i := range files {
		f := &files[i]
		sets, err := f.sets(o.asked())
		if err != nil {
			return nil, err
		}
		from := len(all)
		for j := range f.Rows {
			if r := &f.Rows[j]; o.takes(r) {
				all = append(all, Judged{Row: r, Answers: make([]Answer, len(sets))})
			}
		}
		for _, rows := range groups(all, from) {
			list = append(list, group{rows: rows, session: all[rows[0]].Row.Session, sets: sets, own: f.Own != nil,
				keep: o.keep, confine: o.Confine, keeps: o.Keeps || o.Confine, worlds: shared,
				gates: map[string][]*nod.Gate{}, made: newMade()})
		}
	}
	return all, o.work(ctx, all, list)
}

// asked are the sets with the models that answer their open rows.
func (o Options) asked() []RuleSet {
	sets := slices.Clone(o.Sets)
	for i := range sets {
		if sets[i].profile = o.Profile; i < len(o.Models) {
			sets[i].model = o.Models[i]
		}
	}
	return sets
}

// sets adds the rules of a header of nod's own corpus.
func (f *File) sets(sets []RuleSet) ([]RuleSet, error) {
	if f.Own == nil {
		return sets, nil
	}
	var grown []RuleSet
	for _, s := range sets {
		for _, l := range []struct {
			list nod.RuleList
			text []string
			into *[]nod.Rule
		}{
			{nod.ListAllow, f.Own.Rules.Allow, &s.Rules.Allow},
			{nod.ListSoftDeny, f.Own.Rules.SoftDeny, &s.Rules.SoftDeny},
			{nod.ListHardDeny, f.Own.Rules.HardDeny, &s.Rules.HardDeny},
		} {
			for _, text := range l.text {
				r, err := nod.ParseRule(l.list, text, f.Name+":1")
				if err != nil {
					return nil, &RuleError{f.Name, err}
				}
				*l.into = append((*l.into)[:len(*l.into):len(*l.into)], r)
			}
		}
		s.Rules.Hosts = append(s.Rules.Hosts[:len(s.Rules.Hosts):len(s.Rules.Hosts)], f.Own.Rules.Hosts...)
		grown = append(grown, s)
	}
	return grown, nil
}

// RuleError is a rule in the header of a corpus file that cannot be used.
type RuleError struct {
	File string
	Err  error
}

// Error begins with FILE:LINE.
func (e *RuleError) Error() string { return e.File + ":1: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *RuleError) Unwrap() error { return e.Err }

// groups splits the rows of a file, from an index on, into what must be judged
// one after the other: the rows of a session, and some of those without one.
func groups(all []Judged, from int) [][]int {
	const some = 128
	var list [][]int
	at := map[string]int{}
	for i := from; i < len(all); i++ {
		session := all[i].Row.Session
		g, ok := at[session]
		if all[i].Row.alone() {
			list = append(list, []int{i})
			continue
		}
		if !ok || session == "" && len(list[g]) >= some {
			g = len(list)
			at[session], list = g, append(list, nil)
		}
		list[g] = append(list[g], i)
	}
	return list
}

// work hands the groups to the workers.
func (o Options) work(ctx context.Context, all []Judged, list []group) error {
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	// The longest first, so that no worker is left alone with one at the end.
	slices.SortStableFunc(list, func(a, b group) int { return len(b.rows) - len(a.rows) })
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, len(list)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				list[i].judge(ctx, all, o.Done)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// group is rows that are judged one after the other, in one world.
type group struct {
	rows []int
	sets []RuleSet
	own  bool
	keep bool
	// confine says that the gates offer nod's boundary.
	confine, keeps bool
	worlds         *worlds
	made           *made
	gates          map[string][]*nod.Gate // by directory, one for each set
	alone          *Row                   // the only row, if it has a world of its own

	session string // of all rows; "" is none
}

func (g *group) judge(ctx context.Context, all []Judged, done func(int)) {
	const often = 512
	for n, i := range g.rows {
		if ctx.Err() != nil {
			return
		}
		g.row(ctx, &all[i])
		if done != nil && (n%often == often-1 || n == len(g.rows)-1) {
			done(n%often + 1)
		}
	}
	g.gates, g.made = nil, nil
}

func (g *group) row(ctx context.Context, j *Judged) {
	call, err := callOf(j.Row, g.own)
	if err != nil {
		for i := range j.Answers {
			j.Answers[i] = Answer{Reason: "the adapter refuses the payload: " + printable.Line(err.Error(), 200),
				Failed: true}
		}
		return
	}
	call.Transcript, call.Opening = said(j.Row), nil
	if j.Row.alone() {
		g.alone, g.gates = j.Row, map[string][]*nod.Gate{}
		j.Row.relive(g.world(call.Dir), g.gate(RuleSet{Rules: g.sets[0].Rules}, call.Dir))
	}
	came := ""
	for i, gate := range g.gatesFor(call.Dir) {
		d := gate.Check(ctx, call)
		j.Answers[i] = answerOf(d)
		came = d.Foreign
		if a := &j.Answers[i]; g.confine && a.Outcome == Open && !a.Confined {
			a.Outside = needsOutside(analyze(call, g.world(call.Dir)))
		}
	}
	if g.keep && !g.own && j.Answers[0].Outcome == Open {
		j.Facts = &Facts{Tool: call.Tool}
		if call.Command != "" {
			j.Facts.Report = analyze(call, g.world(call.Dir))
		}
	}
	if j.Row.Session != "" && !g.own {
		remember(j.Row, call, g.world(call.Dir))
		g.made.came(came, j.Row.Outcome)
	}
}

// needsOutside reports whether a line needs the network, or to change something
// outside of the workspace.
func needsOutside(r shell.Report) bool {
	return slices.ContainsFunc(r.Effects, func(e shell.Effect) bool {
		switch e.Kind {
		case shell.Fetch, shell.Send, shell.Remote:
			return true
		case shell.Write, shell.Delete:
			return e.Place != shell.Workspace && e.Place != shell.Null
		}
		return false
	})
}

// answerOf reads a decision.
func answerOf(d nod.Decision) Answer {
	a := Answer{Reason: d.Reason, Latency: d.Latency}
	if a.Asked = d.Layer == nod.LayerModel; a.Asked {
		a.Cost = d.Cost
	}
	if d.Classification != nil {
		a.Usage = d.Classification.Usage
	}
	if a.Asked && d.Err != nil {
		a.Unanswered = string(d.Err.Kind)
	}
	switch {
	case d.Err != nil:
		a.Failed = d.Err.Kind != fault.NoModel
		return a
	case d.Instead != "":
		a.Confined = true
		return a
	case d.Layer == nod.LayerNone || d.Verdict == nod.Ask:
		return a
	case d.Verdict == nod.Allow:
		a.Outcome = Allowed
	default:
		a.Outcome = Denied
	}
	a.Layer = d.Layer
	return a
}

func (g *group) gatesFor(dir string) []*nod.Gate {
	if gates, ok := g.gates[dir]; ok {
		return gates
	}
	var gates []*nod.Gate
	for _, s := range g.sets {
		gates = append(gates, g.gate(s, dir))
	}
	g.gates[dir] = gates
	return gates
}

// world is what the group's rows find in a directory.
func (g *group) world(dir string) world {
	w := g.worlds.at(dir, g.made)
	if g.alone != nil {
		w.place = placePart(dir, g.worlds.git)
		g.alone.lay(w.place, g.made, path.Clean(dir))
	}
	return w
}

// memory is what is known of the group's session; nil where a row says nothing
// of it.
func (g *group) memory() nod.Memory {
	switch {
	case g.alone != nil:
		return memory{g.made, g.alone.Turns}
	case g.session != "" && !g.own:
		return memory{g.made, nil}
	}
	return nil
}

// modelTime bounds one question. There is no host that waits.
const modelTime = 10 * time.Minute

// kept keeps whatever a row would take away: nothing is run.
type kept struct{}

func (kept) Keep(string, nod.Call, []nod.KeptFile, []nod.KeptCommit) error { return nil }

func (g *group) gate(s RuleSet, dir string) *nod.Gate {
	var files view.Files = g.world(dir)
	home := HomeOf(dir)
	self := []string{"/usr/bin/nod", "/usr/bin/nod-hook"}
	if g.own {
		files, home = g.worlds.own, corpus.Home
		self = []string{corpus.Nod, corpus.Hook}
	}
	places := config.DefaultPlaces(home)
	self = append(self, places.Managed, path.Dir(places.Managed), path.Dir(places.User), places.User, places.State)
	o := nod.Options{Rules: s.Rules, Files: files, Home: home, Self: self, Model: s.model, Profile: s.profile,
		Timeout: modelTime, Memory: g.memory()}
	if g.confine {
		o.Confine, o.ConfineAll = func() string { return self[0] }, true
	}
	if g.keeps {
		o.Keeper = kept{}
	}
	return nod.New(o)
}
