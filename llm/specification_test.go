package llm

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/testworld"
)

// TestRequestsObeyTheVendorsSpecification puts nod's own requests to Prism, which holds them to the vendor's OpenAPI
// specification (it answers 422 to what breaks it) and answers with a named example. NOD_TOOLS names the directory
// that Prism was installed in by npm.
func TestRequestsObeyTheVendorsSpecification(t *testing.T) {
	if os.Getenv("NOD_TOOLS") == "" {
		t.Skip("NOD_TOOLS is not set, so there is no Prism (npm @stoplight/prism-cli 5.14.2): skipped")
	}
	binary := filepath.Join(os.Getenv("NOD_TOOLS"), "node_modules", ".bin", "prism")
	if _, err := os.Stat(binary); err != nil {
		t.Fatalf("NOD_TOOLS is set and holds no Prism: %v", err)
	}
	for _, tc := range []struct {
		provider, spec, path string
		examples             map[string]fault.Kind // "" is an answer
	}{
		{ProviderAnthropic, "anthropic.json", "/v1/messages",
			map[string]fault.Kind{"block": "", "allow": "", "notool": fault.NoDecision}},
		{ProviderOpenAI, "openai-responses.json", "/responses",
			map[string]fault.Kind{"block": "", "allow": "", "garbage": fault.Malformed}},
	} {
		t.Run(tc.provider, func(t *testing.T) {
			spec := filepath.Join(sharedSpecs, tc.spec)
			if _, err := os.Stat(spec); err != nil {
				t.Skipf("../shared/specs/%s absent: skipped", tc.spec)
			}
			url := startPrism(t, binary, spec)
			for example, kind := range tc.examples {
				m := newModel(t, tc.provider, url,
					func(o *Options) { o.Headers = map[string]string{"Prefer": "example=" + example} })
				got, err := m.Classify(context.Background(), prompt)
				if kind != "" {
					checkFailure(t, kind, got, err)
				} else if err != nil || got.ShouldBlock != (example == "block") || got.Digest != prompt.Digest ||
					got.Reason == "" {
					t.Errorf("%s: %+v, %v", example, got, err)
				}
			}
			checkPrismRefuses(t, tc.provider, url, tc.path)
		})
	}
}

// checkPrismRefuses proves that a 200 says something: nod's own request with
// one field of the wrong type gets 422, by hand and by way of the model.
func checkPrismRefuses(t *testing.T, provider, url, path string) {
	t.Helper()
	var body []byte
	var header http.Header
	capture := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		header = r.Header.Clone()
		raw(200, classified(provider, allowInput))(w, r)
	})
	if _, err := newModel(t, provider, capture).Classify(context.Background(), prompt); err != nil {
		t.Fatal(err)
	}
	for broken, want := range map[string]int{"": 200, `"tools":"none"`: 422,
		`"tool_choice":{"type":"no such type"}`: 422, `"model":null`: 422} {
		sent := body
		if key, _, ok := strings.Cut(broken, ":"); ok {
			sent = []byte(strings.Replace(string(body), key+":", broken+`,"was_`+key[1:]+":", 1))
		}
		if bytes.Equal(sent, body) != (broken == "") {
			t.Fatalf("%s was not put in:\n%s", broken, body)
		}
		req, err := http.NewRequest("POST", url+path, bytes.NewReader(sent))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = header.Clone()
		req.Header.Set("Prefer", "example=allow")
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%q: Prism answered %d, want %d\n%.500s", broken, res.StatusCode, want, text)
		}
	}
}

// startPrism runs Prism on loopback until the test ends.
func startPrism(t *testing.T, binary, spec string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().(*net.TCPAddr)
	l.Close()
	cmd := exec.Command(binary, "mock", "--host", "127.0.0.1", "--port", fmt.Sprint(addr.Port), "--errors", spec)
	cmd.Env = testworld.Started(t.TempDir(), "NO_UPDATE_NOTIFIER=1")
	var said output
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() { cmd.Wait(); close(exited) }()
	t.Cleanup(func() { cmd.Process.Kill(); <-exited })
	hang.Until(t, "Prism's start", func() bool {
		select {
		case <-exited:
			t.Fatalf("Prism ended:\n%s", said.String())
		default:
		}
		conn, err := net.Dial("tcp", addr.String())
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return "http://" + addr.String()
}

// output collects what a process says while the test may look.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *output) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *output) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
