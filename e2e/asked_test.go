package e2e

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/testworld"
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

// The real Claude Code, headless, waits for a real browser at the page: a yes there lets a call run, a no does not.
func TestABrowserAnswersClaudeCode(t *testing.T) {
	chromium := testworld.Needs(t, "chromium")
	d := drivenBy("claude-code")
	m := d.ready(t, "ask = [\"touch\"]\n", llmtest.Script{})
	m.calls(d.shell("yes", "touch yes"), d.shell("no", "touch no"))
	m.installed(false)
	ctx := m.browser(chromium, m.page())
	answered := make(chan bool)
	go func() {
		for _, selector := range []string{"#queue a", "button[value=once]", "#queue a", "button[value=no]"} {
			press := fmt.Sprintf(`(e => e && setTimeout(() => e.click()) > 0)(document.querySelector(%q))`, selector)
			for done := false; !done && ctx.Err() == nil; { // the page draws what waits anew by itself
				done, _ = chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+press+")"))
				time.Sleep(10 * time.Millisecond)
			}
		}
		close(answered)
	}()
	m.run()
	<-answered
	m.holds(t, map[string]bool{"yes": true, "no": false})
	if told := m.told(t, "no"); !strings.Contains(told, "a person said no (the page)") {
		t.Errorf("the model was told %q", told)
	}
}

// page starts nod ui, and returns the link that begins a session.
func (m *machine) page() (link string) {
	m.t.Helper()
	ctx, stop := context.WithCancel(hang.Context(m.t))
	cmd := m.command(ctx, filepath.Join(m.bin, "nod"), "ui", "--listen", "127.0.0.1:0")
	out := must(cmd.StdoutPipe())
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() {
		stop()
		_ = cmd.Wait()
	})
	for lines := bufio.NewScanner(out); link == "" && lines.Scan(); {
		if text := strings.TrimSpace(lines.Text()); strings.HasPrefix(text, "http://") {
			link = strings.Fields(text)[0]
		}
	}
	if link == "" {
		m.t.Fatal("nod ui printed no link")
	}
	return link
}

// browser is a Chromium at the questions of the page.
func (m *machine) browser(chromium, link string) context.Context {
	m.t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox,
		chromedp.UserDataDir(m.t.TempDir()), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Env("HOME="+m.t.TempDir()))
	ctx, stop := chromedp.NewExecAllocator(hang.Context(m.t), options...)
	m.t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	m.t.Cleanup(stop)
	origin, _, _ := strings.Cut(link, "/enter/")
	if err := chromedp.Do(ctx, chromedp.Navigate(link), chromedp.Navigate(origin+"/questions")); err != nil {
		m.t.Fatal(err)
	}
	return ctx
}
