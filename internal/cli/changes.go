package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
)

// planned is what is to be done for one agent at one level, or why it is not.
type planned struct {
	agent string
	plan  install.Plan
	err   error
}

// changes is one run of install or uninstall.
type changes struct {
	name  string // the subcommand
	flags installFlags
	list  []planned
	asks  bool // whether to write
	// about says what a plan does not hold; after says what to do next, once all
	// is written. nil: nothing.
	about func(planned)
	after func()
}

func (in installer) uninstall(ctx context.Context, p *Process, args []string) error {
	f, err := parseInstall(p, args, false)
	if err != nil {
		return err
	}
	if !f.dryRun {
		if err := person(p, f.unattended); err != nil {
			return refusal(err)
		}
	}
	return (&changes{name: "uninstall", flags: f, asks: f.all, list: in.everywhere(p, f)}).run(ctx, p)
}

// everywhere plans for one agent or for every one, at the level that was named or at
// all.
func (in installer) everywhere(p *Process, f installFlags) (list []planned) {
	agents, levels := []string{f.agent}, []install.Level{install.Managed, install.User}
	if f.all {
		agents = install.Agents()
	}
	switch {
	case f.managed:
		levels = levels[:1]
	case f.user:
		levels = levels[1:]
	}
	seen := map[string]bool{}
	for _, agent := range agents {
		for _, level := range levels {
			target := in.target(p, agent, level)
			if (f.all || len(levels) > 1) && !target.HasLevel() || seen[target.Target()] {
				continue
			}
			seen[target.Target()] = true
			plan, err := install.PlanUninstall(target)
			if !f.all && len(levels) > 1 && err == nil && !plan.Changed() {
				continue // it was not said to be there
			}
			list = append(list, planned{agent: agent, plan: plan, err: err})
		}
	}
	return list
}

// run shows the plans, asks once, and writes them one by one. What was refused
// keeps nothing else from being written.
func (c *changes) run(ctx context.Context, p *Process) error {
	code, todo := c.show(p)
	switch {
	case todo == 0:
		if code == ExitOK {
			fmt.Fprintln(p.Stdout, "Nothing to write.")
		}
		return ended(code)
	case c.flags.dryRun:
		fmt.Fprintln(p.Stdout, "Nothing was written (--dry-run).")
		return ended(code)
	case c.asks && !c.flags.unattended &&
		!confirmed(ctx, p, "\nEvery line of it: the same command with --dry-run. Go ahead? [y/N] "):
		return errors.New("nothing written")
	}
	for _, a := range c.list {
		if a.err == nil && a.plan.Changed() && !c.write(p, a) {
			code = ExitInternal
		}
	}
	if code != ExitInternal && c.after != nil {
		c.after()
	}
	return ended(code)
}

func (c *changes) refuse(p *Process, err error) {
	fmt.Fprintf(p.Stderr, "nod %s: %v\n", c.name, err)
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
		case a.err != nil:
			err := refusal(a.err)
			if len(c.list) > 1 {
				err = fmt.Errorf("%s: %w", a.agent, err)
			}
			c.refuse(p, err)
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
	hooked := func(text []byte) bool { return strings.Contains(string(text), install.HookName) }
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
func (c *changes) write(p *Process, a planned) bool {
	backup, err := install.Apply(a.plan, time.Now())
	if err != nil {
		c.refuse(p, err)
		return false
	}
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
