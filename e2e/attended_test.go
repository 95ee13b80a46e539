package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/hang"
)

// A person who sits at one of these agents is asked by the agent itself about what nod does
// not know: nod is silent there, and the agent's own prompt stands on the screen.
func TestAttendedInTerminals(t *testing.T) {
	deep(t, "what nod does not know, at other agents' prompts")
	agents := []driven{drivenBy("gemini"), drivenBy("copilot"), drivenBy("qwen")}
	for i, words := range [][]string{{"node", "{program}", "-i", task, "-m", "gemini-2.5-flash", "--skip-trust"},
		{"{program}", "-i", task}, {"node", "{program}", "-i", task}} {
		agents[i].words = words
	}
	onEach(t, agents, func(t *testing.T, d driven) {
		m := newBareMachine(t, "")
		m.write(filepath.Join(m.work, "build.py"), "", 0o644)
		srv := oneStep(t, d.shell("unknown", "python3 build.py"))
		m.installFor(d.adapter.Name(), "user")
		words, environ := d.prepare(m, srv)
		s := m.terminal(environ, words[0], words[1:]...)
		trusts := false
		hang.Until(t, "nod's word and the agent's prompt", func() bool {
			if !trusts && strings.Contains(s.words(), "Confirm folder trust") {
				trusts = true
				s.presses("\r")
			}
			asks := strings.Contains(s.words(), "Allow") || strings.Contains(s.words(), "Do you want")
			return asks && len(m.decided("build.py")) > 0
		})
		for _, e := range m.decided("") {
			if e.Answered != "abstained" {
				t.Errorf("nod said %s: %s", e.Answered, e.Reason)
			}
		}
	})
}
