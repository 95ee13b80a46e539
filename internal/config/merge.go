package config

import (
	"slices"
	"strconv"
	"time"

	"github.com/nodgate/nod"
)

// merge puts the layers together, highest first. What Claude Code's settings
// say only adds to the lists.
func merge(layers, claude []layer, repo repository) Settings {
	s := Settings{Notices: repo.notices}
	for _, l := range slices.Concat(layers, claude) {
		s.Sources = append(s.Sources, l.source)
		for _, rule := range l.broad {
			s.LeftOut = append(s.LeftOut, rule)
			s.Notices = append(s.Notices, rule.Origin+": "+rule.List+": "+rule.Why)
		}
		for _, scope := range l.scopes {
			s.Scopes = append(s.Scopes, scope.Scope)
		}
	}
	if repo.found {
		s.Sources = append(s.Sources, repo.source)
	}
	s.said = said{layers: slices.Concat(layers, claude), repo: repo.lists}
	s.Rules = s.said.rules()
	mergeMode(&s, layers)
	s.Profile = Profile(first(layers, "", func(l layer) *string { return l.profile }))
	s.AskUnknown = first(layers, "host", func(l layer) *string { return l.unknown }) == "ask" || s.Profile == Replace
	s.ClaudeRules = claudeRules(layers)
	s.Approvals = first(layers, "on", func(l layer) *string { return l.approved }) == "on"
	s.Confine = mergeConfine(layers)
	s.Model = mergeModel(layers)
	s.Log = LogSettings{
		OnFailure: first(layers, Continue, func(l layer) *OnFailure { return l.onFailure }),
		DumpDir:   first(layers, "", func(l layer) *string { return l.dumpDir }),
	}
	s.Prices = mergePrices(layers)
	for _, l := range layers {
		for _, root := range l.roots {
			if !slices.Contains(s.Roots, root) {
				s.Roots = append(s.Roots, root)
			}
		}
	}
	return s
}

// first returns what the highest layer says, else the default.
func first[T any](layers []layer, standard T, get func(layer) *T) T {
	for _, l := range layers {
		if v := get(l); v != nil {
			return *v
		}
	}
	return standard
}

func claudeRules(layers []layer) ClaudeRules {
	return ClaudeRules(first(layers, string(ClaudeTighten), func(l layer) *string { return l.claude }))
}

func mergeMode(s *Settings, layers []layer) {
	s.ModeOrigin = "default"
	for _, l := range layers {
		if l.mode != nil {
			s.Mode, s.ModeOrigin = *l.mode, shown(l.source.Path)+":"+strconv.Itoa(l.modeLine)
			return
		}
	}
}

// Defaults of [model]. The time is for all stages together.
const (
	defaultTimeout    = 30 * time.Second
	defaultMaxTokens  = 1024
	defaultTranscript = "ledger"
	defaultStages     = 2
)

// The seed's, which go with its transcript.
const (
	last20          = "last20"
	last20MaxTokens = 256
	last20Stages    = 1
)

func mergeModel(layers []layer) ModelSettings {
	m := ModelSettings{
		Target:     mergeTarget(layers),
		Proxy:      first(layers, "", func(l layer) *string { return l.proxy }),
		CAFile:     first(layers, "", func(l layer) *string { return l.caFile }),
		Transcript: first(layers, defaultTranscript, func(l layer) *string { return l.transcript }),
		Timeout:    first(layers, defaultTimeout, func(l layer) *time.Duration { return l.timeout }),

		MaxCostSession: first(layers, 0, func(l layer) *float64 { return l.maxCostSession }),
		MaxCostDay:     first(layers, 0, func(l layer) *float64 { return l.maxCostDay }),
		AskOnBlock:     first(layers, "deny", func(l layer) *string { return l.onBlock }) == "ask",
		DenyOnFailure:  first(layers, "ask", func(l layer) *string { return l.onUnavailable }) == "deny",
	}
	maxTokens, stages := defaultMaxTokens, defaultStages
	if m.Transcript == last20 {
		maxTokens, stages = last20MaxTokens, last20Stages
	}
	m.Headers = mergeHeaders(layers)
	m.MaxTokens = first(layers, maxTokens, func(l layer) *int { return l.maxTokens })
	m.Stages = first(layers, stages, func(l layer) *int { return l.stages })
	for _, l := range layers {
		if m.Fallbacks == nil {
			for _, t := range l.fallbacks {
				fallback := mergeTarget([]layer{{target: t}})
				fallback.Headers = headersOf(t.headers)
				m.Fallbacks = append(m.Fallbacks, fallback)
			}
		}
	}
	return m
}

func mergeTarget(layers []layer) Target {
	text := func(get func(target) *string) string {
		return first(layers, "", func(l layer) *string { return get(l.target) })
	}
	return Target{
		Provider:   text(func(t target) *string { return t.provider }),
		Name:       text(func(t target) *string { return t.name }),
		Endpoint:   text(func(t target) *string { return t.endpoint }),
		KeyFile:    text(func(t target) *string { return t.keyFile }),
		Region:     text(func(t target) *string { return t.region }),
		Project:    text(func(t target) *string { return t.project }),
		APIVersion: text(func(t target) *string { return t.apiVersion }),
		Channel:    text(func(t target) *string { return t.channel }),
		Effort:     text(func(t target) *string { return t.effort }),
		Thinking:   text(func(t target) *string { return t.thinking }),

		Temperature: temperatureOf(layers),
	}
}

// temperatureOf is the highest file's; nil where none sets it.
func temperatureOf(layers []layer) *float64 {
	for _, l := range layers {
		if l.target.temperature != nil {
			return l.target.temperature
		}
	}
	return nil
}

func headersOf(list []header) map[string]string {
	if len(list) == 0 {
		return nil
	}
	headers := make(map[string]string, len(list))
	for _, h := range list {
		headers[h.name] = h.value
	}
	return headers
}

func mergeHeaders(layers []layer) map[string]string {
	var headers map[string]string
	for _, l := range slices.Backward(layers) {
		for _, h := range l.headers {
			if headers == nil {
				headers = make(map[string]string)
			}
			headers[h.name] = h.value
		}
	}
	return headers
}

func mergePrices(layers []layer) []Price {
	var prices []Price
	for _, l := range layers {
		for _, p := range l.prices {
			if !slices.ContainsFunc(prices, func(o Price) bool { return o.Model == p.Model }) {
				prices = append(prices, p)
			}
		}
	}
	return prices
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
	for i, rules := range [...]*[]nod.Rule{&r.Allow, &r.SoftDeny, &r.HardDeny, &r.Ask, &r.Environment} {
		if s.speaksOf(i) {
			*rules = rulesIn(s.merged(i, builtinItems(r, i)))
		}
	}
	for i, texts := range [...]*[]string{&r.Hosts, &r.Allowlist, &r.Secrets, &r.Guarded} {
		if s.speaksOf(listHosts + i) {
			*texts = textsIn(s.merged(listHosts+i, builtinItems(r, listHosts+i)))
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
	// In secrets and guarded the last match holds, so there the managed file
	// comes last and of two equal entries the later one stays.
	lastHolds := i == listSecrets || i == listGuarded
	ordered := s.layers
	if lastHolds {
		ordered = slices.Clone(ordered)
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
	if lastHolds {
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
	name := listNames()[i]
	var items []Item
	if i < listHosts {
		for _, r := range [listHosts][]nod.Rule{d.Allow, d.SoftDeny, d.HardDeny, d.Ask, d.Environment}[i] {
			items = append(items, Item{List: name, Text: r.Text, Origin: r.Origin, Rule: r})
		}
		return items
	}
	for _, text := range [...][]string{d.Hosts, d.Allowlist, d.Secrets, d.Guarded}[i-listHosts] {
		items = append(items, Item{List: name, Text: text, Origin: "default"})
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
