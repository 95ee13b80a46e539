package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// witnessing is one run over generated texts.
type witnessing struct {
	n, seed uint64
	workers int
	text    string // the user's, in place of generated texts
	files   bool   // lines over files, not shell programs
	grammar grammar
	out     io.Writer

	next  atomic.Uint64
	mu    sync.Mutex
	count figures
}

// figures are what a run is summed up in.
type figures struct {
	generated, allowed, violations, stopped, started, changed int

	runs map[string]int // by shell
}

// shellsTried are the shells that texts run in.
func shellsTried() []string { return []string{"bash", "zsh", "dash"} }

// run spreads the texts over the workers and sums up. An interrupt ends it after the texts that are under way.
func (w *witnessing) run(ctx context.Context, s *stage) (err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	name := "shells"
	if w.files {
		name = "lines"
	}
	if w.grammar, err = readGrammar(name); err != nil {
		return err
	}
	w.count.runs = map[string]int{}
	for _, name := range shellsTried() {
		if s.shells[name] == "" {
			fmt.Fprintf(w.out, "skipped: %s is not installed (Debian: %s), so nothing is shown of it\n", name, name)
		}
	}
	errs := make(chan error, w.workers)
	for range w.workers {
		go func() { errs <- w.work(ctx, s) }()
	}
	for range w.workers {
		err = errors.Join(err, <-errs)
	}
	fmt.Fprint(w.out, w.count.String())
	if err == nil && w.count.violations > 0 {
		err = errFound
	}
	return err
}

// work takes stretches of texts until there are no more.
func (w *witnessing) work(ctx context.Context, s *stage) error {
	for ctx.Err() == nil {
		number := w.seed/perWorld + w.next.Add(1) - 1
		from, to := max(w.seed, number*perWorld), min(w.seed+w.n, (number+1)*perWorld)
		if from >= to {
			return nil
		}
		if err := w.stretch(s, number, from, to); err != nil {
			return err
		}
	}
	return nil
}

const mostTries = 3 // how often a text is tried that breaks its namespace

// stretch looks at the texts of some numbers in a namespace, lines over files in the repository of the stretch.
func (w *witnessing) stretch(s *stage, number, from, to uint64) (err error) {
	if w.files {
		turns, err := turnsOf(number)
		if err != nil {
			return err
		}
		if s, err = s.over(turns); err != nil {
			return err
		}
		defer os.RemoveAll(s.lines)
	}
	var b *bed
	worlds := worlds{}
	for seed, tries := from, 1; seed < to; {
		if b == nil {
			if b, err = s.open(); err != nil {
				return err
			}
		}
		switch err := w.one(s, b, worlds, seed, w.textOf(seed)); {
		case err == nil:
			seed, tries = seed+1, 1
			continue
		case tries == mostTries:
			b.close()
			return fmt.Errorf("seed %d: %q breaks the namespace each time: %w", seed, w.textOf(seed), err)
		}
		b.close() // a broken namespace is of no use, and its text has shown nothing
		b, tries = nil, tries+1
	}
	b.close()
	return nil
}

// textOf is the text of a number.
func (w *witnessing) textOf(seed uint64) string {
	switch {
	case w.text != "":
		return w.text
	case w.files:
		return w.grammar.write("line", seed)
	}
	return w.grammar.program(seed)
}

// one asks about a text, and runs it where it is allowed.
func (w *witnessing) one(s *stage, b *bed, worlds worlds, seed uint64, text string) error {
	world, err := worlds.of(s, seed)
	if err != nil {
		return err
	}
	dialects := []nod.Dialect{nod.Unstated, nod.Bash, nod.Posix, nod.Zsh}
	if s.lines != "" {
		mostly := []nod.Dialect{nod.Bash, nod.Bash, nod.Bash, nod.Bash, nod.Zsh, nod.Posix}
		dialects = mostly[seed%6 : seed%6+1]
	}
	byShell := map[string][]nod.Dialect{}
	for _, d := range dialects {
		if w.ask(world, seed, text, d).Verdict == nod.Allow {
			for _, name := range shellsOf(d) {
				byShell[name] = append(byShell[name], d)
			}
		}
	}
	for name, allowed := range byShell {
		if s.shells[name] == "" {
			continue
		}
		r, err := b.run(job{Shell: name, Text: text, Line: s.lines != "", Variant: world.variant, Seed: seed})
		if err != nil {
			return err
		}
		var found []string // what happened and no reading speaks of
		for _, d := range allowed {
			found = append(found, against(world.analyze(text, d), world.files, r)...)
		}
		if line := refused(r.Output); line != "" && !r.Stopped {
			found = append(found, name+" cannot read it: "+line)
		}
		found = slices.Compact(found)
		if s.lines != "" && len(r.Harm) > 0 {
			found = append(slices.Compact(r.Harm), fmt.Sprintf("the repository: %q", s.turns))
		}
		w.book(seed, text, name, r, found)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count.generated++
	if len(byShell) > 0 {
		w.count.allowed++
	}
	return nil
}

// shellsOf names the shells that a dialect speaks of.
func shellsOf(d nod.Dialect) []string {
	return map[nod.Dialect][]string{nod.Unstated: {"bash", "zsh"}, nod.Bash: {"bash"}, nod.Posix: {"dash"},
		nod.Zsh: {"zsh"}}[d]
}

// refused is the line in which a shell says that it cannot read a text, "" where it said
// nothing of the kind: then it took the text apart in another way than nod.
func refused(output string) string {
	complaint := regexp.MustCompile(`(?m)^(?:(?:bash|dash|sh): |zsh:|\(eval\):|/shells/)(.*?)(?:[sS]yntax error|` +
		`parse error near|unexpected EOF|missing end of string|unmatched |bad substitution).*$`)
	for _, found := range complaint.FindAllStringSubmatch(output, -1) {
		if !strings.Contains(found[1], "[: ") && !strings.Contains(found[1], "test: ") { // of a program
			return found[0]
		}
	}
	return ""
}

// book counts a text that ran, and what was found in it.
func (w *witnessing) book(seed uint64, text, name string, r ran, found []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := &w.count
	c.runs[name]++
	c.started += len(r.Started)
	c.changed += len(r.Changed)
	if r.Stopped {
		c.stopped++
	}
	if len(found) > 0 {
		w.violated(seed, text, name+": "+strings.Join(found, "\n\t"))
	}
}

// violated counts a violation and prints it. The caller holds mu.
func (w *witnessing) violated(seed uint64, text, what string) {
	w.count.violations++
	fmt.Fprintf(w.out, "VIOLATION seed %d: %q\n\t%s\n", seed, text, what)
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

// String is the summary of a run.
func (f *figures) String() string {
	return fmt.Sprintf("%d generated, %d allowed (%.1f %%), %d violations\nruns by shell: %v, %d stopped after %s\n"+
		"%d programs started, %d names changed\n", f.generated, f.allowed,
		100*float64(f.allowed)/float64(max(f.generated, 1)), f.violations, f.runs, f.stopped, patience, f.started,
		f.changed)
}

// world is what nod sees of a world, and the gate over it.
type world struct {
	variant uint64
	files   view.Files
	gate    *nod.Gate
}

type worlds map[uint64]*world // made when they are asked for

const variants = 16 // how many worlds there are

// of is the world of a number; for the file lines, the world of their stage.
func (w worlds) of(s *stage, seed uint64) (_ *world, err error) {
	variant := seed % variants
	if s.lines != "" {
		variant = 0
	}
	if w[variant] != nil {
		return w[variant], nil
	}
	files := viewOf(worldOf(variant))
	if s.lines != "" {
		files, err = seenOf(s.lines)
	}
	w[variant] = &world{variant, files, nod.New(nod.Options{Rules: nod.DefaultRules(), Files: files, Home: home,
		Self: []string{home + "/.config/nod"}, UnrecordedRuns: true})}
	return w[variant], err
}

func (w *world) check(text string, d nod.Dialect) nod.Decision {
	return w.gate.Check(context.Background(), nod.Call{
		Agent: "witness", Tool: "bash", RawTool: "Bash", Command: text, Dialect: d, Dir: project,
		Roots: []string{project}, Environ: environ(w.variant),
	})
}

// analyze asks for the facts as the gate does.
func (w *world) analyze(text string, d nod.Dialect) shell.Report {
	return shell.Analyze(text, shell.Env{
		Dialect: d, Dir: project, Home: home, Roots: []string{project}, Files: w.files,
		Lookup: func(name string) (string, bool) { return place.Lookup(environ(w.variant), name) },
	})
}
