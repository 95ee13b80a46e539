package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

// doubt is something about a rule that a person should look at.
type doubt struct {
	kind string // contradiction, redundant, broad, unknown, unused
	item config.Item
	why  string
}

// rulesCheck is `nod rules check`. It changes nothing and asks no model.
func rulesCheck(ctx context.Context, p *Process, args []string) int {
	flags := flag.NewFlagSet("rules check", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	root := flags.String("root", p.Dir, "")
	asJSON := flags.Bool("json", false, "")
	places, err := parsePlaces(p, flags, args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected %q", flags.Arg(0))
	}
	if err != nil {
		return usageError(p, rulesCommand(), err)
	}
	places.Root = absolute(p, *root)
	settings, err := config.Load(places)
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod rules:", err)
		return ExitBadInput
	}
	c := checker{process: p, places: places, settings: settings}
	doubts := c.doubts(ctx)
	used, err := c.unused()
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod rules:", printable.Line(err.Error(), 500))
		return ExitBadInput
	}
	notHeld := c.weighed(ctx, append(slices.Concat(settings.LeftOut, settings.NotHeld), places.Overridden()...))
	doubts = append(doubts, used...)
	if *asJSON {
		err = printJSON(p, checkOutput(doubts, notHeld))
	} else {
		printNotHeld(p, notHeld)
		if len(doubts) > 0 || len(notHeld) == 0 {
			printDoubts(p, doubts)
		}
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod rules:", err)
		return ExitInternal
	}
	return ExitOK
}

// rulesCheckOutput is the answer of rules check --json. Fields are only ever
// added.
type rulesCheckOutput struct {
	Version int             `json:"v"`
	Doubts  []doubtOutput   `json:"doubts"`
	NotHeld []notHeldOutput `json:"not_held"`
}

type doubtOutput struct {
	Kind   string `json:"kind"` // contradiction, redundant, broad, unknown, unused
	List   string `json:"list"`
	Text   string `json:"text"`
	Origin string `json:"origin"`
	Why    string `json:"why"`
}

func checkOutput(doubts []doubt, notHeld []config.NotHeld) rulesCheckOutput {
	out := rulesCheckOutput{Version: 1, Doubts: []doubtOutput{}, NotHeld: []notHeldOutput{}}
	for _, d := range doubts {
		out.Doubts = append(out.Doubts,
			doubtOutput{Kind: d.kind, List: d.item.List, Text: d.item.Text, Origin: d.item.Origin, Why: d.why})
	}
	for _, rule := range notHeld {
		out.NotHeld = append(out.NotHeld, notHeldOutput(rule))
	}
	return out
}

// weighed says of the allow rules of Claude Code's settings that nod does not take over what
// becomes of their calls: nod allows a plain one by itself, leaves it to Claude Code, or asks.
func (c checker) weighed(ctx context.Context, rules []config.NotHeld) []config.NotHeld {
	rules = slices.Clone(rules)
	for i, r := range rules {
		toCount, asked := strings.CutPrefix(r.Why, config.Asked)
		if r.List != "allow" || !asked {
			continue
		}
		if reason := c.plainly(ctx, r.Text); reason != "" {
			rules[i].Why = "redundant: nod allows a plain call by itself: " + reason
		} else if c.leaves() {
			rules[i].Why = "left to Claude Code, which goes by this rule" + strings.Replace(toCount, "to have it count",
				"to have nod allow it", 1)
		}
	}
	return rules
}

// plainly is why nod allows the very command that a rule names, "" where it does not.
func (c checker) plainly(ctx context.Context, rule string) string {
	spec, ok := strings.CutPrefix(strings.TrimSuffix(rule, ")"), "Bash(")
	command := strings.TrimRight(strings.TrimSuffix(spec, "*"), ": ")
	if !ok || command == "" {
		return ""
	}
	if d := c.judge(ctx, command, c.settings.Rules, nod.ClaudeCode); d.Verdict == nod.Allow {
		return d.Reason
	}
	return ""
}

// leaves reports whether nod leaves to Claude Code what it knows nothing against, so that
// Claude Code's own rules decide.
func (c checker) leaves() bool { return c.settings.Model.Provider == "" && !c.settings.AskUnknown }

// printNotHeld names the rules of Claude Code's settings that nod does not hold
// as they were meant.
func printNotHeld(p *Process, rules []config.NotHeld) {
	for _, r := range rules {
		fmt.Fprintf(p.Stdout, "%s: not held: %s %q: %s\n", homely(p, r.Origin), r.List, printable.Text(r.Text),
			printable.Text(r.Why))
	}
}

func printDoubts(p *Process, doubts []doubt) {
	if len(doubts) == 0 {
		fmt.Fprintln(p.Stdout, "nothing to doubt about your rules")
	}
	for _, d := range doubts {
		fmt.Fprintf(p.Stdout, "%s: %s: %s %q: %s\n", homely(p, d.item.Origin), d.kind, d.item.List,
			printable.Text(d.item.Text), d.why)
	}
}

type checker struct {
	process  *Process
	places   config.Places
	settings config.Settings
}

// own are the entries that somebody wrote, without the built-in ones.
func (c checker) own() []config.Item {
	return slices.DeleteFunc(c.settings.Lists(), func(i config.Item) bool { return i.Level == "" })
}

// doubts are those that need no log.
func (c checker) doubts(ctx context.Context) []doubt {
	var found []doubt
	for _, item := range c.own() {
		switch item.List {
		case "allow":
			if item.Rule.IsPattern(c.places.Known) {
				found = append(found, c.allow(ctx, item)...)
			}
		case "hosts":
			if why := wideHost(item.Text); why != "" {
				found = append(found, doubt{"broad", item, why})
			}
		case "allowlist":
			if why := wideTool(item.Text); why != "" {
				found = append(found, doubt{"broad", item, why})
			}
			if !agent.Names(item.Text) {
				found = append(found, doubt{"unknown", item,
					"no agent's tool has this name in nod; `nod log` shows the names"})
			}
		}
	}
	return append(found, c.opposed()...)
}

// allow asks the gate what becomes of the very command that a pattern allows,
// with the rule and without it. Nothing is run.
func (c checker) allow(ctx context.Context, item config.Item) (found []doubt) {
	command := strings.TrimSuffix(item.Text, " *")
	if why := wideCommand(item.Text); why != "" {
		found = append(found, doubt{"broad", item, why})
	}
	with := c.judge(ctx, command, c.settings.Rules, item.Rule.Agent)
	switch {
	case with.Verdict == nod.Deny && with.Rule.Text == "" && with.Layer != nod.LayerNone:
		found = append(found, doubt{"contradiction", item, "never clears it: " + with.Reason})
	case with.Verdict != nod.Allow && with.Rule.Text != "" && with.Rule.Text != item.Text:
		found = append(found, doubt{"contradiction", item,
			fmt.Sprintf("never clears it: %q (%s) comes first", printable.Text(with.Rule.Text),
				printable.Text(with.Rule.Origin))})
	}
	if with.Verdict != nod.Allow || command != item.Text {
		return found
	}
	rules := c.settings.Rules
	rules.Allow = slices.DeleteFunc(slices.Clone(rules.Allow),
		func(r nod.Rule) bool { return r.Text == item.Rule.Text && r.Origin == item.Rule.Origin })
	switch without := c.judge(ctx, command, rules, item.Rule.Agent); {
	case without.Verdict == nod.Allow && without.Rule.Text != "":
		found = append(found, doubt{"redundant", item,
			fmt.Sprintf("%q (%s) allows it too", printable.Text(without.Rule.Text),
				printable.Text(without.Rule.Origin))})
	case without.Verdict == nod.Allow:
		found = append(found, doubt{"redundant", item, "nod allows it by itself: " + without.Reason})
	}
	return found
}

func (c checker) judge(ctx context.Context, command string, rules nod.Rules, agent string) nod.Decision {
	if agent == "" {
		agent = "nod rules check"
	}
	root := c.places.Root
	if real, err := view.Resolve(view.Disk{}, root); err == nil {
		root = real
	}
	return nod.New(nod.Options{Rules: rules, Files: nod.OnDisk(), Home: c.places.Home}).Check(ctx, nod.Call{
		Agent: agent, Tool: "bash", RawTool: "bash", Command: command,
		Dir: root, Roots: []string{root}, Environ: c.process.Environ, Interactive: true,
	})
}

// opposed finds one text for the model in lists that say opposite things.
func (c checker) opposed() (found []doubt) {
	items := c.own()
	for i, item := range items {
		for _, earlier := range items[:i] {
			switch {
			case earlier.Text != item.Text || earlier.Scope != item.Scope:
			case earlier.List == "allow" && !earlier.Rule.IsPattern(c.places.Known) &&
				strings.HasSuffix(item.List, "_deny"):
				found = append(found, doubt{"contradiction", item,
					"the same text stands under allow, at " + printable.Text(earlier.Origin)})
			}
		}
	}
	return found
}

// wideCommand says what an allow pattern leaves open that is too much, "" if
// nothing stands out.
func wideCommand(pattern string) string {
	words, open := strings.CutSuffix(pattern, " *")
	if !open {
		return ""
	}
	list := strings.Fields(words)
	if len(list) == 1 {
		return "clears every subcommand and option of " + printable.Text(list[0]) + "; name the ones you mean"
	}
	switch path.Base(list[0]) + " " + list[1] {
	case "npm run", "pnpm run", "yarn run", "bun run", "npm exec", "pnpm exec", "pnpm dlx", "yarn dlx", "go run",
		"cargo run", "uv run", "poetry run", "pipenv run", "bundle exec", "docker run", "docker exec", "podman run",
		"podman exec", "docker compose", "kubectl exec", "kubectl apply", "kubectl delete", "git config",
		"git push", "git -c", "git -C", "gh api", "aws s3", "npm publish", "cargo publish", "nix run", "nix shell",
		"npm install", "pip install", "python -m", "python3 -m":
		return "clears whatever stands behind it, code or targets of anybody's choice; name what you mean"
	}
	return ""
}

// wideHost says whether anybody may serve from below an entry.
func wideHost(host string) string {
	switch below, _ := strings.CutPrefix(strings.ToLower(host), "*."); below {
	case "github.io", "githubusercontent.com", "amazonaws.com", "googleapis.com", "cloudfront.net", "pages.dev",
		"workers.dev", "vercel.app", "netlify.app", "web.app", "firebaseapp.com", "herokuapp.com",
		"azurewebsites.net", "windows.net", "ngrok.io", "ngrok.app", "ngrok-free.app", "trycloudflare.com",
		"blogspot.com", "wordpress.com", "fly.dev", "onrender.com", "co.uk", "com.au", "com.br", "co.jp":
		return "anybody can have a name below it, also to read what an address carries"
	}
	return ""
}

// wideTool says what a tool on the allow-list can do.
func wideTool(tool string) string {
	switch tool {
	case "bash", "powershell", "file_edit", "file_write", "notebook_edit", "apply_patch", "mcp", "agent", "web_fetch":
		return "every use of it is allowed, also one that a soft_deny rule matches"
	}
	return ""
}

// unused finds patterns that decided nothing in the log: none of the calls of this
// workspace since the rule's file was last changed. Calls of before, and of
// elsewhere, say nothing of it.
func (c checker) unused() (found []doubt, err error) {
	var calls []time.Time
	matched, seats := map[string]bool{}, seats{}
	for line, err := range audit.Read(c.places.State, audit.Filter{Kinds: []audit.Kind{audit.Decision}}) {
		var problem *audit.Problem
		switch {
		case err != nil && !errors.As(err, &problem):
			return nil, err
		case err != nil: // `nod log` shows what is damaged
			continue
		case seats.again(line.Entry):
		case line.Root == "" || c.here(line.Root):
			calls = append(calls, line.Time)
		}
		if line.Rule != nil {
			matched[line.Rule.Text] = true
		}
	}
	if len(calls) == 0 {
		fmt.Fprintln(c.process.Stderr,
			"nod rules: the log holds no decision of this workspace, so nothing is said of rules that never matched")
		return nil, nil
	}
	for _, item := range c.own() {
		held := strings.HasSuffix(item.List, "_deny") || item.List == "allow" || item.List == "ask"
		if !held || !item.Rule.IsPattern(c.places.Known) || matched[item.Rule.Text] {
			continue
		}
		if later := after(calls, changed(item.Origin)); len(later) > 0 {
			found = append(found, doubt{"unused", item,
				fmt.Sprintf("decided none of %s since %s", counted(len(later), "call"),
					slices.MinFunc(later, time.Time.Compare).Format(time.DateOnly))})
		}
	}
	return found, nil
}

// here reports whether a root of the log is this workspace.
func (c checker) here(root string) bool {
	own, err := view.Resolve(view.Disk{}, c.places.Root)
	return root == c.places.Root || err == nil && root == own
}

// changed is when the file of an origin, FILE:LINE, was last changed; the zero
// time where nobody can say.
func changed(origin string) time.Time {
	name := origin
	if i := strings.LastIndexByte(origin, ':'); i > 0 {
		name = origin[:i]
	}
	info, err := os.Stat(name)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// after are the times not before one.
func after(list []time.Time, one time.Time) []time.Time {
	return slices.DeleteFunc(slices.Clone(list), func(t time.Time) bool { return t.Before(one) })
}
