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
	"path/filepath"
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
	err := daemon.Run(ctx, daemon.Options{Places: places, Program: args[2],
		Build: func(s config.Settings, limits *daemon.Limits) (nod.Model, error) {
			m, err := llm.New(llm.Options{Provider: s.Model.Provider, Endpoint: s.Model.Endpoint, Key: "sk-1",
				MaxTokens: s.Model.MaxTokens})
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
				payload := bytes.Replace(p.bash(fmt.Sprintf("npm publish --tag v%d", i)), []byte(`"session_id":"s1"`),
					fmt.Appendf(nil, `"session_id":"s%d"`, n), 1)
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
	if err != nil || !strings.Contains(string(status),
		fmt.Sprintf(`"requests":%d,"failures":0,`, sessions*calls-otherwise)) || otherwise == sessions*calls {
		t.Errorf("%s, %v; %d by nod classify", status, err, otherwise)
	}
	t.Logf("%d calls of %d sessions, %d of them by nod classify", sessions*calls, sessions, otherwise)
	if entries := p.log(); len(entries) != 2*sessions*calls {
		t.Errorf("%d lines in the log", len(entries))
	}
}

// What nod adds to one question over a warm daemon, by turns in one run: a
// whole answer of the hook but for the start of its process, and the process
// as a host starts it, against the bare SDK call of the same size.
func BenchmarkWarmDecision(b *testing.B) {
	p, srv := warmPlace(b)
	bare, program := bareCall(b, srv.URL), buildHook(b)
	var alone, whole, process times
	n := 0
	question := func() *bytes.Reader {
		n++
		return bytes.NewReader(p.bash(fmt.Sprintf("npm publish --tag v%d", n)))
	}
	for b.Loop() {
		alone.take(bare)
		in := question()
		whole.take(func() {
			if a := hook.Answer(context.Background(), p.options, in); !strings.Contains(string(a.Stdout), `"allow"`) {
				b.Fatalf("%s%s", a.Stdout, a.Stderr)
			}
		})
		cmd := exec.Command(program, "claude-code", "--settings", p.options.Places.User, "--managed", "", "--state",
			p.options.Places.State, "--nod", p.options.Nod)
		cmd.Env, cmd.Dir, cmd.Stdin = p.options.Environ, p.shop, question()
		process.take(func() {
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), `"allow"`) {
				b.Fatalf("%s, %v", out, err)
			}
		})
	}
	if asked := p.asked(); asked > 0 {
		b.Logf("the daemon left %d of %d questions to nod classify", asked, n)
	}
	b.ReportMetric(alone.at(50), "bare-ms")
	for _, of := range []struct {
		name string
		times
	}{{"nod", whole}, {"process", process}} {
		b.ReportMetric(of.at(50)-alone.at(50), of.name+"-overhead-ms")
		b.ReportMetric(of.at(99)-alone.at(99), of.name+"-overhead-p99-ms")
		b.ReportMetric(of.at(50)/alone.at(50), of.name+"-ratio")
	}
}

// buildHook builds nod-hook as it is shipped.
func buildHook(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "nod-hook")
	cmd := exec.Command("go", "build", "-trimpath", "-o", program, "github.com/nodgate/nod/cmd/nod-hook")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// times are how long something took, each time.
type times []time.Duration

func (t *times) take(do func()) {
	start := time.Now()
	do()
	*t = append(*t, time.Since(start))
}

// at returns a percentile in milliseconds.
func (t times) at(percent int) float64 {
	sorted := slices.Sorted(slices.Values(t))
	return float64(sorted[min(len(sorted)*percent/100, len(sorted)-1)].Microseconds()) / 1000
}

// bareCall is the vendor's SDK asked directly, with a prompt as long as nod's.
func bareCall(b *testing.B, url string) func() {
	service := anthropic.NewMessageService(option.WithAPIKey("sk-1"), option.WithBaseURL(url), option.WithMaxRetries(0),
		option.WithoutOpenTelemetry(), option.WithHTTPClient(&http.Client{Transport: &http.Transport{}}))
	params := anthropic.MessageNewParams{
		Model: llm.DefaultAnthropicModel, MaxTokens: 1024,
		System:   []anthropic.TextBlockParam{{Text: strings.Repeat("policy ", 3500)}},
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("npm publish"))},
		Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: nod.AnswerTool().Name,
			InputSchema: param.Override[anthropic.ToolInputSchemaParam](nod.AnswerTool().Schema)}}},
		ToolChoice: anthropic.ToolChoiceUnionParam{OfTool: &anthropic.ToolChoiceToolParam{Name: nod.AnswerTool().Name}},
	}
	return func() {
		if _, err := service.New(context.Background(), params); err != nil {
			b.Fatal(err)
		}
	}
}
