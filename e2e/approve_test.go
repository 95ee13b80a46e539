package e2e

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/approval"
	"github.com/nodgate/nod/llm/llmtest"
)

// What was denied because nobody could be asked runs once it is approved: the
// first such call of the next session, and no other.
func TestAnApprovedCallRuns(t *testing.T) {
	deep(t, "approvals on a real host")
	begin(t)
	m := newMachine(t, ruleSettings)
	m.install("user")
	in := func(name string) string { return filepath.Join(m.work, name) }
	first := []expectation{
		{call: llmtest.Bash("to be asked", "./opaque asked"), answered: "deny", layer: nod.LayerNone,
			kind: fault.NoModel, makes: in("asked"), told: []string{"`nod approve "}},
	}
	r := m.prompt(llmtest.NewServer(t, script(first)), "default")
	r.check(first)
	decisions := r.entries(audit.Decision)
	last := decisions[len(decisions)-1]
	if last.Approvable == nil {
		t.Fatalf("%+v", last)
	}
	now := time.Now()
	approved := approval.Approval{ID: "0000000a", Key: last.Approvable.Key, Scope: approval.Once, At: now,
		Until: now.Add(time.Hour)}
	if err := approval.Add(filepath.Join(m.home, ".local/state/nod"), approved, now); err != nil {
		t.Fatal(err)
	}
	second := []expectation{
		{call: llmtest.Bash("nod's own command", filepath.Join(m.bin, "nod")+" approve --standing"), answered: "deny",
			layer: nod.LayerGuard},
		{call: llmtest.Bash("another call", "./opaque other"), answered: "deny", layer: nod.LayerNone,
			kind: fault.NoModel, makes: in("other")},
		{call: llmtest.Bash("in quotes it is another", "./opaque  'asked'"), answered: "deny", layer: nod.LayerNone,
			kind: fault.NoModel},
		{call: llmtest.Bash("approved", "./opaque asked"), answered: "allow", layer: nod.LayerApproval, ran: true,
			makes: in("asked")},
		{call: llmtest.Bash("once more", "./opaque asked"), answered: "deny", layer: nod.LayerNone,
			kind: fault.NoModel},
	}
	before := len(r.log)
	r = m.prompt(llmtest.NewServer(t, script(second)), "default")
	r.log = r.log[before:]
	r.check(second)
	r.noModelAsked()
}
