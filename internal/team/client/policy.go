package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/version"
)

// Keeper keeps the policy of a machine's team as the server has it. What the organisation did not sign for this team,
// what goes back behind a version that was kept, and what this nod cannot use changes nothing, and raises an alarm.
type Keeper struct {
	*Client
	Seat  team.Seat
	Check func(team.Policy) error // whether its documents are settings here
	Alarm func(error)             // what was refused, once
	Say   func(error)             // why the server is not heard
	// Wait is how long the server may hold a request, Retry how long it is left alone after a failure, at least; 0 is
	// 50 s and 5 s.
	Wait, Retry time.Duration
	Now         func() time.Time

	refused string     // the last alarm
	told    team.Heard // what the server knows of this machine
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
		retry := cmp.Or(k.Retry, 5*time.Second) // not all machines at once
		select {
		case <-ctx.Done():
		case <-time.After(retry + rand.N(retry)):
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
	return k.report(ctx, heard)
}

// report tells the server what holds here, where that is new, or was told a while ago.
func (k *Keeper) report(ctx context.Context, h team.Heard) error {
	const often = 10 * time.Minute
	if h.Version == k.told.Version && h.At.Sub(k.told.At) < often {
		return nil
	}
	body, err := json.Marshal(map[string]any{"version": version.String(), "policy": h.Version, "heard": h.At})
	if err == nil {
		err = k.do(ctx, request{method: "POST", path: "/v1/report", kind: "application/json", body: body})
	}
	if err == nil {
		k.told = h
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
func (k *Keeper) policy(ctx context.Context, kept []byte) ([]byte, error) {
	wait := cmp.Or(k.Wait, longPoll)
	if k.told.At.IsZero() {
		wait = 0 // the report comes after the answer: a new member is seen at once
	}
	ctx, cancel := context.WithTimeout(ctx, slowest+wait)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", k.member.Server+"/v1/policy?wait="+wait.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+k.member.Token)
	if kept != nil {
		r.Header.Set("If-None-Match", team.Tag(kept))
	}
	got, err := k.http.Do(r)
	if err != nil {
		return nil, &Later{Err: err}
	}
	defer got.Body.Close()
	text, err := io.ReadAll(io.LimitReader(got.Body, team.MaxPolicy+1))
	switch {
	case got.StatusCode == http.StatusNotModified && kept != nil, got.StatusCode == http.StatusNoContent:
		return nil, nil
	case got.StatusCode != http.StatusOK:
		return nil, refusal(got, text)
	case err != nil:
		return nil, &Later{Err: err}
	}
	return text, nil
}
