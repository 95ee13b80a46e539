package cli

import (
	"context"
	"fmt"
	"path"
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

// rulesCheckOutput is the answer of rules check --json. Fields are only ever
// added.
type rulesCheckOutput struct {
	Version int             `json:"v"`
	Doubts  []doubt         `json:"doubts"`
	NotHeld []notHeldOutput `json:"not_held"`
}

// doubt is something about a rule that a person should look at.
type doubt struct {
	Kind   string `json:"kind"` // contradiction, redundant, broad, unknown
	List   string `json:"list"`
	Text   string `json:"text"`
	Origin string `json:"origin"`
	Why    string `json:"why"`
}

func doubtOf(kind string, item config.Item, why string) doubt {
	return doubt{kind, item.List, item.Text, item.Origin, why}
}

func (c checker) run(ctx context.Context, asJSON bool) error {
	out := rulesCheckOutput{Version: 1, Doubts: []doubt{}, NotHeld: []notHeldOutput{}}
	out.Doubts = append(out.Doubts, c.doubts(ctx)...)
	s := c.settings
	for _, rule := range slices.Concat(s.LeftOut, s.NotHeld) {
		out.NotHeld = append(out.NotHeld, notHeldOutput(rule))
	}
	if asJSON {
		return printJSON(c.process, out)
	}
	p := c.process
	for _, r := range out.NotHeld {
		fmt.Fprintf(p.Stdout, "%s: not held: %s %q: %s\n", homely(p, r.Origin), r.List, printable.Text(r.Text),
			printable.Text(r.Why))
	}
	for _, d := range out.Doubts {
		fmt.Fprintf(p.Stdout, "%s: %s: %s %q: %s\n", homely(p, d.Origin), d.Kind, d.List, printable.Text(d.Text), d.Why)
	}
	if len(out.Doubts)+len(out.NotHeld) == 0 {
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
				found = append(found, doubtOf("unknown", item,
					"no agent's tool has this name in nod; `nod log` shows the names"))
			}
		}
		for _, earlier := range items[:i] {
			if earlier.Text == item.Text && earlier.Scope == item.Scope && earlier.List == "allow" &&
				!earlier.Rule.IsPattern(c.places.Known) && strings.HasSuffix(item.List, "_deny") {
				found = append(found, doubtOf("contradiction", item,
					"the same text stands under allow, at "+printable.Text(earlier.Origin)))
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
		found = append(found, doubtOf("broad", item, why))
	}
	with := c.judge(ctx, command, c.settings.Rules)
	switch {
	case with.Verdict == nod.Deny && with.Rule.Text == "" && with.Layer != nod.LayerNone:
		return append(found, doubtOf("contradiction", item, "never clears it: "+with.Reason))
	case with.Verdict != nod.Allow && with.Rule.Text != "" && with.Rule.Text != item.Text:
		return append(found, doubtOf("contradiction", item, fmt.Sprintf("never clears it: %q (%s) comes first",
			printable.Text(with.Rule.Text), printable.Text(with.Rule.Origin))))
	case with.Verdict != nod.Allow || command != item.Text:
		return found
	}
	rules := c.settings.Rules
	rules.Allow = slices.DeleteFunc(slices.Clone(rules.Allow),
		func(r nod.Rule) bool { return r.Text == item.Rule.Text && r.Origin == item.Rule.Origin })
	switch without := c.judge(ctx, command, rules); {
	case without.Verdict == nod.Allow && without.Rule.Text != "":
		found = append(found, doubtOf("redundant", item, fmt.Sprintf("%q (%s) allows it too",
			printable.Text(without.Rule.Text), printable.Text(without.Rule.Origin))))
	case without.Verdict == nod.Allow:
		found = append(found, doubtOf("redundant", item, "nod allows it by itself: "+without.Reason))
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
	words, open := strings.CutSuffix(pattern, " *")
	list := strings.Fields(words)
	switch {
	case !open:
		return ""
	case len(list) == 1:
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
