package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
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
	name    string // the subcommand
	flags   levelFlags
	list    []planned
	asks    bool // whether to write
	nothing bool // there is nothing to do, and that was said
	// about says what a plan does not hold; after says what to do next, once all
	// is written; looked says more after a --dry-run. nil: nothing.
	about         func(planned)
	after, looked func()
}

func (in installer) uninstall(ctx context.Context, p *Process, args []string) error {
	var f levelFlags
	a := newArguments(p)
	f.add(a.FlagSet)
	if err := f.parse(a, args, false); err != nil {
		return err
	}
	if !f.dryRun {
		if err := person(p, f.unattended); err != nil {
			return refusal(err)
		}
	}
	c := &changes{name: "uninstall", flags: f, asks: f.all, list: in.everywhere(p, f)}
	return c.run(ctx, p)
}

// everywhere plans for one agent or for every one, at the level that was named or at
// all.
func (in installer) everywhere(p *Process, f levelFlags) (list []planned) {
	agents, levels := []string{f.agent}, []install.Level{install.Managed, install.User, install.Project}
	if f.all {
		agents = install.Agents()
	}
	if level, chosen := f.level(); chosen {
		levels = []install.Level{level}
	} else {
		f.project = p.Dir
	}
	seen := map[string]bool{}
	for _, f.agent = range agents {
		for _, l := range levels {
			target := in.target(p, f, l)
			if (f.all || len(levels) > 1) && !target.HasLevel() || seen[target.Target()] {
				continue
			}
			seen[target.Target()] = true
			plan, err := install.PlanUninstall(target)
			if !f.all && len(levels) > 1 && err == nil && !plan.Changed() {
				continue // it was not said to be there
			}
			list = append(list, planned{agent: f.agent, plan: plan, err: err})
		}
	}
	return list
}

// run shows the plans, asks once, and writes them one by one. What was refused
// keeps nothing else from being written.
func (c *changes) run(ctx context.Context, p *Process) error {
	code := ExitOK
	if !c.nothing {
		code = c.finish(ctx, p.people(c.flags.json))
	}
	if c.flags.json {
		out := changesOutput{Version: 1, DryRun: c.flags.dryRun, Changes: []changeOutput{}}
		for _, a := range c.list {
			out.Changes = append(out.Changes, c.outputOf(a))
		}
		if err := printJSON(p, out); err != nil {
			return err
		}
	}
	return ended(code)
}

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
	case c.asks && !c.flags.unattended &&
		!confirmed(ctx, p, "\nEvery line of it: the same command with --dry-run. Go ahead? [y/N] "):
		c.refuse(p, errors.New("nothing written"))
		return ExitBadInput
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

func (c *changes) refuse(p *Process, err error) {
	fmt.Fprintf(p.Stderr, "nod %s: %v\n", c.name, err)
}

// first reports whether none of the files held nod's hook before.
func (c *changes) first() bool {
	return !slices.ContainsFunc(c.list, func(a planned) bool { return hooked(a.plan.Before) })
}

func hooked(text []byte) bool { return strings.Contains(string(text), install.HookName) }

// show says what will be done and what was refused, and counts what there is to
// write.
func (c *changes) show(p *Process) (code, todo int) {
	for i := range c.list {
		a := &c.list[i]
		if a.err == nil && a.plan.Changed() && !c.flags.dryRun {
			a.err = a.plan.Writable()
		}
		switch {
		case a.err != nil:
			if a.err = refusal(a.err); len(c.list) > 1 {
				a.err = fmt.Errorf("%s: %w", a.agent, a.err)
			}
			c.refuse(p, a.err)
			code = ExitBadInput
		case a.plan.Changed():
			todo++
			c.describe(p, *a)
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

// describe says what would be written and where: in a line, or with --dry-run
// every line of it.
func (c *changes) describe(p *Process, a planned) {
	if c.flags.dryRun {
		fmt.Fprintf(p.Stdout, "%s (%s level):\n%s\n", printable.Text(a.plan.Path), a.plan.Level, a.plan.Diff())
	} else {
		fmt.Fprintf(p.Stdout, "%s: %s (%s level)\n", install.Title(a.agent), changeOf(a.plan, homely(p, a.plan.Path)),
			a.plan.Level)
	}
	printFindings(p, a.plan.Findings)
}

// changeOf is a plan in a few words.
func changeOf(plan install.Plan, name string) string {
	const kept = "; the rest stays, a copy is put beside it"
	switch {
	case plan.After == nil:
		return "removes " + name
	case plan.Before == nil:
		return "makes " + name + ", with nod's hook in it"
	case hooked(plan.After) && hooked(plan.Before):
		return "changes what is nod's in " + name + kept
	case hooked(plan.After):
		return "writes nod's hook into " + name + kept
	}
	return "takes nod's hook out of " + name + kept
}

// write makes one change; one that fails does not stop the next.
func (c *changes) write(p *Process, a *planned) bool {
	backup, err := install.Apply(a.plan, time.Now())
	if err != nil {
		c.refuse(p, err)
		a.err = err
		return false
	}
	a.written, a.backup = true, backup
	done := "Written"
	if a.plan.After == nil {
		done = "Removed"
	}
	fmt.Fprintf(p.Stdout, "%s: %s\n", done, homely(p, a.plan.Path))
	if c.name == "uninstall" {
		for _, left := range a.plan.Backups() {
			fmt.Fprintf(p.Stdout, "Left behind, yours to remove: %s\n", homely(p, left))
		}
		return true
	}
	if backup != "" {
		fmt.Fprintf(p.Stdout, "The old file: %s\n", homely(p, backup))
	}
	if next := install.Next(a.agent, a.plan.Level); next != "" {
		fmt.Fprintln(p.Stdout, next)
	}
	return true
}

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

func (c *changes) outputOf(a planned) changeOutput {
	o := changeOutput{Agent: a.agent, Change: "none", Written: a.written, Backup: a.backup, Warnings: []string{}}
	if a.plan.Path != "" {
		o.File, o.Level = a.plan.Path, a.plan.Level.String()
	}
	switch {
	case a.err != nil:
		o.Change, o.Refused = "refused", refusal(a.err).Error()
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
