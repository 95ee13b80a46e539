package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/team/client"
	"github.com/nodgate/nod/internal/version"
)

// member is the membership by which this daemon speaks. Where root's holds, a user's daemon has the user's own: the
// policy that it keeps there holds when root's has gone, and not before.
func (o Options) member() (seat team.Seat, m team.Member, err error) {
	seat = team.Find(o.Places.Managed, o.State)
	m, err = seat.Load()
	if seat.Public && (errors.Is(err, fs.ErrPermission) || errors.Is(err, team.ErrNone)) {
		seat = team.Seat{Dir: team.Dir(o.State)}
		m, err = team.Load(o.Places.Managed, o.State)
	}
	return seat, m, err
}

// joinTeam has the team's policy kept until end, the log shipped by one more sink and the questions answered elsewhere
// too, where the machine belongs to a team.
func (o Options) joinTeam(ctx context.Context, sinks map[string]sink) (end func(), err error) {
	seat, m, err := o.member()
	if errors.Is(err, team.ErrNone) {
		return func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	c, err := client.New(m)
	joined, unknown := os.Stat(filepath.Join(seat.Dir, team.MemberFile))
	if err = errors.Join(err, unknown); err != nil {
		return nil, err
	}
	s := &shipper{o, c, m, joined.ModTime().UTC()}
	sinks["team "+m.Machine] = s
	r := &client.Relay{Client: c, State: o.State, May: s.may, Say: o.saysOnce(), Every: o.Every, Retry: o.Retry}
	ctx, stop := context.WithCancel(ctx)
	var examined atomic.Value
	tells := func() (team.Heard, string) {
		_, _, holds := team.Find(o.Places.Managed, o.State).Kept(m.Trust())
		said, _ := examined.Load().(map[bool]string)
		return holds, said[s.may()]
	}
	k := &client.Keeper{Client: c, Seat: seat, Check: o.usable, Alarm: o.alarm, Say: o.saysOnce(), Tells: tells,
		Retry: o.Retry, Now: time.Now}
	var all sync.WaitGroup
	all.Go(func() {
		for o.Nod != "" && ctx.Err() == nil {
			day, stop := context.WithTimeout(ctx, 24*time.Hour)
			examined.Store(o.examine(ctx))
			<-day.Done()
			stop()
		}
	})
	all.Go(func() { k.Run(ctx) })
	all.Go(func() { r.Run(ctx) })
	return func() { stop(); all.Wait() }, nil
}

// usable says what of a policy is no settings on this machine.
func (o Options) usable(p team.Policy) (err error) {
	for _, d := range p.Documents {
		err = errors.Join(err, config.CheckDocument(o.Places, d))
	}
	return err
}

// alarm tells of a policy that was refused, on standard error and in the decision log.
func (o Options) alarm(why error) {
	text := printable.Line(why.Error(), 300)
	l, err := audit.Open(o.State)
	if err == nil {
		defer l.Close()
		err = l.Write(audit.Entry{Kind: audit.Alarm, Nod: version.String(), Reason: text})
	}
	fmt.Fprintf(o.Stderr, "nod-serve: team: ALARM: %s\n", text)
	if err != nil {
		fmt.Fprintf(o.Stderr, "nod-serve: team: %s\n", printable.Line(err.Error(), 300))
	}
}

// saysOnce returns what tells of a fault, and not again while it is the same.
func (o Options) saysOnce() func(error) {
	last := ""
	return func(err error) {
		if text := printable.Line(err.Error(), 300); text != last {
			last = text
			fmt.Fprintf(o.Stderr, "nod-serve: team: %s\n", text)
		}
	}
}
