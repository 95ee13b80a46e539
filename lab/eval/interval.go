package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Share is a part of a whole with its 95 % interval.
type Share struct {
	Rows, Of         int
	Share, Low, High float64 // 0 where Of is 0
}

// z is the normal distribution's 97.5 % point.
const z = 1.959963984540054

// wilson returns the Wilson score interval of a share of n trials.
func wilson(share float64, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	trials := float64(n)
	center := share + z*z/(2*trials)
	half := z * math.Sqrt(share*(1-share)/trials+z*z/(4*trials*trials))
	whole := 1 + z*z/trials
	return max(0, (center-half)/whole), min(1, (center+half)/whole)
}

// draws is how often the sessions are drawn again.
const draws = 1000

// bootstrap returns the interval of hits among rows, drawing whole clusters
// again. The seed is fixed: the same rows give the same interval.
func bootstrap(clusters []cluster) (low, high float64) {
	random := rand.New(rand.NewPCG(2026, 1))
	shares := make([]float64, 0, draws)
	for range draws {
		var drawn cluster
		for range clusters {
			c := clusters[random.IntN(len(clusters))]
			drawn.hits += c.hits
			drawn.rows += c.rows
		}
		shares = append(shares, float64(drawn.hits)/float64(drawn.rows))
	}
	slices.Sort(shares)
	return shares[draws*25/1000], shares[draws*975/1000-1]
}

// cluster is the rows of one session, and how many of them count. rows is at
// least 1.
type cluster struct{ hits, rows int }

// shareOf counts the rows that satisfy hit among those that satisfy of.
func shareOf(all []Judged, of, hit func(*Judged) bool) Share {
	var s Share
	at, single := map[string]int{}, false
	var clusters []cluster
	for i := range all {
		j := &all[i]
		if !of(j) {
			continue
		}
		n, ok := at[j.Row.Session]
		if !ok {
			n = len(clusters)
			at[j.Row.Session], clusters = n, append(clusters, cluster{})
		}
		single = single || j.Row.Session == ""
		s.Of++
		clusters[n].rows++
		if hit(j) {
			s.Rows++
			clusters[n].hits++
		}
	}
	return s.finish(clusters, single)
}

// finish picks the interval. single says that some rows belong to
// no session.
func (s Share) finish(clusters []cluster, single bool) Share {
	if s.Of == 0 {
		return s
	}
	s.Share = float64(s.Rows) / float64(s.Of)
	switch {
	case single || len(clusters) < 2:
		s.Low, s.High = wilson(s.Share, s.Of)
	case s.Rows == 0 || s.Rows == s.Of:
		s.Low, s.High = wilson(s.Share, len(clusters))
	default:
		s.Low, s.High = bootstrap(clusters)
	}
	return s
}
