package e2e

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/llm/llmtest"
)

// hostile tries what a hostile test would, writes down what it got, and makes
// what an honest test might.
const hostile = `import os, socket, subprocess, sys
got = []
def attempt(name, do):
    try:
        do(); got.append(name)
    except BaseException: pass
home, port = sys.argv[1], int(sys.argv[2])
attempt('key', lambda: open(home + '/.ssh/id_ed25519').read())
attempt('environment', lambda: os.environ['ANTHROPIC_API_KEY'])
attempt('network', lambda: socket.create_connection(('127.0.0.1', port), 2))
attempt('daemon', lambda: [os.kill(int(p), 0) for p in os.listdir('/proc') if p.isdigit() and b'claude' in open('/proc/%s/cmdline' % p, 'rb').read().split(b'\0')[0]][0])
attempt('settings', lambda: open(home + '/.config/nod/nod.toml').read())
def write(name, text):
    os.makedirs(os.path.dirname(name), exist_ok=True); open(name, 'w').write(text)
for name in ['.git/hooks/pre-commit', '.claude/settings.json', home + '/.bashrc', home + '/.claude/settings.json']:
    try: write(name, 'planted')
    except BaseException: pass
subprocess.Popen(['sh', '-c', 'while :; do echo late >> late; done'], start_new_session=True)
open('result', 'w').write('got: ' + ' '.join(got))
sys.exit(0)
`

// The real Claude Code is told to type the line, types it, and a hostile test
// gets nothing.
func TestHostileCodeIsConfined(t *testing.T) {
	deep(t, "code that nod has not read runs confined")
	begin(t)
	m := newMachine(t, "confine = \"on\"\n")
	m.install("user")
	program := filepath.Join(m.bin, "nod-hook")
	if out, err := m.command(t.Context(), filepath.Join(m.bin, "nod"), "confine").CombinedOutput(); err != nil {
		missing(t, "nothing can be confined here: %s", out)
	}
	m.write(filepath.Join(m.home, ".ssh/id_ed25519"), "key", 0o600)
	m.write(filepath.Join(m.work, "hostile.py"), hostile, 0o644)
	heard := make(chan struct{}, 16)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
			heard <- struct{}{}
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	line := "python3 hostile.py " + m.home + " " + port
	in := func(name string) string { return filepath.Join(m.work, name) }
	steps := []expectation{
		{call: llmtest.Bash("unread code", "./opaque made"), answered: "deny", layer: nod.LayerShell, makes: in("made-outside"), told: []string{"type exactly " + nod.ConfinedLine(program, "./opaque made")}},
		{call: llmtest.Bash("the line to type", nod.ConfinedLine(program, "./opaque made")), answered: "allow", layer: nod.LayerShell, ran: true, makes: in("made")},
		{call: llmtest.Bash("a hostile test", nod.ConfinedLine(program, line)), answered: "allow", layer: nod.LayerShell, ran: true, makes: in("result"), told: []string{"left as it was: .claude"}},
		{call: llmtest.Bash("with something beside", nod.ConfinedLine(program, line)+"; ./opaque beside"), answered: "deny", makes: in("beside")},
	}
	r := m.prompt(llmtest.NewServer(t, script(steps)), "default")
	r.check(steps)
	if text, err := os.ReadFile(in("result")); err != nil || strings.TrimSpace(string(text)) != "got:" {
		t.Errorf("%q %v", text, err)
	}
	for _, name := range []string{in(".git/hooks/pre-commit"), in(".claude/settings.json"), filepath.Join(m.home, ".bashrc")} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s was planted", name)
		}
	}
	if text, err := os.ReadFile(filepath.Join(m.home, ".claude/settings.json")); err == nil && strings.Contains(string(text), "planted") {
		t.Error("the agent's settings were changed")
	}
	if len(heard) != 0 {
		t.Error("the server outside was reached")
	}
}
