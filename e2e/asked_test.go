package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/llm/llmtest"
)

// A call for which the real agent cannot ask, since nobody is there, waits for a person elsewhere: it runs after a yes,
// and not after a no.
func TestAQuestionIsAnsweredElsewhere(t *testing.T) {
	onEach(t, allDriven(), func(t *testing.T, d driven) {
		if d.adapter.Name() != "claude-code" {
			deep(t, "the other agents' questions")
		}
		m := d.ready(t, "ask = [\"touch\"]\n[questions]\nnotify = [\"/bin/true\"]\n", llmtest.Script{})
		m.calls(d.shell("yes", "touch yes"), d.shell("no", "touch no"))
		m.installed(false)
		ended, person := make(chan bool), make(chan int)
		go func() { person <- m.answerAll(t, ended) }()
		m.run()
		close(ended)
		if n := <-person; n != 2 {
			t.Errorf("%d questions, want 2", n)
		}
		m.holds(t, map[string]bool{"yes": true, "no": false})
		if told := m.told(t, "no"); !strings.Contains(told, "a person said no (a test)") {
			t.Errorf("the model was told %q", told)
		}
		var kinds []audit.Kind
		for _, e := range m.log() {
			if e.Kind == audit.Question || e.Kind == audit.Approved {
				kinds = append(kinds, e.Kind)
			}
		}
		if len(kinds) != 3 {
			t.Errorf("the log has %v", kinds)
		}
	})
}

// answerAll says yes to "touch yes" and no to all else, until it is told to end. It returns how many it answered.
func (m *machine) answerAll(t *testing.T, ended chan bool) (n int) {
	for {
		list, err := question.Open(m.state(), time.Now())
		if err != nil {
			t.Error(err)
		}
		for _, q := range list {
			yes := strings.Contains(string(q.Input), "touch yes")
			if q.Answer(m.state(), yes, question.Once, "a test", time.Now()) == nil {
				n++
			}
		}
		select {
		case <-ended:
			return n
		case <-time.After(10 * time.Millisecond):
		}
	}
}
