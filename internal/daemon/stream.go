package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/team/client"
)

// sink takes lines. After an error it is given the same batch again.
type sink interface {
	Take(ctx context.Context, b audit.Batch) error
}

// stream hands the log to a sink.
type stream struct {
	Options
	name    string
	to      sink
	kept    *places
	place   audit.Place  // what stands before it was taken
	waiting *audit.Batch // nil: all that was read was taken
	said    string       // the last fault
	failed  int          // how often in a row
}

// follow hands the log to the sinks until ctx ends. A new sink begins at the end of the log.
func (o Options) follow(ctx context.Context, sinks map[string]sink) error {
	kept, err := openPlaces(o.State)
	if err != nil {
		return err
	}
	for name := range sinks {
		if _, known := kept.At[name]; known {
			continue
		}
		end, err := audit.End(o.State)
		if member, is := sinks[name].(*shipper); is {
			end = audit.Place{Since: member.joined}
		}
		if err = errors.Join(err, kept.keep(name, end)); err != nil {
			return err
		}
	}
	var all sync.WaitGroup
	for name, to := range sinks {
		s := &stream{Options: o, name: name, to: to, kept: kept, place: kept.At[name]}
		all.Go(func() { s.run(ctx) })
	}
	all.Wait()
	return nil
}

// run hands on what comes until ctx ends, and then what is left.
func (s *stream) run(ctx context.Context) {
	const grace = 5 * time.Second
	work, stop := context.WithCancel(context.WithoutCancel(ctx)) // what is under way is not broken off at once
	defer stop()
	context.AfterFunc(ctx, func() { time.AfterFunc(grace, stop) })
	more, err := true, error(nil)
	for ctx.Err() == nil {
		more, err = s.step(work)
		pause := cmp.Or(s.Every, 500*time.Millisecond)
		switch s.say(err); {
		case more:
			continue
		case err != nil:
			pause = client.Pause(err, s.failed, cmp.Or(s.Retry, 5*time.Second))
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	// A batch of which a part was taken is tried a few times more: the next start would send that part again.
	for tries := 0; (more || err != nil || tries == 0) && tries < 5 && work.Err() == nil; s.say(err) {
		if more, err = s.step(work); !more {
			tries++
		}
	}
}

// step hands on one batch. more: there may be another one.
func (s *stream) step(ctx context.Context) (more bool, err error) {
	if s.waiting == nil {
		b, err := audit.After(s.State, s.place)
		if err != nil || b.Place == s.place && len(b.Problems) == 0 { // a batch of old lines moves the place
			return false, err
		}
		s.waiting = &b
	}
	if err := s.to.Take(ctx, *s.waiting); err != nil {
		return false, fmt.Errorf("not taken yet, and kept for later: %w", err)
	}
	problems := errors.Join(s.waiting.Problems...)
	s.place, s.waiting = s.waiting.Place, nil
	return true, errors.Join(s.kept.keep(s.name, s.place), problems)
}

// say tells of a fault once.
func (s *stream) say(err error) {
	before := s.said
	if s.said = ""; err == nil {
		s.failed = 0
		return
	}
	s.failed++
	if s.said = printable.Line(err.Error(), 300); s.said != before {
		fmt.Fprintf(s.Stderr, "nod-serve: %s: %s\n", s.name, s.said)
	}
}

// places are the sinks' places, as they stand in STATE/daemon.json.
type places struct {
	name    string
	mu      sync.Mutex
	Version int                    `json:"v"`
	At      map[string]audit.Place `json:"places"`
}

func openPlaces(state string) (*places, error) {
	p := &places{name: filepath.Join(state, "daemon.json"), Version: 1, At: map[string]audit.Place{}}
	text, err := lines.Read(p.name, 64<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	if err != nil || p.Version != 1 || p.At == nil {
		return nil, fmt.Errorf("%s cannot be used (%v); remove it to begin at the end of the log", p.name, err)
	}
	return p, nil
}

// keep writes that a sink has taken all before a place.
func (p *places) keep(name string, at audit.Place) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.At[name] = at
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return lines.Replace(p.name, append(text, '\n'), 0o600, -1)
}
