package llm

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/llm/llmtest"
)

var review = Review{ID: "r-1", System: "Rules are for <this>.", User: "1 allow: git *\n2 soft_deny: never", Rules: 2}

// remarks are an answer, as the tool's input.
func remarks(t testing.TB, text string) map[string]any {
	t.Helper()
	var input map[string]any
	if err := json.Unmarshal([]byte(text), &input); err != nil {
		t.Fatal(err)
	}
	return input
}

const twoRemarks = `{"findings":[{"rule":1,"kind":"too_broad","remark":"all of git","better":"git status"},{"rule":0,"kind":"missing","remark":"nothing on pushes","better":""}]}`

// critic asks a scripted model that calls a tool with an input.
func critic(t testing.TB, provider, tool, input string, change ...func(*Options)) (Critic, *llmtest.Server) {
	t.Helper()
	srv := llmtest.NewServer(t,
		llmtest.Script{Steps: []llmtest.Step{{Calls: []llmtest.Call{{Name: "c", Tool: tool,
			Input: remarks(t, input)}}}}})
	url := srv.URL
	if provider == ProviderVertex {
		url = serve(t, func(w http.ResponseWriter, r *http.Request) { srv.ServeHTTP(w, r) })
	}
	o := optionsFor(t, provider, url)
	for _, c := range change {
		c(&o)
	}
	c, err := NewCritic(o)
	if err != nil {
		t.Fatal(err)
	}
	return c, srv
}

// TestCritique: over every API the model is forced to call one tool with a list
// of findings, and they come back as it wrote them, priced.
func TestCritique(t *testing.T) {
	want := []Finding{{1, TooBroad, "all of git", "git status"}, {0, Missing, "nothing on pushes", ""}}
	for _, provider := range []string{ProviderAnthropic, ProviderOpenAI, ProviderCompatible, ProviderGemini} {
		c, srv := critic(t, provider, CritiqueTool, twoRemarks)
		got, err := c.Critique(t.Context(), review)
		if err != nil {
			t.Errorf("%s: %v", provider, err)
			continue
		}
		if diff := cmp.Diff(want, got.Findings); diff != "" || got.Usage.In == 0 || got.Model == "" {
			t.Errorf("%s: %+v\n%s", provider, got, diff)
		}
		all := srv.Requests()
		if len(all) != 1 {
			t.Fatalf("%s: %d requests", provider, len(all))
		}
		for _, want := range []string{`"critique_rules"`, "too_broad", "never", "Rules are for"} {
			if body := string(all[0].Body); !strings.Contains(body, want) || strings.Contains(body,
				nod.AnswerTool().Name) {
				t.Errorf("%s: %q is not asked, or the gate's tool is: %s", provider, want, body)
			}
		}
	}
}

// The schema channel of a compatible endpoint holds a list, three lines do not.
func TestCritiqueChannels(t *testing.T) {
	srv := llmtest.NewServer(t, llmtest.Script{Steps: []llmtest.Step{{Text: twoRemarks}}})
	o := optionsFor(t, ProviderCompatible, srv.URL)
	o.Channel = Schema
	c, err := NewCritic(o)
	if err != nil {
		t.Fatal(err)
	}
	// A request without tools counts as a wish for a title there.
	if _, err := c.Critique(t.Context(), review); fault.Of(err) == nil || fault.Of(err).Kind != fault.Malformed {
		t.Errorf("%v", err)
	}
	if body := string(srv.Requests()[0].Body); !strings.Contains(body, `"json_schema"`) || !strings.Contains(body,
		`"findings"`) {
		t.Errorf("no schema is asked for: %s", body)
	}
	o.Channel = Lines
	if _, err := NewCritic(o); fault.Of(err) == nil || fault.Of(err).Kind != fault.BadSettings {
		t.Errorf("%v", err)
	}
}

// TestCritiqueTakesNothingElse: an answer that is not exactly such a list, of
// rules that there are, is a failure.
func TestCritiqueTakesNothingElse(t *testing.T) {
	one := func(text string) string { return `{"findings":[` + text + `]}` }
	for name, row := range map[string]struct {
		tool, input string
		want        fault.Kind
	}{
		"another tool":    {nod.AnswerTool().Name, twoRemarks, fault.NoDecision},
		"no list":         {CritiqueTool, `{}`, fault.Malformed},
		"a list of texts": {CritiqueTool, one(`"all is well"`), fault.Malformed},
		"a null":          {CritiqueTool, one(`null`), fault.Malformed},
		"no rule 3": {CritiqueTool, one(`{"rule":3,"kind":"ambiguous","remark":"x","better":""}`),
			fault.Malformed},
		"no rule 0": {CritiqueTool, one(`{"rule":0,"kind":"ambiguous","remark":"x","better":""}`),
			fault.Malformed},
		"a half": {CritiqueTool, one(`{"rule":1.5,"kind":"ambiguous","remark":"x","better":""}`),
			fault.Malformed},
		"another kind": {CritiqueTool, one(`{"rule":1,"kind":"fine","remark":"x","better":""}`), fault.Malformed},
		"no remark": {CritiqueTool, one(`{"rule":1,"kind":"ambiguous","remark":" ","better":""}`),
			fault.Malformed},
		"no better": {CritiqueTool, one(`{"rule":1,"kind":"ambiguous","remark":"x"}`), fault.Malformed},
		"a further key": {CritiqueTool, one(`{"rule":1,"kind":"ambiguous","remark":"x","better":"","more":1}`),
			fault.Malformed},
		"too many": {CritiqueTool,
			one(strings.Repeat(`{"rule":1,"kind":"ambiguous","remark":"x","better":""},`,
				maxFindings) + `{"rule":1,"kind":"ambiguous","remark":"x","better":""}`), fault.Malformed},
	} {
		c, _ := critic(t, ProviderAnthropic, row.tool, row.input)
		got, err := c.Critique(t.Context(), review)
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != row.want || len(got.Findings) > 0 {
			t.Errorf("%s: %v, %+v", name, err, got)
		}
	}
	c, _ := critic(t, ProviderAnthropic, CritiqueTool, `{"findings":[]}`)
	if got, err := c.Critique(t.Context(), review); err != nil || len(got.Findings) != 0 {
		t.Errorf("an empty list: %+v, %v", got, err)
	}
}

// A vendor that wants to be left alone is, and its wish is a failure by name;
// a fault that passes is tried once more.
func TestCritiqueRateLimits(t *testing.T) {
	asked := 0
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Retry-After-Ms", "3600000")
		raw(429, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`)(w, r)
	})
	c, err := NewCritic(optionsFor(t, ProviderAnthropic, url))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = c.Critique(t.Context(),
		review); fault.Of(err).Kind != fault.RateLimited || asked != 1 || RetryAfter(err) == 0 {
		t.Errorf("%d questions: %v", asked, err)
	}
}

func TestCritiqueIsDumped(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	c, _ := critic(t, ProviderAnthropic, CritiqueTool, twoRemarks, func(o *Options) { o.DumpDir = dir })
	if _, err := c.Critique(t.Context(), review); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "r-1.json"))
	if err != nil || !strings.Contains(string(text), `"critique": {`) || strings.Contains(string(text), testKey) {
		t.Errorf("%v\n%s", err, text)
	}
}
