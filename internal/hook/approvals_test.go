package hook_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/approval"
)

// hearing is a model that blocks, and keeps what it was shown of the call.
type hearing struct {
	last string
	sent nod.Prompt
}

func (m *hearing) Classify(_ context.Context, p nod.Prompt) (nod.Classification, error) {
	m.last, m.sent = p.User, p
	return nod.Classification{Digest: p.Digest, ShouldBlock: true, Reason: "not asked for"}, nil
}

// approve is nod approve for the last decision, without the person.
func (p *place) approve(scope approval.Scope) audit.Entry {
	p.t.Helper()
	entries := p.log()
	e := entries[len(entries)-1]
	if e.Approvable == nil {
		p.t.Fatalf("%+v", e)
	}
	now := time.Now()
	a := approval.Approval{ID: "0000000a", Key: e.Approvable.Key, Scope: scope, At: now, Until: now.Add(time.Hour)}
	if scope == approval.Session {
		a.Agent, a.SessionID = e.Agent, e.Session
	}
	if err := approval.Add(p.options.Places.State, a, now); err != nil {
		p.t.Fatal(err)
	}
	return e
}

func TestAnApprovalHoldsInItsScope(t *testing.T) {
	for _, row := range []struct {
		scope approval.Scope
		again string
	}{{approval.Once, "deny"}, {approval.Session, "allow"}} {
		p := newPlace(t)
		call := func(n int) string {
			return p.run(bytes.NewReader(p.payload("PreToolUse", "Bash", map[string]string{"command": "npm publish"},
				map[string]any{"tool_use_id": fmt.Sprint("c", n)}))).verdict
		}
		if call(1) != "deny" {
			t.Fatal("allowed without an approval")
		}
		e := p.approve(row.scope)
		if got := call(2); got != "allow" {
			t.Fatalf("%s: %s", row.scope, got)
		}
		if entries := p.log(); entries[len(entries)-1].Layer != nod.LayerApproval ||
			entries[len(entries)-1].Approvable != nil || e.Layer != nod.LayerNone {
			t.Errorf("%s: %+v", row.scope, entries[len(entries)-1])
		}
		if got := call(3); got != row.again {
			t.Errorf("%s, again: %s", row.scope, got)
		}
		if p.session = "s2"; call(4) != "deny" {
			t.Errorf("%s: another session", row.scope)
		}
	}
}

// An approval is of the content that was there when nod was asked.
func TestAnApprovedScriptThatChanges(t *testing.T) {
	p := newPlace(t)
	script := filepath.Join(p.shop, "x.py")
	p.write(script, "print(1)\n")
	p.run(bytes.NewReader(p.bash("python3 x.py")))
	p.approve(approval.Session)
	if s := p.run(bytes.NewReader(p.bash("python3 x.py"))); s.verdict != "allow" {
		t.Fatalf("%+v", s)
	}
	p.write(script, "print(2)\n")
	if s := p.run(bytes.NewReader(p.bash("python3 x.py"))); s.verdict != "deny" {
		t.Errorf("changed: %+v", s)
	}
	p.write(script, "print(1)\n")
	if s := p.run(bytes.NewReader(p.bash("python3 x.py"))); s.verdict != "allow" {
		t.Errorf("as it was: %+v", s)
	}
}

// escalated writes a record of Codex's in which a command with a terminal asks to leave its sandbox.
func (p *place) escalated(command string) (rollout string) {
	p.t.Helper()
	rollout = filepath.Join(p.home, "rollout.jsonl")
	p.write(rollout, `{"type":"response_item","payload":{"type":"function_call","name":"exec_command","call_id":"call_0",`+
		`"arguments":"{\"cmd\":\"`+command+`\",\"tty\":true,`+
		`\"sandbox_permissions\":\"require_escalated\"}"}}`+"\n")
	return rollout
}

// A host with two seats asks twice about one call: an approval that holds once holds for both, and for no other call.
func TestAnApprovalAndTwoSeats(t *testing.T) {
	p := newPlace(t)
	p.options.Adapter = agent.Host("codex")
	p.options.Environ = append(p.options.Environ, "PWD="+p.shop)
	rollout := p.escalated("npm publish")
	payload := func(event, id string) []byte {
		more := map[string]any{"tool_use_id": id}
		if id == "" { // as Codex sends it
			more["tool_use_id"], more["transcript_path"] = nil, rollout
		}
		return p.payload(event, "Bash", map[string]string{"command": "npm publish"}, more)
	}
	ask := func(event, id string) string { return p.run(bytes.NewReader(payload(event, id))).verdict }
	if got := ask("PreToolUse", "c1"); got != "deny" {
		t.Fatal(got)
	}
	p.approve(approval.Once)
	for _, row := range []struct{ event, id, want string }{
		{"PreToolUse", "c2", "silence"}, {"PermissionRequest", "", "allow"}, {"PermissionRequest", "", "silence"},
		{"PreToolUse", "c3", "deny"}, {"PermissionRequest", "", "silence"}, {"PreToolUse", "c4", "deny"},
		{"PermissionRequest", "", "silence"},
	} {
		if got := ask(row.event, row.id); got != row.want {
			t.Errorf("%+v: %s", row, got)
		}
	}
}

// A call that has run has used its approval up, also for a call of the same id.
func TestAnApprovalEndsWithItsCall(t *testing.T) {
	p := newPlace(t)
	p.options.Adapter = agent.Host("codex")
	rollout := p.escalated("npm publish")
	ask := func(event, id string) string {
		more := map[string]any{"tool_use_id": id, "tool_response": "done"}
		if event == "PermissionRequest" {
			more["transcript_path"] = rollout
		}
		return p.run(bytes.NewReader(p.payload(event, "Bash", map[string]string{"command": "npm publish"},
			more))).verdict
	}
	ask("PreToolUse", "call_0")
	p.approve(approval.Once)
	for _, row := range []struct{ event, id, want string }{
		{"PreToolUse", "call_0", "silence"}, {"PreToolUse", "call_0", "silence"}, {"PostToolUse", "call_1", "silence"},
		{"PermissionRequest", "call_0", "allow"}, {"PostToolUse", "call_0", "silence"},
		{"PreToolUse", "call_0", "deny"},
	} {
		if got := ask(row.event, row.id); got != row.want {
			t.Errorf("%+v: %s", row, got)
		}
	}
}

// The store is looked at for what is left open only, and makes nothing where there is none.
func TestTheStoreIsReadWhereItMatters(t *testing.T) {
	p := newPlace(t)
	file := filepath.Join(p.options.Places.State, "approvals.jsonl")
	p.run(bytes.NewReader(p.bash("npm publish")))
	if entries, _ := filepath.Glob(p.options.Places.State + "/approvals*"); len(entries) != 0 {
		t.Errorf("%v", entries)
	}
	p.write(file, "rubbish\n")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	for command, noticed := range map[string]bool{"ls": false, "rm -rf ~": false, "npm publish": true} {
		if s := p.run(bytes.NewReader(p.bash(command))); strings.Contains(s.system, "approval") != noticed {
			t.Errorf("%s: %+v", command, s)
		}
	}
	// In a workspace it is a repository's.
	p = newPlace(t)
	p.options.Places.State = filepath.Join(p.shop, "state")
	p.run(bytes.NewReader(p.bash("npm publish")))
	p.approve(approval.Session)
	if s := p.run(bytes.NewReader(p.bash("npm publish"))); s.verdict != "deny" || !strings.Contains(s.system,
		"lies in the workspace") {
		t.Errorf("%+v", s)
	}
}

// What a person let run at the host's prompt is told to the model about that call, and allows nothing.
func TestLetRunIsTold(t *testing.T) {
	p := newPlace(t)
	p.interactively()
	m := &hearing{}
	p.options.Model = m
	p.settings("[model]\non_block = \"ask\"\n")
	call := func(event, id, command string) said {
		return p.run(bytes.NewReader(p.payload(event, "Bash", map[string]string{"command": command},
			map[string]any{"tool_use_id": id, "tool_response": "ok"})))
	}
	if s := call("PreToolUse", "c1", "npm publish"); s.verdict != "ask" {
		t.Fatalf("%+v", s)
	}
	call("PreToolUse", "c2", "npm publish")
	if strings.Contains(m.last, "let run") {
		t.Error("told before the person said yes")
	}
	call("PostToolUse", "c1", "npm publish")
	if s := call("PreToolUse", "c3", "npm publish"); s.verdict != "ask" || !strings.Contains(m.last,
		"it was then let run; that was for that one time") {
		t.Errorf("%+v: %s", s, m.last)
	}
	call("PreToolUse", "c4", "npm publish --tag x")
	if strings.Contains(m.last, "let run") {
		t.Error("told of another call")
	}
	p.session = "s2"
	call("PreToolUse", "c5", "npm publish")
	if strings.Contains(m.last, "let run") {
		t.Error("told in another session")
	}
}

// What is only watched uses no approval up, and neither does plan mode.
func TestObservingUsesNothingUp(t *testing.T) {
	p := newPlace(t)
	p.run(bytes.NewReader(p.bash("npm publish")))
	p.approve(approval.Once)
	p.settings("mode = \"observe\"\n")
	p.run(bytes.NewReader(p.bash("npm publish")))
	p.settings("")
	p.permission = "plan"
	p.run(bytes.NewReader(p.bash("npm publish")))
	p.permission = "default"
	if s := p.run(bytes.NewReader(p.bash("npm publish"))); s.verdict != "allow" {
		t.Errorf("%+v", s)
	}
}
