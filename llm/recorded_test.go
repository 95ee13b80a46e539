package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// shared is the directory beside the repository with what other projects recorded. None of it is in the repository.
const sharedSpecs = "../../shared/specs"

// recorded returns the path of a recording, or skips the test.
func recorded(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(sharedSpecs, "fixtures", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("../shared/specs/fixtures/%s absent: skipped", name)
	}
	return path
}

func readRecorded(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(recorded(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const (
	recordedAnthropic = "vercel+ai/packages/anthropic/src/__fixtures__/"
	recordedOpenAI    = "vercel+ai/packages/openai/src/responses/__fixtures__/"
	recordedAzure     = "vercel+ai/packages/azure/src/__fixtures__/"
)

// Answers that live services gave to other questions: each must be understood for what it is.
func TestRecordedAnswers(t *testing.T) {
	for _, row := range rows(t, "recorded.txt") { // provider, status, kind, file, what is said
		provider, file, says := row[0], "vercel+ai/packages/"+row[3], row[4]
		t.Run(provider+"/"+filepath.Base(file), func(t *testing.T) {
			contentType := "application/json"
			if strings.HasSuffix(file, ".txt") {
				contentType = "text/event-stream"
			}
			status, _ := strconv.Atoi(row[1])
			url := serve(t, answering(status, contentType, readRecorded(t, file)))
			got, err := newModel(t, provider, url).Classify(context.Background(), prompt)
			checkFailure(t, fault.Kind(row[2]), got, err)
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%v\ndoes not say %q", err, says)
			}
		})
	}
}

// The envelopes of recorded calls, with all that live services put into them,
// carry our call as well: the decision is read, and the usage with it.
func TestRecordedEnvelopes(t *testing.T) {
	for _, tc := range []struct {
		provider, file string
		usage          nod.Usage
	}{
		{ProviderAnthropic, recordedAnthropic + "anthropic-json-tool.1.json", nod.Usage{In: 1151, Out: 87}},
		{ProviderAnthropic, recordedAnthropic + "anthropic-json-other-tool.1.json", nod.Usage{In: 843, Out: 28}},
		{ProviderOpenAI, recordedOpenAI + "parallel-tool-call-wrapper.1.json", nod.Usage{In: 34, Out: 28}},
		{ProviderOpenAI, recordedOpenAI + "openai-client-tool-search.2.json", nod.Usage{In: -1}},
		{ProviderOpenAI, recordedAzure + "azure-tool-call.1.json", nod.Usage{In: -1}},
	} {
		t.Run(tc.provider+"/"+filepath.Base(tc.file), func(t *testing.T) {
			var envelope map[string]any
			if err := json.Unmarshal([]byte(readRecorded(t, tc.file)), &envelope); err != nil {
				t.Fatal(err)
			}
			changed := 0
			for _, key := range []string{"content", "output"} {
				parts, _ := envelope[key].([]any)
				for _, p := range parts {
					part := p.(map[string]any)
					switch part["type"] {
					case "tool_use":
						part["input"] = json.RawMessage(allowInput)
					case "function_call":
						part["arguments"] = allowInput
					default:
						continue
					}
					part["name"] = nod.AnswerTool().Name
					changed++
				}
			}
			body, err := json.Marshal(envelope)
			if err != nil || changed != 1 {
				t.Fatalf("%d calls, %v", changed, err)
			}
			got, err := newModel(t, tc.provider, serve(t, raw(200, string(body)))).Classify(context.Background(),
				prompt)
			if err != nil || got.ShouldBlock || got.Reason != "r" || got.Thinking != "t" ||
				got.Digest != prompt.Digest {
				t.Fatalf("%+v, %v", got, err)
			}
			if tc.usage.In >= 0 && got.Usage != tc.usage || got.Usage.In <= 0 || got.Usage.Out <= 0 {
				t.Errorf("usage %+v, want %+v", got.Usage, tc.usage)
			}
		})
	}
}

// Whatever anybody recorded, under whatever status: no answer to another question is ever one to ours.
func TestNothingRecordedIsADecision(t *testing.T) {
	root := recorded(t, "")
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen++
		for _, provider := range providers() {
			got, err := newModel(t, provider, serve(t, raw(200, string(body)))).Classify(context.Background(), prompt)
			var f *fault.Error
			if err == nil || !reflect.DeepEqual(got, nod.Classification{}) || !errors.As(err, &f) {
				t.Errorf("%s read %s as %+v, %v", provider, path, got, err)
				continue
			}
			switch f.Kind {
			case fault.Malformed, fault.NoDecision, fault.Refused, fault.CutOff:
			default:
				t.Errorf("%s read %s as %v", provider, path, err)
			}
			checkShown(t, err)
		}
		return nil
	})
	if err != nil || seen < 100 {
		t.Errorf("%d files, %v", seen, err)
	}
}
