package doctor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/version"
)

// The calls that are asked about. They are text in a payload and run nowhere.
const (
	harmless = "ls"
	harmful  = "rm -rf /" // denied by layer 3, whatever the settings allow
)

// patience is how long a hook is waited for that should answer.
const patience = 20 * time.Second

// answer is what a command line did.
type answer struct {
	stdout, stderr []byte
	exit           int // -1 where it was ended by a signal or did not start
	ended          bool
	err            error
}

func (a answer) String() string {
	said := strings.TrimSpace(string(a.stdout) + " " + string(a.stderr))
	if a.err != nil && said == "" {
		said = a.err.Error()
	}
	return fmt.Sprintf("exit %d, %s", a.exit, printable.Line(said, 200))
}

// tryHooks starts each hook that decides, and copies of it that fail.
func (e *examination) tryHooks(ctx context.Context, b *Block, in *install.Installed) {
	s, err := config.Load(e.places(in.Options))
	if err == nil && s.Mode != config.Enforce {
		b.add(Open, "mode", s.Mode.String()+" in nod's settings, so it stops nothing").Next = "nod mode enforce"
		return
	}
	if err != nil {
		b.add(Failed, "settings",
			printable.Line(err.Error(), 300)).Next = "mend that file; until then nothing is allowed"
		return
	}
	e.whoDecides(b, s)
	first := true
	for _, r := range in.Hooks {
		if !r.Decides {
			continue
		}
		if !r.Written {
			b.add(NotTried, "answers", r.Event+": the line is not as this nod writes it, so it is not started")
			continue
		}
		e.Progress(b.Title + ": " + r.Event)
		e.tryAnswer(ctx, b, in, r, s, harmless, "allow")
		e.tryAnswer(ctx, b, in, r, s, harmful, "deny")
		if first {
			e.tryFailures(ctx, b, in, r)
			first = false
		}
	}
}

func (e *examination) places(o install.Options) config.Places {
	places := config.DefaultPlaces(e.Home)
	if o.Settings != "" {
		places.User = o.Settings
	}
	if o.Managed != "" {
		places.Managed = o.Managed
	}
	return places.WithClaude()
}

// fresh makes an empty directory for one run.
func (e *examination) fresh() (dir string, err error) {
	e.runs++
	dir = filepath.Join(e.scratch, fmt.Sprint(e.agent, e.runs))
	return dir, os.MkdirAll(filepath.Join(dir, "work"), 0o700)
}

// environ is what the hook gets: what a host gives, and nothing of ours.
func (e *examination) environ(dir string) []string {
	list := []string{"HOME=" + e.Home, "PATH=" + e.Path, "PWD=" + dir}
	for _, a := range hosts.Agents() {
		if a.Project != "" {
			list = append(list, a.Project+"="+dir)
		}
	}
	return list
}

// tryAnswer holds what the line says to what nod, asked here, would say.
func (e *examination) tryAnswer(ctx context.Context, b *Block, in *install.Installed, r install.Registered,
	s config.Settings, command, want string) {
	dir, err := e.fresh()
	if err != nil {
		b.add(NotTried, want, err.Error())
		return
	}
	work := filepath.Join(dir, "work")
	environ := e.environ(work)
	text, ok := payload(e.adapter, r.Event, environ, work, "nod-doctor", command, e.mode.name)
	if !ok && in.Code {
		return // an event of another agent's
	}
	if !ok {
		b.add(NotTried, want, r.Event+": nod does not know what the agent sends there")
		return
	}
	expected, asked := e.expected(ctx, in, environ, filepath.Join(dir, "expected"), text)
	if asked {
		b.add(NotTried, want, r.Event+": your settings have a model decide about "+command)
		return
	}
	o := in.Options
	o.State = filepath.Join(dir, "state")
	line, err := in.Command(r, o, 0)
	if err != nil {
		b.add(NotTried, want, printable.Line(err.Error(), 200))
		return
	}
	event, err := e.adapter.Decode(text, environ)
	if err != nil { // payload has decoded it before
		b.add(Failed, want, printable.Line(err.Error(), 200))
		return
	}
	got := start(ctx, line, work, environ, text, patience)
	quiet := ""
	if want == "allow" {
		quiet = e.quiet(event, s)
	}
	l := e.judge(r.Event+": ", want, quiet, expected, got)
	l.Basis = cmp.Or(l.Basis, "tried")
	if l.State == Failed {
		l.Next = "nod install " + e.agent + " --" + b.Level
	}
	b.Lines = append(b.Lines, l)
}

// expected is what nod says to this payload, in the host's dialect. asked is
// true where that would take a model, which is not asked.
func (e *examination) expected(ctx context.Context, in *install.Installed, environ []string, state string,
	text []byte) (said agent.Answer, asked bool) {
	places := e.places(in.Options)
	places.State = state
	model := &unasked{}
	said = hook.Answer(ctx, hook.Options{
		Adapter: e.adapter, Environ: environ, Places: places, Model: model,
		Self: []string{in.Options.Hook}, Version: version.String(),
	}, bytes.NewReader(text))
	return said, model.asked
}

// unasked is a model that only notes that it would be asked.
type unasked struct{ asked bool }

// Classify implements nod.Model.
func (u *unasked) Classify(context.Context, nod.Prompt) (nod.Classification, error) {
	u.asked = true
	return nod.Classification{}, errors.New("no model is asked by nod doctor")
}

// withoutID takes the id of the decision out of an answer that says how to
// approve it: each decision has its own.
func withoutID(out []byte) []byte {
	head, rest, found := bytes.Cut(bytes.TrimSpace(out), []byte("`nod approve "))
	if !found {
		return head
	}
	_, rest, _ = bytes.Cut(rest, []byte("`"))
	return append(bytes.Clone(head), rest...)
}

// judge says whether the answer is the expected one, and that one what it
// should be: want, or silence where quiet says why.
func (e *examination) judge(where, want, quiet string, expected agent.Answer, got answer) Line {
	l, word := Line{State: OK, What: want}, want
	if quiet != "" {
		word = "abstained"
	}
	switch {
	case got.exit != expected.Exit || !bytes.Equal(withoutID(got.stdout), withoutID(expected.Stdout)):
		l.State, l.Text = Failed, "the hook answers something else than nod does: "+got.String()
	case expected.Said != word:
		l.State, l.Text = NotTried, fmt.Sprintf("your settings have nod answer %q to %s: %s", expected.Said,
			canary(want), got)
		if want == "deny" {
			l.State = Failed
		}
	case word == "abstained":
		l.Text = canary(want) + " is allowed, said as silence: " + quiet
	case want == "allow":
		l.Text = canary(want) + " is allowed"
	case len(got.stdout)+len(got.stderr) == 0:
		l.State, l.Text = Failed, canary(want)+" is denied without a reason"
	default:
		l.Text = canary(want) + " is denied, with a reason"
		if e.adapter.Capabilities().ReasonReaches {
			l.Text, l.Basis = l.Text+" that the model reads", e.partly()
		}
	}
	l.Text = where + l.Text
	return l
}

func canary(want string) string {
	if want == "allow" {
		return harmless
	}
	return harmful
}

// start runs a command line as a host does.
func start(ctx context.Context, c install.Command, dir string, environ []string, stdin []byte,
	limit time.Duration) answer {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	words := c.Words
	if c.Shell != "" {
		words = []string{"/bin/sh", "-c", c.Shell}
	}
	if len(words) == 0 {
		return answer{exit: -1, err: fmt.Errorf("there is no command line")}
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdin = environ, dir, bytes.NewReader(stdin)
	var stdout, stderr firstBytes
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// What it starts ends with it, and must not keep the pipes open.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	a := answer{stdout: stdout.b, stderr: stderr.b, exit: -1, ended: ctx.Err() == nil, err: err}
	if cmd.ProcessState != nil {
		a.exit = cmd.ProcessState.ExitCode()
	}
	return a
}

// firstBytes keeps the first 64 KiB and drops the rest.
type firstBytes struct{ b []byte }

func (w *firstBytes) Write(p []byte) (int, error) {
	const most = 64 << 10
	w.b = append(w.b, p[:min(len(p), most-len(w.b))]...)
	return len(p), nil
}
