package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/history"
	"github.com/nodgate/nod/internal/index"
	"github.com/nodgate/nod/internal/printable"
)

// replayed is the answer of nod replay --json. Fields are only ever added.
type replayed struct {
	Version int            `json:"v"`
	Then    history.Counts `json:"then"`
	Now     history.Counts `json:"now"`
	Changed []changedRow   `json:"changed"`
	Missed  tally          `json:"not_judged"` // counts by why
}

// changedRow is a call whose answer is another now.
type changedRow struct {
	ID     string      `json:"id"`
	Time   time.Time   `json:"time"`
	Call   string      `json:"call"`
	Then   nod.Verdict `json:"then"`
	Now    nod.Verdict `json:"now"`
	Layer  nod.Layer   `json:"layer"`
	Reason string      `json:"reason"`
}

// pastFlags are those of what judges the log again.
func pastFlags(p *Process, args []string) (a *arguments, f index.Filter, asJSON bool, err error) {
	a = newArguments(p).settings()
	a.BoolVar(&asJSON, "json", false, "")
	rules := a.String("rules", "", "")
	a.since(&f.Since)
	if err = cmp.Or(a.withRules(args, 0), a.stated()); err == nil && *rules != "" {
		a.places.User = absolute(p, *rules)
		if _, missing := os.Stat(a.places.User); missing != nil {
			err = usage(fmt.Errorf("--rules: %w", missing))
		}
	}
	return a, f, asJSON, err
}

func replayLog(ctx context.Context, p *Process, args []string) error {
	a, f, asJSON, err := pastFlags(p, args)
	if err != nil {
		return err
	}
	x, err := openLog(ctx, p, "replay", a.places.State)
	if err != nil {
		return err
	}
	r, out := past{process: p, places: []config.Places{a.places}}, replayed{Version: 1, Changed: []changedRow{}}
	begun := time.Now()
	err = r.each(ctx, x, f, func(e audit.Entry, d []nod.Decision) { out.add(e, d[0]) })
	if out.Missed = r.missed; err != nil {
		return err
	}
	if asJSON {
		return printJSON(p, out)
	}
	return out.print(p, time.Since(begun))
}

func (r *replayed) add(e audit.Entry, d nod.Decision) {
	now := d.Verdict
	if leftAsThen := e.Layer == nod.LayerModel || e.Layer == nod.LayerApproval; leftAsThen && !d.Settled() {
		now = e.Verdict // a model, or the person, would say what they said
	}
	r.Then.Add(e.Verdict)
	r.Now.Add(now)
	if now != e.Verdict {
		r.Changed = append(r.Changed, changedRow{ID: e.ID, Time: e.Time, Call: toolCall(e), Then: e.Verdict, Now: now,
			Layer: d.Layer, Reason: d.Reason})
	}
}

// shownChanges is how many changed rows are shown, the newest; --json has all.
const shownChanges = 20

func (r *replayed) print(p *Process, took time.Duration) error {
	out := p.Stdout
	fmt.Fprintf(out, "%s of the log, judged in %.1f s by the rules and files of today, without a model\n\n",
		counted(r.Now.Calls, "call"), took.Seconds())
	fmt.Fprintf(out, "  %-8s %9s %9s\n", "", "then", "now")
	for _, row := range []struct {
		what      string
		then, now int
	}{{"allowed", r.Then.Allowed, r.Now.Allowed}, {"asked", r.Then.Asked, r.Now.Asked},
		{"denied", r.Then.Denied, r.Now.Denied}} {
		fmt.Fprintf(out, "  %-8s %9d %9d\n", row.what, row.then, row.now)
	}
	r.Missed.print(out, shownChanges)
	fmt.Fprintf(out, "\n%s with another answer\n", counted(len(r.Changed), "call"))
	list := r.Changed[max(0, len(r.Changed)-shownChanges):]
	if rest := len(r.Changed) - len(list); rest > 0 {
		fmt.Fprintf(out, "the newest %d; --json has all\n", len(list))
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range list {
		id := printable.Line(endOfID(audit.Entry{Kind: audit.Decision, ID: c.ID}), 60)
		fmt.Fprintf(table, "%s\t%s -> %s\t%s\t%s\n", id, c.Then, c.Now, printable.Line(c.Call, 48),
			printable.Line(c.Reason, 100))
	}
	return internal(table.Flush())
}

// suggestion is a rule that would have saved questions. Fields are only ever added.
type suggestion struct {
	List     string `json:"list"`
	Text     string `json:"text"`
	Saved    int    `json:"saved"` // questions
	Sessions int    `json:"sessions"`
	Calls    tally  `json:"calls"` // those questions
	Also     tally  `json:"also"`  // what else it lets through that was not allowed without a model
}

// suggested is the answer of nod suggest --json.
type suggested struct {
	Version   int          `json:"v"`
	Questions int          `json:"questions"`
	Rules     []suggestion `json:"rules"`
}

const (
	mostSuggested = 8
	mostTried     = 40 // each with many calls of the log
	leastSaved    = 3
)

func suggestRules(ctx context.Context, p *Process, args []string) error {
	a, f, asJSON, err := pastFlags(p, args)
	if err != nil {
		return err
	}
	x, err := openLog(ctx, p, "suggest", a.places.State)
	if err != nil {
		return err
	}
	out, err := suggest(ctx, p, a.places, x, f)
	switch {
	case err != nil:
		return err
	case asJSON:
		return printJSON(p, out)
	}
	fmt.Fprintf(p.Stdout, "%s in the log that nod would ask today as well\n", counted(out.Questions, "question"))
	for _, s := range out.Rules {
		fmt.Fprintf(p.Stdout, "\nnod allow %s  would have saved %s of %s\n", quoted(s.Text),
			counted(s.Saved, "question"), counted(s.Sessions, "session"))
		s.Calls.print(p.Stdout, mostShown)
		if len(s.Also) > 0 {
			fmt.Fprintln(p.Stdout, "  and lets through as well, which was denied, or left to a model:")
			s.Also.print(p.Stdout, mostShown)
		}
	}
	if len(out.Rules) == 0 {
		fmt.Fprintf(p.Stdout, "no rule would have saved %d of them\n", leastSaved)
	} else {
		fmt.Fprintln(p.Stdout, "\nEach counts what those before it leave. Nothing is written: type the line.")
	}
	return nil
}
