package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/install"
)

// planned is what would be done for one agent at one level, or why not.
type planned struct {
	agent string
	plan  install.Plan
	err   error
}

// installAll installs for every agent that is found.
func (in installer) installAll(ctx context.Context, p *Process, f installFlags, level install.Level) int {
	programs, err := in.usable(ctx, p, f)
	if err != nil {
		return refuse(p, "install", err)
	}
	found := install.Find(p.Getenv("HOME"), p.Getenv("PATH"))
	if len(found) == 0 {
		fmt.Fprintf(p.Stdout, "No agent is found, neither in PATH nor by its directory in your home; nod knows: %s\n", strings.Join(install.Agents(), ", "))
		return ExitOK
	}
	var all []planned
	var titles []string
	for _, a := range found {
		f.agent = a.Agent
		titles = append(titles, install.Title(a.Agent))
		plan, err := in.planFor(ctx, p, f, level, programs)
		all = append(all, planned{a.Agent, plan, err})
	}
	fmt.Fprintf(p.Stdout, "Found: %s. nod will be asked before each of their tool calls.\n\n", strings.Join(titles, ", "))
	return finishAll(p, f.levelFlags, "install", all, func(agent string) {
		promises(p, agent, level, programs)
	})
}

// uninstallAll takes nod out for every agent, at one level or at all.
func (in installer) uninstallAll(p *Process, f levelFlags, level install.Level, chosen bool) int {
	levels := []install.Level{install.Managed, install.User, install.Project}
	if chosen {
		levels = []install.Level{level}
	} else {
		f.project = p.Dir
	}
	var all []planned
	seen := map[string]bool{}
	for _, f.agent = range install.Agents() {
		for _, l := range levels {
			target := in.target(p, f, l)
			if !target.HasLevel() || seen[target.Target()] {
				continue
			}
			seen[target.Target()] = true
			plan, err := install.PlanUninstall(target)
			all = append(all, planned{f.agent, plan, err})
		}
	}
	return finishAll(p, f, "uninstall", all, nil)
}

// finishAll shows the plans, asks once, and writes them one by one. What was
// refused keeps nothing else from being written.
func finishAll(p *Process, f levelFlags, name string, all []planned, promise func(agent string)) int {
	code, todo := ExitOK, []planned(nil)
	for _, a := range all {
		if a.err == nil && a.plan.Changed() && !f.dryRun {
			a.err = a.plan.Writable()
		}
		switch {
		case a.err != nil:
			code = refuse(p, name, fmt.Errorf("%s: %w", a.agent, plainError{a.err}))
		case a.plan.Changed():
			todo = append(todo, a)
			describe(p, f, a)
			if promise != nil {
				promise(a.agent)
			}
		case name == "install":
			fmt.Fprintf(p.Stdout, "%s: nothing to change in %s\n", install.Title(a.agent), homely(p, a.plan.Path))
			printFindings(p, a.plan.Findings)
		}
	}
	switch {
	case len(todo) == 0:
		fmt.Fprintln(p.Stdout, "Nothing to write.")
		return code
	case f.dryRun:
		fmt.Fprintln(p.Stdout, "Nothing was written (--dry-run).")
		return code
	case !f.unattended && !agreed(p):
		return refuse(p, name, errors.New("nothing written"))
	}
	if writeAll(p, name, todo) != ExitOK {
		return ExitInternal
	}
	return code
}

// writeAll makes the changes; one that fails does not stop the next.
func writeAll(p *Process, name string, todo []planned) (code int) {
	for _, a := range todo {
		backup, err := install.Apply(a.plan, time.Now())
		if err != nil {
			fmt.Fprintf(p.Stderr, "nod %s: %v\n", name, err)
			code = ExitInternal
			continue
		}
		fmt.Fprintf(p.Stdout, "%s: %s\n", done(a.plan), homely(p, a.plan.Path))
		if backup != "" {
			fmt.Fprintf(p.Stdout, "The old file: %s\n", homely(p, backup))
		}
		if next := install.Next(a.agent, a.plan.Level); next != "" && name == "install" {
			fmt.Fprintln(p.Stdout, next)
		}
	}
	if name == "install" && code == ExitOK {
		fmt.Fprintln(p.Stdout, "To try what was installed: nod doctor\nTo undo: nod uninstall --all")
		offerHistory(p)
	}
	return code
}

// done is what was done to the plan's file.
func done(plan install.Plan) string {
	if plan.After == nil {
		return "Removed"
	}
	return "Written"
}

// agreed asks a person whether to write.
func agreed(p *Process) bool {
	fmt.Fprint(p.Stdout, "\nEvery line of it: the same command with --dry-run. Go ahead? [y/N] ")
	line, _ := bufio.NewReader(io.LimitReader(p.Stdin, 1000)).ReadString('\n')
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}

// plainError leaves out the package's name, which [refuse] takes off at the
// front only.
type plainError struct{ error }

func (e plainError) Error() string { return strings.TrimPrefix(e.error.Error(), "install: ") }
func (e plainError) Unwrap() error { return e.error }
