package nod_test

import (
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// A rule that speaks of a call, or may, leaves it to no other judge, and
// neither does an answer that a model gave or failed to give.
func TestRulesLeaveNothingToAHostsJudge(t *testing.T) {
	failing := answering{err: &fault.Error{Kind: fault.Overloaded, Message: "overloaded"}}
	for name, row := range map[string]struct {
		rules   nod.Rules
		command string
		model   nod.Model
	}{
		"soft_deny":      {ruled(nod.ListSoftDeny, "npm test"), "npm test", nil},
		"ask":            {ruled(nod.ListAsk, "npm test"), "npm test", nil},
		"hard_deny, may": {permitted(t, nod.ListHardDeny, "Bash(npm publish)"), `npm "$X"`, nil},
		"model fails":    {nod.DefaultRules(), "npm test", failing},
		"model blocks":   {nod.DefaultRules(), "npm test", answering{block: true}},
	} {
		o := options(row.rules)
		o.Model = row.model
		c := bash(row.command)
		c.HostJudges, c.Interactive = true, true
		if d := verdictOf(o, c); d.Verdict == nod.Allow || d.Deferrable {
			t.Errorf("%s: %s, left to the host's judge: %v (%s)", name, d.Verdict, d.Deferrable, d.Reason)
		}
	}
}
