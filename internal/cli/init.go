package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/index"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/propose"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

type initFlags struct {
	dryRun, yes bool
	places      config.Places
}

func initialize(ctx context.Context, p *Process, args []string) error {
	var f initFlags
	a := newArguments(p).settings()
	a.BoolVar(&f.dryRun, "dry-run", false, "")
	a.BoolVar(&f.yes, "yes", false, "")
	root := a.String("root", "", "")
	if err := a.withRules(args, 0); err != nil {
		return err
	}
	f.places = a.places
	f.places.Files = view.Disk{}
	switch {
	case f.yes && f.dryRun:
		return usage(errors.New("--yes writes, --dry-run does not; give one"))
	case f.places.User == "" && !f.dryRun:
		return usage(errors.New("name your settings file with --settings"))
	}
	var err error
	if !f.dryRun {
		err = person(p, f.yes)
	}
	if err == nil {
		f.places.Root, err = config.RepositoryOf(f.places, absolute(p, *root))
	}
	if err != nil {
		return err
	}
	settings, err := config.Load(f.places)
	if err != nil {
		return err
	}
	l := logged{process: p, home: f.places.Home, root: f.places.Root, at: map[string]int{}}
	x, err := openLog(ctx, p, "init", f.places.State)
	if err == nil {
		err = x.Each(ctx, index.Filter{}, l.entry)
	}
	if err != nil {
		return err
	}
	return f.offer(ctx, p, propose.Learn(l.calls), settings.Lists())
}

// offer proposes the rules that are not held, and writes them.
func (f initFlags) offer(ctx context.Context, p *Process, rules []propose.Rule, items []config.Item) error {
	all := len(rules)
	rules = slices.DeleteFunc(rules, func(r propose.Rule) bool {
		return slices.ContainsFunc(items, func(i config.Item) bool { return i.List == r.List && i.Text == r.Text })
	})
	fmt.Fprintln(p.Stdout, printable.Text(f.places.Root))
	if held := all - len(rules); held > 0 {
		fmt.Fprintf(p.Stdout, "held here already: %s\n", counted(held, "proposal"))
	}
	if len(rules) == 0 {
		fmt.Fprintln(p.Stdout, "nothing to propose\n  -> nod proposes from its log: let agents work here first")
		return nil
	}
	printProposals(p, rules)
	if f.dryRun {
		return nil
	}
	if !f.yes && !confirmed(ctx, p, fmt.Sprintf("\nWrite %s into your settings? [y/N] ", counted(len(rules), "rule"))) {
		return errors.New("nothing written")
	}
	var entries []config.Entry
	for _, r := range rules {
		entries = append(entries, config.Entry{List: r.List, Text: r.Text})
	}
	if err := config.AddRepository(f.places, f.places.Root, entries); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "\n%d rules written to %s, for this repository only\n", len(rules),
		printable.Text(f.places.User))
	if len(install.Find(p.Getenv("HOME"), p.Getenv("PATH"))) == 0 {
		noneFound(p.Stdout)
	}
	return nil
}

func printProposals(p *Process, rules []propose.Rule) {
	width := 0
	for _, r := range rules {
		width = max(width, len([]rune(printable.Text(r.Text))))
	}
	width = min(width, 40)
	fmt.Fprintln(p.Stdout)
	for i, r := range rules {
		fmt.Fprintf(p.Stdout, "%4d  %-11s  %-*s  %s; %s\n", i+1, r.List, width, printable.Text(r.Text),
			printable.Text(r.Why), r.Seen)
	}
}

// logged gathers the open calls of one repository, or of all.
type logged struct {
	process    *Process
	home, root string // root "": of all
	calls      []propose.Call
	at         map[string]int // where a call of that id is
}

func (l *logged) entry(line audit.Line) error {
	switch e := line.Entry; {
	case e.Kind == audit.Decision && (e.Layer == nod.LayerNone || e.Layer == nod.LayerModel ||
		e.Layer == nod.LayerApproval || e.Reason == nod.ReasonConfined):
		l.decision(e)
	case e.Kind == audit.Outcome || e.Kind == audit.HostDeny:
		id := cmp.Or(e.CallID, e.ID)
		if i, ok := l.at[e.Session+"\x00"+id]; ok {
			l.calls[i].Outcome = propose.Ran
			switch {
			case e.Kind == audit.HostDeny:
				l.calls[i].Outcome = propose.Refused
			case e.Error != nil:
				l.calls[i].Outcome = propose.Failed
			}
		}
	}
	return nil
}

// decision takes a call that no rule and nothing known of it settled, whole and of this repository.
func (l *logged) decision(e audit.Entry) {
	if e.InputBytes > 0 || e.Error != nil && e.Error.Kind != fault.NoModel || !l.here(e) {
		return
	}
	c := propose.Call{Session: e.Session}
	if e.Tool == "bash" {
		c.Report = l.analyze(e)
	}
	if e.Layer == nod.LayerModel && e.Verdict != nod.Allow {
		c.Outcome = propose.Refused
	}
	l.at[e.Session+"\x00"+e.CallID] = len(l.calls)
	l.calls = append(l.calls, c)
}

// here reports whether the call's session was one of this repository.
func (l *logged) here(e audit.Entry) bool {
	if e.Root == l.root || l.root == "" {
		return true
	}
	of, err := config.RepositoryOf(config.Places{Home: l.home, Files: view.Disk{}}, e.Root)
	return e.Root != "" && err == nil && of == l.root
}

// analyze reads the command as it would be read here and now.
func (l *logged) analyze(e audit.Entry) shell.Report {
	var input struct {
		Command string `json:"command"`
	}
	if json.Unmarshal(e.Input, &input) != nil || input.Command == "" {
		return shell.Report{}
	}
	if _, line, typed := strings.Cut(input.Command, " confine -- '"); typed {
		input.Command = strings.ReplaceAll(strings.TrimSuffix(line, "'"), `'\''`, "'")
	}
	return shell.Analyze(input.Command, shell.Env{
		Dir: e.Dir, Home: l.home, Roots: []string{e.Root}, Files: view.NewMemo(view.Disk{}),
		Lookup: func(name string) (string, bool) { v := l.process.Getenv(name); return v, v != "" },
	})
}
