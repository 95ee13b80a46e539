package agent

import (
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// TestReasonsSayWhatNext holds that whoever reads an answer knows how to go on.
func TestReasonsSayWhatNext(t *testing.T) {
	open := nod.Decision{ID: "20261122T080000.000000-1f", Verdict: nod.Ask,
		Reason: "this runs code that nod has not read: make x"}
	lasting, once := open, open
	lasting.Lasting, lasting.Approvable = "make x", nod.Approvable{Key: "k"}
	once.Approvable = nod.Approvable{Key: "k", Once: true}
	failed := open
	failed.Err = &fault.Error{Kind: fault.LogFailed, Message: "x"}
	unlogged := failed
	unlogged.ID = ""
	for _, c := range []struct {
		d          nod.Decision
		says, want string
	}{
		{lasting, saysAsk, " | To allow it always: allow = [\"make x\"] in ~/.config/nod/nod.toml."},
		{once, saysAsk, " | A yes holds for this call only."},
		{open, saysAsk, " | A yes holds for this call only."},
		{lasting, saysNobody, " | A person has to approve this and nobody can be asked in this session: they can approve this call at a terminal of their own (`nod approve 1f`), add allow = [\"make x\"] to their settings, or run the session interactively."},
		{lasting, saysUnasked, " | A person has to approve this, and this agent gives nod no way to ask them: they can approve this call at a terminal of their own (`nod approve 1f`), or add allow = [\"make x\"] to their settings."},
		{open, saysUnasked, " | A person has to approve this, and this agent gives nod no way to ask them: they can add an allow rule (`nod help settings`)."},
		{once, saysDeny, " | Only a person can approve this call, at a terminal of their own: `nod approve 1f`."},
		{failed, saysDeny, " | A person can find out more with `nod doctor` and `nod log 1f`."},
		{unlogged, saysDeny, " | A person can find out more with `nod doctor`."},
	} {
		if got := reasonOf(c.d, c.says); got != open.Reason+c.want {
			t.Errorf("%s: %s", c.says, got)
		}
	}
}
