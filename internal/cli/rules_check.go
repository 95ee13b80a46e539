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

// own are the entries that somebody wrote, without the built-in ones.
func (c checker) own() []config.Item {
	return slices.DeleteFunc(c.settings.Lists(), func(i config.Item) bool { return i.Level == "" })
}

// doubts are those that need no log.
func (c checker) doubts(ctx context.Context) (found []doubt) {
	items := c.own()
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

// allow asks the gate what becomes of the very command that a pattern allows,
// with the rule and without it. Nothing is run.
func (c checker) allow(ctx context.Context, item config.Item) (found []doubt) {
	command := strings.TrimSuffix(item.Text, " *")
	if why := wideCommand(item.Text); why != "" {
		found = append(found, doubt{"broad", item, why})
	}
	with := c.judge(ctx, command, c.settings.Rules)
	switch {
	case with.Verdict == nod.Deny && with.Rule.Text == "" && with.Layer != nod.LayerNone:
		return append(found, doubt{"contradiction", item, "never clears it: " + with.Reason})
	case with.Verdict != nod.Allow && with.Rule.Text != "" && with.Rule.Text != item.Text:
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
	root := c.root()
	return nod.New(nod.Options{Rules: rules, Files: nod.OnDisk(), Home: c.places.Home}).Check(ctx, nod.Call{
		Agent: "nod rules check", Tool: "bash", RawTool: "bash", Command: command,
		Dir: root, Roots: []string{root}, Environ: c.process.Environ, Interactive: true,
	})
}

// root is this workspace's real path.
func (c checker) root() string {
	if real, err := view.Resolve(view.Disk{}, c.places.Root); err == nil {
		return real
	}
	return c.places.Root
}

// wideCommand says what an allow pattern leaves open that is too much, "" if
// nothing stands out.
func wideCommand(pattern string) string {
	if words, open := strings.CutSuffix(pattern, " *"); open && len(strings.Fields(words)) == 1 {
		return "clears every subcommand and option of " + printable.Text(words) + "; name the ones you mean"
	}
	return ""
}
