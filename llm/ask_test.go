package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/hang"
)

const (
	blockInput = `{"thinking":"t","should_block":true,"reason":"r"}`
	quickWords = "Decide at once."
	carefully  = "Think first."
)

func staged() nod.Prompt {
	p := prompt
	p.Ledger, p.Quick, p.Careful, p.CacheKey = []string{"piece one", "piece two"}, quickWords, carefully, "k1"
	return p
}

// staging answers the quick and the careful question apart.
type staging struct {
	mu             sync.Mutex
	quick, careful http.HandlerFunc
	bodies         []string
}

func (s *staging) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.bodies = append(s.bodies, string(body))
	s.mu.Unlock()
	if strings.Contains(string(body), quickWords) {
		s.quick(w, r)
		return
	}
	s.careful(w, r)
}

func (s *staging) asked() []string { s.mu.Lock(); defer s.mu.Unlock(); return s.bodies }

func TestTwoStages(t *testing.T) {
	for _, provider := range providers() {
		allow, block := raw(200, classified(provider, allowInput)), raw(200, classified(provider, blockInput))
		for _, tc := range []struct {
			name           string
			quick, careful http.HandlerFunc
			blocks         bool
			settled        bool // by the quick question
			cleared        bool
			questions      int
			in             int
		}{
			{"the quick one allows", allow, block, false, true, false, 1, 1600},
			{"both block", block, block, true, false, false, 2, 3200},
			{"the careful one clears", block, allow, false, false, true, 2, 3200},
			{"the quick one is malformed", raw(200, "{}"), allow, false, false, true, 2, 1600},
			{"the quick one fails", raw(500, "{}"), block, true, false, false, 2, 1600},
		} {
			t.Run(provider+"/"+tc.name, func(t *testing.T) {
				s := &staging{quick: tc.quick, careful: tc.careful}
				got, err := newModel(t, provider, serve(t, s.ServeHTTP)).Classify(context.Background(), staged())
				if err != nil {
					t.Fatal(err)
				}
				if failed := tc.questions == 2 && tc.in == 1600; (len(got.Notices) > 0) != failed {
					t.Errorf("the notices are %q", got.Notices)
				}
				said := "block"
				if tc.settled {
					said = "pass"
				} else if tc.in == 1600 {
					said = "failed"
				}
				if got.QuickSaid != said {
					t.Errorf("the log says that quick said %q, want %q", got.QuickSaid, said)
				}
				if got.ShouldBlock != tc.blocks || got.Quick != tc.settled || got.Cleared != tc.cleared ||
					got.Usage.In != tc.in || len(s.asked()) != tc.questions {
					t.Errorf("%+v after %d questions", got, len(s.asked()))
				}
			})
		}
	}
}

// A careful question that fails is a failure, after any quick answer.
func TestTheCarefulStageFails(t *testing.T) {
	s := &staging{quick: raw(200, classified(ProviderAnthropic, blockInput)), careful: raw(400, "{}")}
	got, err := newModel(t, ProviderAnthropic, serve(t, s.ServeHTTP)).Classify(context.Background(), staged())
	checkFailure(t, fault.BadRequest, got, err)
}

// What is refused as it stands is refused the second time as well.
func TestARefusedRequestIsNotAskedTwice(t *testing.T) {
	for _, status := range []int{400, 405, 413, 422} {
		s := &staging{quick: raw(status, "{}"), careful: raw(200, classified(ProviderAnthropic, allowInput))}
		got, err := newModel(t, ProviderAnthropic, serve(t, s.ServeHTTP)).Classify(context.Background(), staged())
		if err == nil || len(s.asked()) != 1 {
			t.Errorf("%d: %+v, %v after %d questions", status, got, err, len(s.asked()))
		}
	}
}

// The quick question may take a third of the time, so that the careful one has time left.
func TestAQuickStageThatHangs(t *testing.T) {
	s := &staging{
		quick:   func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		careful: raw(200, classified(ProviderOpenAI, allowInput)),
	}
	url := serve(t, s.ServeHTTP)
	if failure := hang.Grow(3*time.Second, func(limit time.Duration) string {
		m := newModel(t, ProviderOpenAI, url, func(o *Options) { o.Timeout = limit })
		if got, err := m.Classify(context.Background(), staged()); err != nil || !got.Cleared || len(got.Notices) != 1 {
			return fmt.Sprintf("%+v, %v", got, err)
		}
		return ""
	}); failure != "" {
		t.Error(failure)
	}
}

// Both stages share every byte but the last block, and the blocks before it end where the vendor may cache.
func TestStagesShareTheirBeginning(t *testing.T) {
	s := &staging{quick: raw(200, classified(ProviderAnthropic, blockInput)),
		careful: raw(200, classified(ProviderAnthropic, blockInput))}
	if _, err := newModel(t, ProviderAnthropic, serve(t, s.ServeHTTP)).Classify(context.Background(),
		staged()); err != nil {
		t.Fatal(err)
	}
	quick, careful := s.asked()[0], s.asked()[1]
	if strings.Replace(quick, quickWords, carefully, 1) != careful {
		t.Errorf("%s\n%s", quick, careful)
	}
	var body struct {
		System   []map[string]any
		Messages []struct{ Content []map[string]any }
	}
	if err := json.Unmarshal([]byte(quick), &body); err != nil {
		t.Fatal(err)
	}
	cached := map[string]any{"type": "ephemeral"}
	block := func(text string, c any) map[string]any {
		b := map[string]any{"type": "text", "text": text}
		if c != nil {
			b["cache_control"] = c
		}
		return b
	}
	if diff := cmp.Diff([]map[string]any{block(prompt.System, cached)}, body.System); diff != "" {
		t.Error(diff)
	}
	want := []map[string]any{block("piece one", nil), block("piece two", cached), block(prompt.User, cached),
		block(quickWords, nil)}
	if diff := cmp.Diff(want, body.Messages[0].Content); diff != "" {
		t.Error(diff)
	}
}

// A fault that passes is tried once more, if the vendor does not ask for more time than there is.
func TestRetries(t *testing.T) {
	for _, tc := range []struct {
		name, header, value string
		status, questions   int
		kind                fault.Kind // "" is an answer
	}{
		{"overloaded once", "", "", 529, 2, ""},
		{"a second", "Retry-After", "1", 429, 2, ""},
		{"an hour", "Retry-After", "3600", 429, 1, fault.RateLimited},
		{"an hour, as a date", "Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), 503, 1,
			fault.Overloaded},
		{"a date that has passed", "Retry-After", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), 503, 2, ""},
		{"no time", "Retry-After", "soon", 500, 2, ""},
		{"a wrong key", "", "", 401, 1, fault.Unauthorized},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			n := 0
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if n++; n > 1 {
					raw(200, classified(ProviderOpenAI, allowInput))(w, r)
					return
				}
				w.Header().Del("Retry-After-Ms")
				if tc.header != "" {
					w.Header().Set(tc.header, tc.value)
				}
				raw(tc.status, "{}")(w, r)
			})
			got, err := newModel(t, ProviderOpenAI, url).Classify(context.Background(), prompt)
			if tc.kind != "" {
				checkFailure(t, tc.kind, got, err)
			} else if err != nil {
				t.Error(err)
			}
			if n != tc.questions {
				t.Errorf("%d questions, want %d", n, tc.questions)
			}
		})
	}
}

func TestChain(t *testing.T) {
	answer := func(input string) string { return serve(t, raw(200, classified(ProviderOpenAI, input))) }
	good := newModel(t, ProviderOpenAI, answer(allowInput))
	failing := func(status int) nod.Model { return newModel(t, ProviderOpenAI, serve(t, raw(status, "{}"))) }
	for _, tc := range []struct {
		name  string
		chain Chain
		kind  fault.Kind
	}{
		{"the first", Chain{good, failing(500)}, ""},
		{"the second", Chain{failing(529), good}, ""},
		{"the third", Chain{failing(401), failing(404), good}, ""},
		{"none", Chain{failing(429), failing(503)}, fault.RateLimited},
		{"no models", nil, fault.NoModel},
		{"a malformed answer is one", Chain{newModel(t, ProviderOpenAI, answer(`{}`)), good}, fault.Malformed},
		{"a refusal is one", Chain{newModel(t, ProviderOpenAI,
			serve(t, raw(200, strings.Replace(called(ProviderOpenAI), `"completed"`,
				`"incomplete","incomplete_details":{"reason":"content_filter"}`, 1)))),
			good}, fault.Refused},
		{"a bad request is one", Chain{failing(400), good}, fault.BadRequest},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := tc.chain.Classify(context.Background(), prompt)
			if tc.kind == "" {
				if err != nil || got.Reason != "r" {
					t.Errorf("%+v, %v", got, err)
				}
				return
			}
			checkFailure(t, tc.kind, got, err)
		})
	}
}

func TestChannels(t *testing.T) {
	quoted := func(s string) string { text, _ := json.Marshal(s); return string(text) }
	for _, tc := range []struct {
		channel Channel
		content string
		kind    fault.Kind
	}{
		{Schema, quoted(allowInput), ""},
		{Schema, quoted("```json\n" + allowInput + "\n```"), fault.Malformed},
		{Schema, quoted(allowInput + "\nDone."), fault.Malformed},
		{Schema, quoted(""), fault.NoDecision},
	} {
		t.Run(string(tc.channel)+" "+tc.content, func(t *testing.T) {
			body := strings.NewReplacer(`,"tool_calls":[]`, "", `"tool_calls"`, `"stop"`, `"content":null`,
				`"content":`+tc.content).Replace(called(ProviderCompatible))
			m := newModel(t, ProviderCompatible, serve(t, raw(200, body)), func(o *Options) { o.Channel = tc.channel })
			got, err := m.Classify(context.Background(), prompt)
			if tc.kind != "" {
				checkFailure(t, tc.kind, got, err)
			} else if err != nil || got.ShouldBlock || got.Reason != "r" {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// A pair of Amazon's signs the request; nothing of it crosses the wire.
func TestBedrockSigns(t *testing.T) {
	var header http.Header
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		raw(200, classified(ProviderBedrock, allowInput))(w, r)
	})
	m := newModel(t, ProviderBedrock, url,
		func(o *Options) { o.Key = "AKIDEXAMPLE:wJalrXUtnFEMI-secret:session-token-1" })
	if _, err := m.Classify(context.Background(), prompt); err != nil {
		t.Fatal(err)
	}
	got := header.Get("Authorization")
	if !strings.HasPrefix(got, "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/") || !strings.Contains(got,
		"/eu-central-1/bedrock/aws4_request") || strings.Contains(got, "wJalr") {
		t.Errorf("Authorization: %s", got)
	}
	if header.Get("X-Amz-Security-Token") != "session-token-1" {
		t.Errorf("%v", header)
	}
}
