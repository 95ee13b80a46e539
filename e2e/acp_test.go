package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"testing"
	"time"

	"context"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/llm/llmtest"
)

// spoke is an agent that speaks the Agent Client Protocol and needs no
// account.
type spoke struct {
	name string
	// prepare writes the agent's configuration and returns its command line,
	// and what the environment needs.
	prepare func(m *machine, srv *llmtest.Server) (words, environ []string)
	shell   func(name, command string) llmtest.Call
	write   func(name, path, content string) llmtest.Call
	// relative says that a command's directory is certain, so that one with
	// relative names is settled.
	relative bool
}

func allSpoke() []spoke {
	copilot := copilotDriven()
	return []spoke{{
		name: "copilot", shell: copilot.shell, write: copilot.write,
		prepare: func(m *machine, srv *llmtest.Server) (words, environ []string) {
			words, environ = copilot.prepare(m, srv)
			return []string{words[0], "--acp"}, environ
		},
	}}
}

// TestACP drives real agents as an editor does, through nod acp: what nod
// allows runs and the editor is not asked, what it denies does not run, and
// what a person must decide reaches the editor.
func TestACP(t *testing.T) {
	for _, s := range allSpoke() {
		t.Run(s.name, func(t *testing.T) {
			m := newBareMachine(t, ruleSettings)
			t.Parallel()
			in := func(name string) string { return filepath.Join(m.work, name) }
			steps := []struct {
				call     llmtest.Call
				answered string
				asked    bool // the editor is
				makes    string
				ran      bool
			}{
				{s.shell("allowed", "touch "+in("allowed")), "allow", false, in("allowed"), true},
				{s.shell("relative", "touch relative"), map[bool]string{true: "allow", false: "abstained"}[s.relative], !s.relative, in("relative"), s.relative},
				{s.shell("denied", "touch forbidden"), "deny", false, in("forbidden"), false},
				{s.shell("refused", "./opaque refused"), "abstained", true, in("refused"), false},
				{s.write("edit", in("new.txt"), "new"), "allow", false, in("new.txt"), true},
				{s.write("guarded", in(".git/hooks/pre-commit"), "new"), "abstained", true, in(".git/hooks/pre-commit"), false},
			}
			var script llmtest.Script
			asked := 0
			for _, step := range steps {
				script.Steps = append(script.Steps, llmtest.Step{Calls: []llmtest.Call{step.call}})
				if step.asked {
					asked++
				}
			}
			srv := llmtest.NewServer(t, script)
			words, environ := s.prepare(m, srv)
			e := m.edit(s.name, words, environ)
			for range steps { // a refusal ends the turn of some agents
				e.prompt("do what the test wants")
			}
			for _, step := range steps {
				if exists(step.makes) != step.ran {
					t.Errorf("%s: ran %v, want %v", step.call.Name, !step.ran, step.ran)
				}
			}
			if e.asked != asked {
				t.Errorf("the editor was asked %d times, want %d", e.asked, asked)
			}
			var said, want []string
			for _, entry := range m.log() {
				if entry.Kind == nod.EntryDecision && entry.Agent == "acp:"+s.name && entry.Root == m.work {
					said = append(said, entry.Answered)
				}
			}
			for _, step := range steps {
				want = append(want, step.answered)
			}
			if !equal(said, want) {
				t.Errorf("answered %q, want %q\n%s", said, want, e.stderr.String())
			}
		})
	}
}

func equal(a, b []string) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

// driver is an editor that refuses whatever it is asked.
type driver struct {
	t       *testing.T
	to      io.Writer
	from    *bufio.Reader
	stderr  *bytes.Buffer
	session string
	asked   int
}

// edit starts an agent through nod acp and opens a session in the workspace.
func (m *machine) edit(name string, words, environ []string) *driver {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), 2*time.Minute)
	cmd := m.command(ctx, filepath.Join(m.bin, "nod"), append([]string{"acp", "--name", name, "--"}, words...)...)
	cmd.Env = append(cmd.Env, environ...)
	d := &driver{t: m.t, stderr: &bytes.Buffer{}}
	cmd.Stderr = d.stderr
	to, err := cmd.StdinPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	d.to, d.from = to, bufio.NewReader(from)
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() {
		to.Close()
		time.AfterFunc(5*time.Second, cancel)
		_ = cmd.Wait() // some agents end with their input, some with the signal
		cancel()
	})
	d.call("initialize", map[string]any{"protocolVersion": 1, "clientInfo": map[string]any{"name": "e2e", "version": "0"},
		"clientCapabilities": map[string]any{"fs": map[string]any{"readTextFile": false, "writeTextFile": false}, "terminal": false}})
	result := d.call("session/new", map[string]any{"cwd": m.work, "mcpServers": []any{}})
	d.session, _ = result["sessionId"].(string)
	return d
}

func (d *driver) prompt(text string) {
	d.t.Helper()
	d.call("session/prompt", map[string]any{"sessionId": d.session, "prompt": []any{map[string]any{"type": "text", "text": text}}})
}

// call sends a request and serves the agent until it is answered.
func (d *driver) call(method string, params map[string]any) map[string]any {
	d.t.Helper()
	d.send(map[string]any{"jsonrpc": "2.0", "id": method, "method": method, "params": params})
	for {
		line, err := d.from.ReadBytes('\n')
		if err != nil {
			d.t.Fatalf("%s: %v\n%s", method, err, d.stderr)
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Options []struct{ OptionID, Kind string }
			}
			Result map[string]any
			Error  json.RawMessage
		}
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		switch {
		case m.Method == "session/request_permission":
			d.asked++
			for _, o := range m.Params.Options {
				if o.Kind == "reject_once" {
					d.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": o.OptionID}}})
				}
			}
		case m.Method != "" && m.ID != nil:
			d.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": -32601, "message": "no"}})
		case string(m.ID) == `"`+method+`"`:
			if m.Error != nil {
				d.t.Fatalf("%s: %s\n%s", method, m.Error, d.stderr)
			}
			return m.Result
		}
	}
}

func (d *driver) send(message map[string]any) {
	d.t.Helper()
	line, err := json.Marshal(message)
	if err == nil {
		_, err = d.to.Write(append(line, '\n'))
	}
	if err != nil {
		d.t.Fatal(err)
	}
}
