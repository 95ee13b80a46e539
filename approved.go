package nod

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/identity"
	"github.com/nodgate/nod/internal/match"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// Approvals are calls that a person approved from outside of the agent. They are asked about what an
// ask rule leaves to a person, what layers 0 to 3 leave open, and about nothing else: no approval
// clears what layer 0 denies or the irrecoverable. It is safe for concurrent use.
type Approvals interface {
	// Approved says how the call of that key was approved, in a few words, "" if it was not. An approval that holds
	// once is used up: of several calls at the same time exactly one gets it. An error approves nothing.
	Approved(key string) (how string, err error)
	// LetRun reports whether a person let a call of that key run when the agent's host asked them,
	// earlier in the session. A model is told; it approves nothing.
	LetRun(key string) bool
}

// Approvable names an open call for the person who may approve it.
type Approvable struct {
	// Key is a hash of what the call would do and of the files that it would run; "" where no
	// approval clears it. It says nothing of the agent or the session.
	Key string `json:"key"`
	// Once says that an approval holds for one call only: something that would run is not read and
	// hashed, what the command does is not known, a word is known only when the command runs (a
	// variable, the output of another command, a glob), or nobody says in which directory it runs.
	Once bool `json:"once,omitempty"`
}

// unlessApproved answers by what a person approved, else as otherwise says.
func (t *trial) unlessApproved(otherwise func() Decision) Decision {
	d, notice, ok := t.approved()
	if ok {
		return d
	}
	if d = otherwise(); d.Verdict != Allow && t.gate.options.Approvals != nil {
		d.Approvable = t.approvable()
		if d.Deferrable {
			d.Lasting = t.lasting()
		}
	}
	if notice != "" {
		d.Notices = append(d.Notices, notice)
	}
	return d
}

// approved answers a call that a person approved. ok is false where nobody did,
// and then notice says, for the person, why that could not be found out.
func (t *trial) approved() (d Decision, notice string, ok bool) {
	if t.gate.options.Approvals == nil {
		return Decision{}, "", false
	}
	how, err := t.gate.options.Approvals.Approved(t.approvable().Key)
	switch {
	case err != nil:
		return Decision{}, "nod could not look for an approval: " + printable.Line(err.Error(), reasonLimit), false
	case how == "":
		return Decision{}, "", false
	}
	return t.allowed(LayerApproval, clearance{"a person approved this very call: " + how, t.ruled.soft}), "", true
}

// approvable is the name under which a person may approve the call.
func (t *trial) approvable() Approvable {
	if t.name == nil {
		t.name = &Approvable{}
		t.name.Key, t.name.Once = identity.Approval(t.fit.Call)
	}
	return *t.name
}

// letRun is the fact that a person let this very call run before, for the model.
func (t *trial) letRun() []string {
	if t.gate.options.Approvals == nil || !t.gate.options.Approvals.LetRun(t.approvable().Key) {
		return nil
	}
	return []string{"the agent's host asked about this same call earlier in the session, and it was then let run; " +
		"that was for that one time"}
}

// lasting returns the allow rule by which the call would have been cleared, as a person would write it: "" where no
// single rule clears it. It is tried before it is named, so that nobody adds a rule that does nothing.
func (t *trial) lasting() string {
	if t.loss.Loses(func(shell.Effect) bool { return false }, func(int) bool { return false }) != "" {
		return "" // cleared by rules or not; commands behind a runner were asked about before ([trial.deferrable])
	}
	for _, text := range proposals(t.call, t.report) {
		rule, err := ParseRule(ListAllow, text, "proposed")
		if err != nil {
			continue
		}
		again := *t.gate
		again.options.Rules.Allow, again.options.Recorder = append(slices.Clip(again.options.Rules.Allow), rule), nil
		again.told = nil
		if d, settled := again.trial(t.call).settle(); settled && d.Verdict == Allow {
			return text
		}
	}
	return ""
}

// proposals are the rules that may clear the call: the tool of an MCP server, or
// one of the line's commands as it is written.
func proposals(c Call, report *shell.Report) (texts []string) {
	if m := c.MCP; m != nil && !m.Brought {
		return []string{"mcp__" + match.ServerName(m.Server) + "__" + m.Tool}
	}
	for _, c := range report.Commands[:min(len(report.Commands), 4)] {
		words, plain := match.SplitWords(c.Source)
		known := len(words) == len(c.Words)
		for i := 0; known && i < len(words); i++ {
			known = c.Words[i].Known && !c.Words[i].Pattern && c.Words[i].Value == words[i]
		}
		if plain && known && len(c.Source) <= 80 && !strings.Contains(c.Source, "\n") {
			texts = append(texts, c.Source)
		}
	}
	return texts
}
