package hook_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/daemon"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/resident"
	"github.com/nodgate/nod/llm"
)

// atOnce is a vendor whose model answers at once.
func atOnce(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"id":"m","type":"message","role":"assistant","model":"claude-haiku-4-5-20251001","stop_reason":"tool_use","stop_sequence":null,`+
		`"content":[{"type":"tool_use","id":"t","name":"classify_result","input":{"thinking":"","should_block":false,"reason":"fine"}}],"usage":{"input_tokens":5000,"output_tokens":20}}`)
}

// warmPlace is a place with a daemon, a process, that asks atOnce.
func warmPlace(t testing.TB) (*place, *httptest.Server) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(atOnce))
	t.Cleanup(srv.Close)
	p := newPlace(t)
	p.options.Nod = p.home + "/nod"
	p.write(p.options.Nod, fallback+strings.TrimPrefix(classification("false", ""), "#!/bin/sh\n"))
	chmodTo(t, p.options.Nod)
	p.write(p.home+"/key", "sk-1\n")
	p.settings(fmt.Sprintf("[model]\nprovider = \"anthropic\"\nendpoint = %q\nkey_file = %q\n", srv.URL, p.home+"/key"))
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "serve", p.options.Places.User, p.options.Places.State, p.options.Nod)
	cmd.Env, cmd.Stderr = []string{"HOME=" + p.home}, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Signal(syscall.SIGTERM); cmd.Wait() })
	p.awaitDaemon(0)
	return p, srv
}

// serveFor is what the test binary does as a daemon.
func serveFor(args []string) int {
	places := config.DefaultPlaces(os.Getenv("HOME"))
	places.User, places.Managed, places.State = args[0], "", args[1]
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	err := daemon.Run(ctx, daemon.Options{Places: places, Program: args[2], Build: func(s config.Settings, limits *daemon.Limits) (nod.Model, error) {
		m, err := llm.New(llm.Options{Provider: s.Model.Provider, Endpoint: s.Model.Endpoint, Key: "sk-1", MaxTokens: s.Model.MaxTokens})
		return limits.Bound("sk-1", m), err
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func chmodTo(t testing.TB, name string) {
	t.Helper()
	if err := os.Chmod(name, 0o700); err != nil {
		t.Fatal(err)
	}
}

// Two hundred sessions at once: no call meets an error, and the daemon answers
// but for what a busy machine keeps from it, which nod classify does.
func TestManySessionsAtOnce(t *testing.T) {
	p, _ := warmPlace(t)
	const sessions, calls = 200, 3
	var wg sync.WaitGroup
	for n := range sessions {
		wg.Go(func() {
			for i := range calls {
				payload := bytes.Replace(p.bash(fmt.Sprintf("npm publish --tag v%d", i)), []byte(`"session_id":"s1"`), fmt.Appendf(nil, `"session_id":"s%d"`, n), 1)
				a := hook.Answer(context.Background(), p.options, bytes.NewReader(payload))
				if !strings.Contains(string(a.Stdout), `"allow"`) || a.Exit != 0 {
					t.Errorf("session %d: %s%s", n, a.Stdout, a.Stderr)
				}
			}
		})
	}
	wg.Wait()
	_, status, err := resident.Say(p.options.Places.State, resident.Status)
	otherwise := p.asked()
	if err != nil || !strings.Contains(string(status), fmt.Sprintf(`"requests":%d,"failures":0,`, sessions*calls-otherwise)) || otherwise > sessions*calls/2 {
		t.Errorf("%s, %v; %d by nod classify", status, err, otherwise)
	}
	t.Logf("%d calls of %d sessions, %d of them by nod classify", sessions*calls, sessions, otherwise)
	if entries := p.log(); len(entries) != 2*sessions*calls {
		t.Errorf("%d lines in the log", len(entries))
	}
}

// What nod adds to one question: a whole answer of the hook over the daemon,
// but for the start of its process, against the bare SDK call of the same
// size, by turns.
func BenchmarkWarmDecision(b *testing.B) {
	p, srv := warmPlace(b)
	bare := bareCall(b, srv.URL)
	var alone, whole []time.Duration
	n := 0
	for b.Loop() {
		start := time.Now()
		bare()
		alone = append(alone, time.Since(start))
		n++
		payload := p.bash(fmt.Sprintf("npm publish --tag v%d", n))
		start = time.Now()
		a := hook.Answer(context.Background(), p.options, bytes.NewReader(payload))
		whole = append(whole, time.Since(start))
		if !strings.Contains(string(a.Stdout), `"allow"`) {
			b.Fatalf("%s%s", a.Stdout, a.Stderr)
		}
	}
	b.ReportMetric(median(alone), "bare-ms")
	b.ReportMetric(median(whole), "nod-ms")
	b.ReportMetric(median(whole)-median(alone), "overhead-ms")
}

func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Microseconds()) / 1000
}

// bareCall is the vendor's SDK asked directly, with a prompt as long as nod's.
func bareCall(b *testing.B, url string) func() {
	service := anthropic.NewMessageService(option.WithAPIKey("sk-1"), option.WithBaseURL(url), option.WithMaxRetries(0), option.WithoutOpenTelemetry(), option.WithHTTPClient(&http.Client{Transport: &http.Transport{}}))
	params := anthropic.MessageNewParams{
		Model: llm.DefaultAnthropicModel, MaxTokens: 1024,
		System:     []anthropic.TextBlockParam{{Text: strings.Repeat("policy ", 3500)}},
		Messages:   []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("npm publish"))},
		Tools:      []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: nod.ToolName, InputSchema: param.Override[anthropic.ToolInputSchemaParam](nod.ToolSchema())}}},
		ToolChoice: anthropic.ToolChoiceUnionParam{OfTool: &anthropic.ToolChoiceToolParam{Name: nod.ToolName}},
	}
	return func() {
		if _, err := service.New(context.Background(), params); err != nil {
			b.Fatal(err)
		}
	}
}
