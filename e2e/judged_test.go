package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/llm/llmtest"
)

// With a model of nod's a person is not asked: what the model allows runs, what it
// blocks does not, and the person reads why. Where the model cannot be reached the
// person reads that, and is asked.
func TestThePersonBesideAModel(t *testing.T) {
	deep(t, "what a person sees")
	for _, mode := range []string{"default", "auto"} {
		for _, row := range []struct {
			name string
			said *llmtest.Answer // nil: nobody is there
			sees []string
		}{
			{"allows", new(llmtest.Allow("fine")), []string{"done"}},
			{"blocks", new(llmtest.Block("It pushes to a remote that the user did not name")),
				[]string{"It pushes to a remote", "nod approve", "done"}},
			{"is gone", nil, []string{"this runs code that nod has not read", "nod's model gave no answer",
				"could not be reached", "Do you want to proceed?"}},
		} {
			t.Run(mode+", the model "+row.name, func(t *testing.T) {
				begin(t)
				m := newMachine(t, "")
				made := filepath.Join(m.work, "made")
				srv := llmtest.NewServer(t, llmtest.Script{
					Steps:      []llmtest.Step{{Calls: []llmtest.Call{llmtest.Bash("open", "./opaque made")}}},
					Classifier: func(llmtest.Request) llmtest.Answer { return *row.said },
				})
				at := srv.URL
				if row.said == nil {
					at = "http://127.0.0.1:1"
				}
				m.settings(m.model("anthropic", at))
				m.install("user")
				s := m.sit(srv, mode)
				s.asks("do what the test wants")
				s.sees(row.sees...)
				ran, asked := exists(made), s.has("Do you want to proceed?")
				if ran != (row.name == "allows") || asked != (row.said == nil) {
					t.Errorf("ran: %v, asked: %v\n%s", ran, asked, s.text())
				}
				if asked {
					s.pressesUntil("1", "the end of the turn",
						func() bool { return strings.Contains(s.words(), "done") })
					if !exists(made) {
						t.Error("it did not run after a yes")
					}
				}
			})
		}
	}
}
