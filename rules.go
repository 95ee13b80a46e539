package nod

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/match"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/shell"
)

// RuleList names one of the lists that hold rules.
type RuleList string

// The lists, as they are spelled in a settings file. A further list, "environment", has texts as rules.
const (
	ListAllow    RuleList = "allow"
	ListSoftDeny RuleList = "soft_deny"
	ListHardDeny RuleList = "hard_deny"
	ListAsk      RuleList = "ask"
)

// Rule is one line of a rule list. The zero value matches nothing. A literal with a
// Text is read by [New] as [ParseRule] reads it.
//
// A rule is a pattern if its words, quoted as in a shell, start with a program that is known; else it
// is text for the model. Either way it goes into the prompt.
type Rule struct {
	Text   string // as its author wrote it
	Origin string // where it stands: "default", or "FILE:LINE"
	// Untrusted marks a rule of a repository file that nobody vouched for. It is matched, and its words are never
	// shown to a model.
	Untrusted bool
	Within    string // the directory, a real path, outside which a rule of [ListAllow] clears nothing; "" means none
	Team      bool   // the organisation's, which many people share
	Prose     bool   // the text is for a model alone, also if it looks like a pattern: nothing fits it

	command    match.Pattern     // what it matches as a command
	permission *match.Permission // set where the rule is Claude Code's
}

// Shared reports whether others are likely to have the same rule: it is built in or the organisation's.
func (r Rule) Shared() bool { return r.Team || r.Origin == "default" }

// place says where the rule stands, for a reason.
func (r Rule) place() place.Objection {
	if r.Origin == "" {
		return ""
	}
	return place.Objection(" (" + r.Origin + ")")
}

// Rules is everything that users, organisations and (tightening only)
// repositories say. The zero value allows nothing by itself.
type Rules struct {
	Allow       []Rule   // clears the simple commands it matches; the rest is advice
	SoftDeny    []Rule   // keeps layers 2 and 3 from allowing what it matches; advice to a model, not a boundary
	HardDeny    []Rule   // the boundary: decided without a model, cleared by nothing
	Ask         []Rule   // what a person decides: no rule and no model allows what it matches
	Environment []Rule   // hints for the model; decides nothing
	Hosts       []string // may be read from
	Allowlist   []string // canonical tool names that layer 1 allows
	// Secrets and Guarded hold path patterns: "~/x" below home, "/x" absolute, anything else a run of components at
	// any depth. "*" and "?" match inside a component, a match covers all that lies below, and a leading "!" takes
	// an earlier match back. nil stands for the built-in list; a list that is empty and not nil, for none.
	Secrets, Guarded []string
}

// ParseRule reads one rule of a list. A pattern that is too broad to be safe (a bare interpreter or runner, "*") is
// refused in ListAllow, and a rule that cannot be a pattern in ListHardDeny or ListAsk, since no model enforces
// them. The error is one line that says what to write instead; the caller knows where.
func ParseRule(list RuleList, text, origin string) (Rule, error) {
	r := Rule{Text: text, Origin: origin}
	if strings.TrimSpace(text) == "" {
		return Rule{}, fmt.Errorf("an empty rule; remove it")
	}
	if list == "environment" {
		return r, nil
	}
	if p, is, err := match.ServerRule(text, list == ListAllow); is {
		r.permission = p
		return r, err
	}
	if meant := match.MeantTool(text, list == ListAllow); meant != "" {
		return Rule{}, errors.New(meant)
	}
	r.command = match.ReadPattern(text)
	switch {
	case (list == ListHardDeny || list == ListAsk) && len(r.command.Words) == 0:
		return r, fmt.Errorf("%q cannot be a command pattern (one simple command, no ; | & < > $ or unbalanced quotes); "+
			"%s is decided without a model, so prose belongs into soft_deny", text, list)
	case list == ListAllow && len(r.command.Words) > 0:
		return r, r.tooBroad()
	}
	return r, nil
}

// read returns the rules with what is missing filled in: literals are read, and lists of files that
// nobody spoke of are the built-in ones. The error is of a list that denies or asks.
func (r Rules) read() (Rules, error) {
	if r.Secrets == nil {
		r.Secrets = defaultList(secretsText)
	}
	if r.Guarded == nil {
		r.Guarded = hosts.Guarded()
	}
	r.Allow, _ = readRules(ListAllow, r.Allow) // a rule that cannot be read clears nothing
	r.SoftDeny, _ = readRules(ListSoftDeny, r.SoftDeny)
	var hard, ask error
	r.HardDeny, hard = readRules(ListHardDeny, r.HardDeny)
	r.Ask, ask = readRules(ListAsk, r.Ask)
	return r, cmp.Or(hard, ask)
}

// readRules reads the literals of a list.
func readRules(list RuleList, rules []Rule) (read []Rule, first error) {
	isLiteral := func(r Rule) bool {
		return !r.Prose && r.permission == nil && len(r.command.Words) == 0 && strings.TrimSpace(r.Text) != ""
	}
	if !slices.ContainsFunc(rules, isLiteral) {
		return rules, nil
	}
	read = slices.Clone(rules)
	for i, r := range read {
		if !isLiteral(r) {
			continue
		}
		parsed, err := ParseRule(list, r.Text, r.Origin)
		if err == nil {
			read[i].command, read[i].permission = parsed.command, parsed.permission
		} else if first == nil {
			first = fmt.Errorf("%s: %w", list, err)
		}
	}
	return read, first
}

// tooBroad refuses patterns that would clear any code at all.
func (r Rule) tooBroad() error {
	words := r.command.Words
	if slices.Contains(words, "*") {
		return broad{fmt.Errorf("%q: a * may only stand at the end, for further arguments", r.Text)}
	}
	named := func(w string) bool { return !strings.HasPrefix(w, "-") }
	if isRunner(path.Base(words[0])) && (r.command.Open || len(words) == 1) && // not python --version
		!slices.ContainsFunc(words[1:], named) {
		return broad{fmt.Errorf("%q would allow any code that %s can run; name what it may run, such as \"make test\" "+
			"or \"python3 -m pytest *\"", r.Text, words[0])}
	}
	if by := r.command.RunsAnything(); by != "" {
		return broad{fmt.Errorf("%q would allow any code: %s; name what may run", r.Text, by)}
	}
	return nil
}

type broad struct{ error } // the fault of a rule that would allow any code

// IsBroad reports whether [ParseRule] refused a rule because it would allow any
// code. Such a rule can be left out: without it nod only asks more.
func IsBroad(err error) bool {
	var b broad
	return errors.As(err, &b)
}

// isRunner reports whether a bare name of the program says nothing about what will run.
func isRunner(program string) bool {
	switch program {
	case "fish", "pwsh", "powershell", "cmd", "php", "lua", "luajit", "R", "Rscript", "julia", "tclsh", "wish",
		"expect", "guile", "octave", "racket", "sbcl", "gdb", "lldb", "run-parts", "setpriv",
		"fakeroot": // they have no sheets
		return true
	}
	return shell.Runs(program, shell.Runner)
}

// IsPattern reports whether the rule is matched by nod itself, given which
// programs are known; else it is text for the model.
func (r Rule) IsPattern(known func(program string) bool) bool {
	return r.permission != nil || len(r.command.Words) > 0 && known(r.command.Words[0])
}

// ParsePermission reads one deny or ask rule in the grammar of Claude Code's settings, which lie in dir. It matches no
// less than Claude Code's does. The error is one line that says why nod cannot hold the rule.
func ParsePermission(text, origin, dir string) (Rule, error) {
	p, err := match.ReadPermission(text)
	if err == nil {
		p.Dir = dir
		err = p.Check()
	}
	if err != nil {
		return Rule{}, err
	}
	return Rule{Text: text, Origin: origin, permission: &p}, nil
}

// ClaudeCode is the name of Claude Code's adapter.
const ClaudeCode = "claude-code"

// The built-in lists, one entry a line. Each says how its entries are meant.
var (
	//go:embed defaults/allow.txt
	allowText string
	//go:embed defaults/soft_deny.txt
	softDenyText string
	//go:embed defaults/allowlist.txt
	allowlistText string
	//go:embed defaults/secrets.txt
	secretsText string
)

// DefaultRules returns the built-in lists, what "$defaults" stands for. Each call returns fresh slices.
func DefaultRules() Rules {
	return Rules{
		Allow:     defaultRules(allowText),
		SoftDeny:  defaultRules(softDenyText),
		Allowlist: defaultList(allowlistText),
		Secrets:   defaultList(secretsText),
		Guarded:   hosts.Guarded(),
	}
}

// defaultRules are the entries of a list as rules that everybody shares.
func defaultRules(list string) []Rule {
	entries := defaultList(list)
	rules := make([]Rule, len(entries))
	for i, text := range entries {
		rules[i] = Rule{Text: text, Origin: "default", Prose: true}
	}
	return rules
}

// defaultList are the entries of a list.
func defaultList(list string) []string {
	entries := make([]string, 0, strings.Count(list, "\n"))
	for line := range strings.SplitSeq(list, "\n") {
		if line != "" && line[0] != '#' {
			entries = append(entries, line)
		}
	}
	return entries
}
