package cli

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/nodgate/nod/internal/approval"
	"github.com/nodgate/nod/internal/printable"
)

func approvals(_ context.Context, p *Process, args []string) error {
	a := newArguments(p).state()
	revoke := a.Bool("revoke", false, "")
	asJSON := a.Bool("json", false, "")
	if err := a.withState(args, len(args)); err != nil {
		return err
	}
	if *revoke != (a.NArg() > 0) {
		return usage(errors.New("--revoke and the ids to revoke belong together"))
	}
	if *revoke {
		if err := revokeApprovals(p.people(*asJSON), a.places.State, a.Args()); err != nil || !*asJSON {
			return err
		}
	}
	list, err := approval.List(a.places.State, time.Now())
	if err != nil {
		return err
	}
	out := approvalsOutput{Version: 1, Approvals: []approvalOutput{}}
	for _, a := range list {
		if a.UsedAt.IsZero() {
			out.Approvals = append(out.Approvals, outputOf(a))
		}
	}
	if *asJSON {
		return printJSON(p, out)
	}
	return listApprovals(p, out.Approvals)
}

func listApprovals(p *Process, list []approvalOutput) error {
	if len(list) == 0 {
		fmt.Fprintln(p.Stderr, "nod approvals: none holds; nod approve makes one")
		return nil
	}
	table := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tHOLDS\tUNTIL\tTOOL, CALL, WHERE")
	for _, a := range list {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s  %s  %s\n", a.ID, a.Scope, a.Until.Local().Format(time.DateTime),
			printable.Line(a.Tool, 40), printable.Line(a.Call, 200), printable.Line(a.Where, 200))
	}
	return internal(table.Flush())
}

// approvalsOutput is the answer of approvals --json, and of approve --json with
// the approval that was made. Fields are only ever added.
type approvalsOutput struct {
	Version   int              `json:"v"`
	Approvals []approvalOutput `json:"approvals"`
}

type approvalOutput struct {
	ID    string    `json:"id"`
	Scope string    `json:"scope"`
	Until time.Time `json:"until,omitzero"`
	Tool  string    `json:"tool"`
	Call  string    `json:"call"`
	Where string    `json:"where"`
}

func outputOf(a approval.Approval) approvalOutput {
	where := "in " + inDir(a.Dir)
	if a.Scope == approval.Session {
		where += ", session " + a.SessionID + " of " + a.Agent
	}
	return approvalOutput{ID: a.ID, Scope: string(a.Scope), Until: a.Until, Tool: a.Tool, Call: a.Call,
		Where: where}
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
