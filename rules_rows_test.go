package nod_test

import (
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// became is what a rule made of a call that has another answer without it.
func became(with, without nod.Decision, rule string) string {
	switch {
	case with.Verdict == nod.Deny && with.Layer == nod.LayerGuard && with.Rule.Text == rule:
		return "denied"
	case with.Verdict == without.Verdict && with.Reason == without.Reason:
		return "untouched"
	case with.Rule.Text == rule:
		return "asked"
	case with.Settled():
		return "settled"
	}
	return "open"
}

// Each row of testdata/rules.txt: a denying rule is decided by layer 0, whatever a model would
// say, and an allow rule clears that simple command only and leads nowhere else.
func TestRuleRows(t *testing.T) {
	data, err := os.ReadFile("testdata/rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	var rules nod.Rules
	var list nod.RuleList
	rule, rows := "", 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "  ") {
			if head, text, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(line, "#") {
				list, rule = nod.RuleList(head), text
				rules = rulesOf(t, list, rule)
			}
			continue
		}
		rows++
		want, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		command = strings.TrimSpace(command)
		with, bare := options(rules), options(nod.DefaultRules())
		with.Rules.Hosts, bare.Rules.Hosts = []string{"example.com"}, []string{"example.com"}
		d, before := verdictOf(with, bash(command)), verdictOf(bare, bash(command))
		got := became(d, before, rule)
		if list == nod.ListAllow {
			got = d.Verdict.String()
		}
		if got != want {
			t.Errorf("%s, %s: %s, want %s: %s by %s (%s)", rule, command, got, want, d.Verdict, d.Layer, d.Reason)
		}
	}
	if rows < 80 {
		t.Errorf("%d rows", rows)
	}
}

func rulesOf(t *testing.T, list nod.RuleList, texts string) nod.Rules {
	if strings.HasPrefix(texts, "Bash(") || strings.HasPrefix(texts, "Read(") || strings.HasPrefix(texts, "Edit(") ||
		strings.HasPrefix(texts, "WebFetch(") {
		return permitted(t, list, texts)
	}
	return ruled(list, strings.Split(texts, "; ")...)
}
