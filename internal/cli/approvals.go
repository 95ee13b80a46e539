package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/approval"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
)

func approvalsCommand() command {
	return command{
		name:    "approvals",
		usage:   "approvals [--json] [--state DIR] | approvals [--json] --revoke ID...",
		summary: "what you approved; take it back",
		long: `Lists the calls that you approved (nod help approve) and that may still come:
id, scope, until when, tool, call, and where it holds. An approval that holds
once leaves the list when it is used.

  --revoke       take these back; needs a terminal
  --json         what holds then, as one JSON object, "v": 1
  --state DIR    nod's state, instead of ~/.local/state/nod

Exit status: 0 listed or revoked; 2 refused, an id that is not there, or a list
that cannot be used.`,
		examples: []string{`nod approvals`, `nod approvals --revoke 1f0c9a2e`},
		run:      approvals,
	}
}

func approvals(_ context.Context, p *Process, args []string) int {
	places := config.DefaultPlaces(p.Getenv("HOME"))
	revoke, asJSON := false, false
	flags := flag.NewFlagSet("approvals", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&revoke, "revoke", false, "")
	flags.BoolVar(&asJSON, "json", false, "")
	flags.StringVar(&places.State, "state", places.State, "")
	err := flags.Parse(args)
	switch {
	case err != nil:
	case revoke != (flags.NArg() > 0):
		err = errors.New("--revoke and the ids to revoke belong together")
	case places.State == "":
		err = errors.New("HOME is not set; name nod's state directory with --state")
	}
	if err != nil {
		return usageError(p, approvalsCommand(), err)
	}
	places.State = absolute(p, places.State)
	if revoke {
		err = revokeApprovals(p.people(asJSON), places.State, flags.Args())
	}
	switch {
	case err != nil:
	case asJSON:
		err = printApprovalsJSON(p, places.State)
	case !revoke:
		err = listApprovals(p, places.State)
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod approvals:", err)
		return ExitBadInput
	}
	return ExitOK
}

func listApprovals(p *Process, state string) error {
	list, err := approval.List(state, time.Now())
	if err != nil {
		return err
	}
	var earlier []string
	head := false
	for _, a := range list {
		if !a.UsedAt.IsZero() {
			continue
		}
		if !head {
			fmt.Fprintf(p.Stdout, "%-8s  %-10s  %-19s  TOOL, CALL, WHERE\n", "ID", "HOLDS", "UNTIL")
			head = true
		}
		if a.Earlier {
			fmt.Fprintf(p.Stdout, "%s  %-10s  %-19s  %s  %s\n", a.ID, a.Scope, "does not count",
				printable.Line(a.Tool, 40), printable.Line(a.Call, 200))
			earlier = append(earlier, a.ID)
			continue
		}
		fmt.Fprintf(p.Stdout, "%s  %-10s  %-19s  %s  %s  %s\n", a.ID, a.Scope, untilWhen(a), printable.Line(a.Tool, 40),
			printable.Line(a.Call, 200), printable.Line(whereItHolds(a), 200))
	}
	if !head {
		fmt.Fprintln(p.Stderr, "nod approvals: none holds; nod approve makes one")
	}
	if len(earlier) > 0 {
		fmt.Fprintf(p.Stdout, "An earlier nod made what does not count: it was bound to less of what runs. Approve "+
			"the calls again when\n"+
			"they come, and take these away: nod approvals --revoke %s\n", strings.Join(earlier, " "))
	}
	return nil
}

// approvalsOutput is the answer of approvals --json, and of approve --json with
// the approval that was made. Fields are only ever added.
type approvalsOutput struct {
	Version   int              `json:"v"`
	Approvals []approvalOutput `json:"approvals"`
}

type approvalOutput struct {
	ID     string    `json:"id"`
	Scope  string    `json:"scope"`
	Until  time.Time `json:"until,omitzero"` // none: until revoked
	Tool   string    `json:"tool"`
	Call   string    `json:"call"`
	Where  string    `json:"where"`
	Counts bool      `json:"counts"` // false: an earlier nod made it
}

func printApprovalsJSON(p *Process, state string) error {
	list, err := approval.List(state, time.Now())
	if err != nil {
		return err
	}
	out := approvalsOutput{Version: 1, Approvals: []approvalOutput{}}
	for _, a := range list {
		if a.UsedAt.IsZero() {
			out.Approvals = append(out.Approvals, outputOf(a))
		}
	}
	return printJSON(p, out)
}

func outputOf(a approval.Approval) approvalOutput {
	return approvalOutput{ID: a.ID, Scope: string(a.Scope), Until: a.Until, Tool: a.Tool, Call: a.Call,
		Where: whereItHolds(a), Counts: !a.Earlier}
}

func untilWhen(a approval.Approval) string {
	if a.Until.IsZero() {
		return "until revoked"
	}
	return a.Until.Local().Format(time.DateTime)
}

func whereItHolds(a approval.Approval) string {
	switch a.Scope {
	case approval.Session:
		return "in " + inDir(a.Dir) + ", session " + a.SessionID + " of " + a.Agent
	case approval.Repository:
		return "in " + inDir(a.Dir) + ", workspace " + a.Root
	}
	return "in " + inDir(a.Dir)
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
