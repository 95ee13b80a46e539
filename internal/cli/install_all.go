package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/install"
)

// planned is what is to be done for one agent at one level, or why it is not,
// and what came of it.
type planned struct {
	agent   string
	plan    install.Plan
	err     error
	written bool
	backup  string // the file that holds what was there before, "" for none
}

// changes is one run of install or uninstall.
type changes struct {
	name  string // the subcommand
	flags levelFlags
	list  []planned
	asks  bool // whether to write
	// about says what a plan does not hold; after says what to do next, once all
	// is written. nil: nothing.
	about func(planned)
	after func()
	// looked says more after a --dry-run. nil: nothing.
	looked func()
}

// noneFound says that no agent is on this machine, and what to do next.
func noneFound(w io.Writer) {
	fmt.Fprintf(w, "No agent is found, neither in PATH nor by its directory in your home; nod knows: %s\n",
		strings.Join(install.Agents(), ", "))
	fmt.Fprintln(w, "  -> install one of them, then run nod install; or name yours: nod install codex. "+
		"To see nod decide without one: nod demo")
}

// installAll installs for every agent that is found.
func (in installer) installAll(ctx context.Context, p *Process, f installFlags, level install.Level) int {
	people := p.people(f.json)
	programs, err := in.usable(ctx, p, f)
	if err != nil {
		return refuse(p, "install", err)
	}
	found := install.Find(p.Getenv("HOME"), p.Getenv("PATH"))
	run := in.installing(ctx, people, f, level, programs)
	var titles []string
	for _, a := range found {
		f.agent = a.Agent
		titles = append(titles, install.Title(a.Agent))
		plan, err := in.planFor(ctx, people, f, level, programs)
		run.list = append(run.list, planned{agent: a.Agent, plan: plan, err: err})
	}
	if len(found) == 0 {
		noneFound(people.Stdout)
		return run.output(p, ExitOK)
	}
	fmt.Fprintf(people.Stdout, "Found: %s. nod will be asked before every tool call.\n\n", strings.Join(titles, ", "))
	run.after = func() {
		fmt.Fprintln(people.Stdout, "To try what was installed: nod doctor\nTo undo: nod uninstall --all")
		offerHistory(people)
		in.offerConfinement(ctx, people, f, level, run.first())
	}
	return run.output(p, run.finish(ctx, people))
}

// uninstallAll takes nod out for every agent, at one level or at all.
func (in installer) uninstallAll(ctx context.Context, p *Process, f levelFlags, level install.Level, chosen bool) int {
	levels := []install.Level{install.Managed, install.User, install.Project}
	if chosen {
		levels = []install.Level{level}
	} else {
		f.project = p.Dir
	}
	run := changes{name: "uninstall", flags: f, asks: true}
	seen := map[string]bool{}
	for _, f.agent = range install.Agents() {
		for _, l := range levels {
			target := in.target(p, f, l)
			if !target.HasLevel() || seen[target.Target()] {
				continue
			}
			seen[target.Target()] = true
			plan, err := install.PlanUninstall(target)
			run.list = append(run.list, planned{agent: f.agent, plan: plan, err: err})
		}
	}
	return run.output(p, run.finish(ctx, p.people(f.json)))
}

// finish shows the plans, asks once, and writes them one by one. What was
// refused keeps nothing else from being written.
func (c *changes) finish(ctx context.Context, p *Process) int {
	code, todo := c.show(p)
	switch {
	case todo == 0:
		if code == ExitOK {
			fmt.Fprintln(p.Stdout, "Nothing to write.")
		}
		return code
	case c.flags.dryRun:
		fmt.Fprintln(p.Stdout, "Nothing was written (--dry-run).")
		if c.looked != nil {
			c.looked()
		}
		return code
	case c.asks && !c.flags.unattended && !agreed(ctx, p):
		return refuse(p, c.name, errors.New("nothing written"))
	}
	for i := range c.list {
		if a := &c.list[i]; a.err == nil && a.plan.Changed() && !c.write(p, a) {
			code = ExitInternal
		}
	}
	if code != ExitInternal && c.after != nil {
		c.after()
	}
	return code
}

// first reports whether none of the files held nod's hook before.
func (c *changes) first() bool {
	return !slices.ContainsFunc(c.list, func(a planned) bool {
		return strings.Contains(string(a.plan.Before), install.HookName)
	})
}

// show says what will be done and what was refused, and counts what there is to
// write.
func (c *changes) show(p *Process) (code, todo int) {
	for i := range c.list {
		a := &c.list[i]
		if a.err == nil && a.plan.Changed() && !c.flags.dryRun {
			a.err = a.plan.Writable()
		}
		switch {
		case a.err != nil && len(c.list) > 1:
			code = refuse(p, c.name, fmt.Errorf("%s: %w", a.agent, plainError{a.err}))
		case a.err != nil:
			code = refuse(p, c.name, a.err)
		case a.plan.Changed():
			todo++
			describe(p, c.flags, *a)
			if c.about != nil {
				c.about(*a)
			}
		case c.name == "install" || len(c.list) == 1:
			fmt.Fprintf(p.Stdout, "%s: nothing to change in %s\n", install.Title(a.agent), homely(p, a.plan.Path))
			printFindings(p, a.plan.Findings)
		}
	}
	return code, todo
}

// write makes one change; one that fails does not stop the next.
func (c *changes) write(p *Process, a *planned) bool {
	backup, err := install.Apply(a.plan, time.Now())
	if err != nil {
		fmt.Fprintf(p.Stderr, "nod %s: %v\n", c.name, err)
		a.err = err
		return false
	}
	a.written, a.backup = true, backup
	fmt.Fprintf(p.Stdout, "%s: %s\n", done(a.plan), homely(p, a.plan.Path))
	if backup != "" && c.name == "install" {
		fmt.Fprintf(p.Stdout, "The old file: %s\n", homely(p, backup))
	}
	if c.name == "uninstall" {
		for _, left := range a.plan.Backups() {
			fmt.Fprintf(p.Stdout, "Left behind, yours to remove: %s\n", homely(p, left))
		}
		return true
	}
	if next := install.Next(a.agent, a.plan.Level); next != "" {
		fmt.Fprintln(p.Stdout, next)
	}
	return true
}

// done is what was done to the plan's file.
func done(plan install.Plan) string {
	if plan.After == nil {
		return "Removed"
	}
	return "Written"
}

// agreed asks a person whether to write.
func agreed(ctx context.Context, p *Process) bool {
	return confirmed(ctx, p, "\nEvery line of it: the same command with --dry-run. Go ahead? [y/N] ")
}

// plainError leaves out the package's name, which [refuse] takes off at the
// front only.
type plainError struct{ error }

func (e plainError) Error() string { return strings.TrimPrefix(e.error.Error(), "install: ") }
func (e plainError) Unwrap() error { return e.error }

// changesOutput is the answer of install --json and uninstall --json. Fields
// are only ever added.
type changesOutput struct {
	Version int            `json:"v"`
	DryRun  bool           `json:"dry_run"`
	Changes []changeOutput `json:"changes"`
}

type changeOutput struct {
	Agent    string   `json:"agent"`
	Level    string   `json:"level,omitempty"`
	File     string   `json:"file,omitempty"`
	Change   string   `json:"change"`            // make, edit, remove, none, or refused
	Written  bool     `json:"written"`           // what change says was done
	Backup   string   `json:"backup,omitempty"`  // the file that holds what was there before
	Refused  string   `json:"refused,omitempty"` // why it was not done
	Warnings []string `json:"warnings"`
	Next     string   `json:"next,omitempty"` // what a person must do before the agent asks nod
}

// output prints the JSON object where it was asked for.
func (c *changes) output(p *Process, code int) int {
	if !c.flags.json {
		return code
	}
	out := changesOutput{Version: 1, DryRun: c.flags.dryRun, Changes: []changeOutput{}}
	for _, a := range c.list {
		out.Changes = append(out.Changes, c.outputOf(a))
	}
	if err := printJSON(p, out); err != nil {
		fmt.Fprintf(p.Stderr, "nod %s: %v\n", c.name, err)
		return ExitInternal
	}
	return code
}

func (c *changes) outputOf(a planned) changeOutput {
	o := changeOutput{Agent: a.agent, Change: "none", Written: a.written, Backup: a.backup, Warnings: []string{}}
	if a.plan.Path != "" {
		o.File, o.Level = a.plan.Path, a.plan.Level.String()
	}
	switch {
	case a.err != nil:
		o.Change, o.Refused = "refused", plainError{a.err}.Error()
	case !a.plan.Changed():
	case a.plan.After == nil:
		o.Change = "remove"
	case a.plan.Before == nil:
		o.Change = "make"
	default:
		o.Change = "edit"
	}
	for _, found := range a.plan.Findings {
		o.Warnings = append(o.Warnings, found.String())
	}
	if c.name == "install" && o.Change != "refused" {
		o.Next = install.Next(a.agent, a.plan.Level)
	}
	return o
}
