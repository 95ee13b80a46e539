package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
)

func rules(ctx context.Context, p *Process, args []string) error {
	doubted := len(args) > 0 && args[0] == "check"
	if doubted {
		args = args[1:]
	}
	a := newArguments(p).settings()
	mine := a.Bool("mine", false, "")
	root := a.String("root", p.Dir, "")
	if err := a.withRules(args, 0); err != nil {
		return err
	}
	a.places.Root = absolute(p, *root)
	settings, err := config.Load(a.places)
	if err != nil {
		return err
	}
	if doubted {
		return checker{process: p, places: a.places, settings: settings}.run(ctx)
	}
	list := settings.Lists()
	if *mine {
		list = slices.DeleteFunc(list, func(i config.Item) bool { return i.Level == "" })
	}
	printRules(p, settings, list, a.places.Known)
	if *mine && len(list) == 0 {
		fmt.Fprintln(p.Stderr, "nod rules: you have written no rules yet; nod init proposes some for a repository")
	}
	return nil
}

// about says what a list does, for a person.
func about(list string) string {
	switch list {
	case "allow":
		return "clears a simple command without asking; text is for the model"
	case "soft_deny":
		return "advice to a model, not a boundary; a pattern keeps nod from allowing by itself"
	case "hard_deny":
		return "a boundary: decided without a model, cleared by nothing"
	case "ask":
		return "a person decides; no other rule and no model allows it"
	case "confine":
		return "code that nod has not read runs behind a boundary (nod help confine)"
	case "environment":
		return "hints for the model; decides nothing"
	case "hosts":
		return "may be read from"
	case "allowlist":
		return "tools that are always allowed"
	case "secrets":
		return "paths that always go to the model"
	case "guarded":
		return "paths whose edits go to the model"
	}
	return ""
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

func printRules(p *Process, s config.Settings, rest []config.Item, known func(string) bool) {
	fmt.Fprintf(p.Stdout, "mode %s (%s)\n", s.Mode, homely(p, s.ModeOrigin))
	if s.Confine.On {
		fmt.Fprintf(p.Stdout, "confine on (%s): %s\n", homely(p, s.Confine.Origin), about("confine"))
	}
	for len(rest) > 0 {
		n := 1
		for n < len(rest) && rest[n].List == rest[0].List {
			n++
		}
		printList(p, rest[:n], known)
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
	fmt.Fprintf(p.Stdout, "\nclaude_rules %s: what tightens of Claude Code's own rules, for every agent\n",
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
		fmt.Fprintf(p.Stdout, "  %d rules taken, %d not as they were meant (nod rules check)  %s\n", taken, left,
			homely(p, file.Path))
	}
}

// printScopes names the repositories that have rules of their own.
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

func printList(p *Process, items []config.Item, known func(string) bool) {
	list := items[0].List
	fmt.Fprintf(p.Stdout, "\n%s: %s\n", list, about(list))
	width := 0
	for _, item := range items {
		width = max(width, len([]rune(printable.Text(item.Text))))
	}
	width = min(width, 60)
	for _, item := range items {
		kind := matching(item, known)
		if kind != "" {
			kind = fmt.Sprintf("%-9s", kind)
		}
		origin := homely(p, item.Origin)
		if item.Rule.Untrusted {
			origin += " (matched, shown to no model)"
		}
		if item.Scope != "" {
			origin += " (only in " + homely(p, item.Scope) + ")"
		}
		fmt.Fprintf(p.Stdout, "  %s%-*s  %s\n", kind, width, printable.Text(item.Text), origin)
	}
}
