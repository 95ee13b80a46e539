package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/llm/llmtest"
)

// Where Codex asks a person before a call leaves its sandbox, over the server
// that editors talk to: what nod allows runs and nobody is asked, what nod
// denies does not run and nobody is asked, and what nod would ask about is
// asked. Where nod-hook says nothing the host asks about each.
func TestCodexGrants(t *testing.T) {
	for _, row := range []struct {
		name   string
		silent bool
		ran    []string
		asked  []string
	}{
		{"nod", false, []string{"allowed"}, []string{"./opaque asked"}},
		{"a hook that is silent", true, nil, []string{"touch allowed", "touch forbidden", "./opaque asked"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.silent {
				deep(t, "the failure matrix of an agent")
			}
			d := codexDriven()
			d.program(t)
			t.Parallel()
			m := d.ready(t, ruleSettings, llmtest.Script{Steps: []llmtest.Step{
				{Calls: []llmtest.Call{escalated("allowed", "touch allowed")}},
				{Calls: []llmtest.Call{escalated("denied", "touch forbidden")}},
				{Calls: []llmtest.Call{escalated("asked", "./opaque asked")}},
			}})
			m.installed(false)
			if row.silent {
				hook := filepath.Join(m.bin, "nod-hook")
				m.remove(hook)
				m.machine.write(hook, "#!/bin/sh\nexit 0\n", 0o755)
			}
			asked := m.serve()
			for name, file := range map[string]string{"allowed": "allowed", "denied": "forbidden", "asked": "asked"} {
				told := m.told(t, name)
				if ran := exists(filepath.Join(m.work, file)); ran != slices.Contains(row.ran, file) {
					t.Errorf("%s ran: %v; the model was told %q", name, ran, told)
				}
				if name == "denied" && strings.Contains(told, "hard_deny") == row.silent {
					t.Errorf("the model was told %q", told)
				}
			}
			if len(asked) != len(row.asked) {
				t.Fatalf("the person was asked about %q, want %q", asked, row.asked)
			}
			for i, want := range row.asked {
				if !strings.Contains(asked[i], want) {
					t.Errorf("the person was asked about %q, want %q", asked[i], want)
				}
			}
			if row.silent {
				return
			}
			for holds, want := range map[string][]string{"touch allowed": {"abstained", "allow"},
				"touch forbidden": {"deny"}, "./opaque asked": {"abstained", "abstained"}} {
				var said []string
				for _, e := range m.decided(holds) {
					said = append(said, e.Answered)
				}
				if !slices.Equal(said, want) {
					t.Errorf("about %q nod said %q, want %q", holds, said, want)
				}
			}
		})
	}
}

// escalated is a command that asks to leave the sandbox.
func escalated(name, command string) llmtest.Call {
	return llmtest.Call{Name: name, Tool: "exec_command", Input: map[string]any{
		"cmd": command, "sandbox_permissions": "require_escalated", "justification": "the test wants it"}}
}

// serve lets Codex do one prompt through its app-server, declines whatever it
// asks, and returns what that was.
func (d *driving) serve() (asked []string) {
	d.t.Helper()
	slots <- struct{}{}
	defer func() { <-slots }()
	d.prepare(d.machine, d.srv)
	cmd := d.command(d.t.Context(), codexProgram(d.t), "app-server")
	cmd.Env = append(cmd.Env, "SCRIPTED_KEY=none")
	in, err := cmd.StdinPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		d.t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	timer := time.AfterFunc(hang.Limit(), func() { cmd.Process.Kill() })
	defer timer.Stop()
	fmt.Fprintln(in, `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"e2e","version":"1"}}}`)
	fmt.Fprintln(in, `{"method":"initialized"}`)
	fmt.Fprintf(in, `{"id":2,"method":"thread/start","params":{"cwd":%q,"approvalPolicy":"on-request","sandbox":"workspace-write"}}`+"\n", d.work)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Error  json.RawMessage
			Params struct{ Command string }
			Result struct{ Thread struct{ ID string } }
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			d.t.Fatalf("codex app-server: %v\n%s", err, lines.Bytes())
		}
		switch {
		case m.Error != nil:
			d.t.Fatalf("codex app-server: %s", lines.Bytes())
		case string(m.ID) == "2" && m.Method == "":
			fmt.Fprintf(in, `{"id":3,"method":"turn/start","params":{"threadId":%q,"input":[{"type":"text","text":"do what the test wants"}]}}`+"\n", m.Result.Thread.ID)
		case m.ID != nil && m.Method != "":
			asked = append(asked, m.Method+" "+m.Params.Command)
			fmt.Fprintf(in, `{"id":%s,"result":{"decision":"decline"}}`+"\n", m.ID)
		case m.Method == "turn/completed":
			return asked
		}
	}
	d.t.Fatal("codex app-server ended in the middle of a turn")
	return nil
}
