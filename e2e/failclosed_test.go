package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/llm/llmtest"
)

// Whatever becomes of nod-hook, the call does not run, not even one that a
// rule allows and Claude Code itself would let through.
func TestBrokenHookBlocks(t *testing.T) {
	deep(t, "the failure matrix of an agent")
	begin(t)
	for _, row := range []struct{ name, script string }{
		{"missing", ""},
		{"kills itself", "#!/bin/sh\nkill -9 $$\n"},
		{"fails", "#!/bin/sh\nexit 1\n"},
		{"prints rubbish", "#!/bin/sh\necho '{\"hookSpecificOutput\": nonsense}'\n"},
		{hangs, "#!/bin/sh\nexec sleep 86400\n"},
		{"is no program", "\x00\x01"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := newMachine(t, ruleSettings)
			m.install("user")
			if row.name == hangs {
				m.shortenTimeouts()
			}
			if row.script == "" {
				m.remove(filepath.Join(m.bin, "nod-hook"))
			} else {
				m.write(filepath.Join(m.bin, "nod-hook"), row.script, 0o755)
			}
			list := []expectation{{call: llmtest.Bash("blocked", "touch allowed"),
				makes: filepath.Join(m.work, "allowed")}}
			r := m.prompt(llmtest.NewServer(t, script(list)), "acceptEdits")
			r.checkTold(t, list[0])
			if len(r.log) != 0 {
				t.Errorf("the log has %d lines though nod did not run", len(r.log))
			}
		})
	}
}

// shortenTimeouts keeps a hook that hangs from holding the test up.
func (m *machine) shortenTimeouts() {
	m.t.Helper()
	path := filepath.Join(m.home, ".claude", "settings.json")
	raw, err := os.ReadFile(path)
	if err != nil {
		m.t.Fatal(err)
	}
	short := strings.ReplaceAll(string(raw), `"timeout": 60`, `"timeout": 2`)
	if short == string(raw) {
		m.t.Fatalf("no timeout of 60 s in %s:\n%s", path, raw)
	}
	m.write(path, short, 0o600)
}

// A process of nod's that is killed in the middle of a decision blocks.
func TestKilledMidwayBlocks(t *testing.T) {
	deep(t, "the failure matrix of an agent")
	begin(t)
	for _, row := range []struct {
		program  string
		answered int // decisions in the log
	}{
		{"nod-hook", 0},
		{"nod", 1}, // nod classify: the hook is left to say so
	} {
		t.Run(row.program, func(t *testing.T) {
			m := newMachine(t, "")
			asked := make(chan struct{}, 8)
			list := []expectation{{call: llmtest.Bash("blocked", "./opaque slow"),
				makes: filepath.Join(m.work, "slow")}}
			s := script(list)
			s.Classifier = func(llmtest.Request) llmtest.Answer {
				asked <- struct{}{}
				return llmtest.Answer{Hang: true}
			}
			srv := llmtest.NewServer(t, s)
			m.settings(m.model("anthropic", srv.URL))
			m.install("user")
			killed, ended := make(chan int, 1), make(chan struct{})
			go func() { killed <- m.killWhen(asked, ended, row.program) }()
			r := m.prompt(srv, "acceptEdits")
			close(ended)
			if n := <-killed; n != 1 {
				t.Fatalf("killed %d processes", n)
			}
			r.checkTold(t, list[0])
			begun, decided := r.ofCall(audit.Begun, "blocked"), r.ofCall(audit.Decision, "blocked")
			if len(begun) != 1 || len(decided) != row.answered {
				t.Errorf("log: %d begun, %d decided; want 1 and %d", len(begun), len(decided), row.answered)
			}
		})
	}
}

// killWhen kills the machine's processes of a program, as soon as something
// is asked, and returns how many. Where the agent ends before, it is 0.
func (m *machine) killWhen(asked, ended <-chan struct{}, program string) (n int) {
	select {
	case <-asked:
	case <-ended:
		return 0
	}
	for _, pid := range pidsOf(filepath.Join(m.bin, program)) {
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			n++
		}
	}
	return n
}

// A settings file that cannot be used never means fewer rules.
func TestBrokenSettingsBlock(t *testing.T) {
	deep(t, "the failure matrix of an agent")
	begin(t)
	m := newMachine(t, ruleSettings)
	m.install("user")
	m.settings("allow = [\"touch allowed\"]\nhard_denny = [\"touch forbidden\"]\n")
	list := []expectation{{call: llmtest.Bash("blocked", "touch allowed"), answered: "deny", kind: fault.BadSettings,
		makes: filepath.Join(m.work, "allowed"), told: []string{"nod.toml:2", "hard_deny"}}}
	m.prompt(llmtest.NewServer(t, script(list)), "acceptEdits").check(list)
}
