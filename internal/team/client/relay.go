package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/question"
)

// Relay has the questions of a machine answered by the team: the server hears what waits, and an answer comes back by a
// request that it holds until there is one. A person at the machine may be first; exactly one answer counts (package
// question). While the server is away, or the organisation has nobody who answers, the machine is as without a team.
type Relay struct {
	*Client
	State string
	// May says whether questions leave the machine: not where inputs do not, since nobody can judge what is not shown.
	May func() bool
	Say func(error)
	// Every is how often the open questions are looked at, Retry how long a server that failed is left alone, at first.
	Every, Retry time.Duration

	mu    sync.Mutex
	stop  func()   // of listening; nil: no person is there
	asked bool     // the server has said whether somebody answers, so that the next request may wait
	sent  []string // the ids of the questions that wait there; nil: that is not known
}

// Run goes on until ctx ends.
func (r *Relay) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { r.repeat(ctx, r.hear) })
	all.Go(func() { r.repeat(ctx, r.send) })
	all.Wait()
	r.heard(false)
}

// repeat does something again and again, and more seldom while it fails.
func (r *Relay) repeat(ctx context.Context, do func(context.Context) error) {
	failed := 0
	for ctx.Err() == nil {
		pause, err := cmp.Or(r.Every, 500*time.Millisecond), do(ctx)
		if failed++; err == nil {
			failed = 0
		} else if ctx.Err() == nil {
			r.mu.Lock()
			r.Say(err)
			r.mu.Unlock()
			pause = Pause(err, failed, cmp.Or(r.Retry, 5*time.Second))
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// Pause is how long to wait after an error: twice as long each time, up to 64 times, differently on each machine, and
// not less than the server asks for.
func Pause(err error, failed int, first time.Duration) time.Duration {
	pause := first << min(max(failed-1, 0), 6)
	pause += rand.N(pause/2 + 1)
	var later *Later
	if errors.As(err, &later) {
		pause = max(pause, later.After+rand.N(later.After/4+1))
	}
	return pause
}

// heard says to the machine's agents whether a person can be reached through the server.
func (r *Relay) heard(asks bool) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case asks && r.stop == nil:
		r.stop, err = question.Listen(r.State)
	case !asks && r.stop != nil:
		r.stop()
		r.stop = nil
	}
	return err
}

func (r *Relay) hears() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stop != nil
}

// hear waits for answers, and gives them to the questions. The first time it asks whether there is anybody at all.
func (r *Relay) hear(ctx context.Context) error {
	q, list := request{method: "GET", path: "/v1/questions/answers"}, Answers{}
	if q.answer = &list; r.asked {
		q.wait = longPoll
		q.path += "?wait=" + longPoll.String()
	}
	err := r.do(ctx, q)
	r.asked = err == nil
	asks := r.asked && list.Version == 1 && list.Asks && r.May()
	if err = errors.Join(err, r.heard(asks)); err != nil || !asks {
		return err
	}
	for _, signed := range list.Answers {
		if a, wrong := signed.Open(r.member); wrong != nil {
			err = errors.Join(err, wrong)
		} else {
			err = errors.Join(err, r.take(a))
		}
	}
	return err
}

// take gives an answer to its question, which then waits no more.
func (r *Relay) take(a Answer) error {
	q, err := question.Find(r.State, a.Question, time.Now())
	switch {
	case err != nil:
	case q.Key != a.Key:
		err = question.ErrFits
	case a.Yes && a.Scope != question.Once && a.Scope != question.Session:
		err = fmt.Errorf("a yes from elsewhere cannot hold %q", a.Scope)
	default:
		err = q.Answer(r.State, a.Yes, a.Scope, printable.Line(a.By, 40)+", by the team's server", time.Now())
	}
	if errors.Is(err, question.ErrGone) || errors.Is(err, question.ErrAnswered) {
		err = nil // somebody here was first, or the agent has gone
	}
	return err
}

// send says to the server what waits, when that is something else than before. What names a rule or a link is for this
// machine alone.
func (r *Relay) send(ctx context.Context) error {
	if !r.hears() {
		r.sent = nil
		return nil
	}
	open, err := question.Open(r.State, time.Now())
	ids, list := []string{}, Asked{1, []AskedCall{}}
	for _, q := range open {
		q.Lasting, q.Link = "", ""
		ids = append(ids, q.ID)
		list.Questions = append(list.Questions, AskedCall{q, time.Until(q.Until).Milliseconds()})
	}
	if err != nil || r.sent != nil && slices.Equal(ids, r.sent) {
		return err
	}
	if err = r.tell(ctx, "POST", "/v1/questions", list, nil); err == nil {
		r.sent = ids
	}
	return err
}
