package hang

import (
	"testing"
	"time"
)

func TestContextEndsAtTheLimit(t *testing.T) {
	if left, ok := Context(t).Deadline(); !ok || time.Until(left) > Limit() {
		t.Errorf("the context ends at %v, %v", left, ok)
	}
}

func TestGrow(t *testing.T) {
	for _, enough := range []time.Duration{1, 10, 100, 1000} {
		var tried []time.Duration
		failure := Grow(1, func(d time.Duration) string {
			if tried = append(tried, d); d < enough {
				return "too short"
			}
			return ""
		})
		if (failure == "") != (enough <= 100) || len(tried) > 3 || tried[len(tried)-1] != min(enough, 100) {
			t.Errorf("%d is enough: %q after %v", enough, failure, tried)
		}
	}
}

func TestUntilAndReceive(t *testing.T) {
	n, given := 0, make(chan int, 1)
	Until(t, "the third look", func() bool { n++; return n == 3 })
	given <- n
	if Receive(t, "a number", given) != 3 {
		t.Error("another number came")
	}
}
