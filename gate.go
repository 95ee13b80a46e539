package nod

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// Options configure a Gate. Every zero value is the strictest: no rules, no
// file view and no model allow nothing but the empty allow-list.
type Options struct {
	Rules Rules
	// Files is where names are resolved. nil: nowhere, so that layers 2 and 3
	// know no path. [OnDisk] is the real file system.
	Files Files
	// Home is the absolute home directory. "": ~ leads nowhere and no
	// directory is a workspace.
	Home string
	// Roots are workspace roots beside the call's own, absolute.
	Roots []string
	// Sources are settings files of an agent that Rules were read from,
	// absolute. Layer 0 denies changes to what those rules say.
	Sources []string
	// Self are nod's own files and directories (settings, state, programs),
	// absolute. Layer 0 denies every change to them.
	Self []string
	// Model answers what layers 0 to 3 leave open. nil: none is configured.
	Model Model
	// Timeout bounds the model; 0 means 20 s.
	Timeout time.Duration
	// Profile says what a model is shown. The zero value is the seed's.
	Profile Profile
	// Recorder writes decisions down. nil: nowhere.
	Recorder Recorder
	// Memory is what is known of the call's session. nil: nothing, so that an
	// allow rule permits whatever its definition says now. One that is a
	// [Witness] makes layers 2 and 3 stricter once the session is tainted.
	Memory Memory
	// History is what the model decided in the call's session before, and what
	// that cost. nil: nothing is known, and there is no ceiling.
	History History
	// Approvals are what a person approved from outside of the agent. nil:
	// nothing, and nothing can be.
	Approvals Approvals
	// Confine returns nod's own program, absolute, where a line can be run
	// behind nod's boundary (nod confine), "" where it cannot. It is called for
	// a call that layers 0 to 3 leave open, and for one that looks confined.
	// nil: nothing is confined.
	Confine func() (program string)
	// AskOnBlock puts to a person what the model would block, where one is
	// there. False: it is denied.
	AskOnBlock bool
	// DenyOnFailure denies where the model fails although a person is there,
	// who is asked otherwise.
	DenyOnFailure bool
	// UnrecordedRuns lets a decision stand that could not be recorded; the
	// person is told. False: it is denied.
	UnrecordedRuns bool
	// Mask takes tokens of published shapes out of a text that a model is
	// shown. nil: nothing is masked but what a secret store holds, which no
	// model is shown at all.
	Mask func(string) string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Gate decides calls. Make one with [New]; it is safe for concurrent use.
type Gate struct {
	rules     Rules
	machine   *place.Machine
	sources   func() []place.Own // Options.Sources, found out when asked for
	model     Model
	timeout   time.Duration
	profile   Profile
	recorder  Recorder
	memory    Memory
	history   History
	approvals Approvals
	confine   func() string
	lenient   bool
	askBlock  bool
	denyFail  bool
	mask      func(string) string
	now       func() time.Time
}

// New returns a gate.
func New(o Options) *Gate {
	g := &Gate{
		rules: o.Rules, model: o.Model, timeout: o.Timeout, profile: o.Profile, recorder: o.Recorder, memory: o.Memory, history: o.History,
		approvals: o.Approvals, confine: o.Confine, askBlock: o.AskOnBlock, denyFail: o.DenyOnFailure, lenient: o.UnrecordedRuns,
		mask: o.Mask, now: o.Now,
	}
	if o.Files == nil {
		o.Files = view.NewMemory(false)
	}
	if g.timeout <= 0 {
		g.timeout = DefaultTimeout
	}
	if g.now == nil {
		g.now = time.Now
	}
	g.machine = place.New(place.Options{
		Files: view.With(o.Files), Home: o.Home, Roots: o.Roots, Self: o.Self, Secrets: o.Rules.Secrets, Guarded: o.Rules.Guarded,
	})
	g.sources = sync.OnceValue(func() []place.Own { return g.machine.Owned(o.Sources) })
	return g
}

// DefaultTimeout bounds the side query. Hosts must be given a longer one.
const DefaultTimeout = 20 * time.Second

// Check answers whether the call may run. It has no error result: there is no
// way to forget that an error blocks. A cancelled ctx, a panic, a model that
// fails and a log that cannot be written all end in a Decision that says so.
func (g *Gate) Check(ctx context.Context, c Call) (d Decision) {
	t := g.trial(c)
	defer func() {
		if p := recover(); p != nil {
			d = t.failed(LayerNone, &fault.Error{Kind: fault.Internal, Message: "nod failed inside; please report this", Cause: fmt.Errorf("%v\n%s", p, debug.Stack())})
		}
		d = t.finish(d)
	}()
	return t.decide(ctx)
}

func (g *Gate) trial(c Call) *trial {
	start := g.now()
	at := &place.Workspace{Machine: g.machine, Dir: c.Dir, Environ: c.Environ} // without a usable root before look
	t := &trial{gate: g, call: c, at: at, id: newID(start), spent: map[Layer]time.Duration{}, start: start}
	t.setRooms()
	return t
}

// trial is one call being decided.
type trial struct {
	gate   *Gate
	call   Call
	id     string
	at     *place.Workspace // where the call is
	report shell.Report     // of the command
	rooms

	soft    Rule      // the soft_deny pattern that matched; Text "" if none
	open    string    // why layers 2 and 3 left the call open, for the reason
	doubt   objection // of a hard_deny rule that may forbid the call, if nod knew more
	brought objection // that a rule which names the called tool does not count
	// changed says which definition keeps an allow rule from clearing its
	// command; bound are the definitions that rules were held to.
	changed objection
	bound   []Evidence
	secrets bool   // the call touches a secret store
	ruled   []bool // which commands an allow rule clears, once layer 3 has looked
	// behind says that the call runs behind nod's boundary; room is how much
	// longer than usual its reason may be.
	behind bool
	room   int

	name *Approvable // nil: not computed yet

	spent map[Layer]time.Duration
	start time.Time
	mark  time.Time
}

// decide is the flow of the package comment, line for line.
func (t *trial) decide(ctx context.Context) Decision {
	if err := ctx.Err(); err != nil {
		return t.failed(LayerNone, &fault.Error{Kind: fault.TimedOut, Message: "the call was cancelled before nod could decide", Cause: err})
	}
	if line, ok := t.confinedLine(); ok {
		return t.decideConfined(line)
	}
	d, settled := t.settle()
	switch {
	case !settled:
		d = t.answerOpen(ctx)
	case d.Verdict == Ask:
		d = t.unlessApproved(func() Decision { return d })
	}
	return t.besidePrompts(d)
}

// settle is what layers 0 to 3 say; settled is false where they leave the call
// open, and [trial.open] then says why. [Gate.Prompt] walks the same way, so
// that what it shows is what is sent.
func (t *trial) settle() (d Decision, settled bool) {
	t.look()

	if o := t.guard(); o.stands() {
		return withNext(t.denied(LayerGuard, o), "do not try another way, ask the user"), true
	}
	if o := t.irrecoverable(); o.stands() {
		return withNext(t.denied(LayerShell, o), "ask the user, who may run it themselves"), true
	}
	if o := t.typedInto(); o.stands() {
		return t.denied(LayerShell, o), true
	}
	if o := t.reserved(); o.stands() {
		return t.asked(LayerGuard, o), true
	}
	if o := object(t.secrecy.Secret(t.call.named())); o.stands() {
		t.secrets = true
		return t.leftOpen(o)
	}
	if t.doubt.stands() {
		t.softDenied()
		return t.leftOpen(t.doubt)
	}
	t.lap(LayerGuard)
	if c := t.gate.allowlist(t.call); c.given() {
		return t.allowed(LayerAllowlist, c), true
	}
	if c := t.permittedTool(); c.given() {
		return t.allowed(LayerAllowlist, c), true
	}
	if t.lap(LayerAllowlist); t.softDenied() {
		return t.leftOpen(objection{"a soft_deny rule" + t.soft.place() + " speaks against this: " + place.Objection(t.soft.Text), t.soft})
	}
	o := t.uneditable()
	if !o.stands() {
		o = object(t.taint.Edit())
	}
	if !o.stands() {
		return t.allowed(LayerEdit, clearance{why: "a file edit inside the workspace"}), true
	}
	if t.lap(LayerEdit); t.call.Command != "" {
		c, open := t.harmless()
		if c.given() {
			return t.allowed(LayerShell, c), true
		}
		o = open
	}
	t.lap(LayerShell)
	switch {
	case t.brought.stands():
		return t.leftOpen(t.brought)
	case o.why == notAnEdit:
		return t.leftOpen(against("this uses the tool " + printable.Line(t.call.RawTool, 60) + ", and nod does not know what it does"))
	}
	return t.leftOpen(o)
}

// leftOpen says why layers 0 to 3 leave the call open.
func (t *trial) leftOpen(o objection) (d Decision, settled bool) {
	t.open = string(o.why)
	return Decision{}, false
}

// look gathers the facts that the layers share. A tool that neither runs a
// command nor changes a file needs none.
func (t *trial) look() {
	t.mark = t.start
	if t.call.Command == "" && !isEdit(t.call.Tool) {
		return
	}
	t.at.Roots = t.gate.machine.UsableRoots(t.call.Roots, t.call.Environ)
	if t.call.Command != "" {
		t.report = t.gate.analyze(t.call, t.at.Roots)
		t.lap(LayerShell)
	}
}

// lap books the time since the last lap on a layer.
func (t *trial) lap(l Layer) {
	now := t.gate.now()
	t.spent[l] += max(0, now.Sub(t.mark))
	t.mark = now
}

func (t *trial) decided(l Layer, v Verdict, why string, rule Rule) Decision {
	t.lap(l)
	return Decision{ID: t.id, Verdict: v, Layer: l, Reason: t.withheld.Reason(why), Rule: rule}
}

// withNext adds what to do next to a denial whose reason does not say so itself.
func withNext(d Decision, next string) Decision {
	for _, own := range [...]string{"; use ", "; write ", "; give ", "; type "} {
		if strings.Contains(d.Reason, own) {
			return d
		}
	}
	d.Reason = printable.Line(d.Reason, reasonLimit-len(next)-2) + "; " + next
	return d
}

// failed turns a failure into the strictest answer.
func (t *trial) failed(l Layer, f *fault.Error) Decision {
	return Decision{ID: t.id, Verdict: Deny, Layer: l, Reason: f.Message, Err: f,
		Notices: []string{"nod blocked a call: " + printable.Line(f.Error(), reasonLimit)}}
}

// finish completes and records a decision.
func (t *trial) finish(d Decision) Decision {
	d.ID, d.Spent = t.id, t.spent
	d.Latency = max(0, t.gate.now().Sub(t.start))
	d.Reason = printable.Line(d.Reason, reasonLimit+t.room)
	for _, e := range t.report.Read {
		d.Evidence = append(d.Evidence, Evidence{Path: e.Path, SHA256: e.SHA256})
	}
	if d.Approvable.Key != "" {
		for _, f := range t.identity.Inputs {
			d.Evidence = append(d.Evidence, Evidence(f))
		}
	}
	d.Definitions, d.Changes = t.bound, t.withheld.Names(t.changes())
	d.Downloads, d.Secret, d.Sends = t.withheld.Names(t.taint.Downloads()), t.secrets, t.taint.Sends()
	d.Foreign = t.taint.Foreign()
	if t.gate.recorder == nil {
		return d
	}
	return t.record(d)
}

func (t *trial) record(d Decision) Decision {
	err := t.written(d)
	if err == nil {
		return d
	}
	notice := "nod could not write its log: " + printable.Line(err.Error(), reasonLimit)
	if !t.gate.lenient {
		failed := t.failed(d.Layer, &fault.Error{Kind: fault.LogFailed, Message: "this decision could not be recorded, and the settings demand that it is", Cause: err})
		failed.Latency, failed.Spent, d = d.Latency, d.Spent, failed
	}
	d.Notices = append(d.Notices, notice)
	return d
}

// written records the decision; a recorder that panics has failed.
func (t *trial) written(d Decision) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the recorder failed inside: %v", p)
		}
	}()
	return t.gate.recorder.Record(t.call, d)
}
