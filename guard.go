package nod

import (
	"github.com/nodgate/nod/internal/match"
)

// guard is layer 0: hard_deny rules and changes to nod itself. why is "" where
// neither stands in the way.
func (t *trial) guard() (why string, rule Rule) {
	for _, r := range t.gate.rules.HardDeny {
		switch t.matches(r) {
		case match.FitsAll:
			return "hard_deny rule: " + r.Text, r
		case match.MayFit:
			t.doubt = "this may be what a hard_deny rule forbids: " + r.Text
		}
	}
	if why = t.self.SelfChange(); why != "" {
		return why, Rule{}
	}
	if p := t.possible(); p != nil {
		return p.guard()
	}
	return "", Rule{}
}
