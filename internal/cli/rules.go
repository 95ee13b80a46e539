package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

func rules(ctx context.Context, p *Process, args []string) error {
	one := "" // a list, or check
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		one, args = args[0], args[1:]
	}
	a := newArguments(p).settings()
	verbose := a.Bool("verbose", false, "")
	root := a.String("root", p.Dir, "")
	if err := a.withRules(args, 0); err != nil {
		return err
	}
	if one != "" && one != "check" && about(one) == "" {
		return usage(fmt.Errorf("there is no list %q; nod rules names them", one))
	}
	a.places.Root = absolute(p, *root)
	settings, err := config.Load(a.places)
	if err != nil {
		return err
	}
	if one == "check" {
		return checker{process: p, places: a.places, settings: settings}.run(ctx)
	}
	if one != "" {
		list := slices.DeleteFunc(settings.Lists(), func(i config.Item) bool { return i.List != one })
		printList(p, list, a.places.Known, false)
		return nil
	}
	printRules(p, settings, settings.Lists(), a.places.Known, !*verbose)
	if !*verbose {
		fmt.Fprintln(p.Stdout, "\nOne list whole: nod rules guarded. All of them: nod rules --verbose")
	}
	return nil
}

func about(list string) string {
	return map[string]string{
		"allow":       "clears a simple command; text is for the model",
		"soft_deny":   "advice to a model; a pattern keeps nod from allowing",
		"hard_deny":   "a boundary: decided without a model, cleared by nothing",
		"ask":         "a person decides; no other rule and no model allows it",
		"confine":     "code that nod has not read runs confined",
		"environment": "hints for the model; decides nothing",
		"hosts":       "may be read from",
		"allowlist":   "tools that are always allowed",
		"secrets":     "paths that always go to the model",
		"guarded":     "paths whose edits go to the model",
	}[list]
}

// matching says who reads an entry.
func matching(item config.Item, known func(string) bool) string {
	switch {
	case item.Rule.Text == "":
		return ""
	case item.List != "environment" && item.Rule.IsPattern(known):
		return "pattern"
	}
	return "text"
}

func printRules(p *Process, s config.Settings, rest []config.Item, known func(string) bool, short bool) {
	fmt.Fprintf(p.Stdout, "mode %s (%s)\n", s.Mode, homely(p, s.ModeOrigin))
	if s.Confine.On {
		fmt.Fprintf(p.Stdout, "confine on (%s): %s\n", homely(p, s.Confine.Origin), about("confine"))
	}
	if short {
		fmt.Fprintln(p.Stdout)
	}
	for len(rest) > 0 {
		n := 1
		for n < len(rest) && rest[n].List == rest[0].List {
			n++
		}
		printList(p, rest[:n], known, short)
		rest = rest[n:]
	}
	printScopes(p, s.Scopes)
	printClaude(p, s)
	for _, notice := range s.Notices {
		fmt.Fprintln(p.Stderr, "nod rules:", notice)
	}
}

// printClaude says what of Claude Code's own settings is among the rules.
func printClaude(p *Process, s config.Settings) {
	files := slices.DeleteFunc(slices.Clone(s.Sources),
		func(source config.Source) bool { return !strings.HasSuffix(source.Path, ".json") })
	if len(files) == 0 {
		return
	}
	fmt.Fprintf(p.Stdout, "\nclaude_rules %s: what tightens of Claude Code's rules, for every agent\n",
		s.ClaudeRules)
	for _, file := range files {
		taken, left, from := 0, 0, printable.Text(file.Path)+":"
		for _, item := range s.Lists() {
			if strings.HasPrefix(item.Origin, from) {
				taken++
			}
		}
		for _, rule := range s.NotHeld {
			if strings.HasPrefix(rule.Origin, from) {
				left++
			}
		}
		fmt.Fprintf(p.Stdout, "  %d rules taken, %d not as meant (nod rules check)  %s\n", taken, left,
			homely(p, file.Path))
	}
}

func printScopes(p *Process, scopes []config.Scope) {
	if len(scopes) == 0 {
		return
	}
	fmt.Fprint(p.Stdout, "\nrepository: rules that hold in one repository only\n")
	for _, s := range scopes {
		here := "not here"
		if s.Here {
			here = "here"
		}
		fmt.Fprintf(p.Stdout, "  %-8s  %3d  %s  %s\n", here, s.Rules, homely(p, s.Path), homely(p, s.Origin))
	}
}

// printList prints a list, in short with its built-in entries as a sum and each entry on one line of a terminal.
func printList(p *Process, items []config.Item, known func(string) bool, short bool) {
	if len(items) == 0 {
		return
	}
	list, most := items[0].List, 60
	title := list
	if short {
		all := len(items)
		items = slices.DeleteFunc(slices.Clone(items), func(i config.Item) bool { return i.Level == "" })
		if built := all - len(items); built > 0 {
			title += fmt.Sprintf(" (%d built in)", built)
		}
		most = 36
	} else {
		fmt.Fprintln(p.Stdout)
	}
	fmt.Fprintf(p.Stdout, "%s: %s\n", title, about(list))
	width := 0
	for _, item := range items {
		width = max(width, len([]rune(printable.Text(item.Text))))
	}
	width = min(width, most)
	for _, item := range items {
		kind := matching(item, known)
		if kind != "" {
			kind = fmt.Sprintf("%-9s", kind)
		}
		origin := homely(p, item.Origin)
		if item.Rule.Untrusted {
			origin += " (shown to no model)"
		}
		if item.Scope != "" {
			origin += " (only in " + homely(p, item.Scope) + ")"
		}
		text := printable.Text(item.Text)
		if short {
			text = printable.Line(text, most)
		}
		fmt.Fprintf(p.Stdout, "  %s%-*s  %s\n", kind, width, text, origin)
	}
}

// checker is `nod rules check`. It changes nothing and asks no model.
type checker struct {
	process  *Process
	places   config.Places
	settings config.Settings
}

// doubt is something about a rule that a person should look at.
type doubt struct {
	kind string // contradiction, redundant, broad, unknown
	item config.Item
	why  string
}

func (c checker) run(ctx context.Context) error {
	p, s := c.process, c.settings
	doubts := c.doubts(ctx)
	notHeld := slices.Concat(s.LeftOut, s.NotHeld)
	for _, r := range notHeld {
		fmt.Fprintf(p.Stdout, "%s: not held: %s %q: %s\n", homely(p, r.Origin), r.List, printable.Text(r.Text),
			printable.Text(r.Why))
	}
	for _, d := range doubts {
		fmt.Fprintf(p.Stdout, "%s: %s: %s %q: %s\n", homely(p, d.item.Origin), d.kind, d.item.List,
			printable.Text(d.item.Text), d.why)
	}
	if len(doubts)+len(notHeld) == 0 {
		fmt.Fprintln(p.Stdout, "nothing to doubt about your rules")
	}
	return nil
}

// doubts are those that need no log.
func (c checker) doubts(ctx context.Context) (found []doubt) {
	items := slices.DeleteFunc(c.settings.Lists(), func(i config.Item) bool { return i.Level == "" })
	for i, item := range items {
		switch item.List {
		case "allow":
			if item.Rule.IsPattern(c.places.Known) {
				found = append(found, c.allow(ctx, item)...)
			}
		case "allowlist":
			if !agent.Names(item.Text) {
				found = append(found, doubt{"unknown", item,
					"no agent's tool has this name in nod; `nod log` shows the names"})
			}
		}
		for _, earlier := range items[:i] {
			if earlier.Text == item.Text && earlier.Scope == item.Scope && earlier.List == "allow" &&
				!earlier.Rule.IsPattern(c.places.Known) && strings.HasSuffix(item.List, "_deny") {
				found = append(found, doubt{"contradiction", item,
					"the same text stands under allow, at " + printable.Text(earlier.Origin)})
			}
		}
	}
	return found
}

// allow asks the gate about the command that a pattern allows, with the rule and without it.
func (c checker) allow(ctx context.Context, item config.Item) (found []doubt) {
	command := strings.TrimSuffix(item.Text, " *")
	if command != item.Text && len(strings.Fields(command)) == 1 {
		found = append(found, doubt{"broad", item, "clears every subcommand and option of " + printable.Text(command) +
			"; name the ones you mean"})
	}
	with := c.judge(ctx, command, c.settings.Rules)
	switch {
	case with.Verdict == nod.Deny && with.Rule.Text == "" && with.Layer != nod.LayerNone:
		return append(found, doubt{"contradiction", item, "never clears it: " + with.Reason})
	case with.Verdict != nod.Allow && with.Rule.Text+with.Rule.Origin != item.Text+item.Origin && with.Rule.Text != "":
		return append(found, doubt{"contradiction", item, fmt.Sprintf("never clears it: %q (%s) comes first",
			printable.Text(with.Rule.Text), printable.Text(with.Rule.Origin))})
	case with.Verdict != nod.Allow || command != item.Text:
		return found
	}
	rules := c.settings.Rules
	rules.Allow = slices.DeleteFunc(slices.Clone(rules.Allow),
		func(r nod.Rule) bool { return r.Text == item.Rule.Text && r.Origin == item.Rule.Origin })
	switch without := c.judge(ctx, command, rules); {
	case without.Verdict == nod.Allow && without.Rule.Text != "":
		found = append(found, doubt{"redundant", item, fmt.Sprintf("%q (%s) allows it too",
			printable.Text(without.Rule.Text), printable.Text(without.Rule.Origin))})
	case without.Verdict == nod.Allow:
		found = append(found, doubt{"redundant", item, "nod allows it by itself: " + without.Reason})
	}
	return found
}

func (c checker) judge(ctx context.Context, command string, rules nod.Rules) nod.Decision {
	root, err := view.Resolve(view.Disk{}, c.places.Root)
	if err != nil {
		root = c.places.Root
	}
	return nod.New(nod.Options{Rules: rules, Files: nod.OnDisk(), Home: c.places.Home}).Check(ctx, nod.Call{
		Agent: "nod rules check", Tool: "bash", RawTool: "bash", Command: command,
		Dir: root, Roots: []string{root}, Environ: c.process.Environ, Interactive: true,
	})
}
