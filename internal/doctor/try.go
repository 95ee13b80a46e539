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

// The calls that are asked about, by the answer that they should have. They are text in a payload and run nowhere.
const (
	harmless = "ls"
	harmful  = "rm -rf /" // denied by layer 3 under all settings
)

func canary(want string) string {
	if want == "allow" {
		return harmless
	}
	return harmful
}

// patience is how long a hook is waited for that should answer.
const patience = 20 * time.Second

func said(ran install.Ran) string {
	text := strings.TrimSpace(string(ran.Stdout) + " " + string(ran.Stderr))
	if ran.Err != nil && text == "" {
		text = ran.Err.Error()
	}
	return fmt.Sprintf("exit %d, %s", ran.Exit, printable.Line(text, 200))
}

// trial is one start of a hook's line.
type trial struct {
	dir     string // its own, with the directory "work" in it, where the agent would work
	work    string
	environ []string
	payload []byte
	event   agent.Event // what the adapter makes of the payload
}

func (e *examination) prepare(event, command string) (t trial, err error) {
	e.runs++
	t.dir = filepath.Join(e.scratch, fmt.Sprint(e.row.Name, e.runs))
	t.work = filepath.Join(t.dir, "work")
	if err := os.MkdirAll(t.work, 0o700); err != nil {
		return t, err
	}
	t.environ = e.environ(t.work)
	text, read, ok := payload(e.adapter, event, t.environ, t.work, command, e.mode)
	if t.payload, t.event = text, read; !ok {
		return t, errors.New(event + ": nod does not know what the agent sends there")
	}
	return t, nil
}

// start starts the line of a hook with another state directory, as a host does.
func (e *examination) start(ctx context.Context, in *install.Installed, r install.Registered,
	t trial) (install.Ran, error) {
	o := in.Options
	o.State = filepath.Join(t.dir, "state")
	line, err := in.Command(r, o)
	if err != nil {
		return install.Ran{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return install.Start(ctx, line, t.work, t.environ, t.payload), nil
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

// tryHooks starts each hook that decides, and copies of it that fail.
func (e *examination) tryHooks(ctx context.Context, b *Block, in *install.Installed) {
	s, err := config.Load(e.places(in.Options))
	if err == nil && s.Mode != config.Enforce {
		b.Add(Open, "mode", s.Mode.String()+" in nod's settings, so it stops nothing").Next = "nod mode enforce"
		return
	}
	if err != nil {
		b.Add(Failed, "settings",
			printable.Line(err.Error(), 300)).Next = "mend that file; until then nothing is allowed"
		return
	}
	for _, r := range in.Hooks {
		switch {
		case !r.Decides:
			continue
		case !r.Written:
			b.Add(NotTried, "answers", r.Event+": the line is not as this nod writes it, so it is not started")
			continue
		}
		e.Progress(b.Title + ": " + r.Event)
		for _, want := range []string{"allow", "deny"} {
			l, err := e.tryAnswer(ctx, in, r, s, want)
			if err != nil {
				l = Line{State: NotTried, What: want, Text: printable.Line(err.Error(), 200)}
			}
			if l.State == Failed {
				l.Next = "nod install " + e.row.Name + " --" + b.Level
			}
			b.Lines = append(b.Lines, l)
		}
	}
	e.sayFailures(b, in)
}

func (e *examination) places(o install.Options) config.Places {
	places := config.DefaultPlaces(e.Home)
	places.User, places.Managed = cmp.Or(o.Settings, places.User), cmp.Or(o.Managed, places.Managed)
	return places.WithClaude()
}

// tryAnswer holds what the line says to what nod, asked here, would say.
func (e *examination) tryAnswer(ctx context.Context, in *install.Installed, r install.Registered, s config.Settings,
	want string) (Line, error) {
	t, err := e.prepare(r.Event, canary(want))
	if err != nil {
		return Line{}, err
	}
	expected, asked := e.expected(ctx, in, t)
	if asked {
		return Line{}, errors.New(r.Event + ": your settings have a model decide about " + canary(want))
	}
	got, err := e.start(ctx, in, r, t)
	if err != nil {
		return Line{}, err
	}
	quiet := ""
	if want == "allow" {
		quiet = e.quiet(t.event, s)
	}
	l := e.judge(r.Event+": ", want, quiet, expected, got)
	l.Basis = cmp.Or(l.Basis, "tried")
	return l, nil
}

// expected is what nod says to this payload. asked is true where that would take a model.
func (e *examination) expected(ctx context.Context, in *install.Installed, t trial) (said agent.Answer, asked bool) {
	places := e.places(in.Options)
	places.State = filepath.Join(t.dir, "expected")
	model := &unasked{}
	said = hook.Answer(ctx, hook.Options{
		Adapter: e.adapter, Environ: t.environ, Places: places, Model: model,
		Self: []string{in.Options.Hook}, Version: version.String(),
	}, bytes.NewReader(t.payload))
	return said, model.asked
}

// unasked is a model that only notes that it would be asked.
type unasked struct{ asked bool }

// Classify implements nod.Model.
func (u *unasked) Classify(context.Context, nod.Prompt) (nod.Classification, error) {
	u.asked = true
	return nod.Classification{}, errors.New("no model is asked by nod doctor")
}

// withoutID takes the id of the decision out of an answer that says how to approve it: each decision has its own.
func withoutID(out []byte) []byte {
	head, rest, found := bytes.Cut(bytes.TrimSpace(out), []byte("`nod approve "))
	if !found {
		return head
	}
	_, rest, _ = bytes.Cut(rest, []byte("`"))
	return append(bytes.Clone(head), rest...)
}

// judge says whether the answer is the expected one, and that one what it should be.
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
		l.Text = canary(want) + " is denied, with a reason that the model reads"
		l.Basis = "tried; the agent's part " + e.basis()
	}
	l.Text = where + l.Text
	return l
}

// payload returns what the host would send about a shell command at an event, and writes the transcript that goes
// with it beside dir. It is the first of the agent's row that its adapter reads as that command at that event; ok is
// false where the adapter reads none so.
func payload(a agent.Adapter, event string, environ []string, dir, command,
	mode string) (text []byte, read agent.Event, ok bool) {
	transcript := filepath.Join(filepath.Dir(dir), "transcript.jsonl")
	if os.WriteFile(transcript, rollout(command), 0o600) != nil {
		return nil, read, false
	}
	named := strings.NewReplacer(`"$EVENT"`, printable.JSON(event), `"$SESSION"`, `"nod-doctor"`,
		`"$CALL"`, printable.JSON(callID), `"$DIR"`, printable.JSON(dir), `"$COMMAND"`, printable.JSON(command),
		`"$MODE"`, printable.JSON(mode), `"$TRANSCRIPT"`, printable.JSON(transcript))
	for _, shape := range hosts.ByName(a.Name()).Payloads {
		text := []byte(named.Replace(shape))
		read, err := a.Decode(text, environ)
		if err == nil && (read.Kind == agent.Decide || read.Kind == agent.Prompt) && read.Name == event &&
			read.Call.Command == command {
			return text, read, true
		}
	}
	return nil, read, false
}

// callID is the host's id of the calls that are asked about.
const callID = "nod-doctor"

// rollout is a transcript in which Codex has written the call: without it the adapter does not know that nobody can
// type into the command. Where a call is settled no other adapter reads its transcript.
func rollout(command string) []byte {
	return []byte(printable.JSON(fields{"timestamp": "2026-01-01T00:00:00.000Z", "type": "response_item",
		"payload": fields{"type": "function_call", "name": "exec_command",
			"arguments": printable.JSON(fields{"cmd": command}), "call_id": callID}}) + "\n")
}

type fields = map[string]any
