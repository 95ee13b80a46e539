//go:build unix

package daemon_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/daemon"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/llm"
)

// A vendor that wants a key to rest is not asked with it meanwhile, by any
// model of that key; another key goes on.
func TestAKeyThatMustRest(t *testing.T) {
	var requests atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer srv.Close()
	model, err := llm.New(llm.Options{Provider: llm.ProviderAnthropic, Endpoint: srv.URL, Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	limits := daemon.NewLimits()
	ask := func(key string) *fault.Error {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Second) // less than two rests
		defer cancel()
		_, err := limits.Bound(key, model).Classify(ctx, prompt("d"))
		return fault.Of(err)
	}
	if f := ask("one"); f.Kind != fault.RateLimited || llm.RetryAfter(f) != time.Minute {
		t.Fatalf("%v, rest %v", f, llm.RetryAfter(f))
	}
	for range 3 {
		if f := ask("one"); f.Kind != fault.RateLimited || !strings.Contains(f.Message, "to rest") {
			t.Errorf("%v", f)
		}
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests with a key that must rest", n)
	}
	ask("two")
	if n := requests.Load(); n != 2 {
		t.Errorf("another key was not asked: %d requests", n)
	}
}

// A short rest is waited for.
func TestAShortRestIsWaitedFor(t *testing.T) {
	if failure := hang.Grow(300*time.Millisecond, shortRest); failure != "" {
		t.Error(failure)
	}
}

// shortRest has a vendor ask for a rest, which is longer than its client has
// time for: so the failure reaches the limits.
func shortRest(rest time.Duration) (failure string) {
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After-Ms", strconv.FormatInt(rest.Milliseconds(), 10))
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer srv.Close()
	vendor, err := llm.New(llm.Options{Provider: llm.ProviderAnthropic, Endpoint: srv.URL, Key: "k",
		Timeout: rest * 2 / 3})
	if err != nil {
		return err.Error()
	}
	m := daemon.NewLimits().Bound("k", fake(func(ctx context.Context, q nod.Prompt) (nod.Classification, error) {
		if asked++; asked == 1 {
			return vendor.Classify(ctx, q)
		}
		return nod.Classification{Digest: q.Digest}, nil
	}))
	ctx, cancel := context.WithTimeout(context.Background(), hang.Limit())
	defer cancel()
	if _, err := m.Classify(ctx, prompt("d")); fault.Of(err).Kind != fault.RateLimited {
		return fmt.Sprintf("the vendor's wish for a rest: %v", err)
	}
	// Nobody waits longer than half of the time.
	short, end := context.WithTimeout(ctx, rest/2)
	defer end()
	if _, err := m.Classify(short, prompt("d")); fault.Of(err).Kind != fault.RateLimited || asked != 1 {
		return fmt.Sprintf("with half a rest's time: %v, asked %d times", err, asked)
	}
	start := time.Now()
	if _, err := m.Classify(ctx, prompt("d")); err != nil || asked != 2 {
		return fmt.Sprintf("after %v: %v, asked %d times", time.Since(start), err, asked)
	}
	return ""
}

// A provider that gave no answer in time, twice in a row, is left alone for a
// while: the next question fails at once.
func TestAProviderThatHangs(t *testing.T) {
	asked := 0
	m := daemon.NewLimits().Bound("k", fake(func(context.Context, nod.Prompt) (nod.Classification, error) {
		asked++
		return nod.Classification{}, &fault.Error{Kind: fault.TimedOut, Message: "no answer"}
	}))
	for range 4 {
		if _, err := m.Classify(context.Background(),
			prompt("d")); fault.Of(err) == nil || fault.Of(err).Kind != fault.TimedOut {
			t.Errorf("%v", err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}
