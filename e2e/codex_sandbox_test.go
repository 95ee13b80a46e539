package e2e

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/nodgate/nod/llm/llmtest"
)

// What Codex runs in its own sandbox is left to it where nod knows nothing
// against the call; without the sandbox the same call is denied, and what is
// known to lose work or to print a secret is denied in both.
func TestCodexSandboxIsAFact(t *testing.T) {
	for _, sandbox := range []string{"workspace-write", "danger-full-access"} {
		t.Run(sandbox, func(t *testing.T) {
			d := codexDriven()
			d.program(t)
			t.Parallel()
			prepare := d.prepare
			d.prepare = func(m *machine, srv *llmtest.Server) (words, environ []string) {
				words, environ = prepare(m, srv)
				words[slices.Index(words, "danger-full-access")] = sandbox
				return words, environ
			}
			calls := []llmtest.Call{
				d.shell("unread", "./opaque made"),
				d.shell("outside", "./opaque ../outside"),
				d.shell("loses", "rm -rf ../scratch"),
				d.shell("prints", "cat .env"),
				d.shell("forbidden", "touch forbidden"),
			}
			var script llmtest.Script
			for _, c := range calls {
				script.Steps = append(script.Steps, llmtest.Step{Calls: []llmtest.Call{c}})
			}
			m := d.ready(t, ruleSettings, script)
			m.machine.write(filepath.Join(m.dir, "scratch", "a.txt"), "not in git\n", 0o644)
			m.machine.write(filepath.Join(m.work, ".env"), "KEY=x\n", 0o600)
			m.installed(false)
			m.run()
			for holds, want := range map[string]string{
				"./opaque made": "abstained", "./opaque ../outside": "abstained",
				"rm -rf ../scratch": "deny", "cat .env": "deny", "touch forbidden": "deny",
			} {
				if sandbox == "danger-full-access" {
					want = "deny"
				}
				if found := m.decided(holds); len(found) == 0 || found[0].Answered != want {
					t.Errorf("%s: %+v, want %s", holds, found, want)
				}
			}
			told := m.told(t, "unread")
			t.Logf("unread code in %s: made %v, outside %v; the model was told %q", sandbox,
				exists(filepath.Join(m.work, "made")), exists(filepath.Join(m.dir, "outside")), told)
			if exists(filepath.Join(m.dir, "outside")) || exists(filepath.Join(m.work,
				"forbidden")) || !exists(filepath.Join(m.dir, "scratch", "a.txt")) {
				t.Error("something ran that should not have")
			}
		})
	}
}
