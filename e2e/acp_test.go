package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/llm/llmtest"
)

// spoke is an agent that speaks the Agent Client Protocol and needs no account.
type spoke struct {
	driven
	name    string
	words   []string // of the server; signs as in driven
	version int      // of the protocol
	// mode is the mode in which it asks, if it does not begin in that mode.
	mode string
	// edits is what nod answers for a new file in the workspace, commands for a command, and relative for a command
	// with a relative name: "" is one or the other, as opencode's messages happen to arrive.
	edits, commands, relative string
}

// claudeSpoke is the agent that Zed starts for Claude, with the Claude Code that
// the other tests drive. In version 2 of the protocol nod denies and no more.
func claudeSpoke(version int) spoke {
	s := spoke{driven: drivenBy("claude-code"), name: "claude-agent-acp", version: version,
		edits: "allow", commands: "allow",
		relative: "abstained", words: []string{"{node}", "{acp}/@agentclientprotocol/claude-agent-acp/dist/index.js"}}
	s.environ = append(s.environ, "CLAUDE_CODE_EXECUTABLE={program}")
	if version == 2 {
		s.edits, s.commands = "abstained", "abstained"
	}
	return s
}

func allSpoke() []spoke {
	return []spoke{
		{driven: drivenBy("copilot"), name: "copilot", version: 1, edits: "abstained", // it may have been told to deny
			commands: "abstained", relative: "abstained", words: []string{"{program}", "--acp"}},
		{driven: drivenBy("qwen"), name: "qwen", version: 1, edits: "allow", commands: "allow", relative: "allow",
			mode: "default", words: []string{"node", "{program}", "--acp"}},
		{driven: drivenBy("gemini"), name: "gemini", version: 1, edits: "allow", commands: "abstained", // in the title
			relative: "abstained", words: []string{"node", "{program}", "--acp", "-m", "gemini-2.5-pro"}},
		{driven: drivenBy("opencode"), name: "opencode", version: 1, edits: "allow", commands: "allow",
			words: []string{"{program}", "acp"}},
		claudeSpoke(1), claudeSpoke(2),
	}
}

// prepare is that of the driven agent, with the words of its server.
func (s spoke) prepare(m *machine, srv *llmtest.Server) (words, environ []string) {
	s.driven.words = s.words
	switch s.name {
	case "claude-agent-acp":
		s.driven.words = []string{s.words[0],
			strings.Replace(s.words[1], "{acp}", filepath.Dir(npm(m.t, "../acp/node_modules/@agentclientprotocol")), 1)}
		m.write(filepath.Join(m.home, ".claude", "settings.json"), `{"permissions":{"defaultMode":"default"}}`, 0o600)
	case "opencode":
		m.write(filepath.Join(m.work, "opencode.json"), `{"permission":{"bash":"ask","edit":"ask"}}`, 0o644)
	}
	return s.driven.prepare(m, srv)
}

// TestACP drives real agents as an editor does, through nod acp: what nod allows runs and the editor is not asked, what
// it denies does not run, and what a person must decide reaches the editor.
func TestACP(t *testing.T) {
	deep(t, "agents that an editor drives")
	for _, s := range allSpoke() {
		t.Run(fmt.Sprintf("%s, version %d", s.name, s.version), func(t *testing.T) {
			s.program(t)
			t.Parallel()
			m := newBareMachine(t, ruleSettings)
			in := func(name string) string { return filepath.Join(m.work, name) }
			steps := []step{
				{s.shell("allowed", "touch "+in("allowed")), s.commands, in("allowed")},
				{s.shell("relative", "touch relative"), s.relative, in("relative")},
				{s.shell("denied", "touch forbidden"), "deny", in("forbidden")},
				{s.shell("refused", "./opaque refused"), "abstained", in("refused")},
				{s.write("edit", in("new.txt"), "new"), s.edits, in("new.txt")},
				{s.write("guarded", in(".envrc"), "new"), "abstained", in(".envrc")},
			}
			var calls []llmtest.Call
			for _, step := range steps {
				calls = append(calls, step.call)
			}
			words, environ := s.prepare(m, llmtest.NewServer(t, oneByOne(calls...)))
			through := []string{filepath.Join(m.bin, "nod"), "acp", "--name", s.name, "--"}
			e := m.editor(s, m.work, append(through, words...), environ)
			if s.mode != "" {
				e.call("session/set_mode", map[string]any{"sessionId": e.session, "modeId": s.mode})
			}
			for range steps { // a refusal ends the turn of some agents
				e.prompt(task)
			}
			e.check(m, "acp:"+s.name, steps)
		})
	}
}

// An editor over the Agent SDK is asked what nod's hook asks about, with nod acp before the agent and without it.
func TestTheHookAsksTheEditor(t *testing.T) {
	deep(t, "agents that an editor drives")
	for name, through := range map[string][]string{"hook": nil, "hook and nod acp": {"acp", "--"}} {
		t.Run(name, func(t *testing.T) {
			begin(t)
			m, s := newMachine(t, ruleSettings), claudeSpoke(1)
			words, environ := s.prepare(m, llmtest.NewServer(t, oneByOne(s.shell("allowed", "touch allowed"),
				s.shell("denied", "touch forbidden"), s.shell("refused", "./opaque refused"))))
			m.install("user")
			if through != nil {
				words = slices.Concat([]string{filepath.Join(m.bin, "nod")}, through, words)
			}
			e := m.editor(s, m.work, words, environ)
			e.prompt(task)
			m.holds(t, map[string]bool{"allowed": true, "forbidden": false, "refused": false})
			said := map[string]string{}
			for _, entry := range m.log() {
				if entry.Kind == audit.Decision && entry.Agent == "claude-code" {
					said[llmtest.CallName(entry.CallID)] = entry.Answered
				}
			}
			if e.asked != 1 || said["refused"] != "abstained" || said["denied"] != "deny" {
				t.Errorf("the editor was asked %d times; the hook said %v\n%s", e.asked, said, e.stderr)
			}
		})
	}
}

// step is one call, what nod answers ("": allow or abstained), and the file that is there afterwards if it ran.
type step struct {
	call     llmtest.Call
	answered string
	makes    string
}

func (d *driver) check(m *machine, agent string, steps []step) {
	d.t.Helper()
	var said []string
	for _, entry := range m.log() {
		if entry.Kind == audit.Decision && entry.Agent == agent && entry.Root == m.work {
			said = append(said, entry.Answered)
		}
	}
	if len(said) != len(steps) {
		d.t.Fatalf("%d decisions for %d calls: %q\n%s", len(said), len(steps), said, d.stderr)
	}
	asked := 0
	for i, step := range steps {
		if said[i] != step.answered && (step.answered != "" || said[i] == "deny") {
			d.t.Errorf("%s: answered %s, want %s", step.call.Name, said[i], step.answered)
		}
		if exists(step.makes) != (said[i] == "allow") {
			d.t.Errorf("%s was answered %s; ran: %v", step.call.Name, said[i], exists(step.makes))
		}
		if said[i] == "abstained" {
			asked++
		}
	}
	if d.asked != asked {
		d.t.Errorf("the editor was asked %d times, want %d", d.asked, asked)
	}
}

// driver is an editor that refuses everything it is asked.
type driver struct {
	t       *testing.T
	to      io.Writer
	from    *bufio.Reader
	stderr  *bytes.Buffer
	session string
	asked   int
	version int  // of the protocol
	idle    bool // version 2: the turn has ended
}

// editor returns an editor that starts an agent in a directory and opens a session in the workspace.
func (m *machine) editor(s spoke, dir string, words, environ []string) *driver {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hang.Limit())
	cmd := m.command(ctx, words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Env, environ...)
	d := &driver{t: m.t, stderr: &bytes.Buffer{}, version: s.version}
	cmd.Stderr = d.stderr
	to, from := m.piped(cmd)
	d.to, d.from = to, bufio.NewReader(from)
	m.t.Cleanup(func() {
		to.Close()
		cancel() // some agents do not end with their input
		_ = cmd.Wait()
	})
	self := map[string]any{"name": "e2e", "version": "0"}
	d.call("initialize", map[string]any{"protocolVersion": s.version, "clientInfo": self, "info": self,
		"clientCapabilities": map[string]any{"fs": map[string]any{"readTextFile": false, "writeTextFile": false},
			"terminal": false}})
	result := d.call("session/new", map[string]any{"cwd": m.work, "mcpServers": []any{}})
	d.session, _ = result["sessionId"].(string)
	return d
}

// prompt has the agent do one turn. In version 2 the answer comes when the turn begins, and the end is told.
func (d *driver) prompt(text string) {
	d.t.Helper()
	d.idle = false
	d.call("session/prompt", map[string]any{"sessionId": d.session,
		"prompt": []any{map[string]any{"type": "text", "text": text}}})
	for d.version == 2 && !d.idle {
		d.serve("session/prompt")
	}
}

// spoken is a message of the agent's, as far as the driver reads it.
type spoken struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Options []struct{ OptionID, Kind string }
		Update  struct{ SessionUpdate, State, StopReason string }
	}
	Result map[string]any
	Error  json.RawMessage
}

// call sends a request and serves the agent until it is answered.
func (d *driver) call(method string, params map[string]any) map[string]any {
	d.t.Helper()
	d.send(map[string]any{"jsonrpc": "2.0", "id": method, "method": method, "params": params})
	for {
		m := d.serve(method)
		if m.Method != "" || string(m.ID) != `"`+method+`"` {
			continue
		}
		if m.Error != nil {
			d.t.Fatalf("%s: %s\n%s", method, m.Error, d.stderr)
		}
		return m.Result
	}
}

// serve reads one message and answers it where it asks for something: every question with no.
func (d *driver) serve(during string) (m spoken) {
	d.t.Helper()
	line, err := d.from.ReadBytes('\n')
	if err != nil {
		d.t.Fatalf("%s: %v\n%s", during, err, d.stderr)
	}
	if json.Unmarshal(line, &m) != nil {
		return spoken{}
	}
	switch {
	case m.Method == "session/request_permission":
		d.asked++
		for _, o := range m.Params.Options {
			if o.Kind == "reject_once" {
				d.send(map[string]any{"jsonrpc": "2.0", "id": m.ID,
					"result": map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": o.OptionID}}})
			}
		}
	case m.Method == "session/update":
		u := m.Params.Update
		d.idle = d.idle || u.SessionUpdate == "state_update" && u.State == "idle" && u.StopReason != ""
	case m.Method != "" && m.ID != nil:
		d.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": -32601, "message": "no"}})
	}
	return m
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
