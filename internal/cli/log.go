package cli

import (
	"context"
	"encoding"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
)

func logCommand() command {
	return command{
		name:    "log",
		usage:   "log [-n N] [--follow] [--json] [--state DIR] [FILTERS] [ID]",
		summary: "what was decided, and why",
		long: `Shows the decision log, the newest entry last. Times are local. With an ID, or
how it ends (the column ID, six characters at least), all about one decision.

  -n N              so many entries; default 20, 0 is all
  --follow          then goes on with what is written
  --json            the lines as they are stored
  --state DIR       nod's state directory, default ~/.local/state/nod

Filters:
  --verdict V       allow, ask or deny
  --layer L         guard, allowlist, edit, shell, approval, model or none
  --agent NAME      such as claude-code
  --session ID      or how it begins
  --since T         a duration (2h), a date (2026-01-31) or a time (RFC 3339)
  --kind K          decision, begun, outcome, denied_by_host, approved,
                    bad_input or passed

What the column VERDICT says:

  allow, ask, deny  what the agent was told
  allow/abstained   nod had nothing against the call, and left it to the agent,
                    whose own rules or prompt decide
  ask/abstained     nod would have asked, and left the call to the agent
  ask/deny          nod would have asked, and nobody could be: it was denied
  deny/abstained    nod would have denied: it only watches (nod mode observe)
  ask, yes          the call ran after the question
  ask, no           a person said no, as the agent's transcript has it
  ask, by host      the agent asked by itself; the answer is not known
  unanswered        no answer is in the log: the agent may have run the call

Without --kind the table leaves out outcomes, and the beginning of a question
that was answered; with --follow an outcome is a line of its own. Counts and
cost go to standard error, and so do lines that cannot be read; they do not stop
the rest. A workspace among the entries whose settings now silence a nod of the
user's is named there too.

Exit status: 0, 2 for arguments that cannot be used or a log that cannot be
read, 1 if the output cannot be written.`,
		examples: []string{`nod log --verdict deny --since 2h`, `nod log --follow --agent claude-code`,
			`nod log 1f0c9a2e4b7d`},
		run: showLog,
	}
}

// logFlags are the arguments of nod log.
type logFlags struct {
	n            int
	follow, json bool
	state, id    string
	filter       audit.Filter
}

func parseLogFlags(p *Process, args []string) (f logFlags, err error) {
	var since string
	flags := flag.NewFlagSet("log", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.IntVar(&f.n, "n", 20, "")
	flags.BoolVar(&f.follow, "follow", false, "")
	flags.BoolVar(&f.json, "json", false, "")
	flags.StringVar(&f.state, "state", config.DefaultPlaces(p.Getenv("HOME")).State, "")
	flags.StringVar(&f.filter.Agent, "agent", "", "")
	flags.StringVar(&f.filter.Session, "session", "", "")
	flags.StringVar(&since, "since", "", "")
	flags.Func("verdict", "", word(&f.filter.Verdicts))
	flags.Func("layer", "", word(&f.filter.Layers))
	flags.Func("kind", "", func(s string) error { return addKind(&f.filter.Kinds, s) })
	if err := flags.Parse(args); err != nil {
		return f, err
	}
	switch {
	case flags.NArg() > 1:
		return f, fmt.Errorf("unexpected argument %q", flags.Arg(1))
	case flags.NArg() == 1 && f.follow:
		return f, errors.New("--follow and an ID do not go together")
	case f.n < 0:
		return f, fmt.Errorf("-n %d: want 0 (all) or more", f.n)
	case f.state == "":
		return f, errors.New("HOME is not set; name nod's state directory with --state DIR")
	}
	f.id = flags.Arg(0)
	if !filepath.IsAbs(f.state) {
		f.state = filepath.Join(p.Dir, f.state)
	}
	f.filter.Since, err = parseSince(since, time.Now())
	return f, err
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

// logKinds are the words of --kind.
func logKinds() []string {
	return []string{string(audit.Decision), string(audit.Begun), string(audit.Outcome), string(audit.HostDeny),
		string(audit.Approved), string(audit.BadInput), string(audit.Passed)}
}

func addKind(list *[]audit.Kind, s string) error {
	if !slices.Contains(logKinds(), s) {
		return fmt.Errorf("want one of %s", strings.Join(logKinds(), ", "))
	}
	*list = append(*list, audit.Kind(s))
	return nil
}

// parseSince reads a duration before now, a local date, or a time.
func parseSince(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, s, time.Local); err == nil {
		return t, nil
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("--since %q: want a duration (2h), a date (2026-01-31) or a time "+
		"(2026-01-31T15:04:05Z)", s)
}

func showLog(ctx context.Context, p *Process, args []string) int {
	f, err := parseLogFlags(p, args)
	if err != nil {
		return usageError(p, logCommand(), err)
	}
	v := &logView{process: p, flags: f, answered: map[string]bool{}, shown: map[string]bool{},
		pending: map[string]audit.Line{}, said: map[callKey]string{}, asked: map[callKey]bool{}, seats: seats{},
		byHost: map[callKey]bool{}}
	if f.id != "" {
		return v.ended(v.showOne())
	}
	var next iter.Seq2[audit.Line, error]
	if f.follow {
		next = audit.Follow(ctx, f.state, f.filter) // first, so that nothing falls in between
	}
	backlog := v.collect()
	if !f.json {
		v.personSaid(backlog)
	}
	v.print(backlog...)
	switch {
	case f.follow:
		v.follow(ctx, next)
	case !f.json:
		v.summary(backlog)
	}
	return v.ended(nil)
}

// ended says what went wrong, and returns the exit status.
func (v *logView) ended(err error) int {
	switch {
	case v.broken != nil:
		fmt.Fprintln(v.process.Stderr, "nod log:", v.broken)
		return ExitInternal
	case err != nil:
		fmt.Fprintln(v.process.Stderr, "nod log:", err)
		return ExitBadInput
	case v.unread:
		return ExitBadInput
	}
	return ExitOK
}

// logView is one run of nod log.
type logView struct {
	process  *Process
	flags    logFlags
	answered map[string]bool       // ids of decisions
	shown    map[string]bool       // what was printed, by entryKey
	pending  map[string]audit.Line // begun and not answered yet, by id
	said     map[callKey]string    // what a person answered, yes or no
	asked    map[callKey]bool      // questions that were shown while following
	byHost   map[callKey]bool      // what nod left to the agent, and the agent asked a person about
	seats    seats                 // what was shown, where an agent may ask again
	widths   []int
	unread   bool  // a file could not be read
	broken   error // the output could not be written
}

// entryKey tells entries apart that come twice.
func entryKey(l audit.Line) string { return string(l.Kind) + " " + l.ID + " " + l.Time.String() }

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
	return slices.DeleteFunc(found, v.again)
}

// takes reports whether the line is shown now. A begun one waits, while
// following, for its decision.
func (v *logView) takes(l audit.Line) bool {
	if !v.flags.json && len(v.flags.filter.Kinds) == 0 {
		switch l.Kind {
		case audit.Outcome: // the answer to a question that was shown
			return v.asked[keyOf(l.Entry)]
		case audit.Decision:
			v.answered[l.ID] = true
			delete(v.pending, l.ID)
		case audit.Begun:
			if v.answered[l.ID] {
				return false
			}
			if v.flags.follow && !overdue(l) {
				v.pending[l.ID] = l
				return false
			}
		}
	}
	again := v.shown[entryKey(l)]
	v.shown[entryKey(l)] = true
	return !again
}

// answerWithin is how long after a begun line its decision is waited for:
// longer than any timeout of a model that makes sense in a hook.
const answerWithin = time.Minute

func overdue(l audit.Line) bool { return time.Since(l.Time) > answerWithin }

// follow prints what comes, and begun lines whose answer does not come.
func (v *logView) follow(ctx context.Context, next iter.Seq2[audit.Line, error]) {
	type news struct {
		line audit.Line
		err  error
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	come := make(chan news)
	go func() {
		defer close(come)
		for l, err := range next {
			select {
			case come <- news{l, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for v.broken == nil {
		select {
		case <-tick.C:
			v.expire()
		case n, open := <-come:
			switch {
			case !open:
				return
			case n.err != nil:
				v.problem(n.err)
			case v.takes(n.line) && !v.again(n.line):
				v.print(n.line)
			}
		}
	}
}

// expire shows the begun lines whose time is over.
func (v *logView) expire() {
	for id, l := range v.pending {
		if overdue(l) {
			delete(v.pending, id)
			v.print(l)
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
