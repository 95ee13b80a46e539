//go:build unix

package daemon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collogs "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"

	"github.com/google/go-cmp/cmp"
	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/daemon"
	"github.com/nodgate/nod/internal/hang"
)

// collector is an OpenTelemetry collector on loopback. Every third request finds it busy.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	requests int
	headers  []string
	records  []map[string]string
	spans    []map[string]string
	came     chan int // how many records are there
}

func newCollector(t *testing.T) *collector {
	c := &collector{came: make(chan int, 1000)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.headers = append(c.headers, r.Header.Get("X-Team"))
	c.requests++
	switch c.requests % 3 {
	case 1:
		http.Error(w, "busy", http.StatusServiceUnavailable) // the exporter tries again
		return
	case 2:
		http.Error(w, "broken", http.StatusInternalServerError) // it does not, so the daemon does
		return
	}
	var logs collogs.ExportLogsServiceRequest
	var spans coltrace.ExportTraceServiceRequest
	switch {
	case r.URL.Path == "/v1/logs" && proto.Unmarshal(body, &logs) == nil:
		for _, of := range logs.ResourceLogs {
			for _, record := range of.ScopeLogs[0].LogRecords {
				c.records = append(c.records, values(record.Attributes, "body", record.Body.GetStringValue(),
					"severity", record.SeverityText, "service", values(of.Resource.Attributes)["service.name"],
					"span", fmt.Sprintf("%x", record.SpanId)))
			}
		}
		c.came <- len(c.records)
	case r.URL.Path == "/v1/traces" && proto.Unmarshal(body, &spans) == nil:
		for _, span := range spans.ResourceSpans[0].ScopeSpans[0].Spans {
			c.spans = append(c.spans, values(span.Attributes, "name", span.Name, "span", fmt.Sprintf("%x", span.SpanId),
				"schema", spans.ResourceSpans[0].ScopeSpans[0].SchemaUrl, "status", span.Status.GetCode().String(),
				"took", fmt.Sprint(time.Duration(span.EndTimeUnixNano-span.StartTimeUnixNano))))
		}
	default:
		http.NotFound(w, r)
	}
}

func values(list []*common.KeyValue, more ...string) map[string]string {
	m := map[string]string{}
	for _, one := range list {
		text := fmt.Sprint(one.Value)
		m[one.Key] = strings.Trim(text[strings.Index(text, ":")+1:], `"`)
	}
	for i := 0; i < len(more); i += 2 {
		m[more[i]] = more[i+1]
	}
	return m
}

// said is what the daemon says.
type said chan string

func (s said) Write(p []byte) (int, error) {
	s <- string(p)
	return len(p), nil
}

// start runs the daemon until stop.
func start(t *testing.T, o daemon.Options) (out said, stop func()) {
	t.Helper()
	out = make(said, 1000)
	o.Stderr, o.Every, o.Retry = out, time.Millisecond, time.Millisecond
	o.Places.UID = uint32(os.Geteuid()) // without it root alone could own the settings
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- daemon.Run(ctx, o) }()
	return out, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// writer returns a function that writes a decision and returns its id. The log is rotated often.
func writer(t *testing.T, state string) func(audit.Entry) string {
	l, err := audit.Open(state)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	n := 0
	l.MaxBytes = 4000
	return func(e audit.Entry) string {
		n++
		e.Kind, e.ID = audit.Decision, fmt.Sprint("d", n)
		if err := l.Write(e); err != nil {
			t.Fatal(err)
		}
		return e.ID
	}
}

func some(agent string) audit.Entry {
	return audit.Entry{Agent: agent, Session: "s1", RawTool: "Bash", Tool: "bash", Answered: "deny", Verdict: nod.Deny,
		Layer: nod.LayerModel, Reason: "it pushes", Input: json.RawMessage(`{"command":"git push --force"}`),
		Latency: 1500, Model: "claude-haiku-4-5", Usage: &nod.Usage{In: 900, Out: 50, Cached: 100}, Cost: 0.001}
}

// The collector gets each decision once, though it is often busy, the log is rotated and the daemon is started anew.
func TestEachDecisionOnce(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "X-Team=blue")
	t.Setenv("OTEL_SERVICE_NAME", "gate")
	state, c := filepath.Join(t.TempDir(), "state"), newCollector(t)
	write := writer(t, state)
	write(some("codex")) // before the first start
	o := daemon.Options{State: state, OTLP: c.URL}
	_, stop := start(t, o)
	stop() // it keeps where the log ended
	var want []string
	for range 3 {
		want = append(want, write(some("codex"))) // nobody follows
		_, stop = start(t, o)
		for range 10 {
			want = append(want, write(some("codex")))
		}
		for n := 0; n < len(want); n = <-c.came {
		}
		stop()
	}
	failed := some("codex")
	failed.Error = &audit.Error{Kind: fault.TimedOut, Message: "no answer"}
	want = append(want, write(failed), write(some("codex")))
	_, stop = start(t, o)
	for n := 0; n < len(want); n = <-c.came {
	}
	stop()
	var got []string
	for _, r := range c.records {
		got = append(got, r["nod.decision.id"])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	last := c.records[len(c.records)-1]
	for key, want := range map[string]string{"nod.verdict": "deny", "nod.agent": "codex", "severity": "WARN",
		"body": "deny: it pushes", "service": "gate", "gen_ai.tool.name": "Bash", "nod.input": ""} {
		if last[key] != want {
			t.Errorf("%s is %q, not %q", key, last[key], want)
		}
	}
	if len(last["nod.input.sha256"]) != 64 || slices.Contains(c.headers, "") {
		t.Error(last, c.headers)
	}
	span := c.spans[len(c.spans)-1]
	if diff := cmp.Diff(map[string]string{"name": "chat claude-haiku-4-5", "schema": "https://opentelemetry.io/schemas/1.41.0",
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "anthropic", "gen_ai.request.model": "claude-haiku-4-5",
		"gen_ai.usage.input_tokens": "900", "gen_ai.usage.output_tokens": "50",
		"gen_ai.usage.cache_read.input_tokens": "100", "gen_ai.conversation.id": "s1", "took": "1.5ms", "nod.cost_usd": "0.001",
		"nod.decision.id": last["nod.decision.id"], "nod.agent": "codex", "nod.verdict": "deny", "nod.answered": "deny",
		"nod.layer": "model", "status": "STATUS_CODE_UNSET", "span": last["span"]}, span); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(c.spans) != len(want) || !strings.Contains(fmt.Sprint(c.spans), "error.type:timed_out") {
		t.Errorf("%d spans", len(c.spans))
	}
}

// scrape reads the metrics, by another name where host is not "".
func scrape(t *testing.T, address, host string) string {
	t.Helper()
	req, err := http.NewRequest("GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return string(text)
}

func TestMetrics(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	write := writer(t, state)
	o := daemon.Options{State: state, Metrics: "127.0.0.1:0"}
	_, stop := start(t, o)
	stop() // it keeps where the log ended
	write(some("claude-code"))
	for i := range 20 {
		e := some(fmt.Sprint("made up ", i))
		e.Answered = e.Agent
		write(e)
	}
	out, stop := start(t, o)
	defer stop()
	address := strings.TrimSpace(strings.TrimPrefix(<-out, "nod-serve: metrics at "))
	for _, want := range []string{
		`nod_decisions_total{agent="claude-code",answered="deny",layer="model",verdict="deny"} 1`,
		`nod_decisions_total{agent="other",answered="other",layer="model",verdict="deny"} 20`,
		`nod_decision_seconds_bucket{le="0.001"} 0`, `nod_decision_seconds_bucket{le="0.0025"} 21`,
		`nod_tokens_total{direction="in"} 18900`, `nod_questions_open 0`, `nod_log_problems_total 0`,
		`nod_cost_usd_total 0.021`,
	} { // each is gathered by itself, while lines are counted
		hang.Until(t, want, func() bool { return strings.Contains(scrape(t, address, ""), want) })
	}
	if got := scrape(t, address, "evil.example:9464"); got != "not by this name\n" {
		t.Errorf("by another name: %s", got)
	}
	if err := daemon.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "another daemon") {
		t.Errorf("a second one: %v", err)
	}
}

func TestRefused(t *testing.T) {
	for args, want := range map[string]string{
		"":                               "nothing to do",
		"--metrics 0.0.0.0:9464":         "add --remote",
		"--metrics :9464":                "add --remote",
		"--metrics example.org:9464":     "add --remote",
		"--metrics 9464":                 "missing port",
		"--otlp 127.0.0.1:4318":          "want a URL",
		"--otlp http://127.0.0.1:1 more": `unexpected "more"`,
	} {
		var out bytes.Buffer
		code := daemon.Main(t.Context(), append([]string{"--state", t.TempDir()}, strings.Fields(args)...), &out)
		if code != 2 || !strings.Contains(out.String(), want) || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%s: %d %s", args, code, &out)
		}
	}
}
