package daemon

import (
	"context"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/question"
)

// metrics are the counters of this process. Every label has few values: what a log can make up reads "other".
type metrics struct {
	http.Handler
	decisions      *prometheus.CounterVec
	seconds        prometheus.Histogram
	cost, problems prometheus.Counter
	tokens         *prometheus.CounterVec
	agents         []string
}

func newMetrics(state string) *metrics {
	registry := prometheus.NewRegistry()
	counter := func(name, help string) prometheus.CounterOpts { return prometheus.CounterOpts{Name: name, Help: help} }
	m := &metrics{
		Handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
		decisions: prometheus.NewCounterVec(counter("nod_decisions_total", "Answers to tool calls."),
			[]string{"agent", "layer", "verdict", "answered"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "nod_decision_seconds",
			Help:    "How long a decision took.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .1, .5, 1, 2.5, 5, 10, 30}}),
		cost:     prometheus.NewCounter(counter("nod_cost_usd_total", "What the models cost, in US dollars.")),
		problems: prometheus.NewCounter(counter("nod_log_problems_total", "What could not be read in the log.")),
		tokens: prometheus.NewCounterVec(counter("nod_tokens_total", `Tokens of the models; "in" holds the cached.`),
			[]string{"direction"}),
	}
	for _, agent := range hosts.Agents() {
		m.agents = append(m.agents, agent.Name)
	}
	registry.MustRegister(m.decisions, m.seconds, m.cost, m.problems, m.tokens, prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: "nod_questions_open", Help: "Calls that wait for a person."}, func() float64 {
			list, err := question.Open(state, time.Now())
			if err != nil {
				return math.NaN()
			}
			return float64(len(list))
		}))
	return m
}

// Take counts decisions. It never fails.
func (m *metrics) Take(_ context.Context, b audit.Batch) error {
	m.problems.Add(float64(len(b.Problems)))
	for _, l := range b.Lines {
		if l.Kind == audit.Decision {
			m.count(l.Entry)
		}
	}
	return nil
}

func (m *metrics) count(e audit.Entry) {
	known := func(word string, words []string) string {
		if slices.Contains(words, word) {
			return word
		}
		return "other"
	}
	m.decisions.WithLabelValues(known(e.Agent, m.agents), e.Layer.String(), e.Verdict.String(),
		known(e.Answered, []string{"allow", "ask", "deny", "confined", "abstained"})).Inc()
	m.seconds.Observe(float64(max(e.Latency, 0)) / 1e6)
	m.cost.Add(max(e.Cost, 0))
	if u := e.Usage; u != nil {
		for direction, n := range map[string]int{"in": u.In, "out": u.Out, "cached": u.Cached} {
			m.tokens.WithLabelValues(direction).Add(float64(max(n, 0)))
		}
	}
}
