package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/team/client"
)

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
