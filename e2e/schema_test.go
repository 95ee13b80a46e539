package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/llm/llmtest"
)

// `claude -p --json-schema` returns what its model said through a tool of the
// host's, and a sub-agent starts, without a model of nod's: none of a host's own
// tools that change nothing is in anybody's way.
func TestOwnToolsWorkWithoutAModel(t *testing.T) {
	begin(t)
	m := newMachine(t, "")
	m.install("user")
	const task = "do what the child must do"
	s := llmtest.Script{
		Steps: []llmtest.Step{
			{Calls: []llmtest.Call{{Name: "child", Tool: "Agent", Input: map[string]any{
				"description": "a child", "prompt": task, "subagent_type": "general-purpose",
				"run_in_background": false}}}},
			{Calls: []llmtest.Call{{Name: "answer", Tool: "StructuredOutput", Input: map[string]any{"x": 1}}}},
		},
		Asides: map[string][]llmtest.Step{task: {
			{Calls: []llmtest.Call{llmtest.Bash("child allowed", "touch allowed")}},
			{Calls: []llmtest.Call{llmtest.Bash("child asked", "./opaque asked")}},
		}},
	}
	schema := `{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}`
	srv := llmtest.NewServer(t, s)
	r := m.prompt(srv, "default", "--json-schema", schema)
	if !strings.Contains(string(r.stdout), `"structured_output":{"x":1}`) {
		t.Errorf("no structured output:\n%s\n%s", r.stdout, r.stderr)
	}
	if !exists(filepath.Join(m.work, "allowed")) || exists(filepath.Join(m.work, "asked")) {
		t.Error("the sub-agent's calls were not decided one by one")
	}
	for _, name := range []string{"child", "answer"} {
		for _, d := range r.ofCall(audit.Decision, name) {
			if d.Answered != "abstained" || d.Layer != nod.LayerAllowlist {
				t.Errorf("%s: %s by %s: %s", name, d.Answered, d.Layer, d.Reason)
			}
		}
	}
}
