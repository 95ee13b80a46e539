package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/approval"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

func approveCommand() command {
	return command{
		name:    "approve",
		usage:   "approve [--once | --session | --repository | --standing] [--for TIME] [--json] [ID]",
		summary: "let a call run that nod asked about or denied",
		long: `Shows a call that nod left open, and asks. Once you say yes, the agent may make
that very call: the same tool and arguments, in the same directory, with the
same effects, while every file that was read for it, or would run, says what it
said when nod was asked. Blanks and the kind of quotes in a command do not
count, nor which agent makes it.

  ID             of the decision, as the reason names it, or how it ends; the
                 last call that can be approved without it; of seven days
  --once         the first such call, within the hour (the default)
  --session      in that session, for a day
  --repository   in every session with that workspace root, until you revoke it
  --standing     in every session, until you revoke it
  --for TIME     how long instead: 10m, 8h, 2160h
  --json         the approval as one JSON object, "v": 1; what is for people
                 goes to standard error
  --settings F, --managed F, --state DIR   instead of the usual places

What hard_deny, layer 0 or "cannot be undone" denies cannot be approved. An
approval holds once where nod has not read and hashed all that would run (a
module, a package's own scripts, a build, a playbook, a program that may load
others), where it does not know what the command does, where a word is a
variable or the output of a command, and where no directory is known, as in
nod mcp and nod acp. Files that the line names (-d @FILE, -f FILE) are part of
it.
approvals = "off" in your settings, or the organisation's, ends them all.
A terminal is needed, and an agent is refused. List and revoke: nod approvals.

Exit status: 0 approved; 2 refused, declined, or nothing to approve.`,
		examples: []string{`nod approve`, `nod approve --session 9f2c41d07b6e`},
		run:      approve,
	}
}

type approveFlags struct {
	scope  approval.Scope
	lasts  time.Duration // 0: the scope's own
	id     string
	json   bool
	places config.Places
}

func parseApprove(p *Process, args []string) (f approveFlags, err error) {
	f.places = config.DefaultPlaces(p.Getenv("HOME"))
	flags := flag.NewFlagSet("approve", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for _, s := range []approval.Scope{approval.Once, approval.Session, approval.Repository, approval.Standing} {
		flags.BoolFunc(string(s), "", func(value string) error {
			if value != "true" || f.scope != "" {
				return errors.New("one scope at most")
			}
			f.scope = s
			return nil
		})
	}
	flags.DurationVar(&f.lasts, "for", 0, "")
	flags.BoolVar(&f.json, "json", false, "")
	placeFlags(flags, &f.places)
	err = flags.Parse(args)
	switch {
	case err != nil:
		return f, err
	case flags.NArg() > 1:
		return f, errors.New("one ID at most, after the options")
	case f.lasts < 0:
		return f, fmt.Errorf("--for %s: want a time that is still to come", f.lasts)
	case f.places.State == "":
		return f, errors.New("HOME is not set; name nod's state directory with --state")
	}
	if f.scope == "" {
		f.scope = approval.Once
	}
	f.id, f.places.State, f.places.Root = flags.Arg(0), absolute(p, f.places.State), p.Dir
	return f, nil
}

func approve(ctx context.Context, p *Process, args []string) int {
	f, err := parseApprove(p, args)
	if err != nil {
		return usageError(p, approveCommand(), err)
	}
	made, err := f.run(ctx, p.people(f.json))
	if err == nil && f.json {
		err = printJSON(p, approvalsOutput{Version: 1, Approvals: []approvalOutput{outputOf(made)}})
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod approve:", err)
		return ExitBadInput
	}
	return ExitOK
}

// run returns the approval that was made.
func (f approveFlags) run(ctx context.Context, p *Process) (made approval.Approval, err error) {
	if err := personHere(p); err != nil {
		return made, err
	}
	if err := config.EnsureState(f.places, nil); err != nil {
		return made, err
	}
	if err := approvalsCount(f.places); err != nil {
		return made, err
	}
	now := time.Now()
	entry, err := findApprovable(f.places.State, f.id, now)
	if err != nil {
		return made, err
	}
	a, err := f.approval(entry, now)
	if err != nil {
		return made, err
	}
	showCall(p, entry, now)
	if !confirmed(ctx, p, fmt.Sprintf("\nLet this very call run %s? [y/N] ", holds(a))) {
		return made, errors.New("not approved")
	}
	if err := approval.Add(f.places.State, a, now); err != nil {
		return made, err
	}
	fmt.Fprintf(p.Stdout, "approved (%s); nod approvals --revoke %s takes it back\n", a.ID, a.ID)
	return a, logApproval(f.places.State, entry, a, now)
}

// approvalsCount refuses where the settings say that no approval counts.
func approvalsCount(places config.Places) error {
	places.Root = ""
	settings, err := config.Load(places)
	if err == nil && !settings.Approvals {
		err = errors.New(`the settings say approvals = "off"`)
	}
	return err
}

// lookBack is how old a call may be that is approved.
const lookBack = 7 * 24 * time.Hour

// findApprovable returns the decision of an id, or of how it ends; without one
// the last that can be approved.
func findApprovable(state, id string, now time.Time) (found audit.Entry, err error) {
	recent := audit.Filter{Kinds: []audit.Kind{audit.Decision}, Since: now.Add(-lookBack)}
	for l, err := range audit.Newest(state, recent) {
		if err != nil || id == "" && (l.Approvable == nil || l.Setting != config.Enforce.String()) {
			continue
		}
		if !strings.HasSuffix(l.ID, id) || id != "" && len(id) < 6 {
			continue
		}
		if found.ID != "" && found.ID != l.ID {
			return found, fmt.Errorf("%s and %s both end so; write the whole id", found.ID, l.ID)
		}
		if found = l.Entry; id == "" || l.ID == id {
			break
		}
	}
	switch {
	case found.ID == "" && id == "":
		return found, errors.New("the log holds no call of the last seven days that can be approved")
	case found.ID == "":
		return found, fmt.Errorf("the log holds no decision of the last seven days whose id ends in %q (6 "+
			"characters at least)", printable.Line(id, 60))
	case found.Approvable == nil && found.Verdict == nod.Allow:
		return found, errors.New("that call was allowed")
	case found.Approvable == nil:
		return found, fmt.Errorf("that call cannot be approved: %s", found.Reason)
	case found.InputBytes > 0:
		return found, errors.New("the log holds only the beginning of that call, so that you could not " +
			"see what you approve")
	}
	return found, nil
}

// approval is what a person is asked to say yes to.
func (f approveFlags) approval(e audit.Entry, now time.Time) (approval.Approval, error) {
	id := make([]byte, 4)
	rand.Read(id)
	a := approval.Approval{
		ID: hex.EncodeToString(id), Key: e.Approvable.Key, Scope: f.scope, At: now.UTC(),
		Tool: e.RawTool, Dir: e.Dir, Call: printable.Line(callOf(e), 200),
	}
	lasts := f.lasts
	switch f.scope {
	case approval.Once:
		lasts = cmp.Or(lasts, time.Hour)
	case approval.Session:
		if e.Session == "" {
			return a, errors.New("the agent gave that session no id")
		}
		a.Agent, a.SessionID, lasts = e.Agent, e.Session, cmp.Or(lasts, 24*time.Hour)
	case approval.Repository:
		root, err := view.Resolve(view.Disk{}, e.Root)
		home, homeErr := view.Resolve(view.Disk{}, f.places.Home)
		if e.Root == "" || err != nil || homeErr != nil || view.Within(view.Disk{}, root, home) {
			return a, fmt.Errorf("%q is no workspace root", printable.Text(e.Root))
		}
		a.Root = root
	}
	if f.scope != approval.Once && e.Approvable.Once {
		return a, errors.New("nod has not read all that this call would run, or does not know what it does or where, " +
			"so that it can be approved only once")
	}
	if lasts > 0 {
		a.Until = now.Add(lasts).UTC()
	}
	return a, nil
}

// holds says where and for how long an approval holds.
func holds(a approval.Approval) string {
	where := map[approval.Scope]string{
		approval.Once: "once", approval.Session: "in that session",
		approval.Repository: "in every session in " + printable.Text(a.Root), approval.Standing: "in every session",
	}[a.Scope]
	if a.Until.IsZero() {
		return where + ", until you revoke it"
	}
	return where + ", until " + a.Until.Local().Format(time.DateTime)
}

// showCall shows all that an approval would be for. Everything in it may come
// from an agent.
func showCall(p *Process, e audit.Entry, now time.Time) {
	fmt.Fprintf(p.Stdout, "%s in %s\n", printable.Text(e.RawTool), inDir(e.Dir))
	fmt.Fprintf(p.Stdout, "%s, session %s, %s ago: %s\n\n", printable.Text(e.Agent), printable.Line(e.Session, 60),
		now.Sub(e.Time).Round(time.Second), said(e))
	rows := showInput(p, e.Input)
	fmt.Fprintf(p.Stdout, "\nwhy: %s\n", printable.Text(why(e)))
	switch {
	case len(e.Evidence) > 0:
		fmt.Fprintln(p.Stdout, "holds while these say what they said:")
	case e.Approvable.Once:
		fmt.Fprintln(p.Stdout, "No file is bound to this approval: what it runs may have changed by then.")
	}
	for _, file := range e.Evidence {
		fmt.Fprintf(p.Stdout, "  %s  %.12s\n", printable.Text(file.Path), file.SHA256)
	}
	fmt.Fprintln(p.Stdout, "Secrets are masked here, and not in the call.")
	if rows > screen {
		fmt.Fprintf(p.Stdout, "The call takes about %d lines: make sure that you have seen its beginning.\n", rows)
	}
}

// screen is how many lines of a call stay in sight on most terminals.
const screen = 20

// inDir names a directory, also one that nobody told nod.
func inDir(dir string) string {
	if dir == "" {
		return "a directory that nod does not know"
	}
	return printable.Text(dir)
}

// showInput prints the arguments, texts over as many lines as they have, and
// returns about how many lines of a terminal they take.
func showInput(p *Process, input json.RawMessage) (rows int) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return indent(p, "", string(input))
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		rows += indent(p, name, shownValue(fields[name]))
	}
	return rows
}

// shownValue is a text as it is, and any other value as JSON.
func shownValue(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, value, "", "  ") != nil {
		return string(value)
	}
	return pretty.String()
}

func indent(p *Process, name, text string) (rows int) {
	fmt.Fprintf(p.Stdout, "  %s:\n", printable.Text(name))
	for line := range strings.SplitSeq(withoutGaps(strings.TrimSuffix(text, "\n")), "\n") {
		line = printable.Text(strings.ReplaceAll(line, "\t", "    "))
		fmt.Fprintf(p.Stdout, "    %s\n", line)
		rows += 1 + len(line)/80
	}
	return rows
}

// withoutGaps counts blanks and empty lines that would move the rest of a call
// out of sight, instead of printing them.
func withoutGaps(text string) string {
	var b strings.Builder
	for text != "" {
		rest := strings.TrimLeft(text, " \t\n")
		gap := text[:len(text)-len(rest)]
		switch lines := strings.Count(gap, "\n"); {
		case lines > 4:
			gap = fmt.Sprintf("\n[%d empty lines]\n", lines-1)
		case len(gap) > 80:
			gap = fmt.Sprintf(" [%d blanks] ", len(gap))
		}
		end := strings.IndexAny(rest, " \t\n")
		if end < 0 {
			end = len(rest)
		}
		b.WriteString(gap + rest[:end])
		text = rest[end:]
	}
	return b.String()
}

// logApproval writes down that a person approved the call of a decision.
func logApproval(state string, e audit.Entry, a approval.Approval, now time.Time) error {
	log, err := audit.Open(state)
	if err != nil {
		return err
	}
	defer log.Close()
	e.Kind, e.Time, e.Verdict, e.Layer, e.Answered = audit.Approved, now.UTC(), nod.Deny, nod.LayerNone, ""
	e.Reason = "a person approved this call " + holds(a) + " (" + a.ID + ")"
	e.Rule, e.Error, e.Evidence, e.Latency, e.Spent = nil, nil, nil, 0, nil
	e.Model, e.Remembered, e.Quick, e.Usage, e.Cost, e.SessionCost = "", false, "", nil, 0, 0
	return log.Write(e)
}
