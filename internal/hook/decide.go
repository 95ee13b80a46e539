package hook

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/confine/proof"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/session"
	"github.com/nodgate/nod/internal/version"
	"github.com/nodgate/nod/internal/view"
)

// decideCall answers a call that is about to run. After a person's yes all is looked at anew: while they thought,
// files, links and rules may have changed, and what forbids a call forbids it still.
func (r *run) decideCall(ctx context.Context, e agent.Event) agent.Answer {
	answer, given := r.decideOnce(ctx, e)
	if given == nil {
		return answer
	}
	again := newRun(r.given)
	again.started, again.watch, again.yes = r.started, r.watch, given
	answer, _ = again.decideOnce(ctx, e)
	return answer
}

// decideOnce is decideCall before and after a person was asked. A yes has no answer yet.
func (r *run) decideOnce(ctx context.Context, e agent.Event) (agent.Answer, *yes) {
	if e.Complete != nil {
		e.Complete(&e)
	}
	memory, root := r.remember(e)
	defer r.forget(memory)
	settings, err := r.settings(root)
	if err != nil {
		return r.unusable(ctx, e, root, fault.Of(err)), nil
	}
	if settings.Mode == config.Off {
		return agent.Answer{}, nil
	}
	if root != "" {
		e.Call.Roots = append([]string{root}, e.Call.Roots...)
	}
	digest := session.Digest(e.Call.RawTool, e.Call.Input)
	if e.Kind == agent.Prompt && r.Adapter.Capabilities().Before.Allow && memory.Answered(digest) {
		return agent.Answer{}, nil
	}
	if e.Contained { // the host's boundary stands, and another inside of it may not
		settings.Confine = config.Confine{}
	}
	r.extend(settings.Model.Timeout)
	e.Call.Asking, e.Call.Rewrites = r.asking(e, memory), r.rewrites(e, settings)
	book := &book{run: r, event: e, settings: settings, memory: memory, digest: digest}
	book.arm(e.Call, r.Now())
	settings = book.settings
	r.keeps = settings.Mode != config.Observe && (e.Kind == agent.Decide || !memory.Answered(digest))
	book.gate = r.gate(settings, book, r.recollection(memory), r.history(settings, memory),
		r.approvals(e, settings, memory, root))
	d, given := book.decide(ctx, e.Call)
	if given != nil {
		return agent.Answer{}, given
	}
	d.Notices = append(d.Notices, unpriced(settings.Model, d)...)
	if memory.New() { // once a session is enough
		d.Notices = append(d.Notices, settings.Notices...)
	}
	return book.told(d), nil
}

// remember opens the session's file and fixes its workspace root: what the host vouches for, else where the first
// payload says that the agent is. Where the session's file cannot be used and the host vouches for nothing there is
// no root, since cwd follows the agent's cd. Where no file is kept (no state directory, no session id) the root is
// that place all the same: nothing else is known.
func (r *run) remember(e agent.Event) (*session.Session, string) {
	if r.Places.State == "" {
		return nil, cmp.Or(e.Project, e.Start)
	}
	memory, err := session.Open(r.Places.State, e.Call.Agent, e.Call.Session)
	if err != nil {
		return memory, e.Project
	}
	root, err := memory.Root(cmp.Or(e.Project, e.Start))
	if err != nil {
		return memory, e.Project
	}
	return memory, root
}

// sessionAge is how long the memory of a session is kept.
const sessionAge = 30 * 24 * time.Hour

// forget closes the session's memory. Where the session has just begun, the
// memory of old ones is removed; the next one will try again if that fails.
func (r *run) forget(memory *session.Session) {
	if memory.New() {
		_ = session.Prune(r.Places.State, sessionAge)
	}
	_ = memory.Close()
}

func (r *run) settings(root string) (config.Settings, error) {
	places := r.Places
	places.Files, places.Now = r.Files, r.Now
	places.Root = ""
	if real, err := view.Resolve(r.Files, root); err == nil {
		places.Root = real
	}
	return config.Load(places)
}

// unusable answers where the settings cannot be read: never fewer rules. What is denied under all settings is denied.
// About the rest a person is asked, if there is a person to ask.
func (r *run) unusable(ctx context.Context, e agent.Event, root string, f *fault.Error) agent.Answer {
	d := nod.Decision{Verdict: nod.Deny, Reason: f.Error(), Err: f,
		Notices: []string{"nod's settings cannot be used: " + printable.Line(f.Error(), 300)}}
	if e.Call.Interactive {
		d.Verdict = nod.Ask
	}
	if always := r.always(ctx, e.Call, root); always.Verdict == nod.Deny {
		d.Verdict, d.Layer, d.Reason = nod.Deny, always.Layer, always.Reason
	}
	d.Reason = printable.Line(d.Reason, 300)
	book := &book{run: r, event: e}
	if err := book.Record(e.Call, d); err != nil {
		d.Notices = append(d.Notices, "nod could not write its log: "+printable.Line(err.Error(), 300))
	}
	return book.told(d)
}

// always is what layer 0 and the irrecoverable say of a call, with the rules
// that are built in: with a person there nothing else denies.
func (r *run) always(ctx context.Context, c nod.Call, root string) nod.Decision {
	c.Interactive = true
	if root != "" {
		c.Roots = append([]string{root}, c.Roots...)
	}
	sources := r.Places.ClaudeFiles(config.Settings{}.ClaudeRules)
	return nod.New(nod.Options{Rules: nod.DefaultRules(), Files: r.Files, Home: r.Places.Home, Self: r.self(),
		Sources: sources, Now: r.Now}).Check(ctx, c)
}

// recollection is what the gate is told of the session; nil for a run that keeps no state at all, as in the demo.
func (r *run) recollection(memory *session.Session) nod.Memory {
	if r.Places.State == "" {
		return nil
	}
	return recollection{memory, r.Files}
}

// NewGate builds the gate that settings describe. recorder and memory may be nil.
func NewGate(o Options, s config.Settings, recorder nod.Recorder, memory nod.Memory) *nod.Gate {
	return (&run{Options: o}).gate(s, recorder, memory, nil, nil)
}

func (r *run) gate(s config.Settings, recorder nod.Recorder, memory nod.Memory, history nod.History,
	approvals nod.Approvals) *nod.Gate {
	return nod.New(nod.Options{
		Rules: s.Rules, Files: r.Files, Home: r.Places.Home, Roots: s.Roots,
		Self:    append(r.self(), s.Model.KeyFiles()...),
		Sources: r.Places.ClaudeFiles(s.ClaudeRules),
		Model:   r.model(s), Timeout: s.Model.Timeout, Profile: Profile(s), Recorder: recorder, Memory: memory,
		History: history, Approvals: approvals, Keeper: r.keeper(r.keeps), Confine: r.confine(s),
		AskOnBlock: s.Model.AskOnBlock, DenyOnFailure: s.Model.DenyOnFailure,
		UnrecordedRuns: s.Log.UnrecordedRuns, Now: r.Now,
	})
}

// confine is how the program that confines is told to the gate: where the settings say
// so, and the boundary was tried on this machine. nil: nothing is confined.
func (r *run) confine(s config.Settings) func() string {
	if !s.Confine.On || r.Places.State == "" || !plainPath(r.Nod) {
		return nil
	}
	return sync.OnceValue(func() string {
		if !proof.Holds(r.Places.State) {
			return ""
		}
		return confiner(r.Nod)
	})
}

// confiner is the program of nod's that is typed before a line: nod-hook if it lies beside
// nod, since nod starts slower. "" if that program is of another version than this program:
// its boundary may differ from the boundary that this program counts on.
func confiner(nod string) string {
	program := filepath.Join(filepath.Dir(nod), "nod-hook")
	if info, err := os.Stat(program); err != nil || !info.Mode().IsRegular() {
		program = nod
	}
	if !SameVersion(program) {
		return ""
	}
	return program
}

// SameVersion reports whether a program is this one, or says that it is of this
// one's version. nod-hook, which decides most calls, is what it names itself.
func SameVersion(program string) bool {
	self, err := os.Executable()
	if err == nil && self == program {
		return true
	}
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	cmd := exec.CommandContext(ctx, program, "version")
	cmd.Env = []string{}
	said, err := cmd.Output()
	first, _, _ := strings.Cut(string(said), "\n")
	return err == nil && first == "nod "+version.String()
}

// patience is how long a program may take to say its version.
const patience = 5 * time.Second

// plainPath reports whether every shell takes a path for one word as it stands.
func plainPath(name string) bool {
	return filepath.IsAbs(name) && !strings.ContainsFunc(name, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			strings.ContainsRune("/._-+", c))
	})
}

// Profile is what a model is shown and how it is asked, from the settings.
func Profile(s config.Settings) nod.Profile {
	if s.Model.Profile == "seed" {
		return nod.Profile{Arrays: s.Model.Provider == "openai" || s.Model.Provider == "azure"}
	}
	return nod.Profile{Ledger: true, Stages: s.Model.Stages}
}

// model is what answers layer 4: the model that was handed in, or nod classify.
func (r *run) model(s config.Settings) nod.Model {
	switch {
	case r.Model != nil:
		return r.Model
	case s.Model.Provider == "":
		return nil
	}
	return classifier{program: r.Nod, places: r.Places, environ: r.Environ, timeout: s.Model.Timeout}
}

// Reach is how far nod goes, from the settings.
func Reach(s config.Settings) agent.Profile {
	switch s.Profile {
	case config.Replace:
		return agent.Replace
	case config.Reinforce:
		return agent.Reinforce
	}
	return agent.Default
}

// rewrites is how the gate asks whether the host runs what it is handed in the place of a command. nil: it does not.
func (r *run) rewrites(e agent.Event, s config.Settings) func() bool {
	host, can := r.Adapter.(agent.Host)
	if !can || !host.Capabilities().Rewrites || r.Places.State == "" || s.Mode != config.Enforce ||
		s.Profile == config.Reinforce {
		return nil
	}
	return func() bool { return host.MayRewrite(e) && r.Rewrites(r.Places.State, host.Name()) }
}

// Left is a decision as the settings leave it to a host: they may have nod ask about what it merely does not know.
func Left(d nod.Decision, s config.Settings) nod.Decision {
	d.Deferrable = d.Deferrable && !s.AskUnknown
	return d
}

// observe records what became of a call, and stays silent.
func (r *run) observe(e agent.Event) agent.Answer {
	settings, err := r.settings("")
	if err == nil && settings.Mode == config.Off {
		return agent.Answer{}
	}
	book := &book{run: r, event: e, settings: settings}
	if err := book.outcome(); err != nil {
		return agent.Answer{Stderr: []byte("nod could not write its log: " + printable.Line(err.Error(), 300) + "\n")}
	}
	return agent.Answer{}
}

// Own lists what of nod layer 0 protects, for those that make a gate without a hook.
func Own(o Options) []string { return (&run{Options: o}).self() }

// Judge is the model that settings configure, for those that make a gate without a hook. nil: there is none.
func Judge(o Options, s config.Settings) nod.Model { return (&run{Options: o}).model(s) }
