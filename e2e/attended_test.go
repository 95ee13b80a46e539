package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/hang"
)

// A person who sits at one of these agents is asked by the agent itself about what nod does
// not know: nod is silent there, and the agent's own prompt stands on the screen.
func TestAttendedInTerminals(t *testing.T) {
	deep(t, "what nod does not know, at other agents' prompts")
	const task = "do what the test wants"
	for _, row := range []struct {
		d     driven
		words func(m *machine, words []string) []string
		asks  string
	}{
		{geminiDriven(), func(_ *machine, words []string) []string {
			return append(slices.Clone(words[:2]), "-i", task, "-m", "gemini-2.5-flash", "--skip-trust")
		}, "Allow"},
		{copilotDriven(), func(_ *machine, words []string) []string {
			return []string{words[0], "-i", task}
		}, "Do you want"},
		{qwenDriven(), func(m *machine, _ []string) []string { return append(m.qwen(), "-i", task) }, "Allow"},
	} {
		t.Run(row.d.adapter.Name(), func(t *testing.T) {
			row.d.program(t)
			t.Parallel()
			m := newBareMachine(t, "")
			m.write(filepath.Join(m.work, "build.py"), "", 0o644)
			srv := oneStep(t, row.d.shell("unknown", "python3 build.py"))
			words, _ := row.d.prepare(m, srv)
			m.installFor(row.d.adapter.Name(), "user")
			words = row.words(m, words)
			_, environ := row.d.prepare(m, srv)
			s := m.terminal(environ, words[0], words[1:]...)
			trusts := false
			hang.Until(t, "nod's word and the agent's prompt", func() bool {
				if !trusts && strings.Contains(s.words(), "Confirm folder trust") {
					trusts = true
					s.presses("\r")
				}
				return strings.Contains(s.words(), row.asks) && slices.ContainsFunc(m.log(), func(e audit.Entry) bool {
					return e.Kind == audit.Decision && strings.Contains(string(e.Input), "build.py")
				})
			})
			for _, e := range m.log() {
				if e.Kind == audit.Decision && e.Answered != "abstained" {
					t.Errorf("nod said %s: %s", e.Answered, e.Reason)
				}
			}
		})
	}
}
