package hook

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/approval"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/rewriting"
	"github.com/nodgate/nod/internal/session"
	"github.com/nodgate/nod/internal/view"
	"github.com/nodgate/nod/transcript"
)

// book writes one event down: in the decision log, and in the session's
// memory. It is the gate's Recorder, and knows what the agent will be told.
type book struct {
	run      *run
	event    agent.Event
	settings config.Settings
	memory   *session.Session
	digest   string
	gate     *nod.Gate         // nil: not made yet
	marked   []string          // the patterns of rules over time that the call matches
	why      map[string]string // why rules over time forbid, by their origin
	watched  []config.Sequence // those that would forbid, and are only observed
	waits    bool              // the decision became a question
	asked    bool              // a person was asked, so that the next decision stands
}

// told says a decision to the agent, as the mode has it. A pause lets no agent change nod, or it might never end.
func (b *book) told(d nod.Decision) agent.Answer {
	held := !b.settings.Paused.IsZero() && d.Layer == nod.LayerGuard && d.Rule.Text == ""
	if b.settings.Mode == config.Observe && !held {
		return agent.Answer{Said: "abstained"}
	}
	return b.run.Adapter.Encode(b.event, d, Reach(b.settings), b.run.model(b.settings) != nil)
}

// Begin implements nod.Recorder: a line that shows, if nothing follows it,
// that a decision was begun and never answered.
func (b *book) Begin(c nod.Call, id string) error {
	return b.write(b.about(c, audit.FromCall(audit.Begun, id, c, b.run.Now())))
}

// Record implements nod.Recorder.
func (b *book) Record(c nod.Call, d nod.Decision) error {
	d = b.because(d)
	if b.waits = b.asks(d, b.told(Left(d, b.settings)).Said); b.waits {
		e := b.about(c, audit.FromDecision(c, d, b.run.Now())) // nothing has answered it yet
		e.Kind, e.Approvable = audit.Question, nil
		return b.write(e)
	}
	entry := b.about(c, audit.FromDecision(c, d, b.run.Now()))
	entry.Answered, entry.Observed = b.told(Left(d, b.settings)).Said, b.observed(c)
	if b.memory != nil {
		entry.SessionCost = b.memory.Cost() + d.Cost
	}
	err := errors.Join(b.write(entry), b.remember(c, d, entry))
	if b.run.Places.State == "" || d.Cost == 0 {
		return err
	}
	return errors.Join(err, session.Spend(b.run.Places.State, b.run.Now(), d.Cost))
}

// about is an entry about a call, without what is not kept of its input.
func (b *book) about(c nod.Call, e audit.Entry) audit.Entry {
	if b.gate == nil {
		if b.settings.Rules.Secrets == nil { // none could be read
			b.settings.Rules = nod.DefaultRules()
		}
		b.gate = b.run.gate(b.settings, nil, nil, nil, nil)
	}
	e.Input = b.gate.Stored(c)
	return b.entry(e)
}

// entry fills in what only the hook knows.
func (b *book) entry(e audit.Entry) audit.Entry {
	e.Nod = b.run.Version
	e.Mode, e.Setting = b.event.Mode, b.settings.Mode.String()
	if p := b.settings.Policy; p != nil {
		e.Policy = &audit.Policy{Version: p.Version, Stale: p.Stale}
	}
	return e
}

// write appends one line. Without a state directory, as in the demo, nothing is written down.
func (b *book) write(e audit.Entry) error {
	if b.run.Places.State == "" {
		return nil
	}
	log, err := audit.Open(b.run.Places.State)
	if err != nil {
		return err
	}
	defer log.Close()
	return log.Write(e)
}

// remember notes that this call was answered, so that the host's own prompt for it is left to the person.
func (b *book) remember(c nod.Call, d nod.Decision, e audit.Entry) error {
	if b.memory == nil || b.event.Kind != agent.Decide {
		return nil
	}
	kept := session.Record{
		Call: b.event.Call.ID, Digest: b.digest, Tool: b.event.Call.RawTool,
		Said: e.Answered, Cost: d.Cost, At: e.Time, Changes: d.Changes, Secret: d.Secret,
		Judged: judged(d), Why: d.Basis, Marks: b.marked, Edit: edits(c, d),
	}
	for _, one := range d.Definitions {
		kept.Definitions = append(kept.Definitions, session.Definition(one.Path, one.SHA256))
	}
	if d.Verdict == nod.Deny {
		kept.Why = cmp.Or(d.Basis, d.Reason)
	}
	if e.Answered == "ask" {
		kept.Key = d.Approvable.Key
	}
	return b.memory.Answer(kept)
}

// judged is what the model said, for the session's memory. A failure is nothing, and neither is being of two minds.
// An approved call ends a row of denials, like a call that the model lets pass.
func judged(d nod.Decision) session.Judged {
	switch {
	case d.Blocked && d.Classification == nil:
		return "" // no model said so
	case d.Blocked:
		return session.Blocked
	case d.Layer == nod.LayerApproval && d.Verdict == nod.Allow:
		return session.Passed
	case d.Layer == nod.LayerModel && d.Err == nil && d.Verdict == nod.Allow:
		return session.Passed
	}
	return ""
}

// recollection is the session's memory as the gate asks it. Without a memory, anything may have changed.
type recollection struct {
	*session.Session
	files view.Files
}

var (
	_ nod.Witness  = recollection{}
	_ nod.Outcomes = recollection{}
)

// Standing implements nod.Memory.
func (r recollection) Standing(d nod.Evidence) nod.Standing {
	if !r.Remembers() {
		return nod.Changed
	}
	info, err := r.files.Lstat(d.Path)
	younger := err == nil && info.Born > 0 && time.Unix(0, info.Born).After(r.Began()) // by any means
	switch accepted, seen := r.Session.Standing(d.Path, d.SHA256); {
	case accepted:
		return nod.Accepted
	case seen, r.Changes(d.Path), younger:
		return nod.Changed
	}
	return nod.Untouched
}

// Wrote implements nod.Witness.
func (r recollection) Wrote(path string) bool { return r.Remembers() && r.Changes(path) }

// Ended implements nod.Outcomes.
func (r recollection) Ended(call string) transcript.Ended {
	switch denied, failed := r.Session.Ended(call); {
	case denied:
		return transcript.EndedBlocked
	case failed:
		return transcript.EndedFailed
	}
	return transcript.EndedUnknown
}

// outcome writes down what became of a call.
func (b *book) outcome() error {
	now, kind, reason := b.run.Now(), audit.Outcome, b.event.Error
	if b.event.Kind == agent.HostDenied {
		kind, reason = audit.HostDeny, b.event.Reason
	}
	entry := b.about(b.event.Call, audit.FromCall(kind, b.event.Call.ID, b.event.Call, now))
	entry.Reason, entry.Latency = printable.Line(reason, 300), b.event.Took.Microseconds()
	if b.event.Failed {
		entry.Error = &audit.Error{Kind: fault.ToolFailed, Message: entry.Reason}
	}
	err := b.write(entry)
	if b.event.Kind != agent.Outcome || b.run.Places.State == "" {
		return err
	}
	c := b.event.Call
	err = errors.Join(err, approval.Ended(b.run.Places.State,
		approval.Caller{Agent: c.Agent, Session: c.Session, Call: c.ID}, now))
	memory, openErr := session.Open(b.run.Places.State, b.event.Call.Agent, b.event.Call.Session)
	if openErr != nil {
		return errors.Join(err, openErr)
	}
	defer memory.Close()
	if memory.Confined(c.ID, session.Digest(c.RawTool, c.Input)) && !strings.Contains(c.Command, " confine -- ") {
		err = errors.Join(err, rewriting.Forget(b.run.Places.State, b.run.Adapter.Name(),
			"it ran the agent's own command and not the line that it was handed: "+printable.Line(c.Command, 100)))
	}
	return errors.Join(err, memory.Outcome(session.Record{
		Call: b.event.Call.ID, Tool: b.event.Call.RawTool,
		Failed: b.event.Failed, Error: entry.Reason, At: now,
	}))
}

// note writes down a payload that could not be read or was passed.
func (r *run) note(kind audit.Kind, sessionID, reason string) {
	b := &book{run: r}
	entry := b.entry(audit.Entry{Version: audit.Version, Kind: kind, Time: r.Now(), Agent: r.Adapter.Name(),
		Session: sessionID, Reason: printable.Line(reason, 300)})
	entry.Setting = ""
	// Nobody is left to be told: the answer blocks or passes all the same.
	_ = b.write(entry)
}
