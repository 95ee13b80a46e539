// Package hook is one run of nod-hook: a payload on standard input becomes an
// answer in the agent's dialect and a line in the decision log.
//
// Hosts fail open, so everything unexpected ends in [agent.Adapter.Block]: a payload that cannot be read, a panic, a
// deadline of our own that lies inside the host's.
//
// It is linked into a program that starts for every tool call: no net/http,
// no TLS, no SDK, nothing at package level that costs start-up.
package hook

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/rewriting"
	"github.com/nodgate/nod/internal/view"
)

// payloadLimit is the largest payload that is read.
const payloadLimit = 16 << 20

// slack is what nod adds to the model's timeout before it gives up on itself.
// Installers give the host a longer limit still.
const slack = 5 * time.Second

// Options are what one run needs. Paths are absolute.
type Options struct {
	Adapter agent.Adapter
	Environ []string // as os.Environ gives it; nothing in it loosens
	Places  config.Places
	Nod     string   // the nod program, for `nod classify`; "" means no model can be asked
	Self    []string // nod's own programs
	Files   view.Files
	Version string
	// Model replaces `nod classify`, for tests and the demo; nil is the real one, if the settings configure one.
	Model nod.Model
	// Keeper keeps what calls take away. nil: nod's store does, for calls that are about to run.
	Keeper nod.Keeper
	// Rewrites reports whether the program above this one was proven to run what the hook
	// hands it in the place of a command. nil: by nod doctor's record.
	Rewrites func(stateDir, host string) bool
	Now      func() time.Time // nil is time.Now
	// Deadline bounds the whole run; 0 is the model's timeout and 5 s.
	Deadline time.Duration
}

// Run reads one payload, answers, and returns the exit code. If the deadline comes first, Run itself blocks the
// call, and then ends the process through exit: it cannot wait for what is stuck.
func Run(ctx context.Context, o Options, stdin io.Reader, stdout, stderr io.Writer, exit func(int)) int {
	var answered atomic.Bool
	r := newRun(o)
	r.watch = time.AfterFunc(r.limit(), func() {
		if answered.CompareAndSwap(false, true) {
			exit(put(r.Adapter.Block("nod did not finish in time; the call is blocked"), stdout, stderr))
		}
	})
	defer r.watch.Stop()
	answer := r.safely(ctx, stdin)
	if !answered.CompareAndSwap(false, true) {
		return 2 // the deadline has answered
	}
	return put(answer, stdout, stderr)
}

// put prints an answer and returns the exit code.
func put(a agent.Answer, stdout, stderr io.Writer) int {
	if len(a.Stderr) > 0 {
		if _, err := stderr.Write(a.Stderr); err != nil && a.Exit == 0 {
			return 2
		}
	}
	if len(a.Stdout) == 0 {
		return a.Exit
	}
	if leadsNowhere(stdout) {
		fmt.Fprintln(stderr, "nod could not answer: its standard output is closed")
		return 2
	}
	if _, err := stdout.Write(a.Stdout); err != nil {
		fmt.Fprintln(stderr, "nod could not answer:", err)
		return 2
	}
	return a.Exit
}

// leadsNowhere reports an output that the host does not read. A standard output that
// was closed is the null device to a Go program.
func leadsNowhere(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return err != nil
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

// Answer is Run without printing and deadline, for those that have their own.
func Answer(ctx context.Context, o Options, stdin io.Reader) agent.Answer {
	return newRun(o).safely(ctx, stdin)
}

func newRun(o Options) *run {
	given := o
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Files == nil {
		o.Files = view.Disk{}
	}
	if o.Rewrites == nil {
		o.Rewrites = func(stateDir, host string) bool { return rewriting.Proven(stateDir, host, os.Getpid()) }
	}
	o.Files = view.NewMemo(o.Files)
	return &run{Options: o, given: given, started: o.Now()}
}

// limit is how long the run may take until the settings are known.
func (r *run) limit() time.Duration {
	if r.Deadline > 0 {
		return r.Deadline
	}
	return nod.DefaultTimeout + slack
}

// extend moves the deadline behind what the run waits for.
func (r *run) extend(wait time.Duration) {
	if r.watch != nil && r.Deadline == 0 {
		r.watch.Reset(wait + slack)
	}
}

// safely answers the payload. After a panic it blocks the call.
func (r *run) safely(ctx context.Context, stdin io.Reader) (a agent.Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = r.Adapter.Block(fmt.Sprintf("nod failed inside (%v); the call is blocked. Please report this.", p))
		}
	}()
	return r.answerPayload(ctx, stdin)
}

type run struct {
	Options
	watch   *time.Timer // nil where the caller has a deadline of its own
	given   Options     // as they were handed in
	started time.Time
	yes     *yes // what a person said of the call; nil where nobody was asked
	keeps   bool // what the call takes away is kept: it is about to run
}

func (r *run) answerPayload(ctx context.Context, stdin io.Reader) agent.Answer {
	payload, err := io.ReadAll(io.LimitReader(stdin, payloadLimit+1))
	switch {
	case err != nil:
		return r.refuse("", "nod could not read what the agent sent: "+err.Error())
	case len(payload) > payloadLimit:
		return r.refuse("", fmt.Sprintf("nod was sent more than %d MiB; the call is blocked", payloadLimit>>20))
	}
	event, err := r.Adapter.Decode(payload, r.Environ)
	if err != nil {
		return r.refuse("", "nod could not read what the agent sent: "+err.Error())
	}
	return r.dispatch(ctx, event)
}

func (r *run) dispatch(ctx context.Context, e agent.Event) agent.Answer {
	switch e.Kind {
	case agent.Decide, agent.Prompt:
		return r.decideCall(ctx, e)
	case agent.Outcome, agent.HostDenied:
		return r.observe(e)
	case agent.Other:
		return agent.Answer{}
	}
	if e.Call.RawTool != "" {
		return r.refuse(e.Call.Session,
			"nod does not know the event "+printable.Line(e.Name, 60)+", and it carries a tool call")
	}
	r.note(audit.Passed, e.Call.Session, "unknown event "+printable.Line(e.Name, 60)+", passed")
	return agent.Answer{}
}

// refuse blocks what could not be read, and writes that down.
func (r *run) refuse(session, reason string) agent.Answer {
	r.note(audit.BadInput, session, reason)
	return r.Adapter.Block(printable.Line(reason, 300))
}

// self lists what layer 0 protects.
func (r *run) self() []string {
	own := append([]string{r.Places.State, r.Nod}, r.Self...)
	for _, file := range []string{r.Places.User, r.Places.Managed} {
		if file != "" {
			own = append(own, file)
			if filepath.Base(filepath.Dir(file)) == "nod" {
				own = append(own, filepath.Dir(file))
			}
		}
	}
	return own
}

// Beside is where a program of nod's lies beside this one, "" if that is not known.
func Beside(name string) string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(filepath.Dir(self), name)
}

// Programs lists this program and those of nod's beside it, which layer 0 protects. The gate follows links itself.
func Programs() []string {
	self, _ := os.Executable()
	return []string{self, Beside("nod"), Beside("nod-hook"), Beside("nod-serve")}
}
