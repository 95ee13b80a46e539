package config

import (
	"slices"
	"strings"

	"github.com/nodgate/nod"
)

// defaultsMark stands for the built-in list.
const defaultsMark = "$defaults"

// The lists, in the order in which they are shown.
const (
	listAllow = iota
	listSoftDeny
	listHardDeny
	listAsk
	listEnvironment
	listHosts
	listAllowlist
	listSecrets
	listGuarded
	listCount
)

// list is one rule list: what a key of the settings is called, who may write it, and
// what it is for. A new list is a row here, a key of [listTexts], and what decides by it.
type list struct {
	name  string
	about string                       // what it does, for a person
	rules func(*nod.Rules) *[]nod.Rule // its built-in rules; nil where it holds texts
	texts func(*nod.Rules) *[]string   // its built-in texts
	said  func(*listTexts) []string    // its key in a file
	check func(text string) error      // refuses a text
	// trusted lists may stand in a repository's file that a person accepted, scoped
	// ones in a [[repository]] of the person's own.
	trusted, scoped bool
	// lastHolds says that a later entry takes an earlier one back, so that the managed
	// file's come last.
	lastHolds bool
}

func lists() [listCount]list {
	return [listCount]list{
		{name: "allow", about: "clears a simple command without asking; text is for the model",
			rules: func(r *nod.Rules) *[]nod.Rule { return &r.Allow },
			said:  func(t *listTexts) []string { return t.Allow }, trusted: true, scoped: true},
		{name: "soft_deny",
			about: "advice to a model, not a boundary; a pattern keeps nod from allowing by itself",
			rules: func(r *nod.Rules) *[]nod.Rule { return &r.SoftDeny },
			said:  func(t *listTexts) []string { return t.SoftDeny }, trusted: true, scoped: true},
		{name: "hard_deny", about: "a boundary: decided without a model, cleared by nothing",
			rules: func(r *nod.Rules) *[]nod.Rule { return &r.HardDeny },
			said:  func(t *listTexts) []string { return t.HardDeny }, trusted: true, scoped: true},
		{name: "ask", about: "a person decides; no other rule and no model allows it",
			rules: func(r *nod.Rules) *[]nod.Rule { return &r.Ask },
			said:  func(t *listTexts) []string { return t.Ask }, trusted: true, scoped: true},
		{name: "environment", about: "hints for the model; decides nothing",
			rules: func(r *nod.Rules) *[]nod.Rule { return &r.Environment },
			said:  func(t *listTexts) []string { return t.Environment }, trusted: true, scoped: true},
		{name: "hosts", about: "may be read from", check: checkHost,
			texts: func(r *nod.Rules) *[]string { return &r.Hosts },
			said:  func(t *listTexts) []string { return t.Hosts }, trusted: true, scoped: true},
		{name: "allowlist", about: "tools that are always allowed", check: checkTool,
			texts: func(r *nod.Rules) *[]string { return &r.Allowlist },
			said:  func(t *listTexts) []string { return t.Allowlist }, scoped: true},
		{name: "secrets", about: "paths that always go to the model", check: checkPathPattern,
			texts: func(r *nod.Rules) *[]string { return &r.Secrets },
			said:  func(t *listTexts) []string { return t.Secrets }, lastHolds: true},
		{name: "guarded", about: "paths whose edits go to the model", check: checkPathPattern,
			texts: func(r *nod.Rules) *[]string { return &r.Guarded },
			said:  func(t *listTexts) []string { return t.Guarded }, lastHolds: true},
	}
}

// About says what a list does, for a person; "" for what is no list.
func About(name string) string {
	if name == string(nod.ListConfine) {
		return "code that nod has not read runs behind a boundary (nod help confine)"
	}
	for _, l := range lists() {
		if l.name == name {
			return l.about
		}
	}
	return ""
}

// listTexts are the lists of one file.
type listTexts struct {
	Allow       []string `toml:"allow"`
	SoftDeny    []string `toml:"soft_deny"`
	HardDeny    []string `toml:"hard_deny"`
	Ask         []string `toml:"ask"`
	Environment []string `toml:"environment"`
	Hosts       []string `toml:"hosts"`
	Allowlist   []string `toml:"allowlist"`
	Secrets     []string `toml:"secrets"`
	Guarded     []string `toml:"guarded"`
}

// listed is one key that holds a list.
type listed struct {
	present bool
	items   []Item // Text may be defaultsMark
}

// newItem checks one entry of a list.
func newItem(l list, text string, source Source, line int) (Item, error) {
	item := Item{List: l.name, Text: text, Level: source.Level, Origin: originOf(source, line)}
	switch {
	case text == defaultsMark:
		return item, nil
	case l.check != nil:
		return item, l.check(text)
	}
	var err error
	item.Rule, err = nod.ParseRule(nod.RuleList(l.name), text, item.Origin)
	item.Rule.Team = item.Level == Managed
	return item, err
}

// onOneLine takes the line ends out of a rule that runs over several lines.
func onOneLine(text string) string {
	if !strings.ContainsAny(text, "\r\n\t") {
		return text
	}
	return strings.TrimSpace(strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ").Replace(text))
}

// said is what the files say in their lists.
type said struct {
	layers []layer // highest first
	repo   [listCount]listed
	own    []Item // secrets that the settings name elsewhere
}

// rules merges the lists. It is on the path of every tool call, so a list of
// which no file speaks is taken as it is.
func (s said) rules() nod.Rules {
	r := nod.DefaultRules()
	for i, l := range lists() {
		switch {
		case !s.speaksOf(i):
		case l.rules != nil:
			*l.rules(&r) = rulesIn(s.merged(i, builtinItems(r, i)))
		default:
			*l.texts(&r) = textsIn(s.merged(i, builtinItems(r, i)))
		}
	}
	return r
}

func (s said) speaksOf(i int) bool {
	return s.repo[i].present ||
		slices.ContainsFunc(s.layers, func(l layer) bool { return l.lists[i].present || len(l.added[i]) > 0 })
}

// Lists returns the rules again, in order of list and position, each with
// where it came from, for a person to read.
func (s Settings) Lists() []Item {
	builtin := nod.DefaultRules()
	var all []Item
	for i := range listCount {
		all = append(all, s.said.merged(i, builtinItems(builtin, i))...)
		if i == listSecrets {
			all = append(all, s.said.own...)
		}
	}
	return all
}

// merged follows the rule in the package comment.
func (s said) merged(i int, builtin []Item) []Item {
	var items []Item
	set := false
	ordered := slices.Clone(s.layers)
	if lists()[i].lastHolds {
		slices.Reverse(ordered)
	}
	for _, l := range ordered {
		set = set || l.lists[i].present
		items = append(items, splice(l.lists[i].items, builtin)...)
	}
	if !set {
		items = slices.Clip(builtin)
	}
	for _, l := range ordered {
		items = append(items, l.added[i]...)
	}
	items = append(items, splice(s.repo[i].items, nil)...)
	if lists()[i].lastHolds { // of two equal entries the later one stays
		slices.Reverse(items)
		items = unique(items)
		slices.Reverse(items)
		return items
	}
	return unique(items)
}

// splice puts the built-in list where it is asked for.
func splice(items, builtin []Item) []Item {
	var out []Item
	for _, item := range items {
		if item.Text == defaultsMark {
			out = append(out, builtin...)
		} else {
			out = append(out, item)
		}
	}
	return out
}

// unique returns a new slice with the first of equal entries.
func unique(items []Item) []Item {
	seen := make(map[string]bool, len(items))
	out := make([]Item, 0, len(items))
	for _, item := range items {
		if !seen[item.Text] {
			seen[item.Text] = true
			out = append(out, item)
		}
	}
	return out
}

// builtinItems is what "$defaults" stands for in a list.
func builtinItems(d nod.Rules, i int) []Item {
	l := lists()[i]
	var items []Item
	if l.rules != nil {
		for _, r := range *l.rules(&d) {
			items = append(items, Item{List: l.name, Text: r.Text, Origin: r.Origin, Rule: r})
		}
		return items
	}
	for _, text := range *l.texts(&d) {
		items = append(items, Item{List: l.name, Text: text, Origin: "default"})
	}
	return items
}

func rulesIn(items []Item) []nod.Rule {
	rules := make([]nod.Rule, len(items))
	for i, item := range items {
		rules[i] = item.Rule
	}
	return rules
}

func textsIn(items []Item) []string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = item.Text
	}
	return texts
}
