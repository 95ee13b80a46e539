package doctor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// said is what a command line did, in a line.
func said(ran install.Ran) string {
	text := strings.TrimSpace(string(ran.Stdout) + " " + string(ran.Stderr))
	if ran.Err != nil && text == "" {
		text = ran.Err.Error()
	}
	return fmt.Sprintf("exit %d, %s", ran.Exit, printable.Line(text, 200))
}

// start runs a command line as a host does, and ends it at the limit.
func start(ctx context.Context, c install.Command, dir string, environ []string, stdin []byte,
	limit time.Duration) install.Ran {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return install.Start(ctx, c, dir, environ, stdin)
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
	dir = filepath.Join(e.scratch, fmt.Sprint(e.row.Name, e.runs))
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
		l.Next = "nod install " + e.row.Name + " --" + b.Level
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
func (e *examination) judge(where, want, quiet string, expected agent.Answer, got install.Ran) Line {
	l, word := Line{State: OK, What: want}, want
	if quiet != "" {
		word = "abstained"
	}
	switch {
	case got.Exit != expected.Exit || !bytes.Equal(withoutID(got.Stdout), withoutID(expected.Stdout)):
		l.State, l.Text = Failed, "the hook answers something else than nod does: "+said(got)
	case expected.Said != word:
		l.State, l.Text = NotTried, fmt.Sprintf("your settings have nod answer %q to %s: %s", expected.Said,
			canary(want), said(got))
		if want == "deny" {
			l.State = Failed
		}
	case word == "abstained":
		l.Text = canary(want) + " is allowed, said as silence: " + quiet
	case want == "allow":
		l.Text = canary(want) + " is allowed"
	case len(got.Stdout)+len(got.Stderr) == 0:
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
