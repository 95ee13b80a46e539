// Package hang gives tests their limits. A test waits for what it looks at, never for a time to pass; its limit is
// for what hangs and would keep it waiting for ever. A limit is long, so that a busy machine does not turn a test red.
package hang

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/system"
)

const (
	// pause lies between two looks at what a test waits for.
	pause = 5 * time.Millisecond
	// slow is how much more than its budget work may take: caches are shared with a busy neighbour.
	slow = 8
)

// Limit is how long a test waits before it says that something hangs.
func Limit() time.Duration { return 8 * time.Minute }

// Context ends with the test, or at the limit.
func Context(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), Limit(), fmt.Errorf("it hangs: nothing within %s", Limit()))
	t.Cleanup(cancel)
	return ctx
}

// Until waits until done holds. The test fails at the limit; what says what it waited for.
func Until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(Limit()); !done(); time.Sleep(pause) {
		if time.Now().After(end) {
			t.Fatalf("it hangs: %s did not come within %s", what, Limit())
		}
	}
}

// Receive waits for a value, or for the channel to be closed.
func Receive[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(Limit()):
		t.Fatalf("it hangs: %s did not come within %s", what, Limit())
		panic("not reached")
	}
}

// Grow is for a test of a deadline, which has to let some of it pass. It tries with first, and with ten and a hundred
// times as long where a slow machine may be why the trial failed. A fault fails each time. It returns what the last
// trial said, "" if it succeeded.
func Grow(first time.Duration, trial func(time.Duration) (failure string)) (failure string) {
	for _, times := range []time.Duration{1, 10, 100} {
		if failure = trial(times * first); failure == "" {
			return ""
		}
	}
	return failure
}

// Cheap fails the test where work takes this process much more of the processor than the budget in each of ten
// trials: time that others have the processor does not count. Work that has become quadratic takes too much each time.
func Cheap(t testing.TB, budget time.Duration, work func()) {
	t.Helper()
	took := time.Duration(0)
	for range 10 {
		begun := system.Processor()
		work()
		if took = system.Processor() - begun; took <= slow*budget {
			return
		}
	}
	t.Errorf("it took %s of the processor, which is more than %s, each time", took, slow*budget)
}
