package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/keep"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/shown"
)

func watchAll(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	if err := a.withRules(args, 0); err != nil {
		return err
	}
	a.places.Root = p.Dir
	return newDesk(p, a.places).run(ctx, "nod watch")
}

// queue is nod ask without a rule: the same page, with what waits alone.
func (d *desk) queue(ctx context.Context, _ *Process, _ []string) error {
	d.waits = true
	return d.run(ctx, "nod ask")
}

// run draws the page until the person leaves it. Calls wait meanwhile.
func (d *desk) run(ctx context.Context, title string) error {
	p := d.process
	settings, err := config.Load(d.places)
	asks := settings.Approvals && settings.Questions.Wait > 0
	switch here := personHere(p); {
	case here != nil:
		return here
	case !isTerminal(p.Stdout):
		return errors.New("standard output is not a terminal; nod log --follow writes lines")
	case err != nil:
		return err
	case d.places.State == "":
		return errors.New("HOME is not set; name nod's state directory with --state DIR")
	case d.waits && !asks:
		return errors.New("the settings switch questions off (approvals, or wait in [questions])")
	case asks:
		stop, err := question.Listen(d.places.State)
		if err != nil {
			return err
		}
		defer stop()
	}
	return internal(p.Views.Watch(ctx, title, d, p.Stdin, p.Stdout, p.Environ))
}

// desk is what nod watch shows, and what its keys do: what nod log, nod ask, nod allow and nod undo print and do.
type desk struct {
	process *Process
	places  config.Places
	waits   bool // nothing but what waits is shown
	log     *logView
	unread  *bytes.Buffer // what log could not read
	info    os.FileInfo   // of the log when it was read last
	read    time.Time
}

func newDesk(p *Process, places config.Places) *desk {
	d := &desk{process: p, places: places, unread: &bytes.Buffer{}}
	d.log = newLogView(d.printing(d.unread))
	d.log.state, d.log.following = places.State, true
	return d
}

// printing is the process with another output.
func (d *desk) printing(out *bytes.Buffer) *Process {
	p := *d.process
	p.Stdin, p.Stdout, p.Stderr = strings.NewReader(""), out, out
	return &p
}

// outcome is what was printed, and an error that was not.
func outcome(out *bytes.Buffer, err error) string {
	var e exit
	if err != nil && !(errors.As(err, &e) && e.said) {
		fmt.Fprintln(out, printable.Lines(err.Error()))
	}
	return printable.Lines(strings.TrimSpace(out.String()))
}

// Look finds what is new in the log, and what waits.
func (d *desk) Look(context.Context) (s shown.Seen) {
	for _, l := range d.fresh() {
		if l.Kind != audit.Question { // it is among those that wait
			s.New = append(s.New, d.row(l.Entry))
		}
	}
	list, err := question.Open(d.places.State, time.Now())
	for _, q := range list {
		s.Waiting = append(s.Waiting, d.waiting(q))
	}
	s.Problem, _, _ = strings.Cut(outcome(d.unread, err), "\n")
	d.unread.Reset()
	return s
}

// fresh returns the entries of the log that were not shown yet. It reads when the file has changed, and now and then:
// a call that nobody answers is shown late.
func (d *desk) fresh() []audit.Line {
	info, err := os.Stat(filepath.Join(d.places.State, audit.FileName))
	same := d.waits || err == nil && d.info != nil && os.SameFile(info, d.info) && info.Size() == d.info.Size()
	if same && (d.waits || time.Since(d.read) < 10*time.Second) {
		return nil
	}
	want := 200
	if !d.read.IsZero() {
		want = 0
	}
	d.info, d.read = info, time.Now()
	return d.log.collect(want)
}

func (d *desk) row(e audit.Entry) shown.Row {
	call := printable.Near(callOf(e), []string{e.Root}, d.process.Getenv("HOME"))
	return shown.Row{
		Key: string(e.Kind) + " " + e.ID + " " + e.Time.String(), Time: e.Time, Verdict: said(e),
		ID: printable.Line(e.ID[strings.LastIndexByte(e.ID, '-')+1:], 40), Kept: e.Kept > 0,
		Agent: printable.Line(e.Agent, 20), Tool: printable.Line(cmp.Or(e.RawTool, e.Tool), 40),
		Call: printable.Line(call, 300), Why: printable.Line(why(e), 300),
		About: aboutText(e, "\t"),
	}
}

func (d *desk) waiting(q question.Question) shown.Row {
	var out bytes.Buffer
	p := d.printing(&out)
	fmt.Fprintf(&out, "%s\n\n", asker(p, q))
	showQuestion(p, q, math.MaxInt)
	fmt.Fprintf(&out, "\n%s", choices(q))
	r := d.row(audit.Entry{Kind: audit.Question, ID: q.ID, Time: q.Asked, Agent: q.Agent, RawTool: q.RawTool,
		Root: q.Root, Input: q.Input, Reason: q.Reason})
	r.Verdict, r.About, r.Question = "waits", out.String(), &q
	return r
}

// Choice is what nod ask takes the key for.
func (*desk) Choice(q question.Question, key string) (scope question.Scope, yes, known bool) {
	return choice(q, key)
}

// Answer answers, and leads to the rule that a yes asks for.
func (d *desk) Answer(ctx context.Context, q question.Question, yes bool, scope question.Scope) shown.Reply {
	told, runs, err := answered(d.places.State, q, yes, scope)
	r := shown.Reply{Text: told}
	switch rule, because := proposed(d.places.State, q, scope); {
	case err != nil:
		r.Text = printable.Lines(err.Error())
	case !runs:
	case rule != "":
		r = d.rule(ctx, q, rule)
		r.Text = told + "\n\n" + because + r.Text
	case q.Lasting != "":
		r.Text += "; k shows the rule that would have saved the question"
		r.Keep = func() shown.Reply { return d.rule(ctx, q, question.Always) }
	}
	return r
}

// rule shows a rule and what else it would have let through. Its Yes writes it.
func (d *desk) rule(ctx context.Context, q question.Question, scope question.Scope) shown.Reply {
	var out bytes.Buffer
	w, places := lastingRule(d.printing(&out), d.places, q, scope)
	ask, err := w.preview(ctx, places)
	r := shown.Reply{Title: "the rule that saves the question", Text: outcome(&out, err)}
	if err != nil {
		return r
	}
	r.Ask, r.Yes = ask, func() shown.Reply {
		var out bytes.Buffer
		w.process = d.printing(&out)
		return shown.Reply{Text: outcome(&out, w.make(places))}
	}
	return r
}

// Undo is nod undo, first with --dry-run.
func (d *desk) Undo(_ context.Context, id string) shown.Reply {
	put := func(dry bool) shown.Reply {
		var out bytes.Buffer
		err := restore(d.printing(&out), keep.Open(keep.Dir(d.places.State), keep.Options{}), id, nil,
			keep.RestoreOptions{DryRun: dry}, false)
		return shown.Reply{Title: "undo " + id, Text: outcome(&out, err)}
	}
	r := put(true)
	r.Ask, r.Yes = "Put these files back?", func() shown.Reply { return put(false) }
	return r
}
