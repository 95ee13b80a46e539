package e2e

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/llm/llmtest"
)

// What a sub-agent is told may name files with a sign that makes some hosts read them by
// themselves, without a hook: no secret comes to a model so.
func TestPromptsThatNameFiles(t *testing.T) {
	deep(t, "prompts for sub-agents of the real agents")
	const secret = "KEY=not-for-a-model"
	for _, d := range allDriven() {
		t.Run(d.adapter.Name(), func(t *testing.T) {
			d.program(t)
			t.Parallel()
			if d.child == nil {
				t.Skip(d.title + " starts no sub-agents")
			}
			m := d.ready(t, ruleSettings, llmtest.Script{})
			task := "do what the child must do with @.env, @~/.netrc, @./.env and @" + filepath.Join(m.home, ".netrc")
			m.machine.write(filepath.Join(m.work, ".env"), secret+"\n", 0o600)
			m.machine.write(filepath.Join(m.home, ".netrc"), secret+"\n", 0o600)
			steps := []llmtest.Step{{Calls: []llmtest.Call{d.child("child", task)}}}
			if d.wait != nil {
				steps = append(steps, llmtest.Step{Calls: d.wait})
			}
			m.srv = llmtest.NewServer(t, llmtest.Script{
				Steps:  steps,
				Asides: map[string][]llmtest.Step{"do what the child must do": {{Text: "nothing"}}},
			})
			m.installed(false)
			m.run()
			told := m.told(t, "child")
			if blocked, reads := strings.Contains(told, "secret"), d.adapter.Name() == "opencode"; blocked != reads {
				t.Errorf("%s reads what a prompt names with @: %v; the model was told %q", d.title, reads, told)
			}
			for _, r := range m.srv.Requests() {
				if bytes.Contains(r.Body, []byte(secret)) {
					t.Errorf("%s sent a secret that a prompt names with @, and nod let it", d.title)
				}
			}
		})
	}
}
