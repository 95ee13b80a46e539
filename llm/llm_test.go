package llm

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
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

// block and item are one part of an answer, in each dialect.
func toolUse(name, input string) string {
	return `{"type":"tool_use","id":"toolu_1","name":"` + name + `","input":` + input + `}`
}

func functionCall(name, arguments string) string {
	quoted, _ := json.Marshal(arguments)
	return `{"type":"function_call","id":"fc_1","call_id":"call_1","status":"completed","name":"` + name +
		`","arguments":` + string(quoted) + `}`
}

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

// called is a whole, good answer with these parts.
func called(provider string, parts ...string) string {
	switch dialect(provider) {
	case ProviderAnthropic:
		return messageBody("tool_use", parts...)
	case ProviderCompatible:
		return chatBody("tool_calls", "null", parts...)
	case ProviderGemini:
		return geminiBody("STOP", parts...)
	}
	return responseBody(`"status":"completed"`, parts...)
}

func chatCall(name, arguments string) string {
	quoted, _ := json.Marshal(arguments)
	return `{"id":"call_1","type":"function","function":{"name":"` + name + `","arguments":` + string(quoted) + `}}`
}

func chatBody(finish, content string, calls ...string) string {
	return `{"id":"resp_1","object":"chat.completion","created":1,"model":"qwen3:8b","choices":[{"index":0,"finish_reason":"` + finish +
		`","logprobs":null,"message":{"role":"assistant","refusal":null,"content":` + content + `,"tool_calls":[` +
		strings.Join(calls, ",") +
		`]}}],"usage":{"prompt_tokens":1600,"prompt_tokens_details":{"cached_tokens":400},"completion_tokens":60,"total_tokens":1660}}`
}

func geminiCall(name, args string) string {
	return `{"functionCall":{"name":"` + name + `","args":` + args + `}}`
}

func geminiBody(finish string, parts ...string) string {
	return `{"responseId":"resp_1","modelVersion":"gemini-3.1-flash-lite","candidates":[{"index":0,"finishReason":"` +
		finish +
		`","content":{"role":"model","parts":[` + strings.Join(parts,
		",") + `]}}],"usageMetadata":{"promptTokenCount":1600,"cachedContentTokenCount":400,"candidatesTokenCount":50,"thoughtsTokenCount":10,"totalTokenCount":1660}}`
}

func messageBody(stop string, blocks ...string) string {
	return `{"id":"msg_1","type":"message","role":"assistant","model":"claude-haiku-4-5-20251001","stop_sequence":null,"stop_reason":"` + stop +
		`","content":[` + strings.Join(blocks,
		",") + `],"usage":{"input_tokens":1000,"cache_read_input_tokens":400,"cache_creation_input_tokens":200,"output_tokens":60}}`
}

func responseBody(status string, items ...string) string {
	return `{"id":"resp_1","object":"response","created_at":1,"model":"gpt-4.1-mini-2025-04-14","error":null,` +
		status +
		`,"output":[` + strings.Join(items,
		",") + `],"usage":{"input_tokens":1600,"input_tokens_details":{"cached_tokens":400},"output_tokens":60,"total_tokens":1660}}`
}

// classified is an answer whose tool input is this JSON text.
func classified(provider, input string) string {
	switch dialect(provider) {
	case ProviderAnthropic:
		return called(provider, toolUse(nod.AnswerTool().Name, input))
	case ProviderCompatible:
		return called(provider, chatCall(nod.AnswerTool().Name, input))
	case ProviderGemini:
		return called(provider, geminiCall(nod.AnswerTool().Name, input))
	}
	return called(provider, functionCall(nod.AnswerTool().Name, input))
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
			`{"type":"redacted_thinking","data":"x"}`, toolUse(nod.AnswerTool().Name, allowInput)),
		ProviderOpenAI: called(ProviderOpenAI, `{"type":"reasoning","id":"rs_1","summary":[]}`,
			functionCall(nod.AnswerTool().Name, allowInput)),
		ProviderGemini: called(ProviderGemini, `{"thought":true,"text":"hm"}`,
			geminiCall(nod.AnswerTool().Name, allowInput)),
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

// The whole request, byte for byte but for the order of the outer keys, which is the SDK's. The order within the
// schema is the seed's. What a model's name and the settings make of a request, apart from what is asked.
func TestStyles(t *testing.T) {
	for _, tc := range []struct {
		provider, model string
		change          func(*Options)
		has, lacks      []string
	}{
		{ProviderAnthropic, "claude-haiku-4-5", nil, []string{`"type":"tool"`},
			[]string{"effort", `"disabled"`, "temperature"}},
		{ProviderAnthropic, "claude-haiku-4-5", func(o *Options) { v := 0.0; o.Temperature = &v },
			[]string{`"temperature":0`}, nil},
		{ProviderAnthropic, "claude-haiku-5-5", func(o *Options) { o.Thinking, o.Effort = "off", "low" },
			[]string{`"type":"disabled"`, `"effort":"low"`, `"type":"tool"`, `"max_tokens":4096`},
			[]string{"temperature"}},
		{ProviderAnthropic, "claude-sonnet-5-5", nil,
			[]string{`"tool_choice":{"disable_parallel_tool_use":true,"type":"auto"}`}, []string{"temperature"}},
		{ProviderAnthropic, "claude-haiku-4-5", func(o *Options) { o.Thinking = "adaptive" },
			[]string{`"type":"adaptive"`, `"type":"auto"`, `"max_tokens":4096`}, []string{"temperature"}},
		{ProviderAnthropic, "claude-haiku-4-5", func(o *Options) { o.Channel = Auto }, []string{`"type":"auto"`}, nil},
		{ProviderOpenAI, "gpt-5-nano", nil, []string{`"effort":"low"`, `"max_output_tokens":4096`},
			[]string{"temperature"}},
		{ProviderOpenAI, "gpt-5.6-luna", func(o *Options) { o.Effort = "none"; o.Channel = Auto },
			[]string{`"effort":"none"`, `"tool_choice":"auto"`}, []string{"temperature"}},
		{ProviderOpenAI, "gpt-4.1-mini", func(o *Options) { v := 0.5; o.Temperature = &v },
			[]string{`"temperature":0.5`, `"max_output_tokens":256`}, []string{"effort"}},
		{ProviderGemini, "gemini-2.5-flash-lite", func(o *Options) { o.Effort = "low" },
			[]string{`"temperature":0`, `"thinkingLevel":"LOW"`, `"ANY"`}, nil},
		{ProviderGemini, "gemini-2.5-flash-lite", func(o *Options) { o.Channel = Auto }, []string{`"AUTO"`}, nil},
		{ProviderCompatible, "who-knows", func(o *Options) { o.Effort = "low" }, []string{`"reasoning_effort":"low"`},
			[]string{"temperature"}},
		{ProviderCompatible, "who-knows", func(o *Options) { o.Channel = Auto }, []string{`"tool_choice":"auto"`}, nil},
	} {
		var body string
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			text, _ := io.ReadAll(r.Body)
			body = strings.ReplaceAll(strings.ReplaceAll(string(text), ": ", ":"), ", \"", ",\"")
			answering(200, "application/json", classified(tc.provider, allowInput))(w, r)
		})
		m := newModel(t, tc.provider, url, func(o *Options) {
			o.Model = tc.model
			if tc.change != nil {
				tc.change(o)
			}
		})
		if _, err := m.Classify(context.Background(), prompt); err != nil {
			t.Fatal(tc.model, err)
		}
		for _, text := range tc.has {
			if !strings.Contains(body, text) {
				t.Errorf("%s lacks %s: %s", tc.model, text, body)
			}
		}
		for _, text := range tc.lacks {
			if strings.Contains(body, text) {
				t.Errorf("%s holds %s: %s", tc.model, text, body)
			}
		}
	}
}

// A decision beside an error, in whatever place vendors and gateways put one, is no decision.
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

func TestRequests(t *testing.T) {
	const schema = `{"type":"object","properties":{"thinking":{"type":"string","description":"Brief reasoning about the action"},"should_block":{"type":"boolean"},"reason":{"type":"string","description":"Why allow or block"}},"required":["thinking","should_block","reason"],"additionalProperties":false}`
	for _, tc := range []struct{ provider, path, key, body string }{
		{ProviderAnthropic, "/v1/messages", "X-Api-Key: " + testKey, `{
			"model":"claude-haiku-4-5-20251001","max_tokens":256,
			"system":[{"type":"text","text":"Judge <this> & that."}],
			"messages":[{"role":"user","content":[{"type":"text","text":"Tool: bash\nInput: {\"command\":\"ls\"}"}]}],
			"tools":[{"name":"classify_result","description":"Return classification decision","input_schema":` + schema + `}],
			"tool_choice":{"type":"tool","name":"classify_result","disable_parallel_tool_use":true}}`},
		{ProviderOpenAI, "/responses", "Authorization: Bearer " + testKey, `{
			"model":"gpt-4.1-mini","max_output_tokens":256,"temperature":0,"store":false,"parallel_tool_calls":false,
			"instructions":"Judge <this> & that.","input":"Tool: bash\nInput: {\"command\":\"ls\"}",
			"tools":[{"type":"function","name":"classify_result","description":"Return classification decision","parameters":` + schema + `,"strict":true}],
			"tool_choice":{"type":"function","name":"classify_result"}}`},
		{ProviderAzure, "/openai/responses", "Api-Key: " + testKey, `{
			"model":"judge","max_output_tokens":256,"store":false,"parallel_tool_calls":false,
			"instructions":"Judge <this> & that.","input":"Tool: bash\nInput: {\"command\":\"ls\"}",
			"tools":[{"type":"function","name":"classify_result","description":"Return classification decision","parameters":` + schema + `,"strict":true}],
			"tool_choice":{"type":"function","name":"classify_result"}}`},
		{ProviderBedrock, "/model/us.anthropic.claude-haiku-4-5-20251001-v1:0/invoke", "Authorization: Bearer " + testKey, `{
			"anthropic_version":"bedrock-2023-05-31","max_tokens":256,
			"system":[{"type":"text","text":"Judge <this> & that."}],
			"messages":[{"role":"user","content":[{"type":"text","text":"Tool: bash\nInput: {\"command\":\"ls\"}"}]}],
			"tools":[{"name":"classify_result","description":"Return classification decision","input_schema":` + schema + `}],
			"tool_choice":{"type":"tool","name":"classify_result","disable_parallel_tool_use":true}}`},
		{ProviderVertex, "/v1/projects/proj/locations/europe-west1/publishers/anthropic/models/claude-haiku-4-5@20251001:rawPredict", "Authorization: Bearer " + testToken, `{
			"anthropic_version":"vertex-2023-10-16","max_tokens":256,
			"system":[{"type":"text","text":"Judge <this> & that."}],
			"messages":[{"role":"user","content":[{"type":"text","text":"Tool: bash\nInput: {\"command\":\"ls\"}"}]}],
			"tools":[{"name":"classify_result","description":"Return classification decision","input_schema":` + schema + `}],
			"tool_choice":{"type":"tool","name":"classify_result","disable_parallel_tool_use":true}}`},
		{ProviderCompatible, "/chat/completions", "Authorization: Bearer " + testKey, `{
			"model":"qwen3:8b","max_tokens":256,"temperature":0,
			"messages":[{"role":"system","content":"Judge <this> & that."},{"role":"user","content":"Tool: bash\nInput: {\"command\":\"ls\"}"}],
			"tools":[{"type":"function","function":{"name":"classify_result","description":"Return classification decision","parameters":` + schema + `,"strict":true}}],
			"tool_choice":{"type":"function","function":{"name":"classify_result"}}}`},
	} {
		t.Run(tc.provider, func(t *testing.T) {
			var body []byte
			var header http.Header
			var path string
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ = io.ReadAll(r.Body)
				header, path = r.Header, r.URL.Path
				answering(200, "application/json", classified(tc.provider, allowInput))(w, r)
			})
			m := newModel(t, tc.provider, url, func(o *Options) { o.Headers = map[string]string{"x-team": "core"} })
			if _, err := m.Classify(context.Background(), prompt); err != nil {
				t.Fatal(err)
			}
			if path != tc.path {
				t.Errorf("path %s, want %s", path, tc.path)
			}
			name, value, _ := strings.Cut(tc.key, ": ")
			if header.Get(name) != value || header.Get("X-Team") != "core" {
				t.Errorf("headers %v", header)
			}
			var got, want any
			if json.Unmarshal(body, &got) != nil || json.Unmarshal([]byte(tc.body), &want) != nil {
				t.Fatalf("no JSON: %s", body)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if !bytes.Contains(body, []byte(schema)) {
				t.Errorf("the schema's order was lost:\n%s", body)
			}
		})
	}
}

func TestSettings(t *testing.T) {
	loopback := "http://127.0.0.1:1"
	for _, tc := range []struct {
		name string
		o    Options
		kind fault.Kind // "" means accepted
		says string
	}{
		{"nothing", Options{}, fault.BadSettings, "[model] provider"},
		{"other provider", Options{Provider: "acme", Key: testKey}, fault.BadSettings, `"acme"`},
		{"no key", Options{Provider: "anthropic"}, fault.NoKey, "[model] key_file"},
		{"no key either", Options{Provider: "openai", Key: " \n"}, fault.NoKey, "OPENAI_API_KEY"},
		{"two lines of key", Options{Provider: "openai", Key: "sk-1\nsk-2"}, fault.NoKey, "key_file"},
		{"key", Options{Provider: "anthropic", Key: testKey + "\n"}, "", ""},
		{"environment key, vendor", Options{Provider: "anthropic", Key: testKey, KeyFromEnvironment: true}, "", ""},
		{"environment key, vendor spelled out", Options{Provider: "openai", Key: testKey, KeyFromEnvironment: true,
			Endpoint: "https://api.openai.com/v1/"}, "", ""},
		{"environment key, elsewhere", Options{Provider: "openai", Key: testKey, KeyFromEnvironment: true,
			Endpoint: "https://api.openai.com.example/v1"}, fault.NoKey, "https://api.openai.com/v1 only"},
		{"environment key, other path", Options{Provider: "openai", Key: testKey, KeyFromEnvironment: true,
			Endpoint: "https://api.openai.com/v2"}, fault.NoKey, "only"},
		{"environment key, other port", Options{Provider: "anthropic", Key: testKey, KeyFromEnvironment: true,
			Endpoint: "https://api.anthropic.com:8443"}, fault.NoKey, "only"},
		{"environment key, the other vendor", Options{Provider: "anthropic", Key: testKey, KeyFromEnvironment: true,
			Endpoint: "https://api.openai.com/v1"}, fault.NoKey, "only"},
		{"environment key, loopback", Options{Provider: "anthropic", Key: testKey, KeyFromEnvironment: true,
			Endpoint: loopback}, fault.NoKey, "only"},
		{"plain http", Options{Provider: "anthropic", Key: testKey, Endpoint: "http://gateway.example"},
			fault.BadSettings, "https://"},
		{"plain http, loopback's twin", Options{Provider: "anthropic", Key: testKey,
			Endpoint: "http://127.0.0.1.example"}, fault.BadSettings, "https://"},
		{"loopback v6", Options{Provider: "anthropic", Key: testKey, Endpoint: "http://[::1]:80"}, "", ""},
		{"other scheme", Options{Provider: "anthropic", Key: testKey, Endpoint: "ftp://127.0.0.1"}, fault.BadSettings,
			"https://"},
		{"no host", Options{Provider: "anthropic", Key: testKey, Endpoint: "api.anthropic.com"}, fault.BadSettings,
			"host"},
		{"user in it", Options{Provider: "anthropic", Key: testKey, Endpoint: "https://u:p@example.com"},
			fault.BadSettings, "user"},
		{"query in it", Options{Provider: "anthropic", Key: testKey, Endpoint: "https://example.com/?a=b"},
			fault.BadSettings, "query"},
		{"key as header", Options{Provider: "anthropic", Key: testKey, Headers: map[string]string{"x-api-key": "k"}},
			fault.BadSettings, "key_file"},
		{"key as header, openai", Options{Provider: "openai", Key: testKey,
			Headers: map[string]string{"authorization": "k"}}, fault.BadSettings, "key_file"},
		{"gateway's own authorization", Options{Provider: "anthropic", Key: testKey,
			Headers: map[string]string{"Authorization": "Bearer k"}}, "", ""},
		{"host header", Options{Provider: "openai", Key: testKey, Headers: map[string]string{"HOST": "k"}},
			fault.BadSettings, "nod's own"},
		{"header name", Options{Provider: "openai", Key: testKey, Headers: map[string]string{"a b": "k"}},
			fault.BadSettings, "name"},
		{"header value", Options{Provider: "openai", Key: testKey, Headers: map[string]string{"a": "k\r\nHost: x"}},
			fault.BadSettings, "ASCII"},
		{"proxy", Options{Provider: "openai", Key: testKey, Proxy: "proxy.example:8080"}, fault.BadSettings, "proxy"},
		{"proxy scheme", Options{Provider: "openai", Key: testKey, Proxy: "ftp://proxy.example"}, fault.BadSettings,
			"socks5"},
		{"relative CA file", Options{Provider: "openai", Key: testKey, CAFile: "ca.pem"}, fault.BadSettings,
			"absolute"},
		{"absent CA file", Options{Provider: "openai", Key: testKey, CAFile: filepath.Join(t.TempDir(), "ca.pem")},
			fault.BadSettings, "cannot be read"},
		{"a directory as CA file", Options{Provider: "openai", Key: testKey, CAFile: t.TempDir()}, fault.BadSettings,
			"regular"},
		{"no region", Options{Provider: "bedrock", Key: testKey}, fault.BadSettings, "region"},
		{"a region that is a host", Options{Provider: "bedrock", Key: testKey, Region: "x.evil.example/"},
			fault.BadSettings, "region"},
		{"region for one that has none", Options{Provider: "anthropic", Key: testKey, Region: "us"}, fault.BadSettings,
			"no use"},
		{"channel for one that has none", Options{Provider: "openai", Key: testKey, Channel: Schema}, fault.BadSettings,
			"no use"},
		{"unknown channel", Options{Provider: "compatible", Model: "m", Endpoint: loopback, Channel: "xml"},
			fault.BadSettings, "channel"},
		{"compatible without endpoint", Options{Provider: "compatible", Model: "m"}, fault.BadSettings, "endpoint"},
		{"compatible without model", Options{Provider: "compatible", Endpoint: loopback}, fault.BadSettings, "name"},
		{"compatible without key", Options{Provider: "compatible", Model: "m", Endpoint: loopback}, "", ""},
		{"compatible, environment key", Options{Provider: "compatible", Model: "m", Endpoint: loopback, Key: testKey,
			KeyFromEnvironment: true}, fault.NoKey, "key_file"},
		{"azure without version", Options{Provider: "azure", Model: "m", Key: testKey,
			Endpoint: "https://x.openai.azure.com"}, fault.BadSettings, "api_version"},
		{"vertex, no account", Options{Provider: "vertex", Region: "us-east5", Key: testKey}, fault.NoKey,
			"service account"},
		{"vertex, half an account", Options{Provider: "vertex", Region: "us-east5", Key: `{"type":"service_account"}`},
			fault.NoKey, "service account"},
		{"vertex, another kind of account", Options{Provider: "vertex", Region: "us-east5",
			Key: `{"type":"external_account","token_url":"https://evil.example"}`}, fault.NoKey, "service account"},
		{"negative tokens", Options{Provider: "openai", Key: testKey, MaxTokens: -1}, fault.BadSettings, "max_tokens"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := New(tc.o)
			if tc.kind == "" {
				if err != nil || m == nil {
					t.Fatalf("refused: %v", err)
				}
				return
			}
			var f *fault.Error
			if !errors.As(err, &f) || f.Kind != tc.kind || !strings.Contains(f.Message, tc.says) || m != nil {
				t.Errorf("got %v, %v; want %s with %q", m, err, tc.kind, tc.says)
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
