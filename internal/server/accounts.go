package server

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/team/client"
)

// do parses a command's arguments, opens the database and works in the organisation.
func (f *with) do(ctx context.Context, args []string, others int,
	work func(s *store.Store, org store.Org) error) error {
	if err := f.parse(args, others); err != nil {
		return err
	}
	s, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	org, err := f.which(ctx, s)
	if err != nil {
		return err
	}
	return work(s, org)
}

// which returns the organisation that is named, or the only one.
func (f *with) which(ctx context.Context, s *store.Store) (store.Org, error) {
	orgs, err := s.Orgs(ctx)
	i := slices.IndexFunc(orgs, func(o store.Org) bool { return o.Name == f.org || f.org == "" && len(orgs) == 1 })
	switch {
	case err != nil:
		return store.Org{}, err
	case i < 0:
		return store.Org{}, usageError{fmt.Errorf("--org names one of the organisations; %q is none", f.org)}
	}
	return orgs[i], nil
}

// change works in a transaction, with an event of what it does.
func change(ctx context.Context, s *store.Store, e store.Event, do func(tx *store.Tx) error) error {
	e.Who = "nod-serve"
	return s.Tx(ctx, func(tx *store.Tx) error { return errors.Join(do(tx), tx.Audit(ctx, e)) })
}

// named is a name that people gave.
func named(name string) error {
	if name == "" || name != printable.Line(name, 60) {
		return usageError{errors.New("a name has 1 to 60 printable characters")}
	}
	return nil
}

// word takes the first argument off.
func word(args []string) (string, []string) {
	if len(args) == 0 {
		return "", nil
	}
	return args[0], args[1:]
}

func tokenCommand(ctx context.Context, p Process, args []string) error {
	f := flags(p)
	switch what, args := word(args); what {
	case "add":
		return tokenAdd(ctx, p, f, args)
	case "list":
		return f.do(ctx, args, 0, func(s *store.Store, org store.Org) error { return tokenList(ctx, p, s, org) })
	case "revoke":
		return f.do(ctx, args, 1, func(s *store.Store, org store.Org) error {
			err := change(ctx, s, store.Event{Org: org.ID, What: "token revoked", About: f.Arg(0)},
				func(tx *store.Tx) error { return tx.RevokeToken(ctx, org.ID, f.Arg(0)) })
			if errors.Is(err, store.ErrNotFound) {
				return fmt.Errorf("there is no token %q; nod-serve token list has them", f.Arg(0))
			}
			if err == nil {
				fmt.Fprintf(p.Stdout, "revoked %s; it is refused from now on\n", printable.Line(f.Arg(0), 60))
			}
			return err
		})
	}
	return usageError{errors.New("type token add, token list or token revoke")}
}

func tokenAdd(ctx context.Context, p Process, f *with, args []string) error {
	var t store.Token
	f.Func("scope", "", func(text string) (err error) {
		t.Scopes, err = scopesOf(text)
		return err
	})
	f.end("expires", &t.Expires)
	return f.do(ctx, args, 1, func(s *store.Store, org store.Org) error {
		t.Org, t.Name = org.ID, f.Arg(0)
		if err := named(t.Name); err != nil {
			return err
		}
		if t.Scopes == nil {
			return usageError{errors.New("--scope says what the token is good for, such as check")}
		}
		all, err := s.Tokens(ctx, org.ID)
		if slices.ContainsFunc(all, func(old store.Token) bool { return old.Name == t.Name }) {
			return fmt.Errorf("there is a token %q; revoke it first, or take another name", t.Name)
		}
		var secret string
		if err == nil {
			e := store.Event{Org: org.ID, What: "token made", About: t.Name, Detail: strings.Join(t.Scopes, " ")}
			err = change(ctx, s, e, func(tx *store.Tx) (err error) {
				secret, err = tx.MakeToken(ctx, t)
				return err
			})
		}
		if err == nil {
			fmt.Fprintln(p.Stdout, secret)
			fmt.Fprintln(p.Stderr, "It is not shown again. Send it as: Authorization: Bearer TOKEN")
		}
		return err
	})
}

func scopesOf(text string) (list []scope, err error) {
	for word := range strings.SplitSeq(text, ",") {
		if !slices.Contains(scopes(), word) {
			return nil, fmt.Errorf("the scopes are %v", scopes())
		}
		list = append(list, word)
	}
	return list, nil
}

// end is a flag that says when something ends.
func (f *with) end(name string, at *time.Time) {
	f.Func(name, "", func(text string) (err error) {
		*at, err = until(text)
		return err
	})
}

// until takes days (90d) or what Go calls a duration.
func until(text string) (time.Time, error) {
	after, err := time.ParseDuration(text)
	if days, is := strings.CutSuffix(text, "d"); is {
		var n int
		n, err = strconv.Atoi(days)
		after = time.Duration(min(n, 36500)) * 24 * time.Hour
	}
	if err != nil || after <= 0 {
		return time.Time{}, errors.New("a time such as 90d or 12h")
	}
	return time.Now().UTC().Add(after).Truncate(time.Second), nil
}

func tokenList(ctx context.Context, p Process, s *store.Store, org store.Org) error {
	all, err := s.Tokens(ctx, org.ID)
	for _, t := range all {
		ends := "no end"
		if over := time.Now().After(t.Expires); !t.Expires.IsZero() {
			ends = map[bool]string{true: "ended ", false: "until "}[over] + t.Expires.Format(time.DateOnly)
		}
		fmt.Fprintf(p.Stdout, "%-20s  %-16s  %-16s  made %s\n", printable.Line(t.Name, 60),
			strings.Join(t.Scopes, " "), ends, t.Made.Format(time.DateOnly))
	}
	return err
}

func teamCommand(ctx context.Context, p Process, args []string) error {
	f := flags(p)
	switch what, args := word(args); what {
	case "add":
		return f.do(ctx, args, 1, func(s *store.Store, org store.Org) error {
			if err := named(f.Arg(0)); err != nil {
				return err
			}
			return change(ctx, s, store.Event{Org: org.ID, What: "team made", About: f.Arg(0)},
				func(tx *store.Tx) error { _, err := tx.MakeTeam(ctx, org.ID, f.Arg(0)); return err })
		})
	case "list":
		return f.do(ctx, args, 0, func(s *store.Store, org store.Org) error {
			all, err := s.Teams(ctx, org.ID)
			for _, t := range all {
				fmt.Fprintln(p.Stdout, printable.Line(t.Name, 60))
			}
			return err
		})
	}
	return usageError{errors.New("type team add NAME or team list")}
}

// backup is nod-serve backup.
func backup(ctx context.Context, p Process, args []string) error {
	f := flags(p)
	return f.do(ctx, args, 1, func(s *store.Store, _ store.Org) error {
		err := s.Backup(ctx, f.Arg(0))
		if err == nil {
			fmt.Fprintf(p.Stdout, "copied to %s; --db sqlite:%[1]s uses it\n", printable.Line(f.Arg(0), 300))
		}
		return err
	})
}

// linesCommand is nod-serve lines.
func linesCommand(ctx context.Context, p Process, args []string) error {
	f := flags(p)
	to, chained := time.Now(), f.Bool("chains", false, "")
	q := store.Search{From: to.AddDate(0, 0, -1), To: to, Most: maxPage, Bytes: pageBytes}
	f.Func("since", "", func(text string) error {
		ends, err := until(text)
		q.From = to.Add(-time.Until(ends))
		return err
	})
	return f.do(ctx, args, 0, func(s *store.Store, org store.Org) error {
		if q.Org = org.ID; *chained {
			out := json.NewEncoder(p.Stdout)
			return s.Chains(ctx, org.ID, func(l audit.Shipped) error { return out.Encode(l) })
		}
		for more := true; more; more = q.Before != "" {
			page, next, err := s.Lines(ctx, q)
			if err != nil {
				return err
			}
			for _, l := range page {
				if _, err := fmt.Fprintln(p.Stdout, l.Text); err != nil {
					return err
				}
			}
			q.Before = next
		}
		return nil
	})
}

func machineCommand(ctx context.Context, p Process, args []string) error {
	f := flags(p)
	ends := time.Now().Add(time.Hour)
	switch what, args := word(args); what {
	case "code":
		f.end("expires", &ends)
		return f.do(ctx, args, 1, func(s *store.Store, org store.Org) error {
			c := store.Code{Org: org.ID, Kind: store.MachineCode, Expires: ends}
			return machineCode(ctx, p, s, org, c, f.Arg(0))
		})
	case "list":
		return f.do(ctx, args, 0, func(s *store.Store, org store.Org) error { return machineList(ctx, p, s, org) })
	case "remove":
		return f.do(ctx, args, 1, func(s *store.Store, org store.Org) error {
			return change(ctx, s, store.Event{Org: org.ID, What: "machine removed", About: f.Arg(0)},
				func(tx *store.Tx) error { return tx.Leave(ctx, org.ID, f.Arg(0)) })
		})
	}
	return usageError{errors.New("type machine code TEAM, machine list or machine remove ID")}
}

func machineCode(ctx context.Context, p Process, s *store.Store, org store.Org, c store.Code, team string) error {
	var err error
	if c.Team, err = teamOf(ctx, s, org, team); err != nil {
		return err
	}
	var code string
	e := store.Event{Org: c.Org, What: "machine code made", About: team}
	err = change(ctx, s, e, func(tx *store.Tx) (err error) {
		code, err = tx.MakeCode(ctx, c)
		return err
	})
	if err == nil {
		fmt.Fprintln(p.Stdout, code)
		fmt.Fprintf(p.Stderr, "It is good once, until %s. On the machine: nod-serve join URL\n",
			c.Expires.Format(time.DateTime))
	}
	return err
}

func machineList(ctx context.Context, p Process, s *store.Store, org store.Org) error {
	const page = 1000
	for after := ""; ; {
		all, err := s.Machines(ctx, org.ID, after, page)
		for _, m := range all {
			state := "seen " + m.Seen.Format(time.DateTime)
			switch {
			case !m.Gone.IsZero():
				state = "removed"
			case m.Seen.IsZero():
				state = "never seen"
			}
			health, _, _ := strings.Cut(m.Report.Doctor, ": ") // a time and a word
			fmt.Fprintf(p.Stdout, "%s  %-20s  %-12s  policy %d  %s  %s\n", m.ID, printable.Line(m.Name, 60),
				printable.Line(m.Report.Version, 20), m.Report.Policy, state, printable.Line(health, 40))
			after = m.ID
		}
		if err != nil || len(all) < page {
			return err
		}
	}
}

func (s *Server) machineRoutes() []route {
	return []route{
		{"POST", "/v1/machines", anybody, maxBody, s.joins},
		{"POST", "/v1/report", scopeShip, maxBody, s.reports},
	}
}

// joining is what a machine sends to join a team; its code lets it in, once.
type joining struct {
	Code string `json:"code"`
	Name string `json:"name"`
}

// joined is the answer.
type joined struct {
	Version int    `json:"v"`
	Org     string `json:"org"`
	Team    string `json:"team"`
	Machine string `json:"machine"`
	Token   string `json:"token"`
	Key     string `json:"key"` // the organisation's, ed25519, base64
}

func (s *Server) joins(w http.ResponseWriter, r *http.Request, v *visit) {
	var q joining
	if err := decode(v.body, &q); err != nil || named(q.Name) != nil {
		refuse(w, *badRequest.because("a code, and a name of 1 to 60 printable characters"))
		return
	}
	if !s.door.new.AllowN(time.Now(), 1) {
		refuse(w, *tooMany.because("too many codes"))
		return
	}
	a := joined{Version: 1}
	err := s.o.Store.Tx(r.Context(), func(tx *store.Tx) error {
		c, err := tx.UseCode(r.Context(), q.Code, store.MachineCode)
		if err != nil {
			return err
		}
		m, token, err := tx.Join(r.Context(), c.Org, c.Team, q.Name, machineScopes())
		if err != nil {
			return err
		}
		key, err := tx.SigningKey(r.Context(), c.Org)
		if err != nil {
			return err
		}
		a.Org, a.Team, a.Machine, a.Token = m.Org, m.Team, m.ID, token
		a.Key = base64.StdEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
		e := store.Event{Org: c.Org, Who: "machine " + m.ID, What: "machine joined", About: q.Name}
		return tx.Audit(r.Context(), e)
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		refuse(w, *noToken.because("the code was used, or it has ended"))
	case err != nil:
		s.failed(w, err)
	default:
		put(w, a)
	}
}

// failed answers what the database could not do.
func (s *Server) failed(w http.ResponseWriter, err error) {
	s.say("the database: %v", err)
	refuse(w, *notReady.because("the database does not answer"))
}

func (s *Server) reports(w http.ResponseWriter, r *http.Request, v *visit) {
	var q store.Report
	if err := decode(v.body, &q); err != nil || v.who.Machine == "" {
		refuse(w, *badRequest.because("a machine's report"))
		return
	}
	q.Version, q.Doctor = printable.Line(q.Version, 100), printable.Line(q.Doctor, 1000)
	s.reply(w, health{"ok"}, s.o.Store.Seen(r.Context(), v.who.Org, v.who.Machine, q))
}

// join is nod-serve join.
func join(ctx context.Context, p Process, args []string) error {
	f, m := flags(p), team.Member{Version: 1}
	name, _ := os.Hostname()
	f.StringVar(&name, "name", printable.Line(name, 60), "")
	f.StringVar(&m.Authorities, "ca", "", "")
	f.StringVar(&f.places.Managed, "managed", f.places.Managed, "")
	whole := f.Bool("whole-machine", false, "")
	if err := f.parse(args, 1); err != nil {
		return err
	}
	seat := team.Seat{Dir: team.Dir(f.places.State)}
	if *whole {
		seat = team.Seat{Dir: team.Managed(f.places.Managed), Public: true}
	}
	if _, err := seat.Load(); !errors.Is(err, team.ErrNone) {
		is := fmt.Errorf("this machine is a member already; remove %s first", seat.Dir)
		return errors.Join(err, is)
	}
	m.Server = strings.TrimRight(f.Arg(0), "/")
	at, err := url.Parse(m.Server)
	if err != nil || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Scheme != "https" &&
		at.Hostname() != "127.0.0.1" { // the code would go over the network in the clear
		return usageError{fmt.Errorf("%q is no address such as https://nod.example", m.Server)}
	}
	if err = m.Fits(f.places.Managed); err != nil { // before the code is used
		return err
	}
	fmt.Fprint(p.Stderr, "The code: ")
	code, err := bufio.NewReader(io.LimitReader(p.Stdin, 1000)).ReadString('\n')
	if code = strings.TrimSpace(code); code == "" {
		return errors.Join(err, errors.New("there is no code; nod-serve machine code TEAM makes one on the server"))
	}
	if err := errors.Join(ask(ctx, &m, joining{code, name}), m.Fits(f.places.Managed)); err != nil {
		return err
	}
	if err := m.SaveAt(seat); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s is a member of a team of %s. Next: nod daemon, which must run.\n", name, m.Server)
	return nil
}

// ask sends the code and takes what the server gives.
func ask(ctx context.Context, m *team.Member, q joining) error {
	c, err := client.New(*m)
	if err != nil {
		return err
	}
	var a joined
	err = c.Join(ctx, q, &a)
	m.Org, m.Team, m.Machine, m.Token, m.Key = a.Org, a.Team, a.Machine, a.Token, a.Key
	return err
}
