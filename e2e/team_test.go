package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/testbrowser"
	"github.com/nodgate/nod/llm/llmtest"
)

// The real Claude Code, headless on one machine, and a team's server on another: the team's policy arrives and denies;
// a call that it asks about waits for a person's yes in a browser at the server, and then runs; the shared log has all.
func TestATeamGuidesClaudeCode(t *testing.T) {
	b := testbrowser.New(t)
	s := newTeamServer(t)
	d := drivenBy("claude-code")
	m := d.ready(t, "", llmtest.Script{})
	m.calls(d.shell("never", "touch never"), d.shell("yes", "touch yes"), d.shell("no", "touch no"))
	m.installed(false)
	s.publish("ask = [\"touch yes\", \"touch no\"]\nhard_deny = [\"touch never\"]")
	m.joins(s)
	b.Do(chromedp.Navigate(s.link), chromedp.SetValue(chromedp.CSS("input[name=email]"), "ada@acme.example"))
	b.Press("main button")
	b.Sees(`location.pathname === '/'`)
	ended := make(chan bool)
	go func() { defer close(ended); m.run() }()
	s.answers(b, "touch yes", "once")
	s.answers(b, "touch no", "no")
	hang.Receive(t, "the end of Claude Code", ended)
	m.holds(t, map[string]bool{"never": false, "yes": true, "no": false})
	hang.Until(t, "the shared log has the calls", func() bool {
		text := s.ask("GET", "/v1/log?limit=1000", "")
		return strings.Contains(text, "touch never") && strings.Contains(text, "touch yes") &&
			strings.Contains(text, "touch no")
	})
}

// answers waits for the question about a call, opens it and presses a button, as a person would.
func (s *teamServer) answers(b testbrowser.Browser, call, button string) {
	s.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll('.cards a')].find((e) => e.innerText.includes(%q))`, call)
	hang.Until(s.t, "the question about "+call, func() bool {
		b.Do(chromedp.Navigate(s.url + "/questions"))
		return testbrowser.Value[bool](b, "Boolean("+find+")")
	})
	b.Do(chromedp.Navigate(testbrowser.Value[string](b, find+".href")))
	b.Press(fmt.Sprintf("button[value=%s]", button))
	b.Sees(`location.pathname === '/questions'`)
}

// teamServer is a nod-serve serve with a home of its own.
type teamServer struct {
	*machine
	url, token string
	link       string // begins an admin's session
}

func newTeamServer(t *testing.T) *teamServer {
	t.Helper()
	s := &teamServer{machine: newBareMachine(t, "")}
	s.token = strings.TrimSpace(s.serve("", "token", "add", "--scope", "admin,read,approve", "test"))
	s.serve("", "org", "set", "--approvals")
	ctx, stop := context.WithCancel(hang.Context(t))
	cmd := s.command(ctx, filepath.Join(s.bin, "nod-serve"), "serve", "--listen", "127.0.0.1:0")
	said := must(cmd.StderrPipe())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(said)
	for (s.url == "" || s.link == "") && lines.Scan() {
		for word := range strings.FieldsSeq(lines.Text()) {
			if at, is := strings.CutSuffix(word, "/v1/check"); is {
				s.url = at
			} else if strings.HasPrefix(word, "http://") {
				s.link = word
			}
		}
	}
	go io.Copy(io.Discard, said)
	return s
}

// serve runs a command of nod-serve, and returns what it printed.
func (m *machine) serve(stdin string, args ...string) string {
	m.t.Helper()
	cmd := m.command(hang.Context(m.t), filepath.Join(m.bin, "nod-serve"), args...)
	cmd.Stdin = strings.NewReader(stdin)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		m.t.Fatalf("nod-serve %v: %v\n%s", args, err, said.String())
	}
	return string(out)
}

// joins makes the machine a member of the server's team, and waits for its policy.
func (m *machine) joins(s *teamServer) {
	m.t.Helper()
	m.serve(s.serve("", "machine", "code", "default"), "join", "--name", "box", s.url)
	ctx, stop := context.WithCancel(hang.Context(m.t))
	cmd := m.command(ctx, filepath.Join(m.bin, "nod"), "daemon")
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() {
		stop()
		_ = cmd.Wait()
	})
	hang.Until(m.t, "the policy", func() bool { return exists(filepath.Join(m.state(), "team", "policy.json")) })
}

func (s *teamServer) publish(settings string) {
	s.t.Helper()
	document := string(must(json.Marshal(map[string]string{"name": "base", "for": "org", "text": settings})))
	var draft struct{ ID string }
	if err := json.Unmarshal([]byte(s.ask("POST", "/v1/policies/drafts", document)), &draft); err != nil {
		s.t.Fatal(err)
	}
	s.ask("POST", "/v1/policies/drafts/"+draft.ID+"/publish", "{}")
}

// ask sends a request that must succeed.
func (s *teamServer) ask(method, path, body string) string {
	s.t.Helper()
	r := must(http.NewRequestWithContext(hang.Context(s.t), method, s.url+path, strings.NewReader(body)))
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	answer := must(http.DefaultClient.Do(r))
	defer answer.Body.Close()
	text := must(io.ReadAll(answer.Body))
	if answer.StatusCode != http.StatusOK {
		s.t.Fatalf("%s %s: %d %s", method, path, answer.StatusCode, text)
	}
	return string(text)
}
