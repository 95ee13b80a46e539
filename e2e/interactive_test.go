package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/llm/llmtest"
)

// sit starts Claude Code as a person does who has used it before: what it asks at its first start is answered.
func (m *machine) sit(srv *llmtest.Server, mode string) *screen {
	m.t.Helper()
	state, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true, "bypassPermissionsModeAccepted": true, "theme": "dark", "autoUpdates": false,
		"lastOnboardingVersion": claudeVersion,
		"customApiKeyResponses": map[string]any{"approved": []string{agentKey[len(agentKey)-20:]}},
		"projects": map[string]any{m.work: map[string]any{"hasTrustDialogAccepted": true,
			"hasCompletedProjectOnboarding": true}},
	})
	if err != nil {
		m.t.Fatal(err)
	}
	m.write(filepath.Join(m.home, ".claude.json"), string(state), 0o600)
	_, environ := drivenBy("claude-code").prepare(m, srv)
	s := m.terminal(environ, m.claude, "--permission-mode", mode)
	s.srv = srv
	s.sees("❯")
	return s
}

// asks types a prompt and sends it, once it stands there.
func (s *screen) asks(prompt string) {
	s.t.Helper()
	s.presses(prompt)
	s.sees(prompt)
	if s.srv == nil {
		s.presses("\r")
		return
	}
	before := len(s.srv.Requests())
	s.pressesUntil("\r", "a request to the model", func() bool { return len(s.srv.Requests()) > before })
}

// oneStep is a model that makes one call and is done.
func oneStep(t *testing.T, call llmtest.Call) *llmtest.Server {
	return llmtest.NewServer(t, llmtest.Script{Steps: []llmtest.Step{{Calls: []llmtest.Call{call}}}})
}

// A person at Claude Code in its manual mode reads nod's reason in the prompt,
// and what the person says is what happens.
func TestThePersonIsAsked(t *testing.T) {
	for _, row := range []struct{ name, key string }{{"no", "2"}, {"yes", "1"}} {
		t.Run(row.name, func(t *testing.T) {
			if row.name == "yes" {
				deep(t, "what a person sees")
			}
			begin(t)
			m := newMachine(t, `ask = ["./opaque *"]`)
			m.install("user")
			made := filepath.Join(m.work, "made")
			s := m.sit(oneStep(t, llmtest.Bash("asked", "./opaque made")), "default")
			s.asks(task)
			s.sees("requires confirmation", "leaves this to a person: ./opaque *",
				"Do you want to proceed?", "2. No")
			s.capture("claude-code-asks", "Bash command", "")
			if exists(made) {
				t.Error("it ran before the person had answered")
			}
			after := "Interrupted"
			if row.name == "yes" {
				after = "done"
			}
			s.pressesUntil(row.key, after, func() bool { return strings.Contains(s.words(), after) })
			if exists(made) != (row.name == "yes") {
				t.Errorf("ran: %v, after %s", exists(made), row.name)
			}
		})
	}
}

// Two prompts may wait: a sub-agent would print a secret while the person is asked about a file. With any answer to
// that, also "and switch the mode", the other call does not run unasked: nod has denied it.
func TestTwoPromptsWait(t *testing.T) {
	deep(t, "what a person sees")
	for _, row := range []struct{ name, key string }{{"yes", "1"}, {"yes, and switch the mode", "2"}} {
		t.Run(row.name, func(t *testing.T) {
			begin(t)
			m := newMachine(t, "")
			m.install("user")
			m.write(filepath.Join(m.work, ".env"), "KEY=not-for-a-model\n", 0o600)
			const childs = "do what the child must do"
			notes := filepath.Join(m.home, "notes.txt")
			child := drivenBy("claude-code").child("child", childs)
			srv := llmtest.NewServer(t, llmtest.Script{
				Steps:  []llmtest.Step{{Calls: []llmtest.Call{child, llmtest.Write("outside", notes, "x")}}},
				Asides: map[string][]llmtest.Step{childs: oneByOne(llmtest.Bash("grave", "cat .env")).Steps},
			})
			s := m.sit(srv, "default")
			s.asks(task)
			s.sees("notes.txt", "2. Yes, and switch to accept edits")
			hang.Until(t, "the sub-agent's call", func() bool { return len(m.decided("cat .env")) > 0 })
			if grave := m.decided("cat .env")[0]; grave.Answered != "deny" || !strings.Contains(grave.Reason,
				"a sub-agent makes this call") {
				t.Errorf("%s: %s, %s", grave.Answered, grave.Reason, s.text())
			}
			s.pressesUntil(row.key, "the end of the turn", func() bool { return strings.Contains(s.words(), "done") })
			if got, _ := srv.Result("grave"); strings.Contains(got, "not-for-a-model") || !exists(notes) {
				t.Errorf("the model was told %q, notes are there: %v\n%s", got, exists(notes), s.text())
			}
		})
	}
}

// About a file Claude Code asks in a dialog of its own, without a hook's reason. nod says the reason in a message,
// which is on the screen once the dialog is gone.
func TestTheFileDialog(t *testing.T) {
	deep(t, "what a person sees")
	begin(t)
	m := newMachine(t, "")
	m.install("user")
	orders := filepath.Join(m.work, "AGENTS.md")
	s := m.sit(oneStep(t, llmtest.Write("guarded", orders, "x")), "default")
	s.asks(task)
	s.sees("AGENTS.md", "1. Yes")
	s.capture("claude-code-file-dialog", "Create file", "")
	if exists(orders) {
		t.Error("it was written before the person had answered")
	}
	s.pressesUntil("1", "the end of the turn", func() bool { return strings.Contains(s.words(), "done") })
	s.sees("nod asks about Write", "which changes what runs later")
	if !exists(orders) {
		t.Error("it was not written")
	}
}

// What a person's rule forbids does not run in any mode, and the person reads
// why, but for opencode, which shows the call alone.
func TestTheForbiddenIsShown(t *testing.T) {
	deep(t, "what a person sees")
	claude := func(mode string) func(*machine, *llmtest.Server) *screen {
		return func(m *machine, srv *llmtest.Server) *screen { return m.sit(srv, mode) }
	}
	at := func(d driven, ready string, words ...string) func(*machine, *llmtest.Server) *screen {
		return func(m *machine, srv *llmtest.Server) *screen {
			m.trust(d.adapter.Name(), m.work)
			_, environ := d.prepare(m, srv)
			s := m.terminal(environ, d.program(m.t), words...)
			s.sees(ready)
			return s
		}
	}
	codex := at(drivenBy("codex"), "›", "-s", "danger-full-access")
	denies := []string{"hard_deny", "touch forbidden", "done"}
	for _, row := range []struct {
		driven
		mode           string
		sit            func(*machine, *llmtest.Server) *screen
		sees           []string
		shot, from, to string
	}{
		{drivenBy("claude-code"), "auto", claude("auto"), denies, "claude-code-denies", "Did not run", "Reason:"},
		{drivenBy("claude-code"), "default", claude("default"), denies, "claude-code-denies", "Did not run", "Reason:"},
		{drivenBy("codex"), "", codex, append(denies, "Blocked by hook"), "codex-denies",
			"Blocked by hook", "hard_deny"},
		{drivenBy("opencode"), "", at(drivenBy("opencode"), "Ask anything"), denies[1:], "opencode-denies", task,
			"done"},
	} {
		t.Run(row.title+" "+row.mode, func(t *testing.T) {
			row.program(t)
			t.Parallel()
			m := newMachine(t, ruleSettings)
			srv := oneStep(t, row.shell("forbidden", "touch forbidden"))
			row.prepare(m, srv)
			m.installFor(row.adapter.Name(), "user")
			if row.consent != nil {
				row.consent(m)
			}
			s := row.sit(m, srv)
			s.asks(task)
			s.sees(row.sees...)
			s.capture(row.shot, row.from, row.to)
			m.holds(t, map[string]bool{"forbidden": false})
		})
	}
}

// nod install asks once, writes only after a yes, and fits a screen. Who has said
// what is to run confined is not asked about that.
func TestInstallAsksOnce(t *testing.T) {
	for _, row := range []struct{ name, said string }{{"no", "\r"}, {"yes", "y\r"}} {
		t.Run(row.name, func(t *testing.T) {
			begin(t)
			m := newMachine(t, "confine = \"off\"\n")
			settings := filepath.Join(m.home, ".claude", "settings.json")
			s := m.terminal(nil, filepath.Join(m.bin, "nod"), "install")
			s.sees("Found: Claude Code", "makes ~/.claude/settings.json", "Go ahead? [y/N]")
			if exists(settings) {
				t.Error("written before the answer")
			}
			s.presses(row.said)
			code := s.ends()
			if exists(settings) != (row.name == "yes") || (code == 0) != (row.name == "yes") {
				t.Errorf("exit %d, written: %v\n%s", code, exists(settings), s.text())
			}
			s.capture("install-"+row.name, "Found:", "")
			if lines := strings.Count(s.text(), "\n"); lines > 20 {
				t.Errorf("%d lines", lines)
			}
		})
	}
}
