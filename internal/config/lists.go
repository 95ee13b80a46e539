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

// list is one rule list: what its key is called, who may write it, and what an entry has to be. A new list is a row
// here and in each of the arrays below, and a key of [listTexts].
type list struct {
	name   string
	scoped bool // it may stand in a [[repository]]
	// lastHolds says that a later entry takes an earlier one back, so that the managed file's come last.
	lastHolds bool
	check     func(text string) error // of a list of texts; nil for rules
}

func lists() [listCount]list {
	return [listCount]list{
		{name: "allow", scoped: true},
		{name: "soft_deny", scoped: true},
		{name: "hard_deny", scoped: true},
		{name: "ask", scoped: true},
		{name: "environment", scoped: true},
		{name: "hosts", scoped: true, check: checkHost},
		{name: "allowlist", scoped: true, check: checkTool},
		{name: "secrets", lastHolds: true, check: checkPathPattern},
		{name: "guarded", lastHolds: true, check: checkPathPattern},
	}
}

func ruleLists(r *nod.Rules) [listHosts]*[]nod.Rule {
	return [...]*[]nod.Rule{&r.Allow, &r.SoftDeny, &r.HardDeny, &r.Ask, &r.Environment}
}

func textLists(r *nod.Rules) [listCount - listHosts]*[]string {
	return [...]*[]string{&r.Hosts, &r.Allowlist, &r.Secrets, &r.Guarded}
}

func (t *listTexts) all() [listCount][]string {
	return [...][]string{t.Allow, t.SoftDeny, t.HardDeny, t.Ask, t.Environment, t.Hosts, t.Allowlist, t.Secrets,
		t.Guarded}
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
	judged bool   // what is managed says which model is asked
	own    []Item // secrets that the settings name elsewhere
}

// rules merges the lists. It is on the path of every tool call, so a list that no file mentions is taken as it is.
func (s said) rules() nod.Rules {
	r := nod.DefaultRules()
	for i, rules := range ruleLists(&r) {
		if s.speaksOf(i) {
			items := s.merged(i, builtinItems(r, i))
			*rules = make([]nod.Rule, len(items))
			for n, item := range items {
				(*rules)[n] = item.Rule
			}
		}
	}
	for i, texts := range textLists(&r) {
		if i += listHosts; s.speaksOf(i) {
			*texts = textsIn(s.merged(i, builtinItems(r, i)))
		}
	}
	return r
}

func (s said) speaksOf(i int) bool {
	return s.repo[i].present ||
		slices.ContainsFunc(s.layers, func(l layer) bool { return l.lists[i].present || len(l.added[i]) > 0 })
}

// Lists returns the rules again, in order of list and position, each with where it came from, for a person to read.
func (s Settings) Lists() []Item {
	builtin := nod.DefaultRules()
	var all []Item
	for i := range listCount {
		all = append(all, s.said.merged(i, builtinItems(builtin, i))...)
		if i == listSecrets {
			all = append(all, s.said.own...)
		}
	}
	for _, q := range s.Sequences {
		all = append(all, Item{List: "sequence", Text: q.Name, Origin: q.Origin, Level: q.Level})
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

func unique(items []Item) []Item {
	seen := make(map[string]bool, len(items))
	return slices.DeleteFunc(slices.Clone(items), func(item Item) bool {
		again := seen[item.Text]
		seen[item.Text] = true
		return again
	})
}

func builtinItems(d nod.Rules, i int) []Item {
	name := lists()[i].name
	var items []Item
	if i < listHosts {
		for _, r := range *ruleLists(&d)[i] {
			items = append(items, Item{List: name, Text: r.Text, Origin: r.Origin, Rule: r})
		}
		return items
	}
	for _, text := range *textLists(&d)[i-listHosts] {
		items = append(items, Item{List: name, Text: text, Origin: "default"})
	}
	return items
}

func textsIn(items []Item) []string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = item.Text
	}
	return texts
}
