package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/llm"
	"github.com/nodgate/nod/llm/llmtest"
)

// critiqueWorld is a home with rules and a scripted model that says input of
// them.
func critiqueWorld(t *testing.T, input string) (dir string, srv *llmtest.Server) {
	t.Helper()
	var said map[string]any
	if err := json.Unmarshal([]byte(input), &said); err != nil {
		t.Fatal(err)
	}
	srv = llmtest.NewServer(t,
		llmtest.Script{Steps: []llmtest.Step{{Calls: []llmtest.Call{{Name: "c", Tool: llm.CritiqueTool,
			Input: said}}}}})
	return critiqueHome(t, srv.URL), srv
}

func critiqueHome(t *testing.T, url string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("key", "sk-ant-scripted-0123456789\n")
	write("work/.nod.toml", `soft_deny = ["git rebase"]`)
	write(".claude/settings.json", `{"permissions":{"deny":["Bash(git push:*)"]}}`)
	write(".config/nod/nod.toml",
		fmt.Sprintf("allow = [\n  \"git *\",\n]\nsoft_deny = [\"$defaults\", \"be careful\"]\nsecrets = [\"$defaults\", \"~/.private-place\"]\n[model]\nprovider = \"anthropic\"\nendpoint = %q\nkey_file = %q\n", url, filepath.Join(dir, "key")))
	write("plain.toml", "allow = [\"git status\"]\n")
	return dir
}

func runCritique(t *testing.T, dir string, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := &Process{Dir: filepath.Join(dir, "work"), Environ: []string{"HOME=" + dir, "PATH=/usr/bin:/bin"},
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	exit = Main(t.Context(), p, append([]string{"rules", "critique", "--managed="}, args...))
	return exit, out.String(), errs.String()
}

// TestRulesCritique: what is sent and what it costs is shown first, and each
// remark stands with the place of its rule. No rule of nobody's is shown to
// the model, no path of a secret, no name of a file.
func TestRulesCritique(t *testing.T) {
	dir, srv := critiqueWorld(t, `{"findings":[
		{"rule":0,"kind":"missing","remark":"nothing on tags","better":""},
		{"rule":2,"kind":"ambiguous","remark":"careful with what?\u001b[31m","better":"never drop tables"},
		{"rule":1,"kind":"too_broad","remark":"clears git push","better":"git status"}]}`)
	exit, stdout, stderr := runCritique(t, dir, "--yes")
	settings := filepath.Join(dir, ".config/nod/nod.toml")
	want := settings + `:2: too_broad: allow "git *": clears git push
    better: "git status"
` + settings + `:4: ambiguous: soft_deny "be careful": careful with what?\x1b[31m
    better: "never drop tables"
missing: nothing on tags
`
	if exit != ExitOK || stdout != want {
		t.Errorf("%d\n%s\nwant\n%s%s", exit, stdout, want, stderr)
	}
	asked := srv.Requests()
	if len(asked) != 1 {
		t.Fatalf("%d requests", len(asked))
	}
	body := string(asked[0].Body)
	for _, sent := range []string{`\"text\":\"git *\"`, `\"text\":\"Bash(git push:*)\"`, `\"matched_by\":\"model\"`,
		"critique_rules"} {
		if !strings.Contains(body, sent) {
			t.Errorf("%s is not sent: %s", sent, body)
		}
	}
	for _, kept := range []string{"git rebase", "private-place", dir, "sk-ant"} {
		if strings.Contains(body, kept) {
			t.Errorf("%s is sent", kept)
		}
	}
	for _, shown := range []string{"This is sent:", `"text":"git *"`, "You review the rules",
		"one question to claude-haiku-4-5", "at most about $0.0", "nothing was changed"} {
		if !strings.Contains(stderr, shown) {
			t.Errorf("%q is not shown: %s", shown, stderr)
		}
	}
}

func TestRulesCritiqueJSON(t *testing.T) {
	dir, _ := critiqueWorld(t,
		`{"findings":[{"rule":3,"kind":"contradictory","remark":"rule 1 allows it","better":""}]}`)
	exit, stdout, stderr := runCritique(t, dir, "--yes", "--json")
	var out struct {
		V        int
		Findings []struct {
			Rule   struct{ List, Text, Origin string }
			Kind   string
			Remark string
		}
	}
	if err := json.Unmarshal([]byte(stdout),
		&out); err != nil || exit != ExitOK || out.V != 1 || len(out.Findings) != 1 {
		t.Fatalf("%d %v %s%s", exit, err, stdout, stderr)
	}
	if f := out.Findings[0]; f.Rule.Text != "Bash(git push:*)" || f.Rule.Origin != filepath.Join(dir,
		".claude/settings.json")+":1" || f.Kind != "contradictory" {
		t.Errorf("%+v", f)
	}
}

func TestRulesCritiqueWithoutFindings(t *testing.T) {
	dir, _ := critiqueWorld(t, `{"findings":[]}`)
	if exit, stdout, stderr := runCritique(t, dir,
		"--yes"); exit != ExitOK || stdout != "the model has nothing to say against your rules\n" {
		t.Errorf("%d %s%s", exit, stdout, stderr)
	}
}

// Without a word nothing is asked, and without a model it is said so.
func TestRulesCritiqueAsksNothingUnasked(t *testing.T) {
	dir, srv := critiqueWorld(t, `{"findings":[]}`)
	for _, c := range []struct {
		args []string
		exit int
		says string
	}{
		{nil, ExitBadInput, "run it again with --yes"},
		{[]string{"--yes", "--settings", filepath.Join(dir, "plain.toml")}, ExitBadInput, "no model is configured"},
		{[]string{"--yes", "--settings="}, ExitOK, ""},
		{[]string{"--yes", "extra"}, ExitBadInput, "usage: nod rules"},
	} {
		exit, stdout, stderr := runCritique(t, dir, c.args...)
		if exit != c.exit || !strings.Contains(stderr, c.says) || c.exit != ExitOK && stdout != "" {
			t.Errorf("%v: %d %s%s", c.args, exit, stdout, stderr)
		}
	}
	if n := len(srv.Requests()); n != 0 {
		t.Errorf("%d questions", n)
	}
}

// A model that fails or answers something else is named, and nothing is shown
// of what it said.
func TestRulesCritiqueFails(t *testing.T) {
	for name, c := range map[string]struct {
		answer llmtest.Answer
		says   string
	}{
		"rate limited": {llmtest.Answer{Status: http.StatusTooManyRequests,
			Header: map[string]string{"Retry-After": "3600"}, Body: llmtest.ErrorBody("rate_limit_error", "slow down")},
			"rate limit"},
		"no such rule": {llmtest.Raw(200, llmtest.MessageBody("m", "tool_use", llmtest.ToolUse("t", llm.CritiqueTool,
			map[string]any{"findings": []any{map[string]any{"rule": 9, "kind": "ambiguous", "remark": "x",
				"better": ""}}}))), "there is no rule 9"},
		"talk": {llmtest.Raw(200, llmtest.MessageBody("m", "end_turn", llmtest.Text("all is well"))),
			"without calling critique_rules"},
	} {
		answer := c.answer
		srv := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for k, v := range answer.Header {
				w.Header().Set(k, v)
			}
			w.Header().Set("Content-Type", "application/json")
			if answer.Status != 0 {
				w.WriteHeader(answer.Status)
			}
			fmt.Fprint(w, answer.Body)
		})
		dir := critiqueHome(t, serving(t, srv))
		exit, stdout, stderr := runCritique(t, dir, "--yes")
		if exit != ExitInternal || stdout != "" || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: %d %s%s", name, exit, stdout, stderr)
		}
	}
}

// serving starts a server on loopback that ends with the test.
func serving(t *testing.T, h http.Handler) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}
