package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

// What a program reads though no word of its call names it is found by watching it:
// each call of the data on programs is traced in a repository, and each name in the
// repository that it looked for is then made a link, a second name of a secret, a
// script and so on. The calls that looked for the name are asked about once more there,
// and run where they are allowed.

// lookup is a name that calls look for in a repository.
type lookup struct {
	in    *stage   // the repository
	name  string   // below the project
	is    string   // "file", "dir" or "", which is neither
	texts []string // the calls
}

// readTrial is a repository in which a name is not what it was, and the calls.
type readTrial struct {
	from   *stage // the repository before
	name   string // what is changed
	change string
	texts  []string
}

// states are what a repository may be in the middle of: git looks for other names
// then.
func states() [][]string {
	conflict := "mark README.md -4; git commit -qam four; "
	return [][]string{
		nil,
		{conflict + "git merge feature"},
		{conflict + "git rebase feature"},
		{conflict + "git cherry-pick feature"},
		{"git bisect start; git bisect bad; git bisect good v1"},
		{"git -c protocol.file.allow=always submodule add ../remote.git mod; git commit -qm mod"},
		{"git worktree add -q wt feature; git pack-refs --all; git notes add -m plain; git config core.sparseCheckout true"},
	}
}

// readTexts are the calls that are watched: examples, and each subcommand with few
// arguments.
func readTexts() (texts []string, missing int) {
	seen := map[string]bool{}
	add := func(list ...string) {
		for _, text := range list {
			if !seen[text] {
				seen[text], texts = true, append(texts, text)
			}
		}
	}
	missing = eachSheet(func(name, text, file string) {
		if !seen["sheet "+file] {
			seen["sheet "+file] = true
			add(examples(text)...)
		}
		for _, t := range trials(name, text) {
			if !strings.Contains(t, " -") {
				add(t)
			}
		}
	})
	return texts, missing
}

// stageAndRunReads does both parts.
func (w *witnessing) stageAndRunReads() error {
	if _, err := os.Stat(binDir + "/strace"); err != nil {
		fmt.Fprintln(w.out, "skipped, nothing was run: strace is not installed (Debian: strace)")
		return nil
	}
	texts, missing := readTexts()
	fmt.Fprintf(w.out, "skipped %d programs of the data that are not installed here or need a service\n", missing)
	texts = nth(texts, len(texts)/int(max(w.n, 1)))
	return w.onStage(func(s *stage) error { return w.runReads(s, texts, states(), 1) })
}

// runReads watches the calls, and tries every so many of the repositories that follow
// from what was seen.
func (w *witnessing) runReads(s *stage, texts []string, states [][]string, every int) error {
	w.count = newFigures()
	defer w.untilInterrupted()()
	lookups, err := w.watchAll(s, texts, states)
	if err != nil {
		return err
	}
	trials := nth(readTrials(lookups), every)
	fmt.Fprintf(w.out, "%d calls looked for %d names that no word of them is: %d repositories\n", w.count.allowed,
		len(lookups), len(trials))
	w.count = newFigures()
	if err = w.tryReads(trials); err == nil && w.count.violations > 0 {
		err = errFound
	}
	fmt.Fprint(w.out, w.count.String())
	return err
}

// watchAll watches the calls in each state of a repository: in most of them those of
// git alone, which alone knows of the state.
func (w *witnessing) watchAll(s *stage, texts []string, states [][]string) (lookups []lookup, err error) {
	ofGit := slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return !strings.HasPrefix(text, "git ") })
	w.n = uint64(len(texts) + (len(states)-1)*len(ofGit))
	defer w.report()()
	known := map[string]bool{}
	for _, turns := range states {
		found, err := w.watchIn(s, turns, texts)
		if err != nil {
			return nil, err
		}
		for _, l := range found {
			if key := l.is + " " + l.name; !known[key] {
				known[key], lookups = true, append(lookups, l)
			}
		}
		texts = ofGit
	}
	return lookups, nil
}

// nth are one of every so many.
func nth[T any](list []T, every int) (taken []T) {
	for i := 0; i < len(list); i += max(1, every) {
		taken = append(taken, list[i])
	}
	return taken
}

// watchIn makes a repository, and watches the calls there.
func (w *witnessing) watchIn(s *stage, turns, texts []string) ([]lookup, error) {
	state, err := s.over(append(trapped(), turns...))
	if err != nil {
		return nil, err
	}
	return w.watch(state, texts)
}

// watch returns the names that the calls look for in a repository.
func (w *witnessing) watch(s *stage, texts []string) ([]lookup, error) {
	by := map[string]*lookup{}
	err := w.inParallel(len(texts), func() (func(i int) error, func()) {
		g := &ground{stage: s, worlds: newWorlds()}
		return func(i int) error { return w.watchOne(g, texts[i], by) }, g.close
	})
	var list []lookup
	for _, name := range slices.Sorted(maps.Keys(by)) {
		list = append(list, *by[name])
	}
	return list, err
}

func (w *witnessing) watchOne(g *ground, text string, by map[string]*lookup) error {
	if w.allowedLine(g.worlds.ofLines(g.stage), 0, text, nod.Bash) == nil {
		return nil
	}
	r, err := w.onGround(g, job{Shell: "bash", Text: text, Line: true, Trace: true, Looks: true})
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range r.Looked {
		if strings.Contains(text, path.Base(name)) || strings.HasPrefix(name, ".git/objects/") &&
			!strings.HasPrefix(name, ".git/objects/info") {
			continue
		}
		l := by[name]
		if l == nil {
			l = &lookup{in: g.stage, name: name, is: kindOf(g.stage.lines + "/project/" + name)}
			by[name] = l
		}
		l.texts = append(l.texts, text)
	}
	return nil
}

// onGround runs a job, in a new namespace where the one at hand broke.
func (w *witnessing) onGround(g *ground, j job) (r ran, err error) {
	for range mostTries {
		if g.bed == nil {
			if g.bed, err = g.stage.open(); err != nil {
				return r, err
			}
		}
		if r, err = g.bed.run(j); err == nil {
			return r, nil
		}
		g.close()
	}
	return r, fmt.Errorf("%q breaks the namespace each time: %w", j.Text, err)
}

func kindOf(name string) string {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return "dir"
	}
	return "file"
}

// perHead is how many calls of one subcommand are tried where a name is not what it
// was.
const perHead = 2

// readTrials are the repositories that are tried.
func readTrials(lookups []lookup) (list []readTrial) {
	for _, l := range lookups {
		texts := someOf(l.texts)
		for _, change := range l.changes() {
			list = append(list, readTrial{l.in, l.name, change, texts})
		}
	}
	return list
}

// someOf are the calls, few of each program and subcommand.
func someOf(texts []string) (some []string) {
	heads := map[string]int{}
	for _, text := range texts {
		words := strings.Fields(text)
		head := strings.Join(words[:min(2, len(words))], " ")
		if heads[head]++; heads[head] <= perHead {
			some = append(some, text)
		}
	}
	return some
}

// changes are what a name is made, each a line of shell.
func (l lookup) changes() []string {
	name := "'" + strings.ReplaceAll(l.name, "'", `'\''`) + "'"
	// Where a parent is missing it is made; where it is a file, it is one no more.
	away := ""
	if dir := path.Dir(l.name); dir != "." {
		away = fmt.Sprintf("d='%s'; [ -d \"$d\" ] || { rm -f \"$d\"; mkdir -p \"$d\"; }; ", dir)
	}
	list := []string{
		`ln -s "$PWD/.env" ` + name, "ln .env " + name, "ln -s ~/other/file.txt " + name, "ln ~/other/file.txt " + name,
		"ln -s ~/.ssh " + name, "cp run.sh " + name, `printf '.env\n%s/.env\n' "$PWD" > ` + name,
		`printf './run.sh\n' > ` + name, "printf '%s' " + codeFor(l.name) + " > " + name,
	}
	for i, line := range list {
		list[i] = away + "rm -rf " + name + "; " + line
	}
	if l.is != "" {
		list = append(list, "mv "+name+" ~/other/held; ln -s ~/other/held "+name)
	}
	if l.is == "file" {
		list = append(list, "mv "+name+" ~/other/held; ln ~/other/held "+name)
	}
	return list
}

// codeFor is what starts the trap, in the language of a name.
func codeFor(name string) string {
	switch path.Ext(name) {
	case ".py":
		return `'import os; os.system("./run.sh")'`
	case ".js", ".cjs", ".mjs", ".ts":
		return `'require("child_process").execSync("./run.sh", {stdio: "inherit"})'`
	case ".rb", ".pl", ".pm":
		return `'system("./run.sh");'`
	case ".json":
		return `'{"extends": "./.env", "bin": "./run.sh", "plugins": ["./run.sh"]}'`
	case ".toml":
		return `'extend = "./.env"'`
	}
	return `'include .env'`
}

// tryReads asks about the calls in each repository, and runs what is allowed.
func (w *witnessing) tryReads(list []readTrial) error {
	w.n = 0
	for _, t := range list {
		w.n += uint64(len(t.texts))
	}
	stop := w.report()
	defer stop()
	return w.inParallel(len(list), func() (func(i int) error, func()) {
		return func(i int) error { return w.tryRead(list[i], uint64(i)) }, func() {}
	})
}

func (w *witnessing) tryRead(t readTrial, seed uint64) error {
	var s *stage
	err := errors.New("not tried")
	for tries := 0; err != nil && tries < mostTries; tries++ {
		s, err = t.from.turned(t.change)
	}
	if err != nil {
		return err
	}
	g := &ground{stage: s, worlds: newWorlds(), own: true}
	defer g.leave()
	if _, err := os.Lstat(s.lines + "/project/" + t.name); err != nil {
		w.skip("a name could not be made what it was to be")
		return nil
	}
	for _, text := range t.texts {
		d := w.allowedLine(g.worlds.ofLines(s), seed, text, nod.Bash)
		if d == nil {
			continue
		}
		r, err := w.onGround(g, job{Shell: "bash", Text: text, Line: true, Seed: seed})
		if err != nil {
			return err
		}
		w.bookLine(seed, "bash", text, r, r.Harm, d.Reason+"\n\tthe repository:\n\t\t"+strings.Join(s.turns, "\n\t\t"))
	}
	return nil
}

// inParallel spreads numbers over the workers.
func (w *witnessing) inParallel(n int, worker func() (do func(i int) error, end func())) error {
	numbers, errs := make(chan int), make(chan error, w.workers)
	for range w.workers {
		go func() {
			do, end := worker()
			defer end()
			var all error
			for i := range numbers {
				if all == nil {
					all = do(i)
				}
			}
			errs <- all
		}()
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	var all error
	for range w.workers {
		all = errors.Join(all, <-errs)
	}
	return all
}

// looked are the names in the project of which a trace speaks: of each call its first
// name, with the directory that the name is relative to.
func looked(trace string) (names []string) {
	call := regexp.MustCompile(`(?m)^\d+ +(\w+)\((?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"`)
	seen := map[string]bool{}
	for _, m := range call.FindAllStringSubmatch(trace, -1) {
		name := m[3]
		if m[1] == "execve" || m[1] == "chdir" || name == "" || strings.Contains(name, `\`) {
			continue
		}
		if !path.IsAbs(name) {
			dir := m[2]
			if dir == "" {
				dir = project
			}
			name = dir + "/" + name
		}
		name = path.Clean(name)
		if name != project && view.Below(project, name) && !seen[name] {
			seen[name] = true
			names = append(names, strings.TrimPrefix(name, project+"/"))
		}
	}
	return names
}
