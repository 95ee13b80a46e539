package cli

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/printable"
)

// logFlags are the arguments of nod log.
type logFlags struct {
	n            int
	follow, json bool
	state, id    string
	filter       audit.Filter
}

func parseLogFlags(p *Process, args []string) (f logFlags, err error) {
	a := newArguments(p).state()
	a.IntVar(&f.n, "n", 20, "")
	a.BoolVar(&f.follow, "follow", false, "")
	a.BoolVar(&f.json, "json", false, "")
	a.StringVar(&f.filter.Session, "session", "", "")
	a.Func("since", "", func(s string) (err error) {
		f.filter.Since, err = parseSince(s, time.Now())
		return err
	})
	a.Func("verdict", "", word(&f.filter.Verdicts))
	a.Func("layer", "", word(&f.filter.Layers))
	a.Func("kind", "", func(s string) error { return addKind(&f.filter.Kinds, s) })
	if err := a.withState(args, 1); err != nil {
		return f, err
	}
	f.id, f.state = a.Arg(0), a.places.State
	switch {
	case f.id != "" && f.follow:
		err = errors.New("--follow and an ID do not go together")
	case f.n < 0:
		err = fmt.Errorf("-n %d: want 0 (all) or more", f.n)
	}
	return f, usage(err)
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
		string(audit.Approved), string(audit.BadInput), string(audit.Passed)}
	if !slices.Contains(kinds, s) {
		return fmt.Errorf("want one of %s", strings.Join(kinds, ", "))
	}
	*list = append(*list, audit.Kind(s))
	return nil
}

// parseSince reads a duration before now, or a local date.
func parseSince(s string, now time.Time) (time.Time, error) {
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, s, time.Local); err == nil {
		return t, nil
	}
	return time.Time{}, errors.New("want a duration (2h) or a date (2026-01-31)")
}

func showLog(ctx context.Context, p *Process, args []string) error {
	f, err := parseLogFlags(p, args)
	if err != nil {
		return err
	}
	v := &logView{process: p, flags: f, answered: map[string]bool{}, shown: map[string]bool{}}
	if f.id != "" {
		return v.ended(v.showOne())
	}
	var next iter.Seq2[audit.Line, error]
	if f.follow {
		next = audit.Follow(ctx, f.state, f.filter) // first, so that nothing falls in between
	}
	backlog := v.collect()
	v.print(backlog...)
	switch {
	case f.follow:
		v.follow(next)
	case !f.json:
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
	process  *Process
	flags    logFlags
	answered map[string]bool // ids of decisions
	shown    map[string]bool // what was printed
	headed   bool            // the titles of the columns were printed
	unread   bool            // a file could not be read
	broken   error           // the output could not be written
}

// collect returns the entries to show, oldest first. It reads newest first,
// so that a decision comes before the begun line that it answers.
func (v *logView) collect() []audit.Line {
	var found []audit.Line
	for l, err := range audit.Newest(v.flags.state, v.flags.filter) {
		if err != nil {
			v.problem(err)
			continue
		}
		if v.takes(l) {
			found = append(found, l)
		}
		if v.flags.n > 0 && len(found) >= v.flags.n {
			break
		}
	}
	slices.Reverse(found)
	return found
}

// takes reports whether the line is shown, once. Of a begun one the decision is.
func (v *logView) takes(l audit.Line) bool {
	if !v.flags.json && len(v.flags.filter.Kinds) == 0 {
		switch l.Kind {
		case audit.Outcome:
			return false
		case audit.Decision:
			v.answered[l.ID] = true
		case audit.Begun:
			if v.answered[l.ID] {
				return false
			}
			if v.flags.follow && time.Since(l.Time) < answerWithin {
				return false // its decision comes, or nod log shows tomorrow that none did
			}
		}
	}
	key := string(l.Kind) + " " + l.ID + " " + l.Time.String()
	again := v.shown[key]
	v.shown[key] = true
	return !again
}

// answerWithin is how long after a begun line its decision is waited for:
// longer than any timeout of a model that makes sense in a hook.
const answerWithin = time.Minute

// follow prints what comes.
func (v *logView) follow(next iter.Seq2[audit.Line, error]) {
	for l, err := range next {
		if err != nil {
			v.problem(err)
		} else if v.takes(l) {
			v.print(l)
		}
		if v.broken != nil {
			return
		}
	}
}

// problem reports what could not be read. A line is a pity, a file is a
// failure.
func (v *logView) problem(err error) {
	var p *audit.Problem
	var newer *audit.Newer
	if !errors.As(err, &p) || p.Line == 0 && !errors.As(err, &newer) {
		v.unread = true
	}
	fmt.Fprintln(v.process.Stderr, "nod log:", printable.Line(err.Error(), 600))
}

// shortestID is how much of an id's end must be given.
const shortestID = 6

// findDecision returns the decision whose id is the given one or ends so.
// problem is told of what cannot be read.
func findDecision(state, id string, filter audit.Filter, problem func(error)) (found audit.Line, err error) {
	filter.Kinds = []audit.Kind{audit.Decision}
	for l, err := range audit.Newest(state, filter) {
		switch {
		case err != nil:
			problem(err)
			continue
		case l.ID == id:
			return l, nil
		case len(id) < shortestID || !strings.HasSuffix(l.ID, id):
			continue
		case found.ID != "" && found.ID != l.ID:
			return found, fmt.Errorf("%s and %s both end so; write the whole id", printable.Line(found.ID, 60),
				printable.Line(l.ID, 60))
		}
		found = l
	}
	if found.ID == "" {
		return found, fmt.Errorf("the log holds no decision whose id ends in %q (%d characters at least); see the "+
			"column ID of nod log", printable.Line(id, 60), shortestID)
	}
	return found, nil
}
