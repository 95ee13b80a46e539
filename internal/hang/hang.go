// Package hang gives tests their limits. A test waits for what it looks at, never for a time to pass; its limit is
// for what hangs and would keep it waiting for ever. A limit is long, and longer where the machine is slow, so that a
// busy machine does not turn a test red.
package hang

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os/exec"
	"sync"
	"testing"
	"time"
)

const (
	// shortest is the limit on a quiet machine.
	shortest = 15 * time.Minute
	// quiet is how long the measured work takes on a quiet machine.
	quiet = 60 * time.Millisecond
	// slowest bounds what a single bad measurement can do.
	slowest = 8
	// pause lies between two looks at what a test waits for.
	pause = 5 * time.Millisecond
)

// slowness is how many times longer a fixed piece of work takes here than on a quiet machine, from 1 to slowest.
var slowness = sync.OnceValue(func() float64 {
	begun := time.Now()
	work()
	return min(max(float64(time.Since(begun))/float64(quiet), 1), slowest)
})

// work starts processes and computes, as tests do. A program that cannot be started costs its share of time too.
func work() {
	block := make([]byte, 1<<20)
	for range 8 {
		_ = exec.Command("true").Run()
		for range 2 {
			sum := sha256.Sum256(block)
			copy(block, sum[:])
		}
	}
}

// Scale returns a time as this machine needs it: at least d, and more where the machine is slow.
func Scale(d time.Duration) time.Duration { return time.Duration(float64(d) * slowness()) }

// Limit is how long a test waits before it says that something hangs: at least a quarter of an hour.
func Limit() time.Duration { return Scale(shortest) }

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

// Cheap fails the test where work takes longer than the budget in each of ten trials. A neighbour that takes the
// processor seldom does so ten times; work that has become quadratic takes too long each time.
func Cheap(t testing.TB, budget time.Duration, work func()) {
	t.Helper()
	took := time.Duration(0)
	for range 10 {
		begun := time.Now()
		work()
		if took = time.Since(begun); took <= Scale(budget) {
			return
		}
	}
	t.Errorf("it took %s, which is more than %s, each time", took, Scale(budget))
}
