package nod_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/transcript"
)

// remembers is a History as a session keeps it, without a file.
type remembers struct {
	row, all int
	spent    string
}

func (h *remembers) Denials() (int, int) { return h.row, h.all }

func (h *remembers) Exhausted() string { return h.spent }

// learn is what the hook does with a decision.
func (h *remembers) learn(c nod.Call, d nod.Decision) {
	switch {
	case d.Blocked:
		h.row, h.all = h.row+1, h.all+1
	case d.Layer == nod.LayerModel && d.Err == nil && d.Verdict == nod.Allow:
		h.row = 0
	}
}

// counting is a model that says what a test wants, and counts.
type counting struct {
	block bool
	fails *fault.Error
	asked int
	last  nod.Prompt
}

func (m *counting) Classify(_ context.Context, p nod.Prompt) (nod.Classification, error) {
	m.asked, m.last = m.asked+1, p
	if m.fails != nil {
		return nod.Classification{}, m.fails
	}
	return nod.Classification{Digest: p.Digest, ShouldBlock: m.block, Reason: "not asked for"}, nil
}

// repeatCall is a shell command, or with a path a write of it, after what a person said.
func repeatCall(command, path, said string, interactive bool) nod.Call {
	c := nod.Call{Agent: "a", Session: "s", Tool: "bash", RawTool: "Bash", Command: command, Dialect: nod.Bash,
		Dir: "/home/dev/shop", Roots: []string{"/home/dev/shop"},
		Environ: []string{"HOME=/home/dev", "PATH=/usr/bin:/bin"}, Interactive: interactive,
		Transcript: func(context.Context) iter.Seq2[transcript.Turn, error] {
			return func(yield func(transcript.Turn, error) bool) {
				yield(transcript.Turn{Origin: transcript.Person, Text: said}, nil)
			}
		}}
	input := map[string]string{"command": command, "description": command + said}
	if path != "" {
		c.Tool, c.RawTool, c.Command, c.Paths = "file_write", "Write", "", []string{path}
		input = map[string]string{"file_path": path, "content": command}
	}
	c.Input, _ = json.Marshal(input)
	return c
}

func repeatGate(m nod.Model, h nod.History, more func(*nod.Options)) *nod.Gate {
	o := options(nod.DefaultRules())
	o.Model, o.Profile, o.History = m, nod.Profile{Ledger: true, Stages: 1}, h
	if more != nil {
		more(&o)
	}
	return nod.New(o)
}

// Three denials in a row, or twenty in all, call a person. Where none can be called the denial says
// so. A failure counts for nothing, and an allow ends the run.
func TestRepeatedDenialsCallAPerson(t *testing.T) {
	for _, interactive := range []bool{true, false} {
		m, h := &counting{block: true}, &remembers{}
		g := repeatGate(m, h, nil)
		check := func(n int) nod.Decision {
			c := repeatCall(fmt.Sprintf("npm publish --tag t%d", n), "", "hello", interactive)
			d := g.Check(context.Background(), c)
			h.learn(c, d)
			return d
		}
		called := func(n int) bool {
			d := check(n)
			if !d.Blocked || d.Verdict == nod.Allow || d.Verdict == nod.Ask && !interactive {
				t.Fatalf("%d: %+v", n, d)
			}
			said := strings.Contains(d.Reason, "in a row") || strings.Contains(d.Reason, "of this session")
			if said && !interactive && !strings.Contains(d.Reason,
				"tell the person") || said && (d.Verdict == nod.Ask) != interactive {
				t.Errorf("%d: %+v", n, d)
			}
			return said
		}
		if called(1) || called(2) {
			t.Error("called too early")
		}
		m.fails = &fault.Error{Kind: fault.Overloaded, Message: "busy"}
		check(3)
		m.fails = nil
		if !called(4) || !called(5) {
			t.Error("not called after three in a row")
		}
		m.block = false
		if d := check(6); d.Verdict != nod.Allow {
			t.Fatalf("%+v", d)
		}
		m.block = true
		if called(7) {
			t.Error("an allow did not end the run")
		}
		h.row, h.all = 0, 18
		if called(8) {
			t.Error("called at the nineteenth")
		}
		if h.row = 0; !called(9) {
			t.Error("not called at the twentieth")
		}
	}
	// Layer 0 and the irrecoverable ask nobody.
	h := &remembers{row: 100, all: 100}
	g := repeatGate(&counting{block: true}, h,
		func(o *nod.Options) { o.AskOnBlock = true; o.Self = []string{"/home/dev/.config/nod"} })
	for _, command := range []string{"rm -rf ~", "rm -rf /home/dev/.config/nod"} {
		if d := g.Check(context.Background(), repeatCall(command, "", "hello",
			true)); d.Verdict != nod.Deny || d.Blocked {
			t.Errorf("%s: %+v", command, d)
		}
	}
}

// A reached ceiling asks a person, or denies, and asks no model.
func TestACeilingOfCost(t *testing.T) {
	for _, row := range []struct {
		interactive, soft, deny bool
		want                    nod.Verdict
	}{{true, false, false, nod.Ask}, {false, false, false, nod.Deny}, {true, true, false, nod.Deny},
		{true, false, true, nod.Deny}} {
		m := &counting{}
		g := repeatGate(m, &remembers{spent: "this session has cost $1"}, func(o *nod.Options) {
			o.DenyOnFailure = row.deny
			if row.soft {
				o.Rules = ruled(nod.ListSoftDeny, "npm publish")
			}
		})
		d := g.Check(context.Background(), repeatCall("npm publish", "", "hello", row.interactive))
		if d.Verdict != row.want || m.asked != 0 || d.Err == nil || d.Err.Kind != fault.CostCeiling ||
			!strings.Contains(d.Reason, "this session has cost $1") || len(d.Notices) == 0 {
			t.Errorf("%+v: %+v", row, d)
		}
	}
}

// on_block and on_unavailable: neither ever allows.
func TestOnBlockAndOnUnavailable(t *testing.T) {
	for _, row := range []struct {
		interactive, askOnBlock, denyOnFailure bool
		block, fail                            nod.Verdict
	}{
		{false, false, false, nod.Deny, nod.Deny}, {true, false, false, nod.Deny, nod.Ask},
		{false, true, false, nod.Deny, nod.Deny}, {true, true, false, nod.Ask, nod.Ask},
		{false, false, true, nod.Deny, nod.Deny}, {true, false, true, nod.Deny, nod.Deny},
	} {
		m := &counting{block: true}
		g := repeatGate(m, nil, func(o *nod.Options) {
			o.AskOnBlock, o.DenyOnFailure = row.askOnBlock,
				row.denyOnFailure
		})
		c := repeatCall("npm publish", "", "hello", row.interactive)
		if d := g.Check(context.Background(), c); d.Verdict != row.block || !strings.Contains(d.Reason,
			"not asked for") {
			t.Errorf("%+v: block: %+v", row, d)
		}
		m.fails = &fault.Error{Kind: fault.Unreachable, Message: "no network"}
		if d := g.Check(context.Background(),
			c); d.Verdict != row.fail || len(d.Notices) == 0 || !strings.Contains(d.Notices[0], "no network") {
			t.Errorf("%+v: failure: %+v", row, d)
		}
	}
}

func jsonText(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}
