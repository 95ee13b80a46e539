package doctor

import (
	"bytes"
	"context"
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
	"github.com/nodgate/nod/internal/install"
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
	return fmt.Sprintf("exit %d, %s", a.exit, nod.OneLine(said, 200))
}

// tryHooks starts each hook that decides, and copies of it that fail.
func (e *examination) tryHooks(ctx context.Context, b *Block, in *install.Installed) {
	if mode, file := e.mode(in); mode != "" {
		b.add(Open, "mode", mode+" in nod's settings, so it stops nothing").Next = "nod mode enforce"
		b.Lines[len(b.Lines)-1].Text += file
		return
	}
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
		e.tryAnswer(ctx, b, in, r, harmless, "allow")
		e.tryAnswer(ctx, b, in, r, harmful, "deny")
		if first {
			e.tryFailures(ctx, b, in, r)
			first = false
		}
	}
}

// mode returns the mode in which nod would stop nothing, "" where it is not.
// Settings that cannot be used are the hook's to report.
func (e *examination) mode(in *install.Installed) (mode, where string) {
	s, err := config.Load(e.places(in.Options))
	if err != nil || s.Mode == config.Enforce {
		return "", ""
	}
	return s.Mode.String(), ""
}

func (e *examination) places(o install.Options) config.Places {
	places := config.DefaultPlaces(e.Home)
	if o.Settings != "" {
		places.User = o.Settings
	}
	if o.Managed != "" {
		places.Managed = o.Managed
	}
	return places
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
	for _, host := range []string{"CLAUDE", "COPILOT", "GEMINI", "QWEN", "CURSOR"} {
		list = append(list, host+"_PROJECT_DIR="+dir)
	}
	return list
}

// tryAnswer holds what the line says to what nod, asked here, would say.
func (e *examination) tryAnswer(ctx context.Context, b *Block, in *install.Installed, r install.Registered, command, want string) {
	what := want
	dir, err := e.fresh()
	if err != nil {
		b.add(NotTried, what, err.Error())
		return
	}
	work := filepath.Join(dir, "work")
	environ := e.environ(work)
	session := "nod-doctor-" + r.Event + "-" + want
	text, ok := payload(e.adapter, r.Event, environ, work, session, command)
	if !ok {
		b.add(NotTried, what, r.Event+": nod cannot write what the agent sends there")
		return
	}
	expected := e.expected(ctx, in, environ, filepath.Join(dir, "expected"), text)
	o := in.Options
	o.State = filepath.Join(dir, "state")
	line, err := in.Command(r, o, 0)
	if err != nil {
		b.add(NotTried, what, nod.OneLine(err.Error(), 200))
		return
	}
	got := start(ctx, line, work, environ, text, patience)
	l := e.judge(b, r, what, want, expected, got)
	l.Basis = "tried"
}

// expected is what nod says to this payload, in the host's dialect.
func (e *examination) expected(ctx context.Context, in *install.Installed, environ []string, state string, text []byte) agent.Answer {
	places := e.places(in.Options)
	places.State = state
	return hook.Answer(ctx, hook.Options{
		Adapter: e.adapter, Environ: environ, Places: places,
		Nod: in.Options.Nod, Self: []string{in.Options.Hook}, Version: version.String(),
	}, bytes.NewReader(text))
}

// judge says whether the answer is the expected one, and that one what it
// should be.
func (e *examination) judge(b *Block, r install.Registered, what, want string, expected agent.Answer, got answer) *Line {
	said := want
	seat := e.seat(r, expected)
	if want == "allow" && !seat.Allow {
		said = "abstained"
	}
	switch {
	case got.exit != expected.Exit || !bytes.Equal(bytes.TrimSpace(got.stdout), bytes.TrimSpace(expected.Stdout)):
		l := b.add(Failed, what, r.Event+": the hook answers something else than nod does: "+got.String())
		l.Next = "nod install " + e.agent + " --" + b.Level
		return l
	case expected.Said != said:
		state := NotTried
		if want == "deny" {
			state = Failed
		}
		return b.add(state, what, fmt.Sprintf("%s: your settings make nod say %q to %q: %s", r.Event, expected.Said, canary(want), got))
	case want == "allow" && said == "abstained":
		return b.add(OK, what, r.Event+": "+canary(want)+" is left to the agent's own rules, in which a hook cannot grant")
	case want == "allow":
		return b.add(OK, what, r.Event+": "+canary(want)+" is allowed")
	case len(got.stdout)+len(got.stderr) == 0:
		return b.add(Failed, what, r.Event+": the denial has no reason")
	}
	return b.add(OK, what, r.Event+": "+canary(want)+" is denied, with a reason"+e.reaches())
}

func canary(want string) string {
	if want == "allow" {
		return harmless
	}
	return harmful
}

func (e *examination) reaches() string {
	c := e.adapter.Capabilities()
	if c.ReasonReaches {
		return " that the model reads (measured on " + c.Tried + ")"
	}
	return ""
}

// seat is the one in which the host listens at r's event. Which that is the
// adapter says: what it abstains from cannot be granted.
func (e *examination) seat(r install.Registered, expected agent.Answer) agent.Seat {
	c := e.adapter.Capabilities()
	if strings.EqualFold(r.Event, "PermissionRequest") {
		return c.Asking
	}
	return c.Before
}

// start runs a command line as a host does.
func start(ctx context.Context, c install.Command, dir string, environ []string, stdin []byte, limit time.Duration) answer {
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
