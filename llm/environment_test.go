package llm

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// childVariable makes the test binary ask one question and print the outcome:
// much of the environment is read once in a process's life.
const childVariable = "NOD_TEST_ASK"

type outcome struct {
	Kind    fault.Kind
	Message string
	Blocked bool
}

func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(childVariable); ok {
		askAsChild(text)
		return
	}
	os.Exit(m.Run())
}

func askAsChild(text string) {
	var o Options
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	var out outcome
	model, err := New(o)
	if err == nil {
		var c nod.Classification
		c, err = model.Classify(context.Background(), prompt)
		out.Blocked = c.ShouldBlock
	}
	if f := fault.Of(err); f != nil {
		out.Kind, out.Message = f.Kind, f.Error()
	}
	json.NewEncoder(os.Stdout).Encode(out)
}

// askInChild asks in a process with these variables and nothing else.
func askInChild(t *testing.T, o Options, environ []string) (got outcome, stderr string) {
	t.Helper()
	text, err := json.Marshal(struct { // Notice is a function
		Provider, Model, Endpoint, Region, APIVersion, Key, Proxy, CAFile string
		Timeout                                                           time.Duration
	}{o.Provider, o.Model, o.Endpoint, o.Region, o.APIVersion, o.Key, o.Proxy, o.CAFile, o.Timeout})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(slices.Clone(environ), childVariable+"="+string(text))
	var errors strings.Builder
	cmd.Stderr = &errors
	stdout, err := cmd.Output()
	if err != nil || json.Unmarshal(stdout, &got) != nil {
		t.Fatalf("%v\n%s\n%s", err, stdout, errors.String())
	}
	return got, errors.String()
}

// decoy counts the connections that nobody should make.
func decoy(t *testing.T) (addr string, connections func() int) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	var mu sync.Mutex
	n := 0
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			n++
			mu.Unlock()
			conn.Close()
		}
	}()
	return l.Addr().String(), func() int { mu.Lock(); defer mu.Unlock(); return n }
}

// poison is an environment that a repository could have written.
func poison(t *testing.T, decoy, caFile string) []string {
	var all []string
	fill := strings.NewReplacer("HOME@", t.TempDir(), "URL@", "http://"+decoy, "CA@", caFile, "CADIR@",
		filepath.Dir(caFile))
	for _, row := range rows(t, "poison.txt") {
		all = append(all, fill.Replace(row[0]))
	}
	return all
}

// certificateOf writes a TLS server's certificate where a variable can name it.
func certificateOf(t *testing.T, s *httptest.Server) string {
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}),
		0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheEnvironmentIsNotHeard(t *testing.T) {
	for _, provider := range providers() {
		t.Run(provider, func(t *testing.T) {
			var mu sync.Mutex
			var seen []http.Header
			handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if strings.Contains(strings.ToLower(fmt.Sprint(r.URL, r.Host, r.Header, string(body))), "poison") {
					t.Errorf("the environment leaked: %v %v\n%s", r.URL, r.Header, body)
				}
				mu.Lock()
				seen = append(seen, r.Header)
				mu.Unlock()
				raw(200, classified(provider, `{"thinking":"t","should_block":true,"reason":"r"}`))(w, r)
			})
			tlsServer := httptest.NewUnstartedServer(givingTokens(handler))
			tlsServer.Config.ErrorLog = log.New(io.Discard, "", 0) // it tells of each handshake that failed
			tlsServer.StartTLS()
			defer tlsServer.Close()
			addr, connections := decoy(t)
			caFile := certificateOf(t, tlsServer)
			plain := serve(t, handler)
			environ := poison(t, addr, caFile)
			checkAnswered(t, optionsFor(t, provider, plain), environ)
			trusted := optionsFor(t, provider, tlsServer.URL)
			trusted.CAFile = caFile
			checkAnswered(t, trusted, environ)
			// Only a file of the settings makes a server trusted, only the
			// settings name a proxy, and only they hold a key.
			untrusted := "ca_file"
			if provider == ProviderVertex {
				untrusted = "certificate" // met by the library that fetches the token
			}
			for _, refused := range []struct {
				o    Options
				kind fault.Kind
				says string
			}{
				{optionsFor(t, provider, tlsServer.URL), fault.Unreachable, untrusted},
				{optionsFor(t, provider, "https://nod.invalid"), fault.Unreachable, "nod.invalid"},
				{withoutKey(optionsFor(t, provider, tlsServer.URL)), keyless(provider), ""},
			} {
				got, stderr := askInChild(t, refused.o, environ)
				if got.Kind != refused.kind || !strings.Contains(got.Message, refused.says) || stderr != "" {
					t.Errorf("%+v, stderr %q; want %s", got, stderr, refused.kind)
				}
			}
			if n := connections(); n != 0 {
				t.Errorf("%d connections elsewhere", n)
			}
			if len(seen) != 2 {
				t.Fatalf("%d requests", len(seen))
			}
			for _, header := range seen {
				checkSent(t, provider, header)
			}
		})
	}
}

func withoutKey(o Options) Options {
	o.Key = ""
	return o
}

// keyless is how a question without a key fails: an endpoint that may need no
// key is asked, and its certificate is not trusted.
func keyless(provider string) fault.Kind {
	if provider == ProviderCompatible {
		return fault.Unreachable
	}
	return fault.NoKey
}

// checkAnswered asks in a child and wants the server's answer, and silence.
func checkAnswered(t *testing.T, o Options, environ []string) {
	t.Helper()
	got, stderr := askInChild(t, o, environ)
	if !got.Blocked || got.Kind != "" || stderr != "" {
		t.Errorf("%+v, stderr %q", got, stderr)
	}
}

// checkSent holds the list of headers that may be sent at all.
func checkSent(t *testing.T, provider string, h http.Header) {
	t.Helper()
	want := []string{"Accept", "Accept-Encoding", "Content-Length", "Content-Type", "User-Agent"}
	switch provider {
	case ProviderAnthropic:
		want = append(want, "Anthropic-Version", "X-Api-Key")
	case ProviderAzure:
		want = append(want, "Api-Key")
	case ProviderGemini:
		want = append(want, "X-Goog-Api-Key")
	default:
		want = append(want, "Authorization")
	}
	var got []string
	for name := range h {
		got = append(got, name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Without an endpoint the vendor's own address is asked, also against a
// variable: the proxy of the settings is told where the question goes.
func TestTheVendorIsAsked(t *testing.T) {
	for provider, want := range map[string]string{
		ProviderAnthropic: "CONNECT api.anthropic.com:443", ProviderOpenAI: "CONNECT api.openai.com:443",
		ProviderGemini:  "CONNECT generativelanguage.googleapis.com:443",
		ProviderBedrock: "CONNECT bedrock-runtime.eu-central-1.amazonaws.com:443",
	} {
		var mu sync.Mutex
		var asked []string
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, r.Method+" "+r.Host)
			if r.Header.Get("X-Api-Key")+r.Header.Get("Authorization") != "" {
				t.Errorf("the proxy saw the key: %v", r.Header)
			}
			w.WriteHeader(http.StatusBadGateway)
		}))
		addr, connections := decoy(t)
		got, _ := askInChild(t, proxied(optionsFor(t, provider, ""), proxy.URL), poison(t, addr, "/nonexistent/ca.pem"))
		proxy.Close()
		if got.Kind != fault.Unreachable || connections() != 0 {
			t.Errorf("%+v, %d connections elsewhere", got, connections())
		}
		if diff := cmp.Diff([]string{want, want}, asked); diff != "" { // it is tried once more
			t.Error(diff)
		}
	}
}

func proxied(o Options, proxy string) Options {
	o.Proxy = proxy
	return o
}

// A loopback endpoint is not asked by way of the proxy.
func TestLoopbackNeedsNoProxy(t *testing.T) {
	addr, connections := decoy(t)
	url := serve(t, raw(200, classified(ProviderOpenAI, allowInput)))
	m := newModel(t, ProviderOpenAI, url, func(o *Options) { o.Proxy = "http://" + addr })
	if _, err := m.Classify(context.Background(), prompt); err != nil || connections() != 0 {
		t.Errorf("%v, %d connections", err, connections())
	}
}
