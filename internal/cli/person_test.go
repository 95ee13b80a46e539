//go:build unix

package cli

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/hosts"
)

func TestAgentAmongAncestors(t *testing.T) {
	for _, c := range []struct {
		name string
		a    Ancestor
		want string
	}{
		{"native", Ancestor{Name: "claude"}, "claude"},
		{"by its version", Ancestor{Name: "2.1.329", Exe: "/home/u/.local/share/claude/versions/2.1.329"}, "claude"},
		{"started by a path", Ancestor{Name: "node-MainThread", Exe: "/usr/bin/node",
			Args: []string{"/usr/bin/node", "/usr/bin/codex"}}, "codex"},
		{"Antigravity", Ancestor{Name: "agy"}, "agy"},
		{"package", Ancestor{Name: "node", Args: []string{"node", "--no-warnings",
			"/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"}}, "claude-code"},
		{"argument only", Ancestor{Name: "x", Args: []string{"/opt/bin/opencode", "run"}}, "opencode"},
		{"Python", Ancestor{Name: "python3.12", Args: []string{"python3.12",
			"/v/lib/python3.12/site-packages/aider/main.py"}}, "aider"},
		{"script", Ancestor{Name: "node", Args: []string{"node", "/x/gemini.js"}}, "gemini"},
		{"Windows", Ancestor{Name: "Copilot.exe"}, "copilot"},
		{"login shell", Ancestor{Name: "bash", Args: []string{"-bash"}}, ""},
		{"a repository of that name", Ancestor{Name: "bash", Args: []string{"bash", "/home/u/codex/build.sh"}}, ""},
		{"an editor with such a file", Ancestor{Name: "vim", Args: []string{"vim", "/home/u/notes/claude"}}, ""},
		{"a home of that name", Ancestor{Name: "sshd", Exe: "/usr/sbin/sshd", Args: []string{"sshd: pi@pts/0"}}, ""},
		{"an editor", Ancestor{Name: "code", Exe: "/usr/share/code/code"}, ""},
		{"nothing known", Ancestor{}, ""},
	} {
		if got, ok := firstAgent([]Ancestor{{Name: "bash"}, c.a}); got != c.want || ok != (c.want != "") {
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

func TestPerson(t *testing.T) {
	none := func() ([]Ancestor, error) { return []Ancestor{{Name: "bash"}}, nil }
	agent := func() ([]Ancestor, error) { return []Ancestor{{Name: "bash"}, {Name: "codex"}}, nil }
	blind := func() ([]Ancestor, error) { return []Ancestor{{Name: "bash"}}, errors.New("no /proc") }
	for _, c := range []struct {
		name       string
		ancestors  func() ([]Ancestor, error)
		unattended bool
		want       string
	}{
		{"pipe", none, false, "standard input is not a terminal"},
		{"unattended", none, true, ""},
		{"unattended below an agent", agent, true, "a coding agent (codex) runs this command"},
		{"below an agent", agent, false, "a coding agent (codex) runs this command"},
		{"unattended, blind", blind, true, "cannot see which processes run this command"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := person(&Process{Stdin: strings.NewReader("y\n"), Ancestors: c.ancestors}, c.unattended)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// A process that has left its parents still bears the agent's mark.
func TestPersonWhoLeftTheirParents(t *testing.T) {
	for environ, want := range map[string]bool{"CLAUDECODE=1": true, "X=1": false} {
		p := Process{Stdin: strings.NewReader(""), Environ: []string{environ},
			Ancestors: func() ([]Ancestor, error) { return []Ancestor{{PID: 1, Name: "systemd"}}, nil }}
		if err := person(&p, true); errors.Is(err, errAgent) != want {
			t.Errorf("%s: %v, want a refusal: %v", environ, err, want)
		}
	}
}

// TestAncestors: the real list starts at our parent and ends at the first process.
func TestAncestors(t *testing.T) {
	list, err := ancestors()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 || list[0].PID != os.Getppid() || list[0].Name == "" {
		t.Errorf("%+v", list)
	}
}
