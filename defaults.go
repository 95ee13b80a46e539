package nod

import (
	"embed"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
)

// defaultTexts are the built-in lists, one entry a line. Each says how its entries are meant.
//
//go:embed defaults
var defaultTexts embed.FS

// DefaultRules returns the built-in lists, what "$defaults" stands for. Each call returns fresh slices.
func DefaultRules() Rules {
	return Rules{
		Allow:     defaultRules("allow"),
		SoftDeny:  defaultRules("soft_deny"),
		Allowlist: defaultList("allowlist"),
		Secrets:   defaultList("secrets"),
		Guarded:   hosts.Guarded(),
	}
}

// defaultRules are the texts of a list as rules that everybody shares.
func defaultRules(list string) (rules []Rule) {
	for _, text := range defaultList(list) {
		rules = append(rules, Rule{Text: text, Origin: "default", Prose: true})
	}
	return rules
}

// defaultList are the entries of a list; none where there is no such list.
func defaultList(name string) (entries []string) {
	text, _ := defaultTexts.ReadFile("defaults/" + name + ".txt")
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
			entries = append(entries, line)
		}
	}
	return entries
}
