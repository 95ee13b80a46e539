//go:build unix

package daemon

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/llm"
)

const (
	// keyConcurrency is how many questions one key has under way at once.
	keyConcurrency = 8
	// longestRest bounds how long a key is left alone on a vendor's word.
	longestRest = 5 * time.Minute
	// hangs is how many questions in a row may get no answer in time before a
	// provider is left alone for hangRest: each of them costs its whole time.
	hangs    = 2
	hangRest = 30 * time.Second
)

// Limits are the limits of each key, whatever model it is used for.
type Limits struct {
	mu  sync.Mutex
	key map[[32]byte]*limit
}

// limit is one key's.
type limit struct {
	slots chan struct{}
	mu    sync.Mutex
	after time.Time // not asked before
	hung  int       // questions in a row that got no answer in time
	down  time.Time // fails at once before
}

// NewLimits returns limits of which no key has used anything.
func NewLimits() *Limits { return &Limits{key: map[[32]byte]*limit{}} }

// Bound returns m with the limits of the key that name stands for.
func (l *Limits) Bound(name string, m nod.Model) nod.Model {
	sum := sha256.Sum256([]byte(name)) // the key itself is not kept
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.key[sum] == nil {
		l.key[sum] = &limit{slots: make(chan struct{}, keyConcurrency)}
	}
	return bounded{l.key[sum], m}
}

type bounded struct {
	limit *limit
	model nod.Model
}

// Classify implements nod.Model.
func (b bounded) Classify(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
	if err := b.limit.enter(ctx); err != nil {
		return nod.Classification{}, err
	}
	defer func() { <-b.limit.slots }()
	if err := b.limit.rest(ctx); err != nil {
		return nod.Classification{}, err
	}
	if err := b.limit.hanging(); err != nil {
		return nod.Classification{}, err
	}
	c, err := b.model.Classify(ctx, p)
	b.limit.answered(err)
	if wait := llm.RetryAfter(err); wait > 0 {
		b.limit.leaveAlone(wait)
	}
	return c, err
}

func (l *limit) enter(ctx context.Context) error {
	select {
	case l.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return &fault.Error{Kind: fault.TimedOut,
			Message: fmt.Sprintf("%d questions with this key were under way, and none ended in time", keyConcurrency),
			Cause:   ctx.Err()}
	}
}

// rest waits until the key may be used again, if that leaves half of the time
// for the question.
func (l *limit) rest(ctx context.Context) error {
	l.mu.Lock()
	after := l.after
	l.mu.Unlock()
	wait := time.Until(after)
	if wait <= 0 {
		return nil
	}
	if deadline, ok := ctx.Deadline(); ok && wait > time.Until(deadline)/2 {
		return &fault.Error{Kind: fault.RateLimited,
			Message: fmt.Sprintf("the vendor wants this key to rest for another %s", wait.Round(time.Second))}
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return &fault.Error{Kind: fault.TimedOut, Message: "the vendor wants this key to rest", Cause: ctx.Err()}
	}
}

func (l *limit) leaveAlone(wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := time.Now().Add(min(wait, longestRest)); until.After(l.after) {
		l.after = until
	}
}

// hanging fails at once while a provider that gave no answer in time is left
// alone, so that a fallback, or the person, is asked without that wait.
func (l *limit) hanging() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if wait := time.Until(l.down); wait > 0 {
		return &fault.Error{Kind: fault.TimedOut,
			Message: fmt.Sprintf("the last %d questions got no answer in time, so none is put for another %s", hangs,
				wait.Round(time.Second))}
	}
	return nil
}

// answered notes whether a question got an answer in time.
func (l *limit) answered(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := fault.Of(err); f == nil || f.Kind != fault.TimedOut {
		l.hung = 0
		return
	}
	if l.hung++; l.hung >= hangs {
		l.hung, l.down = 0, time.Now().Add(hangRest)
	}
}
