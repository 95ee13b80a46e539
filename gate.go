package nod

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// Options configure a Gate. The zero value clears no call: it has no rules, no file view and no
// model. Without Rules that deny, Self, Sources, Recorder, Memory, History and DenyOnFailure nod is
// laxer; without any other option it is stricter.
type Options struct {
	Rules Rules
	Files Files    // where names are resolved; nil: nowhere, so that layers 2 and 3 know no path
	Home  string   // the absolute home directory; "": ~ leads nowhere and no directory is a workspace
	Roots []string // workspace roots beside the call's own, absolute
	// Sources are settings files of an agent that Rules were read from, absolute. Layer 0 denies
	// changes to what those rules say.
	Sources []string
	// Self are nod's own files and directories (settings, state, programs), absolute. Layer 0 denies
	// every change to them.
	Self    []string
	Model   Model         // answers what layers 0 to 3 leave open; nil means no model
	Timeout time.Duration // bounds the model; 0 means 20 s
	Profile Profile       // what a model is shown; the zero value is the description's
	// Recorder writes decisions down. nil: nowhere.
	Recorder Recorder
	// Memory is what is known of the call's session. nil means nothing: then an allow rule permits a
	// project command, also if its definition has changed.
	Memory Memory
	// History is what the model decided in the session before, and what that cost. nil: nothing is
	// known, and there is no ceiling.
	History History
	// Approvals are what a person approved from outside of the agent. nil: nothing can be.
	Approvals Approvals
	// Keeper keeps what a call of the workspace replaces or deletes, so that it need not be asked
	// about. nil: what git does not have is asked about.
	Keeper Keeper
	// Confine returns nod's own program, absolute, where a line can be run behind nod's boundary (nod
	// confine), "" where it cannot. nil: nothing is confined.
	Confine func() (program string)
	// AskOnBlock puts to a person what the model would block, DenyOnFailure denies where the model fails although a
	// person is there, and UnrecordedRuns lets a decision stand that could not be recorded.
	AskOnBlock, DenyOnFailure, UnrecordedRuns bool
	Now                                       func() time.Time // the clock; nil means time.Now
}

// Gate decides calls. Make one with [New]; it is safe for concurrent use.
type Gate struct {
	options  Options // complete: what was left out has its default
	unusable error   // a rule that cannot be read
	machine  *place.Machine
	sources  func() []place.Own // Options.Sources, found out when asked for
	told     func(Step)         // see [Gate.Explain]
}

// Open returns a gate, or says which rule cannot be read.
func Open(o Options) (*Gate, error) {
	g := New(o)
	return g, g.unusable
}

// New returns a gate. Where a rule cannot be read that should forbid something or ask
// about it, the gate denies every call and says why; [Open] returns that as an error.
func New(o Options) *Gate {
	rules, unusable := o.Rules.read()
	o.Rules = rules
	if o.Files == nil {
		o.Files = view.NewMemory(false)
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	g := &Gate{options: o, unusable: unusable}
	g.machine = place.New(place.Options{
		Files: o.Files, Home: o.Home, Roots: o.Roots, Self: o.Self,
		Secrets: o.Rules.Secrets, Guarded: o.Rules.Guarded,
	})
	g.sources = sync.OnceValue(func() []place.Own { return g.machine.Owned(o.Sources) })
	return g
}

// For returns a gate by the same options but these, for one call of many. files is another view of the same files. What
// is known of the rules, and where nod's own files and the agents' lie, is shared.
func (g *Gate) For(files Files, recorder Recorder, approvals Approvals) *Gate {
	one := *g
	one.options.Files, one.options.Recorder, one.options.Approvals = files, recorder, approvals
	one.machine = g.machine.On(files)
	return &one
}

// DefaultTimeout bounds the side query. Hosts must be given a longer one.
const DefaultTimeout = 20 * time.Second

// Check answers whether the call may run. It has no error result: there is no way to forget that an error blocks. A
// cancelled ctx, a panic, a model that fails and a log that cannot be written all end in a Decision that says so.
func (g *Gate) Check(ctx context.Context, c Call) (d Decision) {
	t := g.trial(c)
	defer func() {
		if p := recover(); p != nil {
			d = failed(LayerNone, panicked("nod failed inside; please report this", p))
		}
		d = t.finish(d)
	}()
	return t.kept(t.decide(ctx))
}

// Stored is a call's input as it may be written down: what an edit puts into a
// secret store, or takes out of it, is withheld.
func (g *Gate) Stored(c Call) json.RawMessage { return g.trial(c).withheld.Stored(c.Input) }

func (g *Gate) trial(c Call) *trial {
	c, start := c.whole(), g.options.Now()
	if view.Windows(g.options.Files) {
		c.Dir, _ = view.Slashed(c.Dir)
	}
	at := &place.Workspace{Machine: g.machine, Dir: c.Dir, Environ: c.Environ} // without a usable root before look
	if w, ok := g.options.Memory.(Witness); ok {
		at.Wrote = w.Wrote
	}
	if g.options.Keeper != nil {
		at.Keeping = &place.Keeping{}
	}
	t := &trial{gate: g, call: c, id: newID(start), start: start}
	t.enter(at, &shell.Report{})
	return t
}

// trial is one call on its way through the layers.
type trial struct {
	gate *Gate
	call Call
	id   string
	*rooms
	ruled ruling // what the rules say of the call

	open    objection // why layers 0 to 3 leave the call open
	secrets bool      // the call touches a secret store
	behind  bool      // the call runs behind nod's boundary
	start   time.Time

	name *Approvable // nil: not computed yet
	lost *string     // nil: not looked up yet
}

// enter has the rooms answer about the call as it is now. What they have looked up of another command they forget.
func (t *trial) enter(at *place.Workspace, report *shell.Report) {
	t.rooms = t.gate.rooms(&t.call, at, report)
	t.ruled = ruling{gate: t.gate, call: t.call, fit: &t.fit}
}

// decide is the flow of the package comment, from top to bottom.
func (t *trial) decide(ctx context.Context) Decision {
	if err := ctx.Err(); err != nil {
		const why = "the call was cancelled before nod could decide"
		return failed(LayerNone, &fault.Error{Kind: fault.TimedOut, Message: why, Cause: err})
	}
	if err := t.gate.unusable; err != nil {
		why := "a rule cannot be used: " + err.Error()
		return failed(LayerNone, &fault.Error{Kind: fault.BadSettings, Message: why})
	}
	if why := t.call.Rewritten; why != "" {
		return t.denied(LayerGuard, against(why))
	}
	if line, ok := t.confinedLine(); ok {
		return t.decideConfined(line)
	}
	d, settled := t.settle()
	switch {
	case !settled:
		d = t.answer(ctx)
		t.behind = d.Verdict == Allow && d.Instead != ""
	case d.Verdict == Ask:
		d = t.unlessApproved(func() Decision { return d })
	}
	return t.besidePrompts(d)
}

// settle is what layers 0 to 3 say. Where they leave the call open settled is false, and the trial
// holds what they found. [Gate.Prompt] walks the same way, so that what it shows is what is sent.
func (t *trial) settle() (d Decision, settled bool) {
	t.look()
	t.reads()

	if o := t.objects(LayerGuard, "hard_deny, or nod itself", t.guard()); o.stands() {
		return t.denied(LayerGuard, o.orElse("do not try another way, ask the user")), true
	}
	if o := t.objects(LayerShell, "cannot be undone", t.irrecoverable()); o.stands() {
		return t.denied(LayerShell, o.orElse("ask the user, who may run it themselves")), true
	}
	if o := t.objects(LayerShell, "runs what is typed into it", t.typedInto()); o.stands() {
		return t.denied(LayerShell, o), true
	}
	if o := t.objects(LayerShell, "moves the host's shell", t.stays()); o.stands() {
		return t.denied(LayerShell, o), true
	}
	if o := t.objects(LayerGuard, "an ask rule, or a doubt", t.reserved()); o.stands() {
		return t.asked(LayerGuard, o), true
	}
	if o := t.objects(LayerGuard, "touches a secret", t.secret()); o.stands() {
		t.secrets = true
		return t.leave(t.withRule(t.sentAway(o)))
	}
	if t.objects(LayerGuard, "may be a hard_deny rule", t.ruled.doubt).stands() {
		t.ruled.softDenied()
		return t.leave(t.ruled.doubt)
	}
	unread := t.call.Unread
	if c := t.clears(LayerAllowlist, "a safe tool", t.gate.allowlist(t.call)); c.given() && unread == "" {
		return t.allowed(LayerAllowlist, c), true
	}
	if c := t.clears(LayerAllowlist, "an allow rule of the tool", t.ruled.permitsTool()); c.given() {
		return t.allowed(LayerAllowlist, c), true
	}
	if unread != "" {
		return t.leave(t.objects(LayerAllowlist, "an unknown argument", against(unread)))
	}
	if t.ruled.softDenied() {
		soft := t.ruled.soft
		why := "a soft_deny rule" + soft.place() + " speaks against this: " + place.Objection(soft.Text)
		return t.leave(t.objects(LayerAllowlist, "a soft_deny rule", objection{why: why, rule: soft}))
	}
	o := t.uneditable()
	if t.call.Command == "" {
		o = t.objects(LayerEdit, "an edit that is not allowed", o)
	}
	if !o.stands() {
		return t.allowed(LayerEdit, clearance{why: "a file edit inside the workspace"}), true
	}
	if t.call.Command != "" {
		c, open := t.harmless()
		if t.clears(LayerShell, "known and harmless", c).given() {
			return t.allowed(LayerShell, c), true
		}
		o = t.objects(LayerShell, "speaks against it", open)
	}
	if t.ruled.brought.stands() {
		o = t.ruled.brought
	}
	return t.leave(o)
}

// withRule adds to what is said of a secret the person's own rule that speaks against the call as well.
func (t *trial) withRule(o objection) objection {
	doubt := t.ruled.doubt
	switch {
	case doubt.stands():
		return objection{why: o.why + "; " + doubt.why, rule: doubt.rule, next: doubt.next}
	case t.ruled.softDenied():
		soft := t.ruled.soft
		return objection{why: o.why + "; a soft_deny rule" + place.Objection(soft.place()) + " speaks against this: " +
			place.Objection(soft.Text), rule: soft}
	}
	return o
}

// leave says why layers 0 to 3 leave the call open.
func (t *trial) leave(o objection) (d Decision, settled bool) {
	t.open = o
	return Decision{}, false
}

// look gathers the facts that the layers share. A tool that neither runs a
// command, nor changes a file, nor starts an agent needs none.
func (t *trial) look() {
	may := ""
	if t.call.Command == "" && !t.call.IsEdit() && t.call.Tool != "agent" {
		if may = t.call.maybeRuns(); may == "" {
			return
		}
	}
	t.at.Roots = t.gate.machine.UsableRoots(t.call.Roots, t.call.Environ)
	if may != "" {
		call := t.call
		call.Command = may
		possible := t.gate.analyze(call, t.at.Roots)
		if possible.Exceeded+possible.Malformed == "" || call.Agent == "" { // else it may be a text of another kind
			t.report.Possible = &possible
		}
	}
	if t.call.Command != "" {
		*t.report = t.gate.analyze(t.call, t.at.Roots)
	}
}

// guard is layer 0: hard_deny rules and changes to nod itself.
func (t *trial) guard() objection {
	if o := t.ruled.forbids(); o.stands() {
		return o
	}
	if why, instead := t.self.SelfChange(); why != "" {
		return objection{why: why, next: instead}
	}
	if p := t.possible(); p != nil {
		return p.guard()
	}
	return objection{}
}

// secret speaks against a call that would show a secret, behind a runner too.
func (t *trial) secret() objection {
	o := object(t.loss.Secrets.Secret(t.call.named()))
	if h := t.handed(); h != nil && !o.stands() {
		o = object(h.loss.Secrets.Secret(nil))
	}
	return o
}

// reserved is what only a person may decide: an ask rule says so, or nod cannot
// show that it would still be asked after the call.
func (t *trial) reserved() objection {
	if o := t.ruled.reserves(); o.stands() {
		return o
	}
	if h := t.handed(); h != nil {
		if o := h.ruled.reserves(); o.stands() {
			return o
		}
	}
	return object(t.self.Unproven)
}

// allowlist is layer 1: a tool that reads, or only speaks to the agent and the person. It looks at the canonical name.
func (g *Gate) allowlist(c Call) clearance {
	if c.Tool == "" || c.MCP != nil || !slices.Contains(g.options.Rules.Allowlist, c.Tool) {
		return clearance{}
	}
	return clearance{why: c.Tool + " is a safe tool"}
}

// failed turns a failure into the strictest answer.
func failed(l Layer, f *fault.Error) Decision {
	return Decision{Verdict: Deny, Layer: l, Reason: f.Message, Err: f,
		Notices: []string{"nod blocked a call: " + printable.Line(f.Error(), reasonLimit)}}
}

// unrecorded is the failure where nothing may run that is not written down.
func unrecorded(err error) *fault.Error {
	const why = "this decision could not be recorded, and the settings demand that it is"
	return &fault.Error{Kind: fault.LogFailed, Message: why, Cause: err}
}

// panicked is the failure after a panic, with where it was.
func panicked(what string, p any) *fault.Error {
	return &fault.Error{Kind: fault.Internal, Message: what, Cause: fmt.Errorf("%v\n%s", p, debug.Stack())}
}

// finish completes and records a decision.
func (t *trial) finish(d Decision) Decision {
	d.ID = t.id
	d.Latency = max(0, t.gate.options.Now().Sub(t.start))
	if d.Instead == "" { // which is written out
		d.Reason = printable.Line(d.Reason, reasonLimit)
	}
	for _, e := range t.report.Read {
		d.Evidence = append(d.Evidence, Evidence{Path: e.Path, SHA256: e.SHA256})
	}
	d.Definitions, d.Changes = t.ruled.bound, t.withheld.Names(t.changes(t.call, t.behind))
	d.Secret = t.secrets
	if t.gate.options.Recorder == nil {
		return d
	}
	return t.record(d)
}

func (t *trial) record(d Decision) Decision {
	err := t.written(d)
	if err == nil {
		return d
	}
	d.Approvable = Approvable{} // no line of the log bears the name that nod approve would take
	notice := "nod could not write its log: " + printable.Line(err.Error(), reasonLimit)
	if !t.gate.options.UnrecordedRuns {
		failed := failed(d.Layer, unrecorded(err))
		failed.Latency, d = d.Latency, failed
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
	return t.gate.options.Recorder.Record(t.call, d)
}
