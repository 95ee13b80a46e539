package e2e

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/llm/llmtest"
)

// Each permission mode of Claude Code, without a model: what a rule allows,
// what a rule denies, and what nod would ask about.
func TestPermissionModes(t *testing.T) {
	deep(t, "modes of Claude Code")
	begin(t)
	for _, row := range []struct {
		mode           string
		allowed, asked string // what nod answers
		allowedRan     bool
	}{
		{"default", "allow", "deny", true},
		{"acceptEdits", "allow", "deny", true},
		{"dontAsk", "allow", "abstained", true}, // which Claude Code denies by itself
		{"bypassPermissions", "allow", "deny", true},
		// What nod leaves open is left to Claude Code's own judge.
		{"auto", "allow", "abstained", true},
		// Where nod is silent, Claude Code 2.1.329 refuses edits by itself and
		// leaves commands to its own judge, which here blocks. An allow of a
		// hook would not be taken (measured).
		{"plan", "abstained", "deny", false},
	} {
		t.Run(row.mode, func(t *testing.T) {
			m := newMachine(t, ruleSettings)
			m.install("user")
			in := func(name string) string { return filepath.Join(m.work, name) }
			list := []expectation{
				{call: llmtest.Read("read", in("sub/README")), answered: "allow", layer: nod.LayerAllowlist, ran: true},
				{call: llmtest.Bash("allowed", "touch allowed"), answered: row.allowed, layer: nod.LayerShell,
					ran: row.allowedRan, makes: in("allowed")},
				{call: llmtest.Bash("denied", "touch forbidden"), answered: "deny", layer: nod.LayerGuard,
					makes: in("forbidden"), told: []string{"hard_deny"}},
				{call: llmtest.Bash("asked", "./opaque asked"), answered: row.asked, kind: fault.NoModel,
					makes: in("asked")},
			}
			s := script(list)
			s.Judge = func(llmtest.Request) bool { return true }
			r := m.prompt(llmtest.NewServer(t, s), row.mode)
			r.check(list)
			r.checkMode(row.mode)
		})
	}
}

// checkMode makes sure that the agent was in the mode under test, and that
// nod saw it.
func (r run) checkMode(mode string) {
	r.t.Helper()
	for _, e := range r.events {
		if e.Subtype == "init" && e.PermissionMode != mode {
			r.t.Errorf("Claude Code ran in mode %q, want %q", e.PermissionMode, mode)
		}
	}
	for _, e := range r.entries(audit.Decision) {
		if e.Mode != mode {
			r.t.Errorf("the log says mode %q, want %q", e.Mode, mode)
		}
	}
}

// In auto mode without a model of nod's, Claude Code's own judge settles what
// nod leaves open, and what it denies is written down.
func TestAutoLeavesTheHostsJudge(t *testing.T) {
	deep(t, "modes of Claude Code")
	begin(t)
	m := newMachine(t, ruleSettings)
	m.install("user")
	in := func(name string) string { return filepath.Join(m.work, name) }
	list := []expectation{
		{call: llmtest.Bash("judged good", "sh -c './opaque good'"), answered: "abstained", kind: fault.NoModel,
			ran: true, makes: in("good")},
		{call: llmtest.Bash("judged bad", "sh -c './opaque bad'"), answered: "abstained", kind: fault.NoModel,
			makes: in("bad")},
		{call: llmtest.Bash("denied by nod", "sh -c 'touch forbidden'"), answered: "deny", layer: nod.LayerGuard,
			makes: in("forbidden")},
	}
	s := script(list)
	s.Judge = func(r llmtest.Request) bool { return bytes.Contains(r.Body, []byte("./opaque bad")) }
	srv := llmtest.NewServer(t, s)
	r := m.prompt(srv, "auto")
	r.check(list)
	if n := len(srv.Requests(llmtest.Judge)); n < 2 {
		t.Errorf("the judge was asked %d times, want at least twice", n)
	}
	if n := len(r.ofCall(audit.HostDeny, "judged bad")); n != 1 {
		t.Errorf("%d lines of what Claude Code itself denied, want 1", n)
	}
}

// With a model, nod answers everything in auto mode, and Claude Code's judge
// is not asked.
func TestAutoWithModelReplacesTheHostsJudge(t *testing.T) {
	deep(t, "modes of Claude Code")
	begin(t)
	m := newMachine(t, "")
	in := func(name string) string { return filepath.Join(m.work, name) }
	list := []expectation{
		{call: llmtest.Bash("good", "sh -c './opaque good'"), answered: "allow", layer: nod.LayerModel, ran: true,
			makes: in("good")},
		{call: llmtest.Bash("bad", "sh -c './opaque bad'"), answered: "deny", layer: nod.LayerModel, makes: in("bad"),
			told: []string{"the script says no"}},
	}
	s := script(list)
	s.Judge = func(llmtest.Request) bool { return true }
	s.Classifier = func(r llmtest.Request) llmtest.Answer {
		if bytes.Contains(r.Body, []byte("./opaque bad")) {
			return llmtest.Block("the script says no")
		}
		return llmtest.Allow("fine")
	}
	srv := llmtest.NewServer(t, s)
	m.settings(m.model("anthropic", srv.URL))
	m.install("user")
	m.prompt(srv, "auto").check(list)
	if n := len(srv.Requests(llmtest.Judge)); n != 0 {
		t.Errorf("Claude Code's judge was asked %d times, want never", n)
	}
}
