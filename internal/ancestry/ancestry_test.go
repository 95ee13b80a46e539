//go:build unix

package ancestry

import (
	"os"
	"testing"

	"github.com/nodgate/nod/internal/hosts"
)

func TestAgentAmongAncestors(t *testing.T) {
	for _, c := range []struct {
		name string
		a    Process
		want string
	}{
		{"native", Process{Name: "claude"}, "claude"},
		{"by its version", Process{Name: "2.1.329", Exe: "/home/u/.local/share/claude/versions/2.1.329"}, "claude"},
		{"started by a path", Process{Name: "node-MainThread", Exe: "/usr/bin/node",
			Args: []string{"/usr/bin/node", "/usr/bin/codex"}}, "codex"},
		{"Antigravity", Process{Name: "agy"}, "agy"},
		{"package", Process{Name: "node", Args: []string{"node", "--no-warnings",
			"/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"}}, "claude-code"},
		{"argument only", Process{Name: "x", Args: []string{"/opt/bin/opencode", "run"}}, "opencode"},
		{"Python", Process{Name: "python3.12", Args: []string{"python3.12",
			"/v/lib/python3.12/site-packages/aider/main.py"}}, "aider"},
		{"script", Process{Name: "node", Args: []string{"node", "/x/gemini.js"}}, "gemini"},
		{"Windows", Process{Name: "Copilot.exe"}, "copilot"},
		{"login shell", Process{Name: "bash", Args: []string{"-bash"}}, ""},
		{"a repository of that name", Process{Name: "bash", Args: []string{"bash", "/home/u/codex/build.sh"}}, ""},
		{"an editor with such a file", Process{Name: "vim", Args: []string{"vim", "/home/u/notes/claude"}}, ""},
		{"a home of that name", Process{Name: "sshd", Exe: "/usr/sbin/sshd", Args: []string{"sshd: pi@pts/0"}}, ""},
		{"an editor", Process{Name: "code", Exe: "/usr/share/code/code"}, ""},
		{"nothing known", Process{}, ""},
	} {
		if got, ok := Agent([]Process{{Name: "bash"}, c.a}); got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAgentNamesArePlain(t *testing.T) {
	for _, name := range hosts.Processes() {
		if plainName(name) != name {
			t.Errorf("%q is never matched", name)
		}
	}
}

// TestAncestors: the real list starts at our parent and ends at the first process.
func TestAncestors(t *testing.T) {
	list, err := Above()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 || list[0].PID != os.Getppid() || list[0].Name == "" {
		t.Errorf("%+v", list)
	}
}
