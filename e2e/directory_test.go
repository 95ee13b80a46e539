package e2e

import (
	"path/filepath"
	"testing"

	"github.com/nodgate/nod/llm/llmtest"
)

// A command runs in the directory in which nod judged it, also where the agent keeps the
// shell of the call before, with its directory.
func TestDirectoryIsTheOneThatWasJudged(t *testing.T) {
	for _, d := range allDriven() {
		t.Run(d.adapter.Name(), func(t *testing.T) {
			d.program(t)
			t.Parallel()
			m := d.ready(t, ruleSettings, llmtest.Script{})
			m.srv = llmtest.NewServer(t, llmtest.Script{Steps: []llmtest.Step{
				{Calls: []llmtest.Call{d.shell("go", "cd sub")}},
				{Calls: []llmtest.Call{d.shell("make", "touch here")}},
			}})
			m.installed(false)
			m.run()
			told := m.told(t, "make")
			found := m.decided("touch here")
			if len(found) == 0 {
				t.Fatalf("nod was not asked; the model was told %q", told)
			}
			for _, e := range found {
				if !exists(filepath.Join(e.Dir, "here")) {
					t.Errorf("it did not run in %s, where nod judged it; the model was told %q", e.Dir, told)
				}
			}
		})
	}
}
