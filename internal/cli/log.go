package cli

import (
	"cmp"
	"context"
	"encoding"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/printable"
)

// filter takes the flags that select entries.
func (a *arguments) filter(f *audit.Filter) {
	a.StringVar(&f.Session, "session", "", "")
	a.since(&f.Since)
	a.Func("verdict", "", word(&f.Verdicts))
	a.Func("layer", "", word(&f.Layers))
	a.Func("kind", "", func(s string) error { return addKind(&f.Kinds, s) })
}

// word returns a flag's function that adds one parsed word to a list.
func word[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](list *[]T) func(string) error {
	return func(s string) error {
		var v T
		if err := P(&v).UnmarshalText([]byte(s)); err != nil {
			return err
		}
		*list = append(*list, v)
		return nil
	}
}

func addKind(list *[]audit.Kind, s string) error {
	kinds := []string{string(audit.Decision), string(audit.Begun), string(audit.Outcome), string(audit.HostDeny),
		string(audit.Question), string(audit.Approved), string(audit.BadInput), string(audit.Passed),
		string(audit.Alarm)}
	if !slices.Contains(kinds, s) {
		return fmt.Errorf("want one of %s", strings.Join(kinds, ", "))
	}
	*list = append(*list, audit.Kind(s))
	return nil
}

func showLog(ctx context.Context, p *Process, args []string) error {
	v, a := newLogView(p), newArguments(p).state()
	n := a.Int("n", 20, "")
	a.BoolVar(&v.following, "follow", false, "")
	a.BoolVar(&v.json, "json", false, "")
	a.filter(&v.filter)
	err := a.withState(args, 1)
	v.state = a.places.State
	switch {
	case err != nil:
		return err
	case a.NArg() > 0 && v.following:
		return usage(errors.New("--follow and an ID do not go together"))
	case *n < 0:
		return usage(fmt.Errorf("-n %d: want 0 (all) or more", *n))
	case a.NArg() > 0:
		return v.ended(v.showOne(ctx, a.Arg(0)))
	}
	want := cmp.Or(*n, math.MaxInt)
	backlog := v.collect(want)
	backlog = backlog[max(0, len(backlog)-want):]
	v.print(backlog...)
	switch {
	case v.following:
		v.follow(ctx)
	case !v.json:
		v.summary(backlog)
	}
	return v.ended(nil)
}

// ended is the error of the whole run.
func (v *logView) ended(err error) error {
	switch {
	case v.broken != nil:
		return internal(v.broken)
	case err == nil && v.unread:
		return ended(ExitBadInput)
	}
	return err
}

// logView is one run of nod log.
type logView struct {
	process   *Process
	state     string
	filter    audit.Filter
	following bool
	json      bool
	answered  map[string]bool // ids of decisions
	shown     map[string]bool // what was printed
	headed    bool            // the titles of the columns were printed
	unread    bool            // a file could not be read
	broken    error           // the output could not be written
}

func newLogView(p *Process) *logView {
	return &logView{process: p, answered: map[string]bool{}, shown: map[string]bool{}}
}

// collect returns the entries to show, oldest first: as many as wanted, and when the log is followed all that may be
// new. It reads newest first: decisions before begun lines.
func (v *logView) collect(want int) (found []audit.Line) {
	recent := time.Now().Add(-2 * answerWithin)
	for l, err := range audit.Newest(v.state, v.filter) {
		if err != nil {
			v.problem(err)
			continue
		}
		if len(found) >= want && (!v.following || l.Time.Before(recent)) {
			break
		}
		if v.takes(l) {
			found = append(found, l)
		}
	}
	slices.Reverse(found)
	return found
}

// takes reports whether the line is shown, once. Of a begun one the decision is.
func (v *logView) takes(l audit.Line) bool {
	if !v.json && len(v.filter.Kinds) == 0 {
		switch l.Kind {
		case audit.Outcome:
			return false
		case audit.Decision:
			v.answered[l.ID] = true
		case audit.Begun:
			if v.answered[l.ID] {
				return false
			}
			if v.following && time.Since(l.Time) < answerWithin {
				return false // its decision comes, or nod log shows tomorrow that none did
			}
		}
	}
	key := string(l.Kind) + " " + l.ID + " " + l.Time.String()
	again := v.shown[key]
	v.shown[key] = true
	return !again
}

// answerWithin is how long after a begun line its decision is waited for.
const answerWithin = time.Minute

// followEvery is how often a followed log is looked at.
const followEvery = 500 * time.Millisecond

// follow shows what comes, until ctx ends.
func (v *logView) follow(ctx context.Context) {
	for v.broken == nil {
		select {
		case <-ctx.Done():
			return
		case <-time.After(followEvery):
			v.print(v.collect(0)...)
		}
	}
}

// problem reports what could not be read. A line is a pity, a file is a failure.
func (v *logView) problem(err error) {
	if v.shown[err.Error()] {
		return
	}
	v.shown[err.Error()] = true
	var p *audit.Problem
	var newer *audit.Newer
	if !errors.As(err, &p) || p.Line == 0 && !errors.As(err, &newer) {
		v.unread = true
	}
	fmt.Fprintln(v.process.Stderr, "nod log:", printable.Line(err.Error(), 600))
}

// findDecision returns the decision whose id is the given one or ends so.
func findDecision(ctx context.Context, p *Process, name, state, id string) (audit.Line, error) {
	x, err := openLog(ctx, p, name, state)
	if err != nil {
		return audit.Line{}, err
	}
	return x.Find(ctx, id)
}

// print writes lines: as they are stored, or as rows of a table.
func (v *logView) print(list ...audit.Line) {
	table := tabwriter.NewWriter(v.process.Stdout, 0, 0, 2, ' ', 0)
	if !v.headed && !v.json && (len(list) > 0 || v.following) {
		v.headed = true
		fmt.Fprintln(table, "TIME\tID\tVERDICT\tLAYER\tTOOL\tCALL\tREASON")
	}
	for _, l := range list {
		if v.json {
			v.write(string(l.Raw) + "\n")
		} else {
			fmt.Fprintln(table, strings.Join(v.row(l.Entry), "\t"))
		}
	}
	if err := table.Flush(); v.broken == nil {
		v.broken = err
	}
}

func (v *logView) write(s string) {
	if v.broken == nil {
		_, v.broken = fmt.Fprint(v.process.Stdout, s)
	}
}

// row is an entry in the table. Everything in it may come from an agent or a model, so all of it is escaped.
func (v *logView) row(e audit.Entry) []string {
	layer, tool, reason := "", e.Tool, why(e)
	if e.Kind == audit.Decision {
		layer = e.Layer.String()
	}
	if tool == "" || tool == "mcp" { // which server and tool, stands in the agent's name
		tool = e.RawTool
	}
	if e.Kept > 0 {
		reason = strings.TrimSuffix(fmt.Sprintf("kept %d; %s", e.Kept, reason), "; ")
	}
	call := printable.Near(callOf(e), []string{e.Root}, v.process.Getenv("HOME"))
	cell := func(text string, most int) string { return cmp.Or(printable.Line(text, most), "-") }
	return []string{e.Time.Local().Format(time.DateTime), cell(endOfID(e), 12), cell(said(e), 15), cell(layer, 9),
		cell(tool, 20), cell(call, 60), cell(reason, 160)}
}

// endOfID is the part of a decision's id that the table shows; "" for what has another's id.
func endOfID(e audit.Entry) string {
	if e.Kind != audit.Decision && e.Kind != audit.Begun {
		return ""
	}
	return e.ID[strings.LastIndexByte(e.ID, '-')+1:]
}

// said is the verdict, and what the agent was told where that differs.
func said(e audit.Entry) string {
	switch e.Kind {
	case audit.Begun:
		if time.Since(e.Time) > answerWithin {
			return "unanswered"
		}
		return "begun"
	case audit.Outcome:
		if e.Reason != "" || e.Error != nil {
			return "failed"
		}
		return "ran"
	case audit.HostDeny:
		return "host denied"
	case audit.BadInput:
		return "bad input"
	case audit.Passed, audit.Approved, audit.Question, audit.Alarm:
		return string(e.Kind)
	}
	if v := e.Verdict.String(); e.Answered != "" && e.Answered != v {
		return v + "/" + e.Answered
	}
	return e.Verdict.String()
}

// why is the reason, led by the kind of failure where one decided.
func why(e audit.Entry) string {
	switch {
	case e.Error == nil, e.Error.Kind == fault.NoModel && e.Reason != "", e.Kind == audit.Outcome && e.Reason != "":
		return e.Reason
	}
	return string(e.Error.Kind) + ": " + cmp.Or(e.Reason, e.Error.Message)
}

func callOf(e audit.Entry) string { return printable.Call(e.Input) }

func (v *logView) showOne(ctx context.Context, id string) error {
	found, err := findDecision(ctx, v.process, "log", v.state, id)
	switch {
	case err != nil:
		return err
	case v.json:
		v.write(string(found.Raw) + "\n")
	default:
		v.write(aboutText(found.Entry, ""))
	}
	return nil
}

// aboutText is what a person may want to know of a decision, a line each. A mark stands between label and text.
func aboutText(e audit.Entry, mark string) string {
	var b strings.Builder
	for _, line := range aboutOne(e) {
		if line[1] != "" {
			fmt.Fprintf(&b, "%-9s %s%s\n", line[0], mark, printable.Line(line[1], 20_000))
		}
	}
	return b.String()
}

// aboutOne is what a person may want to know of a decision. What is empty is not shown.
func aboutOne(e audit.Entry) [][2]string {
	var failure, next, kept, policy string
	call, model, tool := callOf(e), e.Model, e.RawTool
	if e.Tool != "" && e.Tool != tool {
		tool = strings.TrimSpace(tool + " (" + e.Tool + ")")
	}
	switch {
	case e.Error != nil && e.Error.Kind == fault.NoModel:
		model = "not configured: nod help settings"
	case e.Error != nil:
		failure = string(e.Error.Kind) + ": " + e.Error.Message
	}
	if e.Approvable != nil {
		next = "nod approve " + endOfID(e)
	}
	if e.Kept > 0 {
		kept = fmt.Sprintf("%d: nod undo %s", e.Kept, endOfID(e))
	}
	if p := e.Policy; p != nil {
		policy = fmt.Sprint("version ", p.Version)
		if p.Stale {
			policy += ", and the server was not heard for longer than it allows"
		}
	}
	if e.InputBytes > 0 {
		call += fmt.Sprintf(" (only the beginning: it has %d bytes)", e.InputBytes)
	}
	var files []string
	for _, f := range e.Evidence {
		files = append(files, f.Path)
	}
	return [][2]string{
		{"id", e.ID}, {"time", e.Time.Local().Format(time.DateTime)}, {"call", call}, {"tool", tool}, {"in", e.Dir},
		{"verdict", said(e)}, {"layer", e.Layer.String()}, {"why", e.Reason}, {"rule", ruleOf(e)}, {"failure", failure},
		{"files", strings.Join(files, ", ")}, {"agent", e.Agent}, {"mode", e.Mode}, {"session", e.Session},
		{"model", model}, {"approve", next}, {"kept", kept}, {"policy", policy},
	}
}

// summary says on standard error what the table held.
func (v *logView) summary(list []audit.Line) {
	if len(list) == 0 {
		fmt.Fprintln(v.process.Stderr, "nod log: nothing to show in", printable.Text(v.state))
		return
	}
	counts, cost := map[string]int{}, 0.0
	for _, l := range list {
		counts[said(l.Entry)]++
		cost += l.Cost
	}
	var parts []string
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[word], word))
	}
	text := fmt.Sprintf("%d shown: %s", len(list), strings.Join(parts, ", "))
	if cost > 0 {
		text += fmt.Sprintf("; $%.4f", cost)
	}
	fmt.Fprintln(v.process.Stderr, text)
}
