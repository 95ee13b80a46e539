package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

func rulesCommand() command {
	return command{
		name:    "rules",
		usage:   "rules [check | critique [--yes]] [--mine] [--json] [--root DIR] [flags]",
		summary: "the rules that hold here, and where each comes from",
		long: `Prints the rules that hold for an agent that was started in this directory:
what nod matches itself ("pattern"), what only a model reads ("text"), and the
file and line, or "default", of each.

  --mine       only what somebody wrote, without the built-in lists
  --json       one JSON object, "v": 1; check and critique take it too
  --root DIR   the workspace, instead of this directory
  --settings F, --managed F, --state DIR   instead of the usual places

nod rules check says what is doubtful about the rules that somebody wrote: one
that another keeps from ever clearing its command, one that allows what is
allowed without it, one that leaves too much open, and patterns that decided
nothing in the log. It runs nothing and changes nothing.

nod rules critique asks your model what it thinks of the rules that somebody
wrote: contradictory, ambiguous, too broad, missing. It shows first what is
sent and what that costs at most, and asks; --yes agrees beforehand. It is one
question, it goes to the first model of your settings, and nothing is changed:
the remarks are a model's, and yours to follow or not.

hard_deny is a boundary: nod decides it without a model, and nothing clears
it. ask is one too: a person decides, and no model. soft_deny is advice to a
model and no boundary.

Rules that you gave Claude Code (~/.claude/settings.json and its managed
settings, never a repository's) hold here too where they tighten; with
claude_rules = "all" in your settings also what they allow, for Claude Code.
nod rules check names those that nod cannot hold as you meant them.

Exit status: 0; 2 arguments or settings that cannot be used, or no model; 1 a
model that was asked and gave no answer that could be used.`,
		examples: []string{`nod rules --mine`, `nod rules check`, `nod rules critique`,
			`nod rules --json --root ~/src/shop`},
		run: rules,
	}
}

func rules(ctx context.Context, p *Process, args []string) int {
	if len(args) > 0 && args[0] == "check" {
		return rulesCheck(ctx, p, args[1:])
	}
	if len(args) > 0 && args[0] == "critique" {
		return rulesCritique(ctx, p, args[1:])
	}
	flags := flag.NewFlagSet("rules", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	asJSON := flags.Bool("json", false, "")
	mine := flags.Bool("mine", false, "")
	root := flags.String("root", p.Dir, "")
	places, err := parsePlaces(p, flags, args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected %q; nod rules takes check, critique, or nothing", flags.Arg(0))
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
	list := append(settings.Lists(), settings.Confine.Items...)
	if *mine {
		list = slices.DeleteFunc(list, func(i config.Item) bool { return i.Level == "" })
	}
	if *asJSON {
		return printRulesJSON(p, settings, list, places.Known)
	}
	printRules(p, settings, list, places.Known)
	if *mine && len(list) == 0 {
		fmt.Fprintln(p.Stderr, "nod rules: you have written no rules yet; nod init proposes some for a repository")
	}
	return ExitOK
}

// parsePlaces adds the place flags, parses, and refuses a settings file that
// was named and is not there: without it, fewer rules would hold.
func parsePlaces(p *Process, flags *flag.FlagSet, args []string) (config.Places, error) {
	places := config.DefaultPlaces(p.Getenv("HOME"))
	places.Known = programs(p)
	placeFlags(flags, &places)
	if err := flags.Parse(args); err != nil {
		return places, err
	}
	if places.User == "" && !isSet(flags, "settings") {
		return places, errors.New("HOME is not set, so your settings cannot be found; name them " +
			"with --settings FILE, or --settings= for none")
	}
	for _, name := range []*string{&places.User, &places.Managed, &places.State} {
		if *name != "" {
			*name = absolute(p, *name)
		}
	}
	places = places.WithClaude()
	var missing error
	flags.Visit(func(f *flag.Flag) {
		if f.Name != "settings" && f.Name != "managed" {
			return
		}
		if _, err := os.Stat(absolute(p, f.Value.String())); err != nil {
			missing = fmt.Errorf("--%s: %w", f.Name, err)
		}
	})
	return places, missing
}

func isSet(flags *flag.FlagSet, name string) (set bool) {
	flags.Visit(func(f *flag.Flag) { set = set || f.Name == name })
	return set
}

// programs tells which first words make a rule a command pattern.
func programs(p *Process) func(string) bool {
	dirs := filepath.SplitList(p.Getenv("PATH"))
	return func(name string) bool {
		return shell.Known(name) || inPath(dirs, name)
	}
}

func inPath(dirs []string, name string) bool {
	if strings.ContainsRune(name, '/') {
		return executable(name)
	}
	for _, dir := range dirs {
		if filepath.IsAbs(dir) && executable(filepath.Join(dir, name)) {
			return true
		}
	}
	return false
}

func executable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
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
	case item.List == string(nod.ListConfine), item.List != "environment" && item.Rule.IsPattern(known):
		return "pattern"
	}
	return "text"
}

func printRules(p *Process, s config.Settings, rest []config.Item, known func(string) bool) {
	fmt.Fprintf(p.Stdout, "mode %s (%s)\n", s.Mode, homely(p, s.ModeOrigin))
	if s.Confine.All {
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
	files := claudeFiles(s)
	if len(files) == 0 {
		return
	}
	fmt.Fprintf(p.Stdout, "\nclaude_rules %s: %s\n", s.ClaudeRules, aboutClaude(s.ClaudeRules))
	for _, name := range files {
		taken, left := 0, 0
		for _, item := range s.Lists() {
			if strings.HasPrefix(item.Origin, printable.Text(name)+":") {
				taken++
			}
		}
		for _, rule := range s.NotHeld {
			if strings.HasPrefix(rule.Origin, printable.Text(name)+":") {
				left++
			}
		}
		fmt.Fprintf(p.Stdout, "  %d rules taken, %d not as they were meant (nod rules check)  %s\n", taken, left,
			homely(p, name))
	}
}

// claudeFiles are the settings of Claude Code among the sources.
func claudeFiles(s config.Settings) (names []string) {
	for _, source := range s.Sources {
		if strings.HasSuffix(source.Path, ".json") {
			names = append(names, source.Path)
		}
	}
	return names
}

func aboutClaude(how config.ClaudeRules) string {
	if how == config.ClaudeAll {
		return "all of Claude Code's own rules; what they allow, for its calls only"
	}
	return "what tightens of Claude Code's own rules, for every agent"
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
			origin += " (not trusted: matched, shown to no model)"
		}
		if item.Rule.Agent != "" {
			origin += " (only for " + printable.Text(item.Rule.Agent) + ")"
		}
		if item.Scope != "" {
			origin += " (only in " + homely(p, item.Scope) + ")"
		}
		fmt.Fprintf(p.Stdout, "  %s%-*s  %s\n", kind, width, printable.Text(item.Text), origin)
	}
}

// rulesOutput is the answer of rules --json. Fields are only ever added.
type rulesOutput struct {
	Version int            `json:"v"`
	Mode    config.Mode    `json:"mode"`
	Profile config.Profile `json:"profile,omitempty"`
	Unknown string         `json:"unknown"` // host, ask
	Confine string         `json:"confine"` // on, off, or patterns, which are among the rules
	Rules   []ruleOutput   `json:"rules"`
	Sources []sourceOutput `json:"sources"`
	// Repositories has every [[repository]], whether it holds here or not.
	Repositories []scopeOutput `json:"repositories,omitempty"`
	Notices      []string      `json:"notices,omitempty"`
	// ClaudeRules is what is read of Claude Code's own settings, NotHeld what
	// of that could not be taken as it was meant.
	ClaudeRules config.ClaudeRules `json:"claude_rules"`
	NotHeld     []notHeldOutput    `json:"not_held,omitempty"`
}

type notHeldOutput struct {
	List   string `json:"list"`
	Text   string `json:"text"`
	Origin string `json:"origin"`
	Why    string `json:"why"`
}

type ruleOutput struct {
	List      string       `json:"list"`
	Text      string       `json:"text"`
	Kind      string       `json:"kind,omitempty"` // pattern or text; in rule lists only
	Origin    string       `json:"origin"`
	Level     config.Level `json:"level,omitempty"`
	Untrusted bool         `json:"untrusted,omitempty"`
	Scope     string       `json:"scope,omitempty"` // the repository to which it is confined
	Agent     string       `json:"agent,omitempty"` // the agent of whose calls it speaks
}

type scopeOutput struct {
	Path   string       `json:"path"`
	Origin string       `json:"origin"`
	Level  config.Level `json:"level"`
	Rules  int          `json:"rules"`
	Here   bool         `json:"here"`
}

type sourceOutput struct {
	Path    string       `json:"path"`
	Level   config.Level `json:"level"`
	SHA256  string       `json:"sha256,omitempty"`
	Trusted bool         `json:"trusted"`
	Used    bool         `json:"used"`
}

func printRulesJSON(p *Process, s config.Settings, list []config.Item, known func(string) bool) int {
	unknown := map[bool]string{true: "ask", false: "host"}[s.AskUnknown]
	out := rulesOutput{Version: 1, Mode: s.Mode, Profile: s.Profile, Unknown: unknown, Confine: s.Confine.String(),
		Rules: []ruleOutput{}, Sources: []sourceOutput{}, Notices: s.Notices, ClaudeRules: s.ClaudeRules}
	for _, rule := range s.NotHeld {
		out.NotHeld = append(out.NotHeld, notHeldOutput(rule))
	}
	for _, item := range list {
		out.Rules = append(out.Rules, ruleOutput{
			List: item.List, Text: item.Text, Kind: matching(item, known),
			Origin: item.Origin, Level: item.Level, Untrusted: item.Rule.Untrusted, Scope: item.Scope,
			Agent: item.Rule.Agent,
		})
	}
	for _, scope := range s.Scopes {
		out.Repositories = append(out.Repositories, scopeOutput(scope))
	}
	for _, source := range s.Sources {
		out.Sources = append(out.Sources, sourceOutput(source))
	}
	encoder := json.NewEncoder(p.Stdout)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(out); err != nil {
		fmt.Fprintln(p.Stderr, "nod rules:", err)
		return ExitInternal
	}
	return ExitOK
}
