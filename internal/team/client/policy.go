package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/version"
)

// Keeper keeps the policy of a machine's team as the server has it. What the organisation did not sign for this team,
// what goes back behind a version that was kept, and what this nod cannot use changes nothing, and raises an alarm.
type Keeper struct {
	*Client
	Seat  team.Seat
	Check func(team.Policy) error                  // whether its documents are settings here
	Alarm func(error)                              // what was refused, once
	Say   func(error)                              // why the server is not heard
	Tells func() (holds team.Heard, doctor string) // of this machine
	Retry time.Duration                            // after a failure, at least; 0 is 5 s
	Now   func() time.Time

	refused  string // the last alarm
	told     string // what the server knows of this machine
	reported time.Time
}

// Run goes on until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	for ctx.Err() == nil {
		err := k.step(ctx)
		if err == nil || ctx.Err() != nil {
			continue
		}
		var later *Later
		if errors.As(err, &later) {
			k.Say(err)
		} else if err.Error() != k.refused {
			k.refused = err.Error()
			k.Alarm(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(Pause(err, 1, cmp.Or(k.Retry, 5*time.Second))):
		}
	}
}

// step asks once, and keeps what is new.
func (k *Keeper) step(ctx context.Context) error {
	trust := k.member.Trust()
	kept, have, heard := k.Seat.Kept(trust)
	got, err := k.policy(ctx, have)
	if err != nil {
		return err
	}
	if got != nil {
		if kept, err = team.Open(got, trust); err == nil {
			err = errors.Join(newer(kept, heard, have != nil), k.Check(kept))
		}
	}
	if err != nil {
		return fmt.Errorf("the team's server sent a policy that was refused; the last one holds: %w", err)
	}
	k.refused, heard = "", team.Heard{At: k.Now().UTC(), Version: max(kept.Version, heard.Version)}
	if err := k.Seat.Keep(got, heard); err != nil {
		return err
	}
	return k.report(ctx)
}

// report tells the server how things stand here, where that is new, or was told a while ago. A server of before refuses
// fields that it does not know.
func (k *Keeper) report(ctx context.Context) error {
	const often = 10 * time.Minute
	h, doctor := k.Tells()
	told, now := fmt.Sprint(h.Version, doctor), k.Now()
	if told == k.told && now.Sub(k.reported) < often {
		return nil
	}
	err := k.tell(ctx, "POST", "/v1/report", map[string]any{"version": version.String(), "policy": h.Version,
		"heard": h.At, "doctor": doctor}, nil)
	if err == nil {
		k.told, k.reported = told, now
	}
	return err
}

// newer refuses what goes back. What is kept already the server does not send.
func newer(p team.Policy, heard team.Heard, kept bool) error {
	if p.Version < heard.Version || p.Version == heard.Version && kept {
		return fmt.Errorf("its version is %d, and %d was kept before", p.Version, heard.Version)
	}
	return nil
}

// policy asks for another policy than the kept one, for none that is kept the first. nil says that there is none.
func (k *Keeper) policy(ctx context.Context, kept []byte) (text []byte, err error) {
	q := request{method: "GET", raw: &text, wait: longPoll}
	if k.reported.IsZero() {
		q.wait = 0 // the report comes after the answer: a new member is seen at once
	}
	if q.path = "/v1/policy?wait=" + q.wait.String(); kept != nil {
		q.match = team.Tag(kept)
	}
	err = k.do(ctx, q)
	return text, err
}
