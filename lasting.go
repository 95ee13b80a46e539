package nod

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/match"
)

// lasting returns the allow rule by which the call would have been cleared, as a
// person would write it: "" where no single rule clears it. It is tried before
// it is named, so that nobody adds a rule that does nothing.
func (t *trial) lasting() string {
	for _, text := range t.proposals() {
		rule, err := ParseRule(ListAllow, text, "proposed")
		if err != nil {
			continue
		}
		again := *t.gate
		again.rules.Allow, again.recorder = append(slices.Clip(again.rules.Allow), rule), nil
		if d, settled := again.trial(t.call).settle(); settled && d.Verdict == Allow {
			return text
		}
	}
	return ""
}

// proposals are the rules that may clear the call: the tool of an MCP server, or
// one of the line's commands as it is written.
func (t *trial) proposals() (texts []string) {
	if m := t.call.MCP; m != nil && !m.Brought {
		return []string{"mcp__" + match.ServerName(m.Server) + "__" + m.Tool}
	}
	for _, c := range t.report.Commands[:min(len(t.report.Commands), 4)] {
		words, plain := match.SplitWords(c.Source)
		known := len(words) == len(c.Words)
		for i := 0; known && i < len(words); i++ {
			known = c.Words[i].Known && !c.Words[i].Pattern && c.Words[i].Value == words[i]
		}
		if plain && known && len(c.Source) <= 80 && !strings.Contains(c.Source, "\n") {
			texts = append(texts, c.Source)
		}
	}
	return texts
}
