package nod_test

import (
	"encoding/json"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// claudeDir is where the settings of the tests' permission rules lie.
const claudeDir = "/home/dev/.claude"

// permitted returns the default rules with permission rules of Claude Code's.
func permitted(t *testing.T, list nod.RuleList, texts ...string) nod.Rules {
	t.Helper()
	rules := nod.DefaultRules()
	for _, text := range texts {
		r, err := nod.ParsePermission(text, "settings.json:1", claudeDir)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		switch list {
		case nod.ListHardDeny:
			rules.HardDeny = append(rules.HardDeny, r)
		case nod.ListAsk:
			rules.Ask = append(rules.Ask, r)
		}
	}
	return rules
}

func of(agent string, c nod.Call) nod.Call {
	c.Agent = agent
	return c
}

func fetch(url string) nod.Call {
	c := tool("web_fetch")
	c.URL = url
	return c
}

func server(name, tool string) nod.Call {
	return nod.Call{RawTool: "mcp__" + name + "__" + tool, MCP: &nod.MCP{Server: name, Tool: tool},
		Input: json.RawMessage(`{"owner":"me","force":true}`), Dir: shop, Roots: []string{shop}}
}

// A rule that nod cannot hold is an error, never a rule that matches nothing.
func TestPermissionsThatCannotBeHeld(t *testing.T) {
	for _, text := range []string{"Cd(/x)", "WebFetch(example.com)", "Read(!x)", "Bash(", "a b", "", "Bash*(ls)",
		"WebSearch(x y)"} {
		if r, err := nod.ParsePermission(text, "x:1", claudeDir); err == nil {
			t.Errorf("%q became %+v", text, r)
		}
	}
}

// FuzzPermission: a rule that denies never makes an answer laxer, a rule that asks
// never makes it an allow, and no text of a rule breaks the gate.
func FuzzPermission(f *testing.F) {
	for _, rule := range []string{"Bash(git push:*)", "Bash(git * main)", "Read(~/**/x[)", "WebFetch(domain:*.x)",
		"mcp__a__*", "Bash(a:*)", "Edit(../x)", "*", "Bash(\\*)", "Read(//)"} {
		f.Add(rule, "git $x push && cat main.go > new.txt")
	}
	f.Fuzz(func(t *testing.T, rule, command string) {
		for _, list := range []nod.RuleList{nod.ListHardDeny, nod.ListAsk} {
			r, err := nod.ParsePermission(rule, "x:1", claudeDir)
			if err != nil {
				continue
			}
			base := ruled(nod.ListSoftDeny, "git push")
			rules := base
			if list == nod.ListAsk {
				rules.Ask = append(rules.Ask, r)
			} else {
				rules.HardDeny = append(rules.HardDeny, r)
			}
			for _, c := range []nod.Call{of(nod.ClaudeCode, bash(command)), tool("read_file", command), fetch(command),
				server("a", "b")} {
				without, with := verdictOf(options(base), c), verdictOf(options(rules), c)
				asked := list == nod.ListAsk && with.Verdict == nod.Ask
				if with.Verdict > without.Verdict && !asked || with.Err != nil && with.Err.Kind == fault.Internal {
					t.Errorf("%q: %q: %s, without the rule %s: %v", rule, command, with.Verdict, without.Verdict,
						with.Err)
				}
			}
		}
	})
}
