//go:build unix

package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/classify"
	"github.com/nodgate/nod/llm/llmtest"
)

// classifyWith runs nod classify under settings that ask endpoint, and opens what it answers.
func classifyWith(t *testing.T, provider, endpoint, dumpDir string) (nod.Classification, classify.Answer, error) {
	t.Helper()
	dir := t.TempDir()
	key, settings := filepath.Join(dir, "key"), filepath.Join(dir, "nod.toml")
	text := fmt.Sprintf("[model]\nprovider = %q\nendpoint = %q\nkey_file = %q\ntimeout = \"5s\"\n[log]\ndump_dir = %q\n[[price]]\nmodel = \"claude-haiku-4-5-20251001\"\nin = 1000000.0\nout = 0.0\ncached = 0.0\n",
		provider, endpoint, key, dumpDir)
	for name, content := range map[string]string{key: "sk-test-0123456789\n", settings: text} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	request := classify.Request{Version: classify.Version,
		Prompt: nod.Prompt{ID: "i", Digest: "d", System: "s", User: "u"}, TimeoutMS: 20_000}.Encode()
	var stdout, stderr bytes.Buffer
	p := &Process{Stdin: bytes.NewReader(request), Stdout: &stdout, Stderr: &stderr, Dir: "/", Environ: []string{
		"HOME=" + dir, "ANTHROPIC_API_KEY=poison", "OPENAI_API_KEY=poison", "ANTHROPIC_BASE_URL=http://127.0.0.1:1",
		"OPENAI_BASE_URL=http://127.0.0.1:1"}}
	code := Main(context.Background(), p, []string{"classify", "--settings", settings, "--managed", "", "--state", dir})
	if code != ExitOK || stderr.Len() > 0 || strings.Count(stdout.String(), "\n") != 1 {
		t.Fatalf("exit %d, stderr %q, stdout %q", code, &stderr, &stdout)
	}
	a, err := classify.DecodeAnswer(stdout.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Open("d")
	return c, a, err
}

func TestClassify(t *testing.T) {
	for _, provider := range []string{"anthropic", "openai"} {
		for _, block := range []bool{true, false} {
			srv := llmtest.NewServer(t, llmtest.Script{Classifier: func(llmtest.Request) llmtest.Answer {
				if block {
					return llmtest.Block("because")
				}
				return llmtest.Allow("because")
			}})
			dump := filepath.Join(t.TempDir(), "dump")
			if err := os.Mkdir(dump, 0o700); err != nil {
				t.Fatal(err)
			}
			endpoint := map[string]string{"anthropic": srv.URL, "openai": srv.URL + "/v1"}[provider]
			c, a, err := classifyWith(t, provider, endpoint, dump)
			if err != nil || c.ShouldBlock != block || c.Reason != "because" || c.Digest != "d" || len(a.Notices) > 0 {
				t.Fatalf("%s: %+v, %v", provider, a, err)
			}
			if provider == "anthropic" && c.Cost != float64(c.Usage.In-c.Usage.Cached) {
				t.Errorf("cost %v for %+v: the settings' price was not taken", c.Cost, c.Usage)
			}
			if _, err := os.Stat(filepath.Join(dump, "i.json")); err != nil {
				t.Error(err)
			}
			for _, r := range srv.Requests() {
				if key := r.Header.Get("X-Api-Key") + strings.TrimPrefix(r.Header.Get("Authorization"),
					"Bearer "); key != "sk-test-0123456789" {
					t.Errorf("%s: key %q", provider, key)
				}
			}
		}
	}
}

// A failure of the model is an answer, and one of the dump is told with it.
func TestClassifyTellsWhatFailed(t *testing.T) {
	srv := llmtest.NewServer(t, llmtest.Script{}) // status 500
	_, a, err := classifyWith(t, "anthropic", srv.URL, filepath.Join(t.TempDir(), "absent"))
	if f := fault.Of(err); f == nil || f.Kind != fault.ServerError {
		t.Errorf("%v", err)
	}
	if len(a.Notices) != 1 || !strings.Contains(a.Notices[0], "dump") {
		t.Errorf("notices %q", a.Notices)
	}
}
