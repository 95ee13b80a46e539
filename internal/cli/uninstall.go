package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
)

func uninstallCommand() command {
	return command{
		name:    "uninstall",
		usage:   "uninstall AGENT|--all [--managed | --user | --project DIR] [--dry-run] [--unattended] [--json]",
		summary: "take nod out of a coding agent's settings",
		long: `Takes every hook whose program is nod-hook out of the agent's settings, and
nothing else; a copy of the old file is put beside it, and a file that nod made
is removed. Without a level it looks in the managed, the user's and this
directory's settings, and goes on if nod is in one of them only. It works when
nod-hook is gone.

nod's own settings and its log stay: ~/.config/nod, ~/.local/state/nod.

  --all          every agent's, at every level or the one named: shows all that
                 would change, asks once
  --managed, --user, --project DIR   which settings
  --dry-run      show what would be written, write nothing
  --unattended   for provisioning: no terminal is needed; refused when an agent
                 runs this
  --json         what was done as one JSON object, "v": 1

Exit status: 0 written, or nothing to do; 2 refused, and why; 1 not written.
With --all, 2 says that it was refused for some; the others are written.`,
		examples: []string{`nod uninstall claude-code --dry-run`, `nod uninstall --all`,
			`sudo nod uninstall claude-code --managed`},
		run: installer{}.uninstall,
	}
}

func (in installer) uninstall(ctx context.Context, p *Process, args []string) int {
	var f levelFlags
	flags := flag.NewFlagSet("uninstall", flag.ContinueOnError)
	f.add(flags)
	if err := f.parse(flags, args, false); err != nil {
		return usageError(p, uninstallCommand(), err)
	}
	level, chosen, err := f.level()
	if err != nil {
		return usageError(p, uninstallCommand(), err)
	}
	if !f.dryRun {
		if err := person(p, f.unattended); err != nil {
			return refuse(p, "uninstall", err)
		}
	}
	if f.all {
		return in.uninstallAll(ctx, p, f, level, chosen)
	}
	var plan install.Plan
	if chosen {
		plan, err = install.PlanUninstall(in.target(p, f, level))
	} else {
		plan, err = in.onlyInstalled(p, f.agent)
	}
	if errors.Is(err, errNowhere) {
		fmt.Fprintln(p.people(f.json).Stdout, err)
		return (&changes{name: "uninstall", flags: f}).output(p, ExitOK)
	}
	run := changes{name: "uninstall", flags: f, list: []planned{{agent: f.agent, plan: plan, err: err}}}
	return run.output(p, run.finish(ctx, p.people(f.json)))
}

// errNowhere says that there is nothing to take out.
var errNowhere = errors.New("nothing to take out")

// onlyInstalled plans for the one settings file that nod is in.
func (in installer) onlyInstalled(p *Process, agent string) (install.Plan, error) {
	var found []install.Plan
	var searched string
	unread := false
	here := levelFlags{agent: agent, project: p.Dir}
	for _, level := range []install.Level{install.Managed, install.User, install.Project} {
		target := in.target(p, here, level)
		if !target.HasLevel() {
			continue
		}
		plan, err := install.PlanUninstall(target)
		searched += fmt.Sprintf("\n  %s: ", here.spell(level))
		if err != nil {
			unread = true
			searched += printable.Text(err.Error())
			continue
		}
		searched += printable.Text(plan.Path)
		if plan.Changed() && (len(found) == 0 || plan.Path != found[0].Path) {
			found = append(found, plan)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return install.Plan{}, fmt.Errorf("nod is in more than one of these; say which:%s", searched)
	case unread:
		return install.Plan{}, fmt.Errorf("nod is in none of these that could be read; say which:%s", searched)
	}
	return install.Plan{}, fmt.Errorf("%w: nod is in none of these:%s", errNowhere, searched)
}
