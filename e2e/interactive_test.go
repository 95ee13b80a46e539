package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/llm/llmtest"
)

// sit starts Claude Code as a person does who has used it before: what it asks
// at its first start is answered.
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
	s := m.terminal(claudeEnviron(srv), m.claude, "--permission-mode", mode)
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
			s.asks("do what the test wants")
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

// Two prompts may wait: a sub-agent would delete what git does not have while the
// person is asked about a file. Whatever the person says to that, also "and switch
// the mode", the other call does not run unasked: nod has denied it.
func TestTwoPromptsWait(t *testing.T) {
	deep(t, "what a person sees")
	for _, row := range []struct{ name, key string }{{"yes", "1"}, {"yes, and switch the mode", "2"}} {
		t.Run(row.name, func(t *testing.T) {
			begin(t)
			m := newMachine(t, "")
			m.install("user")
			lost := filepath.Join(m.work, "scratch", "a.txt")
			m.write(lost, "not in git\n", 0o644)
			const task = "do what the child must do"
			notes := filepath.Join(m.home, "notes.txt")
			child := claudeDriven().child("child", task)
			s := m.sit(llmtest.NewServer(t, llmtest.Script{
				Steps: []llmtest.Step{{Calls: []llmtest.Call{child, llmtest.Write("outside", notes, "x")}}},
				Asides: map[string][]llmtest.Step{task: {{Calls: []llmtest.Call{llmtest.Bash("grave",
					"rm -rf scratch")}}}},
			}), "default")
			s.asks("do what the test wants")
			s.sees("notes.txt", "2. Yes, and switch to accept edits")
			var grave audit.Entry
			hang.Until(t, "the sub-agent's call", func() bool {
				for _, e := range m.log() {
					if e.Kind == audit.Decision && strings.Contains(string(e.Input), "rm -rf scratch") {
						grave = e
					}
				}
				return grave.ID != ""
			})
			if grave.Answered != "deny" || !strings.Contains(grave.Reason,
				"a sub-agent makes this call") || !exists(lost) {
				t.Errorf("%s: %s, %s", grave.Answered, grave.Reason, s.text())
			}
			s.pressesUntil(row.key, "the end of the turn", func() bool { return strings.Contains(s.words(), "done") })
			if !exists(lost) || !exists(notes) {
				t.Errorf("scratch is there: %v, notes are: %v\n%s", exists(lost), exists(notes), s.text())
			}
		})
	}
}

// About a file Claude Code asks in a dialog of its own, without a hook's reason.
// nod says the reason in a message, which is on the screen once the dialog is
// gone.
func TestTheFileDialog(t *testing.T) {
	deep(t, "what a person sees")
	begin(t)
	m := newMachine(t, "")
	m.install("user")
	notes := filepath.Join(m.home, "notes.txt")
	s := m.sit(oneStep(t, llmtest.Write("outside", notes, "x")), "default")
	s.asks("do what the test wants")
	s.sees("notes.txt", "1. Yes")
	s.capture("claude-code-file-dialog", "Create file", "")
	if exists(notes) {
		t.Error("it was written before the person had answered")
	}
	s.pressesUntil("1", "the end of the turn", func() bool { return strings.Contains(s.words(), "done") })
	s.sees("nod asks about Write", "outside the workspace")
	if !exists(notes) {
		t.Error("it was not written")
	}
}

// What a person's rule forbids does not run in any mode, and the person reads
// why.
func TestTheForbiddenIsShown(t *testing.T) {
	deep(t, "what a person sees")
	for _, mode := range []string{"auto", "default", "bypassPermissions"} {
		t.Run(mode, func(t *testing.T) {
			begin(t)
			m := newMachine(t, `hard_deny = ["touch forbidden"]`)
			m.install("user")
			s := m.sit(oneStep(t, llmtest.Bash("forbidden", "touch forbidden")), mode)
			s.asks("do what the test wants")
			s.sees("hard_deny", "touch forbidden", "done")
			s.capture("claude-code-denies", "Did not run", "Reason:")
			if exists(filepath.Join(m.work, "forbidden")) {
				t.Error("it ran")
			}
		})
	}
}

// Codex in a terminal blocks what nod denies, and shows the reason.
func TestCodexShowsTheReason(t *testing.T) {
	deep(t, "what a person sees")
	program := codexProgram(t)
	t.Parallel()
	m := newBareMachine(t, `hard_deny = ["touch forbidden"]`)
	d := codexDriven()
	srv := oneStep(t, d.shell("forbidden", "touch forbidden"))
	d.prepare(m, srv)
	m.installFor("codex", "user")
	d.consent(m)
	m.trusted += "[projects.\"" + m.work + "\"]\ntrust_level = \"trusted\"\n"
	_, environ := d.prepare(m, srv)
	s := m.terminal(environ, program, "-s", "danger-full-access")
	s.sees("›")
	s.asks("do what the test wants")
	s.sees("Blocked by hook", "hard_deny", "done")
	s.capture("codex-denies", "Blocked by hook", "hard_deny")
	if exists(filepath.Join(m.work, "forbidden")) {
		t.Error("it ran")
	}
}

// opencode in a terminal does not run what nod denies.
func TestOpencodeShowsTheCall(t *testing.T) {
	deep(t, "what a person sees")
	program := opencodeProgram(t)
	t.Parallel()
	m := newBareMachine(t, `hard_deny = ["touch forbidden"]`)
	d := opencodeDriven()
	srv := oneStep(t, d.shell("forbidden", "touch forbidden"))
	_, environ := d.prepare(m, srv)
	m.installFor("opencode", "user")
	s := m.terminal(environ, program)
	s.sees("Ask anything")
	s.asks("do what the test wants")
	s.sees("touch forbidden", "done")
	s.capture("opencode-denies", "do what the test wants", "done")
	if exists(filepath.Join(m.work, "forbidden")) {
		t.Error("it ran")
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
			s.sees("Found: Claude Code", "makes ~/.claude/settings.json, with nod's hook in it", "Go ahead? [y/N]")
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
