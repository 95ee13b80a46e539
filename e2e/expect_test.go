package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/llm/llmtest"
)

// expectation is what must come of one call.
type expectation struct {
	call llmtest.Call
	// answered is what nod told Claude Code, by the log: allow, ask, deny or
	// abstained. layer and kind (of a failure) are checked where set.
	answered string
	layer    nod.Layer
	kind     fault.Kind
	// ran says whether the tool ran.
	ran bool
	// makes is a file that exists afterwards if the call ran, and must not
	// if it did not.
	makes string
	// told must stand in what the model was told.
	told []string
}

// calls returns what the script must play.
func calls(list []expectation) (calls []llmtest.Call) {
	for _, e := range list {
		calls = append(calls, e.call)
	}
	return calls
}

// script plays one step for each call, so that every call meets the state
// that the ones before it left.
func script(list []expectation) llmtest.Script {
	var s llmtest.Script
	for _, c := range calls(list) {
		s.Steps = append(s.Steps, llmtest.Step{Calls: []llmtest.Call{c}})
	}
	return s
}

// check compares one run with what was expected, call by call, and that
// nothing else was decided.
func (r run) check(list []expectation) {
	r.t.Helper()
	for _, e := range list {
		r.t.Run(e.call.Name, func(t *testing.T) {
			r.checkTold(t, e)
			r.checkLog(t, e)
		})
	}
	if got := len(r.entries(audit.Decision)); got != len(list) {
		r.t.Errorf("the log has %d decisions for %d calls", got, len(list))
	}
}

// checkTold looks at what the model was told, and at the file that the call
// was to make.
func (r run) checkTold(t *testing.T, e expectation) {
	t.Helper()
	got, ok := r.srv.Result(e.call.Name)
	if !ok && r.decoy != nil {
		got, ok = r.decoy.Result(e.call.Name)
	}
	if !ok {
		t.Fatalf("the model was told nothing about this call; stderr: %s", r.stderr)
	}
	if got.IsError == e.ran {
		t.Errorf("ran: %v, want %v; the model was told %q", !got.IsError, e.ran, got.Text)
	}
	for _, want := range e.told {
		if !strings.Contains(got.Text, want) {
			t.Errorf("the model was told %q, want it to hold %q", got.Text, want)
		}
	}
	if e.makes == "" {
		return
	}
	if _, err := os.Lstat(e.makes); (err == nil) != e.ran {
		t.Errorf("%s exists: %v, want %v", e.makes, err == nil, e.ran)
	}
}

// checkLog wants exactly one decision of the call, and an outcome if it ran.
func (r run) checkLog(t *testing.T, e expectation) {
	t.Helper()
	decisions := r.ofCall(audit.Decision, e.call.Name)
	if len(decisions) != 1 {
		t.Fatalf("%d decisions in the log, want 1: %+v", len(decisions), decisions)
	}
	d := decisions[0]
	if d.Answered != e.answered {
		t.Errorf("answered %q, want %q; %s: %s", d.Answered, e.answered, d.Layer, d.Reason)
	}
	if e.layer != nod.LayerNone && d.Layer != e.layer {
		t.Errorf("layer %s, want %s; reason %q", d.Layer, e.layer, d.Reason)
	}
	if e.kind != "" && (d.Error == nil || d.Error.Kind != e.kind) {
		t.Errorf("error %+v, want kind %s", d.Error, e.kind)
	}
	want := 0
	if e.ran {
		want = 1
	}
	if got := len(r.ofCall(audit.Outcome, e.call.Name)); got != want {
		t.Errorf("%d outcomes in the log, want %d", got, want)
	}
}

// entries returns the log's lines of one kind.
func (r run) entries(kind audit.Kind) []audit.Entry {
	return slices.DeleteFunc(slices.Clone(r.log), func(e audit.Entry) bool { return e.Kind != kind })
}

func (r run) ofCall(kind audit.Kind, name string) []audit.Entry {
	return slices.DeleteFunc(r.entries(kind), func(e audit.Entry) bool { return llmtest.CallName(e.CallID) != name })
}

// noModelAsked checks that nothing was asked of nod's classifier.
func (r run) noModelAsked() {
	r.t.Helper()
	if n := len(r.srv.Requests(llmtest.Classifier)); n != 0 {
		r.t.Errorf("%d classifier queries, want none", n)
	}
}
