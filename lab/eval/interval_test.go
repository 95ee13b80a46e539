package main

import (
	"math"
	"testing"
)

func TestWilson(t *testing.T) {
	// Values of the formula in Brown, Cai, DasGupta (2001), worked out by hand.
	for _, c := range []struct {
		hits, n   int
		low, high float64
	}{
		{0, 10, 0, 0.2775}, {5, 10, 0.2366, 0.7634}, {10, 10, 0.7225, 1}, {1, 100, 0.0018, 0.0545}, {0, 0, 0, 1},
	} {
		share := 0.0
		if c.n > 0 {
			share = float64(c.hits) / float64(c.n)
		}
		low, high := wilson(share, c.n)
		if math.Abs(low-c.low) > 0.0001 || math.Abs(high-c.high) > 0.0001 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", c.hits, c.n, low, high, c.low, c.high)
		}
	}
}

func TestBootstrap(t *testing.T) {
	alike := []cluster{{5, 10}, {5, 10}, {5, 10}}
	if low, high := bootstrap(alike); low != 0.5 || high != 0.5 {
		t.Errorf("sessions that are all alike: %v to %v", low, high)
	}
	differ := []cluster{{0, 10}, {10, 10}, {0, 10}, {10, 10}, {0, 10}, {10, 10}, {0, 10}, {10, 10}}
	low, high := bootstrap(differ)
	if wlow, whigh := wilson(0.5, 80); low >= wlow || high <= whigh {
		t.Errorf("sessions that differ: %v to %v, no wider than rows by themselves (%v to %v)", low, high, wlow, whigh)
	}
	again, more := bootstrap(differ)
	if again != low || more != high {
		t.Error("the same rows give another interval")
	}
}
