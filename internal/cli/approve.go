package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/approval"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/printable"
)

func approve(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	session := a.Bool("session", false, "")
	if err := a.withState(args, 1); err != nil {
		return err
	}
	if err := personHere(p); err != nil {
		return err
	}
	if err := lines.PrivateDir(a.places.State); err != nil {
		return err
	}
	settings, err := config.Load(a.places)
	if err == nil && !settings.Approvals {
		err = errors.New(`the settings say approvals = "off"`)
	}
	if err != nil {
		return err
	}
	now := time.Now()
	entry, err := findApprovable(ctx, p, a.places.State, a.Arg(0), now)
	if err != nil {
		return err
	}
	made, err := approvalOf(entry, *session, now)
	if err != nil {
		return err
	}
	showCall(p, entry, now)
	if !confirmed(ctx, p, fmt.Sprintf("\nLet this very call run %s? [y/N] ", holds(made))) {
		return errors.New("not approved")
	}
	if err := approval.Add(a.places.State, made, now); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "approved (%s); nod approvals --revoke %s takes it back\n", made.ID, made.ID)
	return logApproval(a.places.State, entry, made, now)
}

// lookBack is how old a call may be that is approved.
const lookBack = 7 * 24 * time.Hour

// findApprovable returns the decision of an id, or of how it ends; without one the last that can be approved.
func findApprovable(ctx context.Context, p *Process, state, id string, now time.Time) (audit.Entry, error) {
	recent := audit.Filter{Kinds: []audit.Kind{audit.Decision}, Since: now.Add(-lookBack)}
	if id == "" {
		for l, err := range audit.Newest(state, recent) {
			if err == nil && l.Approvable != nil && l.Setting == config.Enforce.String() {
				return seen(l.Entry)
			}
		}
		return audit.Entry{}, errors.New("the log holds no call of the last seven days that can be approved")
	}
	found, err := findDecision(ctx, p, "approve", state, id)
	switch {
	case err != nil:
		return found.Entry, err
	case found.Time.Before(recent.Since):
		return found.Entry, errors.New("that call is older than seven days; have the agent make it again")
	case found.Approvable == nil && found.Verdict == nod.Allow:
		return found.Entry, errors.New("that call was allowed")
	case found.Approvable == nil:
		return found.Entry, fmt.Errorf("that call cannot be approved: %s", found.Reason)
	}
	return seen(found.Entry)
}

// seen refuses a call if the log does not show a person all of it.
func seen(e audit.Entry) (audit.Entry, error) {
	if e.InputBytes > 0 {
		return e, errors.New("the log holds only the beginning of that call, so that you could not see what you approve")
	}
	return e, nil
}

// approvalOf is what a person is asked to say yes to: once within the hour, or in the session for a day.
func approvalOf(e audit.Entry, inSession bool, now time.Time) (approval.Approval, error) {
	a := approval.Approval{
		ID: approval.NewID(), Key: e.Approvable.Key, Scope: approval.Once, At: now.UTC(),
		Tool: e.RawTool, Dir: e.Dir, Call: printable.Line(callOf(e), 200), Until: now.Add(time.Hour).UTC(),
	}
	if !inSession {
		return a, nil
	}
	a.Scope, a.Agent, a.SessionID, a.Until = approval.Session, e.Agent, e.Session, now.Add(24*time.Hour).UTC()
	switch {
	case e.Session == "":
		return a, errors.New("the agent gave that session no id")
	case e.Approvable.Once:
		return a, errors.New("nod has not read all that this call would run, or does not know what it does or where, " +
			"so that it can be approved only once")
	}
	return a, nil
}

func holds(a approval.Approval) string {
	where := "once"
	if a.Scope == approval.Session {
		where = "in that session"
	}
	return where + ", until " + a.Until.Local().Format(time.DateTime)
}

// showCall shows all that an approval would be for. Everything in it may come from an agent.
func showCall(p *Process, e audit.Entry, now time.Time) {
	fmt.Fprintf(p.Stdout, "%s in %s\n", printable.Text(e.RawTool), inDir(e.Dir))
	fmt.Fprintf(p.Stdout, "%s, session %s, %s ago: %s\n\n", printable.Text(e.Agent), printable.Line(e.Session, 60),
		now.Sub(e.Time).Round(time.Second), said(e))
	rows := showInput(p, e.Input)
	fmt.Fprintf(p.Stdout, "\nwhy: %s\nSecrets are masked here, and not in the call.\n", printable.Text(why(e)))
	if rows > screen {
		fmt.Fprintf(p.Stdout, "The call takes about %d lines: make sure that you have seen its beginning.\n", rows)
	}
}

// screen is how many lines of a call stay in sight on most terminals.
const screen = 20

// inDir names a directory; nod may not have been told it.
func inDir(dir string) string {
	if dir == "" {
		return "a directory that nod does not know"
	}
	return printable.Text(dir)
}

// showInput prints the arguments, and returns about how many lines of a terminal they take.
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

// withoutGaps counts blanks and empty lines that would move the rest of a call out of sight.
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
	e.Rule, e.Error, e.Evidence, e.Latency = nil, nil, nil, 0
	e.Model, e.Quick, e.Usage, e.Cost, e.SessionCost = "", "", nil, 0, 0
	return log.Write(e)
}

func approvals(_ context.Context, p *Process, args []string) error {
	a := newArguments(p).state()
	revoke := a.Bool("revoke", false, "")
	if err := a.withState(args, len(args)); err != nil {
		return err
	}
	if *revoke != (a.NArg() > 0) {
		return usage(errors.New("--revoke and the ids to revoke belong together"))
	}
	if *revoke {
		return revokeApprovals(p, a.places.State, a.Args())
	}
	list, err := approval.List(a.places.State, time.Now())
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	for _, a := range list {
		if !a.UsedAt.IsZero() {
			continue
		}
		where := "in " + inDir(a.Dir)
		if a.Scope == approval.Session {
			where += ", session " + a.SessionID + " of " + a.Agent
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s  %s  %s\n", a.ID, a.Scope, a.Until.Local().Format(time.DateTime),
			printable.Line(a.Tool, 40), printable.Line(a.Call, 200), printable.Line(where, 200))
	}
	return internal(table.Flush())
}

func revokeApprovals(p *Process, state string, ids []string) error {
	if err := personHere(p); err != nil {
		return err
	}
	for _, id := range ids {
		found, err := approval.Revoke(state, id)
		switch {
		case err != nil:
			return err
		case !found:
			return fmt.Errorf("there is no approval %s; see nod approvals", printable.Line(id, 40))
		}
		fmt.Fprintf(p.Stdout, "%s is revoked\n", printable.Line(id, 40))
	}
	return nil
}
