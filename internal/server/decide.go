package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/approval"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/session"
	"github.com/nodgate/nod/internal/version"
	"github.com/nodgate/nod/internal/view"
)

// answer is a decision as a harness gets it. Fields are only ever added.
type answer struct {
	Version    int             `json:"v"`
	ID         string          `json:"id"`
	Verdict    nod.Verdict     `json:"verdict"`
	Layer      nod.Layer       `json:"layer"`
	Reason     string          `json:"reason"`
	Rule       *audit.Rule     `json:"rule,omitempty"`
	Error      *audit.Error    `json:"error,omitempty"`
	Approvable *nod.Approvable `json:"approvable,omitempty"`
	Latency    int64           `json:"latency_us"`
}

// answers are those of a batch, in the order of its calls.
type answers struct {
	Version int      `json:"v"`
	Answers []answer `json:"answers"`
}

func (s *Server) check(w http.ResponseWriter, r *http.Request, v *visit) {
	q, err := readCall(v.body)
	if err != nil {
		refuse(w, *badRequest.because(printable.Line(err.Error(), 300)))
		return
	}
	put(w, s.answer(r.Context(), q))
}

func (s *Server) checkBatch(w http.ResponseWriter, r *http.Request, v *visit) {
	list, err := readBatch(v.body)
	if err != nil {
		refuse(w, *badRequest.because(printable.Line(err.Error(), 300)))
		return
	}
	if !s.door.spend(v.token, len(list)-1) { // one was spent at the door
		refuse(w, *tooMany.because("the calls of a batch count one by one"))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), most)
	defer cancel()
	all := answers{Version: 1, Answers: make([]answer, len(list))}
	for i := range list {
		all.Answers[i] = s.answer(ctx, list[i])
	}
	put(w, all)
}

// answer decides a call.
func (s *Server) answer(ctx context.Context, q request) answer {
	c := q.call()
	d := told(s.decide(ctx, c), c)
	a := answer{Version: 1, ID: d.ID, Verdict: d.Verdict, Layer: d.Layer, Reason: d.Reason,
		Latency: d.Latency.Microseconds()}
	if d.Rule.Text != "" {
		a.Rule = &audit.Rule{Text: d.Rule.Text, Origin: d.Rule.Origin}
	}
	if d.Err != nil { // its cause is for the log: it may name what lies on this machine
		a.Error = &audit.Error{Kind: d.Err.Kind, Message: printable.Line(d.Err.Message, 300)}
	}
	if d.Approvable.Key != "" {
		a.Approvable = &d.Approvable
	}
	return a
}

// told is a decision as it is answered: nobody can be asked about a call of a harness without a person.
func told(d nod.Decision, c nod.Call) nod.Decision {
	if d.Verdict == nod.Ask && !c.Interactive {
		d.Verdict, d.Reason = nod.Deny, d.Reason+"; a person would be asked, and there is none"
	}
	return d
}

// decide has a call decided within its time. What does not end by itself is left behind, and its decision counts for
// nothing.
func (s *Server) decide(ctx context.Context, c nod.Call) nod.Decision {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.o.Timeout, most))
	defer cancel()
	b, done := &book{server: s}, make(chan nod.Decision, 1)
	go func() { done <- b.decide(ctx, c) }()
	select {
	case d := <-done:
		if ctx.Err() == nil || d.Verdict == nod.Deny {
			return d
		}
	case <-ctx.Done():
	}
	b.end()
	return s.refused(c, &fault.Error{Kind: fault.TimedOut, Message: "the call was not decided in time",
		Cause: ctx.Err()})
}

func (b *book) decide(ctx context.Context, c nod.Call) (d nod.Decision) {
	defer func() {
		if p := recover(); p != nil {
			d = b.server.refused(c, &fault.Error{Kind: fault.Internal, Message: "nod failed inside; please report this",
				Cause: fmt.Errorf("%v\n%s", p, debug.Stack())})
		}
	}()
	if err := b.open(c); err != nil {
		return b.server.refused(c, fault.Of(err))
	}
	return b.gate.Check(ctx, c)
}

// refused denies a call for a failure, and writes that down. A gate whose time is over makes the decision.
func (s *Server) refused(c nod.Call, f *fault.Error) nod.Decision {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	b := &book{server: s, instead: f}
	b.gate = nod.New(nod.Options{Rules: nod.DefaultRules(), Home: homeOf(c), Recorder: b, Now: s.o.Now})
	return b.as(b.gate.Check(over, c))
}

// book writes down what becomes of one call. It is the gate's Recorder.
type book struct {
	server   *Server
	settings config.Settings
	gate     *nod.Gate
	instead  *fault.Error // what is said of the call; nil: what the gate says

	mu   sync.Mutex
	over bool // the call was answered without the gate
}

// end has the gate's decision count for nothing.
func (b *book) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
}

func (b *book) as(d nod.Decision) nod.Decision {
	if b.instead != nil && d.Err != nil && d.Err.Kind == fault.TimedOut {
		d.Err, d.Reason = b.instead, printable.Line(b.instead.Message, 300)
	}
	return d
}

// Begin implements nod.Recorder.
func (b *book) Begin(c nod.Call, id string) error {
	return b.write(c, audit.FromCall(audit.Begun, id, c, b.server.o.Now()))
}

// Record implements nod.Recorder.
func (b *book) Record(c nod.Call, d nod.Decision) error {
	d = b.as(d)
	e := audit.FromDecision(c, d, b.server.o.Now())
	e.Answered = told(d, c).Verdict.String()
	return errors.Join(b.write(c, e), session.Spend(b.server.o.Places.State, e.Time, d.Cost))
}

func (b *book) write(c nod.Call, e audit.Entry) error {
	e.Input, e.Nod, e.Setting = b.gate.Stored(c), version.String(), b.settings.Mode.String()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return errors.New("the call was answered before")
	}
	return b.server.log.Write(e)
}

// open makes the gate for a call.
func (b *book) open(c nod.Call) error {
	s, root, files := b.server, "", nod.Files(unseen{})
	home := homeOf(c)
	if s.o.Files != nil {
		files, home = view.NewMemo(s.o.Files), s.o.Places.Home
		if len(c.Roots) > 0 {
			root, _ = view.Resolve(files, c.Roots[0])
		}
	}
	r := s.rules.of(s, root, home)
	if b.settings = r.settings; r.err == nil {
		b.gate = r.gate.For(files, b, s.approvals(c, r.settings, files, root))
	}
	return r.err
}

// homeOf is the home directory that a call would have, "" where it does not say.
func homeOf(c nod.Call) (home string) {
	for _, kv := range c.Environ {
		if value, is := strings.CutPrefix(kv, "HOME="); is {
			home = value
		}
	}
	if !strings.HasPrefix(home, "/") {
		return ""
	}
	return home
}

// unseen are the files of a machine that nod does not see: nothing is known of any, not even that it is not there.
type unseen struct{}

var errUnseen = errors.New("nod does not see the files of this machine")

func (unseen) Lstat(string) (nod.FileInfo, error) { return nod.FileInfo{}, errUnseen }
func (unseen) Readlink(string) (string, error)    { return "", errUnseen }
func (unseen) Read(string, int64) ([]byte, error) { return nil, errUnseen }
func (unseen) List(string, int) ([]string, error) { return nil, errUnseen }

// forgetful knows nothing of any session, so that anything may have changed in it.
type forgetful struct{}

// Standing implements nod.Memory.
func (forgetful) Standing(nod.Evidence) nod.Standing { return nod.Changed }

// judge is the model that the settings name. There is none where they set a ceiling of cost: nothing is counted here
// by session, and a ceiling that is not counted counts as reached.
func (s *Server) judge(settings config.Settings) nod.Model {
	switch m := settings.Model; {
	case s.o.Model != nil:
		return bounded{s.o.Model, s.models}
	case m.Provider == "" || s.o.Nod == "" || m.MaxCostSession > 0 || m.MaxCostDay > 0:
		return nil
	}
	o := hook.Options{Places: s.o.Places, Environ: s.o.Environ, Nod: s.o.Nod}
	return bounded{hook.Judge(o, settings), s.models}
}

// bounded is a model that is asked a few questions at a time.
type bounded struct {
	model nod.Model
	room  chan struct{}
}

// Classify implements nod.Model.
func (m bounded) Classify(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
	select {
	case m.room <- struct{}{}:
		defer func() { <-m.room }()
		return m.model.Classify(ctx, p)
	case <-ctx.Done():
		return nod.Classification{}, &fault.Error{Kind: fault.TimedOut, Cause: ctx.Err(),
			Message: "too many questions to the model at once"}
	}
}

// approvals are what a person approved with nod approve where the server runs.
type approvals struct {
	server *Server
	by     approval.Caller
	files  nod.Files
	root   string
}

func (s *Server) approvals(c nod.Call, settings config.Settings, files nod.Files, root string) nod.Approvals {
	if !settings.Approvals {
		return nil
	}
	return approvals{s, approval.Caller{Agent: c.Agent, Session: c.Session, Call: c.ID}, files, root}
}

// Approved implements nod.Approvals.
func (a approvals) Approved(key string) (how string, err error) {
	state := a.server.o.Places.State
	if !approval.Kept(state) {
		return "", nil
	}
	if real, err := view.Resolve(a.files, state); a.root != "" &&
		(err != nil || view.Within(a.files, a.root, real)) {
		return "", errors.New("nod's state directory lies in the workspace, where an agent may write")
	}
	found, ok, err := approval.Use(state, key, a.by, a.server.o.Now())
	if !ok {
		return "", err
	}
	return string(found.Scope) + " (" + found.ID + ")", nil
}

// LetRun implements nod.Approvals.
func (approvals) LetRun(string) bool { return false }

// ruleBook holds settings and gates for a moment, by the workspace whose .nod.toml they hold, and its home.
type ruleBook struct {
	mu    sync.Mutex
	known map[[2]string]ruled
}

type ruled struct {
	settings config.Settings
	gate     *nod.Gate
	err      error
	at       time.Time
}

// How long settings are held, and for how many workspaces.
const (
	rulesTime = time.Second
	maxRoots  = 256
)

// of returns what holds in a workspace, at most a second old. An error is never fewer rules.
func (b *ruleBook) of(s *Server, root, home string) ruled {
	now, key := time.Now(), [2]string{root, home}
	b.mu.Lock()
	r, is := b.known[key]
	b.mu.Unlock()
	if is && now.Sub(r.at) < rulesTime {
		return r
	}
	r = s.load(root, home)
	r.at = now
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil || len(b.known) >= maxRoots {
		b.known = map[[2]string]ruled{}
	}
	b.known[key] = r
	return r
}

// load reads the settings and makes their gate.
func (s *Server) load(root, home string) (r ruled) {
	places := s.o.Places
	places.Root, places.Known, places.Now = root, nil, s.o.Now
	settings, err := config.Load(places)
	if err != nil {
		return ruled{err: err}
	}
	files := s.o.Files
	if files == nil { // those of the caller's machine, as far as anybody knows
		files, places = unseen{}, config.DefaultPlaces(home)
	}
	own := hook.Own(hook.Options{Places: places, Nod: s.o.Nod, Self: s.o.Self})
	return ruled{settings: settings, gate: nod.New(nod.Options{
		Rules: settings.Unremembered(), Files: files, Home: home, Roots: settings.Roots,
		Self: append(own, settings.Model.KeyFiles()...), Sources: places.ClaudeFiles(settings.ClaudeRules),
		Model: s.judge(settings), Timeout: settings.Model.Timeout, Profile: hook.Profile(settings), Memory: forgetful{},
		AskOnBlock: settings.Model.AskOnBlock, DenyOnFailure: settings.Model.DenyOnFailure,
		UnrecordedRuns: settings.Log.UnrecordedRuns, Now: s.o.Now,
	})}
}
