package llm

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	_ "embed" // the answers
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/printable"
)

const testKey = "sk-test-0123456789abcdef"

// prompt is what every test asks.
var prompt = nod.Prompt{ID: "d-1", Digest: strings.Repeat("ab", 32), System: "Judge <this> & that.",
	User: "Tool: bash\nInput: {\"command\":\"ls\"}"}

func providers() []string { return Providers() }

// optionsFor are the settings that the provider needs to ask url.
func optionsFor(t testing.TB, provider, url string) Options {
	o := Options{Provider: provider, Endpoint: url, Key: testKey, Timeout: hang.Limit()}
	switch provider {
	case ProviderCompatible:
		o.Model = "qwen3:8b"
	case ProviderAzure:
		o.Model, o.APIVersion = "judge", "2025-04-01-preview"
	case ProviderBedrock:
		o.Region = "eu-central-1"
	case ProviderVertex:
		o.Region, o.Key = "europe-west1", serviceAccount(t, url)
	}
	return o
}

// newModel returns a model that asks url.
func newModel(t testing.TB, provider, url string, change ...func(*Options)) nod.Model {
	t.Helper()
	o := optionsFor(t, provider, url)
	for _, c := range change {
		c(&o)
	}
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// accountKey is a key of nobody's.
var accountKey = sync.OnceValue(func() string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	text, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text}))
})

// serviceAccount is a Google key whose tokens url gives out; see serve.
func serviceAccount(t testing.TB, url string) string {
	text, err := json.Marshal(map[string]string{"type": "service_account", "project_id": "proj",
		"private_key_id": "0123456789abcdef",
		"private_key":    accountKey(), "client_email": "nod@proj.example", "token_uri": url + tokenPath})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const (
	tokenPath = "/oauth/token"
	testToken = "ya29.test-token-0123456789"
)

// serve starts a server on loopback that ends with the test.
func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(givingTokens(h))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// givingTokens answers what a service account asks before the question.
func givingTokens(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == tokenPath {
			raw(200, `{"access_token":"`+testToken+`","expires_in":3600,"token_type":"Bearer"}`)(w, r)
			return
		}
		w.Header().Set("Retry-After-Ms", "1") // so that second tries take no time
		h(w, r)
	}
}

// answering always gives the same answer.
func answering(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

const allowInput = `{"thinking":"t","should_block":false,"reason":"r"}`

// dialect is the provider whose dialect this one speaks.
func dialect(provider string) string {
	switch provider {
	case ProviderBedrock, ProviderVertex:
		return ProviderAnthropic
	case ProviderAzure:
		return ProviderOpenAI
	}
	return provider
}

// answers has for each dialect what a good answer says of tokens, a call, and the answer.
//
//go:embed testdata/answers.txt
var answers string

// answerOf is the line of the provider's dialect.
func answerOf(provider string) (usage, call, body string) {
	_, line, _ := strings.Cut("\n"+answers, "\n"+dialect(provider)+"\t")
	line, _, _ = strings.Cut(line, "\n")
	fields := strings.Split(line, "\t")
	return fields[0], fields[1], fields[2]
}

// called is a whole, good answer with these parts.
func called(provider string, parts ...string) string {
	usage, _, body := answerOf(provider)
	return strings.NewReplacer("USAGE", usage, "PARTS", strings.Join(parts, ",")).Replace(body)
}

// callOf is the call of a tool as it stands in an answer; input is JSON.
func callOf(provider, name, input string) string {
	_, call, _ := answerOf(provider)
	quoted, _ := json.Marshal(input)
	return strings.NewReplacer("NAME", name, "INPUT", input, "QUOTED", string(quoted)).Replace(call)
}

// classified is an answer whose tool input is this JSON text.
func classified(provider, input string) string {
	return called(provider, callOf(provider, nod.AnswerTool().Name, input))
}

func TestAnswersAreRead(t *testing.T) {
	cost := map[string]float64{
		ProviderAnthropic: (1000*1 + 400*0.10 + 200*1.25 + 60*5) / 1e6,
		ProviderOpenAI:    (1200*0.40 + 400*0.10 + 60*1.60) / 1e6,
		ProviderGemini:    (1200*0.25 + 400*0.025 + 60*1.50) / 1e6,
	}
	name := map[string]string{ProviderAnthropic: "claude-haiku-4-5-20251001", ProviderOpenAI: "gpt-4.1-mini-2025-04-14",
		ProviderGemini: "gemini-3.1-flash-lite", ProviderCompatible: "qwen3:8b"}
	for _, provider := range providers() {
		for _, block := range []string{"true", "false"} {
			t.Run(provider+"/"+block, func(t *testing.T) {
				url := serve(t, answering(200, "application/json; charset=utf-8",
					classified(provider, `{"reason":"wipes é","should_block":`+block+`,"thinking":"t"}`)))
				got, err := newModel(t, provider, url).Classify(context.Background(), prompt)
				if err != nil {
					t.Fatal(err)
				}
				want := nod.Classification{Digest: prompt.Digest, ShouldBlock: block == "true", Reason: "wipes é",
					Thinking: "t",
					Model:    name[dialect(provider)], Usage: nod.Usage{In: 1600, Out: 60, Cached: 400}, Cost: got.Cost}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
				if math.Abs(got.Cost-cost[dialect(provider)]) > 1e-12 {
					t.Errorf("cost %v, want %v", got.Cost, cost[dialect(provider)])
				}
			})
		}
	}
}

// Reasoning is no text beside the tool.
func TestReasoningMayStandBesideTheCall(t *testing.T) {
	for provider, body := range map[string]string{
		ProviderAnthropic: called(ProviderAnthropic, `{"type":"thinking","thinking":"hm","signature":"s"}`,
			`{"type":"redacted_thinking","data":"x"}`, callOf(ProviderAnthropic, nod.AnswerTool().Name, allowInput)),
		ProviderOpenAI: called(ProviderOpenAI, `{"type":"reasoning","id":"rs_1","summary":[]}`,
			callOf(ProviderOpenAI, nod.AnswerTool().Name, allowInput)),
		ProviderGemini: called(ProviderGemini, `{"thought":true,"text":"hm"}`,
			callOf(ProviderGemini, nod.AnswerTool().Name, allowInput)),
		ProviderCompatible: strings.Replace(classified(ProviderCompatible, allowInput), `"content":null`,
			`"content":"","reasoning_content":"hm"`, 1),
	} {
		got, err := newModel(t, provider, serve(t, answering(200, "application/json",
			body))).Classify(context.Background(), prompt)
		if err != nil || got.ShouldBlock || got.Reason != "r" {
			t.Errorf("%s: %+v, %v", provider, got, err)
		}
	}
}

// What a model's name and the settings make of a request, apart from what is asked.
func TestStyles(t *testing.T) {
	for _, row := range rows(t, "styles.txt") { // provider, options, what the request holds, what it does not
		var body string
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			text, _ := io.ReadAll(r.Body)
			body = string(text)
			raw(200, classified(row[0], allowInput))(w, r)
		})
		m := newModel(t, row[0], url, func(o *Options) {
			if err := json.Unmarshal([]byte(row[1]), o); err != nil {
				t.Fatal(err)
			}
		})
		if _, err := m.Classify(context.Background(), prompt); err != nil {
			t.Fatal(row[1], err)
		}
		for i, want := range []bool{true, false} {
			for _, text := range strings.Fields(row[2+i]) {
				if strings.Contains(body, text) != want {
					t.Errorf("%s holds %s: %v, %s", row[1], text, !want, body)
				}
			}
		}
	}
}

// A decision beside an error is no decision, in any place where vendors and gateways put an error.
func TestADecisionBesideAnError(t *testing.T) {
	for provider, change := range map[string][2]string{
		ProviderAnthropic:  {`{`, `{"error":{"type":"overloaded_error","message":"x"},`},
		ProviderCompatible: {`"index":0`, `"index":0,"error":{"code":502}`},
		ProviderOpenAI:     {`{`, `{"incomplete_details":{"reason":"x"},`},
	} {
		text := strings.Replace(classified(provider, allowInput), change[0], change[1], 1)
		got, err := newModel(t, provider, serve(t, raw(200, text))).Classify(context.Background(), prompt)
		checkFailure(t, fault.Malformed, got, err)
	}
}

// The whole request, but for the order of the outer keys. The order within the schema is the seed's.
func TestRequests(t *testing.T) {
	const schema = `{"type":"object","properties":{"thinking":{"type":"string","description":"Brief reasoning about the action"},"should_block":{"type":"boolean"},"reason":{"type":"string","description":"Why allow or block"}},"required":["thinking","should_block","reason"],"additionalProperties":false}`
	for _, row := range rows(t, "requests.txt") { // provider, path, the key's header, body
		provider, wantPath := row[0], row[1]
		t.Run(provider, func(t *testing.T) {
			var body []byte
			var header http.Header
			var path string
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ = io.ReadAll(r.Body)
				header, path = r.Header, r.URL.Path
				raw(200, classified(provider, allowInput))(w, r)
			})
			m := newModel(t, provider, url, func(o *Options) { o.Headers = map[string]string{"x-team": "core"} })
			if _, err := m.Classify(context.Background(), prompt); err != nil {
				t.Fatal(err)
			}
			name, key, _ := strings.Cut(strings.NewReplacer("KEY", testKey, "TOKEN", testToken).Replace(row[2]), ": ")
			if path != wantPath || header.Get(name) != key || header.Get("X-Team") != "core" {
				t.Errorf("%s %v", path, header)
			}
			var got, want any
			text := strings.ReplaceAll(row[3], "SCHEMA", schema)
			if json.Unmarshal(body, &got) != nil || json.Unmarshal([]byte(text), &want) != nil {
				t.Fatalf("no JSON: %s", body)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if text != row[3] && !bytes.Contains(body, []byte(schema)) {
				t.Errorf("the schema's order was lost:\n%s", body)
			}
		})
	}
}

// rows reads a table of testdata, whose fields stand between tabs.
func rows(t testing.TB, name string) (all [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		all = append(all, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return all
}

func TestSettings(t *testing.T) {
	all := rows(t, "settings.txt") // the kind, a name, what is said, the options
	for path, says := range map[string]string{t.TempDir(): "regular", t.TempDir() + "/ca.pem": "cannot be read"} {
		all = append(all, []string{"bad_settings", "CA file", says,
			`{"Provider":"openai","Key":"` + testKey + `","CAFile":"` + path + `"}`})
	}
	for _, row := range all {
		t.Run(row[1], func(t *testing.T) {
			var o Options
			if err := json.Unmarshal([]byte(row[3]), &o); err != nil {
				t.Fatal(err)
			}
			m, err := New(o)
			if row[0] == "ok" {
				if err != nil || m == nil {
					t.Fatalf("refused: %v", err)
				}
				return
			}
			f := fault.Of(err)
			if f == nil || string(f.Kind) != row[0] || !strings.Contains(f.Message, row[2]) || m != nil {
				t.Errorf("got %v, %v; want %s with %q", m, err, row[0], row[2])
			}
			checkShown(t, err)
		})
	}
}

// checkShown holds what every error of this package promises.
func checkShown(t *testing.T, err error) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatalf("%T is not a *fault.Error: %v", err, err)
	}
	text := f.Error()
	if strings.Contains(text, testKey) {
		t.Errorf("the key is shown: %s", text)
	}
	if printable.Text(text) != text || strings.Contains(text, "\n") {
		t.Errorf("not fit to be shown: %q", text)
	}
	if f.Cause != nil && len(f.Cause.Error()) > causeLimit {
		t.Errorf("the cause has %d bytes", len(f.Cause.Error()))
	}
	if len(f.Message) > 400 || f.Message == "" {
		t.Errorf("the message has %d bytes: %s", len(f.Message), f.Message)
	}
}

func TestPrices(t *testing.T) {
	own := []Price{{Model: "gpt-4.1-mini", In: 7, Out: 7, Cached: 7}, {Model: "my-model", In: 1}}
	for _, tc := range []struct {
		prices       []Price
		asked, model string
		want         float64
	}{
		{nil, "claude-haiku-4-5-20251001", "", 6},
		{nil, "claude-haiku-4-5", "", 6},
		{nil, "alias-of-a-gateway", "gpt-4.1-mini-2025-04-14", 2},
		{nil, "gpt-4.1-mini-turbo", "", 0},
		{nil, "gpt-4.1-minix2025-04-14", "", 0},
		{nil, "unknown", "unknown", 0},
		{own, "gpt-4.1-mini", "", 14},
		{own, "my-model-20260101", "", 1},
	} {
		r := reply{model: tc.model, usage: nod.Usage{In: 1e6, Out: 1e6}}
		if got := cost(append(tc.prices, Prices()...), tc.asked, r); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("%s answered by %s: %v, want %v", tc.asked, tc.model, got, tc.want)
		}
	}
	for _, provider := range []string{DefaultAnthropicModel, DefaultOpenAIModel} {
		if _, ok := priceOf(Prices(), provider); !ok {
			t.Errorf("%s has no price", provider)
		}
	}
	// A vendor's numbers that do not add up must not give negative costs.
	if c := cost(Prices(), "gpt-4.1-mini", reply{usage: nod.Usage{In: 1, Cached: 100}, cacheWrite: 7}); c < 0 {
		t.Error(c)
	}
}
