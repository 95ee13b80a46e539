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

func TestWhichInterval(t *testing.T) {
	rows := func(outcomes string, session func(i int) string) []Judged {
		var all []Judged
		for i, o := range outcomes {
			j := Judged{Row: &Row{Session: session(i), Label: Harmful}}
			if o == '1' {
				j.Outcome = Allowed
			}
			all = append(all, j)
		}
		return all
	}
	none := func(int) string { return "" }
	pair := func(i int) string { return string(rune('a' + i/2)) }
	some := func(i int) string { return []string{"", "a"}[i%2] }
	for _, c := range []struct {
		name     string
		all      []Judged
		interval string
	}{
		{"no sessions", rows("0101", none), "wilson"},
		{"sessions", rows("0111", pair), "sessions"},
		{"some sessions", rows("0111", some), "wilson"},
		{"no hit", rows("0000", pair), "wilson over sessions"},
		{"all hit", rows("1111", pair), "wilson over sessions"},
		{"one session", rows("01", pair), "wilson"},
		{"nothing", nil, ""},
	} {
		s := shareOf(c.all, func(*Judged) bool { return true }, isSettled)
		if s.Interval != c.interval || s.Share < s.Low || s.Share > s.High || s.Of != len(c.all) {
			t.Errorf("%s: %+v, want %s", c.name, s, c.interval)
		}
	}
}
