package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// witnessing is one run over generated shell programs.
type witnessing struct {
	n, seed       uint64
	workers, most int
	text          string
	given         []string // texts of another generator; nil: they are made here
	second        bool     // lay readings beside each other, run nothing
	files         bool     // run lines of file commands

	texts         []string          // of the data on programs; nil: those are not run
	probes        []probe           // what texts ask of a program; nil: texts are run for what they do
	helpers       map[string]uint64 // what programs start that no sheet speaks of
	out, progress io.Writer

	next  atomic.Uint64
	mu    sync.Mutex
	count figures
}

// figures are what a run is summed up in.
type figures struct {
	generated, allowed, violations uint64

	runs, stopped, lost map[string]uint64 // by shell
	started, changed    uint64
	skipped             map[string]uint64 // by reason
}

func newFigures() figures {
	return figures{runs: map[string]uint64{}, stopped: map[string]uint64{}, lost: map[string]uint64{},
		skipped: map[string]uint64{}}
}

func (w *witnessing) stageAndRun() error { return w.onStage(w.run) }

// onStage prepares a stage for what is run; without a namespace nothing is.
func (w *witnessing) onStage(run func(s *stage) error) error {
	dir, err := os.MkdirTemp("", "nod-witness-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := newStage(dir)
	if errors.Is(err, errNoNamespace) {
		fmt.Fprintf(w.out, "skipped, nothing was run: %v\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	return run(s)
}

// run spreads the texts over the workers and sums up.
func (w *witnessing) run(s *stage) (err error) {
	w.count = newFigures()
	if w.texts != nil { // programs run over the plain repository, with a trap in it
		if s, err = s.over(trapped()); err != nil {
			return err
		}
	}
	for _, name := range shellsTried() {
		if s.shells[name] == "" {
			fmt.Fprintf(w.out, "skipped: %s is not installed (Debian: %s), so nothing is shown of it\n", name, name)
		}
	}
	stop := w.report()
	defer w.untilInterrupted()()
	errs := make(chan error, w.workers)
	for range w.workers {
		go func() { errs <- w.work(s) }()
	}
	var all error
	for range w.workers {
		all = errors.Join(all, <-errs)
	}
	stop()
	fmt.Fprint(w.out, w.count.String())
	if all == nil && w.count.violations > 0 {
		all = errFound
	}
	return all
}

// untilInterrupted lets an interrupt end the run after the texts that are under
// way, so that nothing is left behind and the figures are printed.
func (w *witnessing) untilInterrupted() (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for range signals {
			w.next.Store(w.n)
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}

// report writes a line of progress now and then. When stop returns, nothing more
// is written.
func (w *witnessing) report() (stop func()) {
	done, start := make(chan struct{}), time.Now()
	var reporting sync.WaitGroup
	reporting.Go(func() {
		tick := time.NewTicker(5 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				w.mu.Lock()
				fmt.Fprintf(w.progress, "%d of %d generated, %d allowed, %d violations, %.0f a second\n",
					w.count.generated, w.n, w.count.allowed, w.count.violations,
					float64(w.count.generated)/time.Since(start).Seconds())
				w.mu.Unlock()
			}
		}
	})
	return func() {
		close(done)
		reporting.Wait()
	}
}

// work takes texts until there are no more: lines over files as many at once as
// share a repository.
func (w *witnessing) work(s *stage) error {
	g := &ground{stage: s, worlds: newWorlds()}
	defer g.leave()
	size := uint64(1)
	if w.files {
		size = perWorld
	}
	for from := w.next.Add(size) - size; from < w.n; from = w.next.Add(size) - size {
		for i := from; i < min(from+size, w.n); i++ {
			if err := w.tryOn(g, w.seed+i); err != nil {
				return err
			}
		}
	}
	return nil
}

// tryOn looks at the text of a number.
func (w *witnessing) tryOn(g *ground, seed uint64) error {
	text, do := w.textOf(seed), w.part()
	for tries := 1; ; tries++ {
		err := g.ready(w.files, seed)
		if err != nil {
			return err
		}
		if err = do(g.stage, g.bed, g.worlds, seed, text); err == nil {
			return nil
		}
		// A bed that broke is of no use, and its text has shown nothing.
		g.close()
		if tries == mostTries {
			return fmt.Errorf("seed %d: %q breaks the namespace each time: %w", seed, text, err)
		}
	}
}

// part is what is looked at.
func (w *witnessing) part() func(s *stage, b *bed, worlds *worlds, seed uint64, text string) error {
	switch {
	case w.second:
		return w.readTwice
	case w.probes != nil:
		return w.oneProbe
	case w.texts != nil:
		return w.oneTrial
	case w.files:
		return w.oneLine
	}
	return w.one
}

// ground is what a worker runs its texts on.
type ground struct {
	stage  *stage
	bed    *bed
	worlds *worlds
	number uint64 // of the repository, where the stage has one of its own
	own    bool
}

// ready sees to it that there is a bed, for a line over files one with the
// repository of the line's number.
func (g *ground) ready(files bool, seed uint64) (err error) {
	if number := numberOfWorld(seed); files && (!g.own || g.number != number) {
		g.leave()
		made, err := g.stage.over(turnsOf(number))
		if err != nil {
			return err
		}
		g.stage, g.number, g.own, g.worlds = made, number, true, newWorlds()
	}
	if g.bed == nil {
		g.bed, err = g.stage.open()
	}
	return err
}

// close ends the bed.
func (g *ground) close() {
	if g.bed != nil {
		g.bed.close()
		g.bed = nil
	}
}

// leave ends the bed and removes the repository that is the worker's own.
func (g *ground) leave() {
	g.close()
	if g.own {
		_ = os.RemoveAll(g.stage.lines) // lies in the stage's directory, which is removed at the end
		g.own = false
	}
}

// textOf is the text of a number: what was given comes before what is made.
func (w *witnessing) textOf(seed uint64) string {
	switch {
	case w.text != "":
		return w.text
	case w.given != nil:
		return w.given[seed]
	case w.texts != nil:
		return w.texts[seed-1] // their numbers begin at 1, as -seed does
	case w.files:
		return line(seed)
	}
	return generate(seed)
}

// mostTries is how often a text is tried that breaks its namespace.
const mostTries = 3

func (w *witnessing) skip(reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count.skipped[reason]++
}

// variants is how many worlds there are.
const variants = 16

// one asks about a text, and runs it where it is allowed.
func (w *witnessing) one(s *stage, b *bed, worlds *worlds, seed uint64, text string) error {
	world := worlds.of(seed % variants)
	allowed := false
	byShell := map[string][]nod.Dialect{}
	for _, d := range []nod.Dialect{nod.Unstated, nod.Bash, nod.Posix, nod.Zsh, nod.Interp} {
		if w.ask(world, seed, text, d).Verdict != nod.Allow {
			continue
		}
		allowed = true
		for _, name := range shellsOf(d) {
			byShell[name] = append(byShell[name], d)
		}
	}
	results := map[string]ran{}
	for name := range byShell {
		if s.shells[name] == "" {
			w.skip(name + " is not installed")
			continue
		}
		if pipesByName(name, text) {
			w.skip("<( ) in the interpreter of Crush")
			continue
		}
		var err error
		if results[name], err = b.run(job{Shell: name, Text: text, Variant: seed % variants,
			Seed: seed, Output: true}); err != nil {
			return err
		}
	}
	w.generated(allowed)
	for name, r := range results {
		w.book(world, seed, text, name, byShell[name], r)
	}
	return nil
}

// generated counts a text that was asked about, once all of it has run.
func (w *witnessing) generated(allowed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count.generated++
	if allowed {
		w.count.allowed++
	}
}

// shellsOf names the shells that a dialect speaks of.
func shellsOf(d nod.Dialect) []string {
	switch d {
	case nod.Bash:
		return []string{"bash"}
	case nod.Zsh:
		return []string{"zsh"}
	case nod.Posix:
		return []string{"dash"}
	case nod.Interp:
		return []string{interpName}
	}
	return []string{"bash", "zsh"}
}

// shellsTried are the shells that texts run in.
func shellsTried() []string { return []string{"bash", "zsh", "dash", interpName} }

// book compares and counts.
func (w *witnessing) book(world *world, seed uint64, text, name string, dialects []nod.Dialect, r ran) {
	var found []string
	for _, d := range dialects {
		for _, v := range against(world.analyze(text, d), world.files, r) {
			found = append(found, fmt.Sprintf("%s, read as %s: %s: %s", name, dialectName(d), v.Kind, v.What))
		}
	}
	if line := refused(r.Output); line != "" && !r.Stopped {
		found = append(found, name+" cannot read it: "+line)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c := &w.count
	c.runs[name]++
	c.started += uint64(len(r.Started))
	c.changed += uint64(len(r.Changed))
	if r.Stopped {
		c.stopped[name]++
	}
	if r.Lost {
		c.lost[name]++
	}
	if len(found) > 0 {
		w.violated(seed, text, strings.Join(slices.Compact(found), "\n\t")+
			"\n\tsaid: "+said(world.analyze(text, dialects[0])))
	}
}

// violated counts a violation, and prints it unless there were many. The caller
// holds mu.
func (w *witnessing) violated(seed uint64, text, what string) {
	if w.count.violations++; w.count.violations <= uint64(w.most) {
		fmt.Fprintf(w.out, "VIOLATION seed %d: %q\n\t%s\n", seed, text, what)
	}
}

// ask asks about a text. That nod fails inside is a violation too: it denies
// then, and nobody knows what it would have said.
func (w *witnessing) ask(world *world, seed uint64, text string, dialect nod.Dialect) nod.Decision {
	d := world.check(text, dialect)
	if d.Err != nil && d.Err.Kind == fault.Internal {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.violated(seed, text, "nod failed inside: "+d.Err.Error())
	}
	return d
}

// said is what a report claims, in short.
func said(report shell.Report) string {
	var list []string
	for _, c := range report.Commands {
		var words []string
		for _, w := range c.Words {
			switch {
			case !w.Known:
				words = append(words, "?")
			case w.Pattern:
				words = append(words, "glob:"+w.Value)
			default:
				words = append(words, fmt.Sprintf("%q", w.Value))
			}
		}
		list = append(list, strings.Join(append(slices.Clone(c.Wrappers), words...), " "))
	}
	for _, e := range report.Effects {
		if e.Kind == shell.Write || e.Kind == shell.Delete {
			list = append(list, map[shell.Kind]string{shell.Write: "write ",
				shell.Delete: "delete "}[e.Kind]+e.Target)
		}
	}
	return strings.Join(list, "; ")
}

func dialectName(d nod.Dialect) string {
	return map[nod.Dialect]string{nod.Unstated: "unstated", nod.Bash: "bash", nod.Posix: "posix", nod.Zsh: "zsh",
		nod.Interp: interpName}[d]
}

// String is the summary of a run.
func (f *figures) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d generated, %d allowed (%.1f %%), %d violations\n", f.generated, f.allowed,
		100*float64(f.allowed)/float64(max(f.generated, 1)), f.violations)
	for _, name := range shellsTried() {
		fmt.Fprintf(&b, "%s: %d run, %d of them stopped after %s, %d with a program that was not written down\n",
			name, f.runs[name], f.stopped[name], patience, f.lost[name])
	}
	fmt.Fprintf(&b, "%d programs started, %d names changed\n", f.started, f.changed)
	reasons := make([]string, 0, len(f.skipped))
	for reason := range f.skipped {
		reasons = append(reasons, reason)
	}
	slices.Sort(reasons)
	for _, reason := range reasons {
		fmt.Fprintf(&b, "skipped %d: %s\n", f.skipped[reason], reason)
	}
	return b.String()
}

// world is what nod sees of a world, and the gate over it.
type world struct {
	variant uint64
	files   view.Files
	gate    *nod.Gate
}

// worlds are made when they are asked for.
type worlds struct {
	list  map[uint64]*world
	lines *world
}

func newWorlds() *worlds { return &worlds{list: map[uint64]*world{}} }

func (w *worlds) of(variant uint64) *world {
	if w.list[variant] == nil {
		files := viewOf(worldOf(variant))
		w.list[variant] = &world{variant, files, nod.New(nod.Options{Rules: nod.DefaultRules(), Files: files,
			Home: home, UnrecordedRuns: true})}
	}
	return w.list[variant]
}

func (w *world) check(text string, d nod.Dialect) nod.Decision {
	return w.gate.Check(context.Background(), nod.Call{
		Agent: "witness", Tool: "bash", RawTool: "Bash", Command: text, Dialect: d, Dir: project,
		Roots: []string{project}, Environ: environ(w.variant),
	})
}

// analyze asks for the facts as the gate does.
func (w *world) analyze(text string, d nod.Dialect) shell.Report {
	values := map[string]string{}
	var names []string
	for _, kv := range environ(w.variant) {
		name, value, _ := strings.Cut(kv, "=")
		values[name], names = value, append(names, name)
	}
	return shell.Analyze(text, shell.Env{
		Dialect: d, Dir: project, Home: home, Roots: []string{project}, Files: w.files, Ambient: names,
		Lookup: func(name string) (string, bool) { v, ok := values[name]; return v, ok },
	})
}
