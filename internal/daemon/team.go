package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/doctor"
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

// shipper sends the log to the team's server, from the joining on.
type shipper struct {
	Options
	*client.Client
	member team.Member
	joined time.Time
}

// Take ships lines. Where the settings cannot be read nothing is sent until they can.
func (s *shipper) Take(ctx context.Context, b audit.Batch) error {
	inputs, err := s.inputs()
	if err != nil {
		return err
	}
	return s.Ship(ctx, b, inputs)
}

// inputs reports whether inputs and names of places may leave the machine. Root may have joined it elsewhere meanwhile.
func (s *shipper) inputs() (bool, error) {
	places := s.Places
	places.State = s.State
	settings, err := config.Load(places)
	return settings.Team.Inputs, errors.Join(err, s.member.Fits(s.Places.Managed))
}

func (s *shipper) may() bool {
	inputs, err := s.inputs()
	return inputs && err == nil
}

// examine is what nod doctor finds, as store.Report.Doctor: true with names. It starts hooks, and no agent.
func (o Options) examine(ctx context.Context) map[bool]string {
	ctx, stop := context.WithTimeout(ctx, 10*time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, o.Nod, "doctor", "--json", "--quick")
	c.Dir, c.WaitDelay = o.State, 10*time.Second
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) } // it removes what it has made
	text, _ := c.Output()                                             // its status says what the lines say
	var all struct{ Agents, Nod []doctor.Block }
	_ = json.Unmarshal(text, &all) // then nothing was found
	return summary(append(all.Agents, all.Nod...))
}

func summary(blocks []doctor.Block) map[bool]string {
	n, names := map[doctor.State]int{}, []string{}
	for _, b := range blocks {
		for _, l := range b.Lines {
			if n[l.State]++; l.State == doctor.Open || l.State == doctor.Failed {
				names = append(names, printable.Line(cmp.Or(b.Agent, "nod")+" "+l.What, 100))
			}
		}
	}
	word, list := "well", ""
	if len(n) == 0 {
		word = "not run"
	} else if bad := len(names); bad > 0 {
		word, list = fmt.Sprint(bad, " fault", "s"[:min(bad-1, 1)]), strings.Join(names[:min(bad, 10)], ", ")+"; "
	}
	word = time.Now().UTC().Format(time.RFC3339) + " " + word + ": "
	counts := fmt.Sprintf("%d checks hold, %d notes", n[doctor.OK], n[doctor.Note]+n[doctor.NotTried])
	return map[bool]string{false: word + counts, true: word + list + counts}
}
