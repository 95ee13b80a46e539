package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/store"
)

// operator is whoever has a shell on the server.
func operator(org store.Org) store.Identity { return store.Identity{Org: org.ID, Name: "nod-serve"} }

func personCommand(ctx context.Context, p Process, args []string) error {
	f := flags(p)
	switch what, args := word(args); what {
	case "list":
		return f.do(ctx, args, 0, func(s *store.Store, org store.Org) error { return personList(ctx, p, s, org) })
	case "role":
		team := f.String("team", "", "")
		return f.do(ctx, args, 2, func(s *store.Store, org store.Org) error {
			id := ""
			if *team != "" {
				var err error
				if id, err = teamOf(ctx, s, org, *team); err != nil {
					return err
				}
			}
			return f.toPerson(ctx, s, org, func(tx *store.Tx, person string) error {
				return tx.SetRole(ctx, operator(org), person, f.Arg(1), id)
			})
		})
	case "remove":
		return f.do(ctx, args, 1, func(s *store.Store, org store.Org) error {
			return f.toPerson(ctx, s, org, func(tx *store.Tx, person string) error {
				return tx.RemovePerson(ctx, operator(org), person)
			})
		})
	case "link":
		return personLink(ctx, p, f, args)
	}
	return usageError{errors.New("type person list, role EMAIL ROLE, remove EMAIL or link EMAIL")}
}

func personList(ctx context.Context, p Process, s *store.Store, org store.Org) error {
	all, err := s.People(ctx, org.ID)
	for _, one := range all {
		role := one.Role
		switch {
		case !one.Gone.IsZero():
			role = "removed"
		case role == "":
			role = "no role"
		case one.Team != "":
			role += " of one team"
		}
		fmt.Fprintf(p.Stdout, "%s  %-30s  %-20s  %s\n", one.ID, printable.Line(one.Shown(), 60), role,
			printable.Line(one.Issuer, 60))
	}
	return err
}

// personLink prints a link that begins somebody's session: for a server without OpenID Connect, and for the day when
// the identity provider is away.
func personLink(ctx context.Context, p Process, f *with, args []string) error {
	page, code := f.String("public", "http://127.0.0.1:7322", ""), ""
	return f.do(ctx, args, 1, func(s *store.Store, org store.Org) error {
		err := f.toPerson(ctx, s, org, func(tx *store.Tx, person string) (err error) {
			if code, err = tx.MakeCode(ctx, store.Code{Org: org.ID, Kind: store.PersonCode, Person: person,
				Expires: s.Now().Add(time.Hour)}); err != nil {
				return err
			}
			return tx.Audit(ctx, store.Event{Org: org.ID, Who: "nod-serve", What: "link made", About: person})
		})
		if err == nil {
			fmt.Fprintln(p.Stdout, enterLink(*page, store.PersonCode, code))
			fmt.Fprintln(p.Stderr, "It is good once, for an hour.")
		}
		return err
	})
}

func enterLink(page, kind, code string) string {
	return strings.TrimRight(page, "/") + "/enter/" + kind + "/" + code
}

// toPerson does something to the person that the first argument names, by e-mail or id.
func (f *with) toPerson(ctx context.Context, s *store.Store, org store.Org,
	do func(tx *store.Tx, person string) error) error {
	all, err := s.People(ctx, org.ID)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(p store.Person) bool {
		return !p.Gone.IsZero() || p.ID != f.Arg(0) && !strings.EqualFold(p.Email, f.Arg(0))
	})
	if len(all) != 1 {
		return fmt.Errorf("%d people are %q; nod-serve person list has them, and the ids that tell them apart", len(all),
			f.Arg(0))
	}
	return s.Tx(ctx, func(tx *store.Tx) error { return do(tx, all[0].ID) })
}

// teamOf returns a team's id.
func teamOf(ctx context.Context, s *store.Store, org store.Org, name string) (string, error) {
	all, err := s.Teams(ctx, org.ID)
	i := slices.IndexFunc(all, func(t store.Team) bool { return t.Name == name })
	switch {
	case err != nil:
		return "", err
	case i < 0:
		return "", fmt.Errorf("there is no team %q; nod-serve team list has them", name)
	}
	return all[i].ID, nil
}

// orgCommand changes what an organisation has decided, as far as flags say, and shows all of it.
func orgCommand(ctx context.Context, p Process, args []string) error {
	f := flags(p)
	what, args := word(args)
	if what != "set" {
		return usageError{errors.New("type org set")}
	}
	var changes []func(*store.OrgSettings)
	yes := func(name string, set func(o *store.OrgSettings, is bool)) {
		f.BoolFunc(name, "", func(text string) error {
			is, err := strconv.ParseBool(text)
			changes = append(changes, func(o *store.OrgSettings) { set(o, is) })
			return err
		})
	}
	yes("two-people", func(o *store.OrgSettings, is bool) { o.TwoPeople = is })
	yes("no-inputs", func(o *store.OrgSettings, is bool) { o.NoInputs = is })
	yes("approvals", func(o *store.OrgSettings, is bool) { o.Approvals = is })
	f.Func("retention", "", func(text string) error {
		n, err := days(text)
		changes = append(changes, func(o *store.OrgSettings) { o.RetentionDays = n })
		return err
	})
	f.Func("webhook", "", func(text string) error {
		changes = append(changes, func(o *store.OrgSettings) { o.Webhook = text })
		return nil
	})
	return f.do(ctx, args, 0, func(s *store.Store, org store.Org) error {
		for _, change := range changes {
			change(&org.Settings)
		}
		if err := org.Settings.Check(); err != nil {
			return usageError{err}
		}
		if len(changes) > 0 {
			err := s.Tx(ctx, func(tx *store.Tx) error { return tx.ChangeOrg(ctx, operator(org), org.Settings) })
			if err != nil {
				return err
			}
		}
		fmt.Fprintln(p.Stdout, printable.JSON(org.Settings))
		return nil
	})
}

// days takes a number of days, such as 90d.
func days(text string) (n int, err error) {
	if rest, err := fmt.Sscanf(text, "%dd", &n); err != nil || rest != 1 || fmt.Sprintf("%dd", n) != text {
		return 0, errors.New("a number of days such as 90d; 0d is for ever")
	}
	return n, nil
}
