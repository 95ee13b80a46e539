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
