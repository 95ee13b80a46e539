package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/team/client"
)

// shipper sends the log to the team's server, from the joining on.
type shipper struct {
	Options
	*client.Client
	joined time.Time
}

// joinTeam adds what a member of a team has: its log is shipped, and its questions are answered elsewhere too. wait
// waits until the questions are left alone, after ctx has ended.
func (o Options) joinTeam(ctx context.Context, sinks map[string]sink) (wait func(), err error) {
	m, err := team.Load(o.State)
	if errors.Is(err, team.ErrNone) {
		return func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	c, err := client.New(m)
	since, unknown := os.Stat(team.File(o.State))
	if err = errors.Join(err, unknown); err != nil {
		return nil, err
	}
	s := &shipper{o, c, since.ModTime().UTC()}
	sinks["team "+m.Machine] = s
	var relay sync.WaitGroup
	r := &client.Relay{Client: c, State: o.State, May: s.may, Say: o.sayOnce("team"), Every: o.Every, Retry: o.Retry}
	relay.Go(func() { r.Run(ctx) })
	return relay.Wait, nil
}

// take ships lines. Where the settings cannot be read nothing is sent until they can.
func (s *shipper) take(ctx context.Context, b audit.Batch) error {
	inputs, err := s.inputs()
	if err != nil {
		return err
	}
	return s.Ship(ctx, b, inputs)
}

// inputs reports whether inputs and names of places may leave the machine.
func (s *shipper) inputs() (bool, error) {
	places := s.Places
	places.State = s.State
	settings, err := config.Load(places)
	return settings.Team.Inputs, err
}

func (s *shipper) may() bool {
	inputs, err := s.inputs()
	return inputs && err == nil
}

// sayOnce tells of a fault, and not again while it is the same.
func (o Options) sayOnce(name string) func(error) {
	var mu sync.Mutex
	last := ""
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if text := printable.Line(err.Error(), 300); text != last {
			last = text
			fmt.Fprintf(o.Stderr, "nod-serve: %s: %s\n", name, text)
		}
	}
}
