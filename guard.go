package nod

import (
	"github.com/nodgate/nod/internal/match"
	"github.com/nodgate/nod/internal/place"
)

// guard is layer 0: hard_deny rules and changes to nod itself.
func (t *trial) guard() objection {
	for _, r := range t.gate.rules.HardDeny {
		switch t.matches(r) {
		case match.FitsAll:
			return objection{"a hard_deny rule" + r.place() + " forbids this: " + place.Objection(r.Text), r}
		case match.MayFit:
			t.doubt = objection{"this may be what a hard_deny rule" + r.place() + " forbids, and nod cannot tell: " + place.Objection(r.Text), r}
		}
	}
	if o := object(t.self.SelfChange()); o.stands() {
		return o
	}
	if p := t.possible(); p != nil {
		return p.guard()
	}
	return objection{}
}
