package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/llm/llmtest"
)

// spoke is an agent that speaks the Agent Client Protocol and needs no
// account.
type spoke struct {
	name, pkg string // pkg is its npm package
	// prepare writes the agent's configuration and returns its command line,
	// and what the environment needs.
	prepare func(m *machine, srv *llmtest.Server) (words, environ []string)
	shell   func(name, command string) llmtest.Call
	write   func(name, path, content string) llmtest.Call
	// mode is the one in which it asks, where it does not begin in it.
	mode string
	// version is that of the protocol.
	version int
	// edits is what nod answers for a new file in the workspace, commands for a command.
	edits, commands string
	// relative is what nod answers for a command with a relative name: "" is
	// one or the other, as opencode's messages happen to arrive.
	relative string
}

// allSpoke lists those that package.json pins.
func allSpoke() (list []spoke) {
	for _, s := range []spoke{copilotSpoke(), qwenSpoke(), geminiSpoke(), opencodeSpoke(), claudeSpoke(1),
		claudeSpoke(2)} {
		if s.version == 0 {
			s.version = 1
		}
		if s.edits == "" {
			s.edits = "allow"
		}
		if s.commands == "" {
			s.commands = "allow"
		}
		if pinned(s.pkg) {
			list = append(list, s)
		}
	}
	return list
}

func pinned(pkg string) bool {
	for _, name := range []string{"package.json", "acp/package.json"} {
		raw, err := os.ReadFile(name)
		var file struct{ Dependencies map[string]string }
		if err == nil && json.Unmarshal(raw, &file) == nil && file.Dependencies[pkg] != "" {
			return true
		}
	}
	return false
}

// claudeSpoke is the agent that Zed starts for Claude, with the Claude Code that
// the other tests drive. In version 2 of the protocol its edits name no file in a
// shape that nod knows.
func claudeSpoke(version int) spoke {
	s := spoke{
		name: "claude-agent-acp", pkg: "@agentclientprotocol/claude-agent-acp", version: version, relative: "abstained",
		shell: llmtest.Bash,
		write: llmtest.Write,
		prepare: func(m *machine, srv *llmtest.Server) (words, environ []string) {
			script := npmProgram(m.t, func(string, string) string {
				return "../acp/node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js"
			})
			m.write(filepath.Join(m.home, ".claude", "settings.json"), `{"permissions":{"defaultMode":"default"}}`,
				0o600)
			return []string{piNode(m.t), script}, append(claudeEnviron(srv),
				"CLAUDE_CODE_EXECUTABLE="+claudeProgram(m.t))
		},
	}
	if version == 2 {
		s.edits = "abstained"
	}
	return s
}

func copilotSpoke() spoke {
	copilot := copilotDriven()
	return spoke{
		name: "copilot", pkg: "@github/copilot", shell: copilot.shell, write: copilot.write, relative: "abstained",
		edits: "abstained", // their diff stands in an argument
		prepare: func(m *machine, srv *llmtest.Server) (words, environ []string) {
			words, environ = copilot.prepare(m, srv)
			return []string{words[0], "--acp"}, environ
		},
	}
}

func qwenSpoke() spoke {
	return spoke{
		name: "qwen", pkg: "@qwen-code/qwen-code", mode: "default", relative: "allow",
		shell: func(name, command string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "run_shell_command",
				Input: map[string]any{"command": command, "description": "a step of a test", "is_background": false}}
		},
		write: writeFile,
		prepare: func(m *machine, srv *llmtest.Server) (words, environ []string) {
			m.write(filepath.Join(m.home, ".qwen", "settings.json"), `{"security":{"auth":{"selectedType":"openai"}}}`,
				0o600)
			return []string{"node", nodeScript(m.t, "@qwen-code/qwen-code/cli-entry.js"), "--acp"},
				[]string{"OPENAI_API_KEY=none", "OPENAI_BASE_URL=" + srv.URL + "/v1", "OPENAI_MODEL=gpt-scripted"}
		},
	}
}

func geminiSpoke() spoke {
	return spoke{
		name: "gemini", pkg: "@google/gemini-cli",
		commands: "abstained", relative: "abstained", // they stand in the title
		shell: func(name, command string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "run_shell_command",
				Input: map[string]any{"command": command, "description": "a step of a test"}}
		},
		write: writeFile,
		prepare: func(m *machine, srv *llmtest.Server) (words, environ []string) {
			m.write(filepath.Join(m.home, ".gemini", "settings.json"),
				`{"security":{"auth":{"selectedType":"gemini-api-key"}}}`, 0o600)
			return []string{"node", nodeScript(m.t, "@google/gemini-cli/bundle/gemini.js"), "--acp", "-m",
					"gemini-2.5-pro"},
				[]string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=" + srv.URL}
		},
	}
}

func opencodeSpoke() spoke {
	return spoke{
		name: "opencode", pkg: "opencode-ai",
		shell: func(name, command string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "bash",
				Input: map[string]any{"command": command, "description": "a step of a test"}}
		},
		write: func(name, path, content string) llmtest.Call {
			return llmtest.Call{Name: name, Tool: "write", Input: map[string]any{"filePath": path, "content": content}}
		},
		prepare: func(m *machine, srv *llmtest.Server) (words, environ []string) {
			m.write(filepath.Join(m.home, ".config", "opencode", "opencode.json"),
				`{"model":"anthropic/claude-sonnet-4-5","small_model":"anthropic/claude-sonnet-4-5",`+
					`"autoupdate":false,"share":"disabled","permission":{"bash":"ask","edit":"ask"},`+
					`"provider":{"anthropic":{"options":{"baseURL":"`+srv.URL+`/v1","apiKey":"none"}}}}`, 0o600)
			m.opencodeInstalled()
			program := npmProgram(m.t, func(os, arch string) string {
				return filepath.Join("opencode-"+os+"-"+arch,
					"bin", "opencode")
			})
			return []string{program, "acp"}, []string{"OPENCODE_DISABLE_AUTOUPDATE=1",
				"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}
		},
	}
}

// nodeScript is a file of a pinned package that Node runs.
func nodeScript(t *testing.T, name string) string {
	return npmProgram(t, func(string, string) string { return name })
}

func writeFile(name, path, content string) llmtest.Call {
	return llmtest.Call{Name: name, Tool: "write_file", Input: map[string]any{"file_path": path, "content": content}}
}

// TestACP drives real agents as an editor does, through nod acp: what nod
// allows runs and the editor is not asked, what it denies does not run, and
// what a person must decide reaches the editor.
func TestACP(t *testing.T) {
	for _, s := range allSpoke() {
		t.Run(fmt.Sprintf("%s, version %d", s.name, s.version), func(t *testing.T) {
			deep(t, "agents that an editor drives")
			m := newBareMachine(t, ruleSettings)
			t.Parallel()
			in := func(name string) string { return filepath.Join(m.work, name) }
			steps := []step{
				{s.shell("allowed", "touch "+in("allowed")), s.commands, in("allowed")},
				{s.shell("relative", "touch relative"), s.relative, in("relative")},
				{s.shell("denied", "touch forbidden"), "deny", in("forbidden")},
				{s.shell("refused", "./opaque refused"), "abstained", in("refused")},
				{s.write("edit", in("new.txt"), "new"), s.edits, in("new.txt")},
				{s.write("guarded", in(".envrc"), "new"), "abstained", in(".envrc")},
			}
			var script llmtest.Script
			for _, step := range steps {
				script.Steps = append(script.Steps, llmtest.Step{Calls: []llmtest.Call{step.call}})
			}
			srv := llmtest.NewServer(t, script)
			words, environ := s.prepare(m, srv)
			e := m.edit(s, words, environ)
			if s.mode != "" {
				e.call("session/set_mode", map[string]any{"sessionId": e.session, "modeId": s.mode})
			}
			for range steps { // a refusal ends the turn of some agents
				e.prompt("do what the test wants")
			}
			e.check(m, "acp:"+s.name, steps)
		})
	}
}

// An editor over the Agent SDK is asked what nod's hook asks about, with nod acp
// before the agent and without it.
func TestTheHookAsksTheEditor(t *testing.T) {
	deep(t, "agents that an editor drives")
	for name, through := range map[string][]string{"hook": nil, "hook and nod acp": {"acp", "--"}} {
		t.Run(name, func(t *testing.T) {
			begin(t)
			m, s := newMachine(t, ruleSettings), claudeSpoke(1)
			var script llmtest.Script
			for _, c := range []llmtest.Call{s.shell("allowed", "touch allowed"), s.shell("denied", "touch forbidden"),
				s.shell("refused", "./opaque refused")} {
				script.Steps = append(script.Steps, llmtest.Step{Calls: []llmtest.Call{c}})
			}
			words, environ := s.prepare(m, llmtest.NewServer(t, script))
			m.install("user")
			if through != nil {
				words = slices.Concat([]string{filepath.Join(m.bin, "nod")}, through, words)
			}
			e := m.editor(s, m.work, words, environ)
			e.prompt("do what the test wants")
			for file, ran := range map[string]bool{"allowed": true, "forbidden": false, "refused": false} {
				if exists(filepath.Join(m.work, file)) != ran {
					t.Errorf("%s is there: %v", file, !ran)
				}
			}
			said := map[string]string{}
			for _, entry := range m.log() {
				if entry.Kind == audit.Decision && entry.Agent == "claude-code" {
					said[llmtest.CallName(entry.CallID)] = entry.Answered
				}
			}
			if e.asked != 1 || said["refused"] != "ask" || said["denied"] != "deny" {
				t.Errorf("the editor was asked %d times; the hook said %v\n%s", e.asked, said, e.stderr)
			}
		})
	}
}

// Gemini CLI names beside the title the directory of its process, not that of the
// session: what nod allows where they are one is the person's where they differ.
func TestGeminiNamesItsOwnDirectory(t *testing.T) {
	deep(t, "agents that an editor drives")
	s := geminiSpoke()
	s.version = 1
	for _, row := range []struct {
		name  string
		dir   func(*machine) string
		asked int
	}{
		{"in the project", func(m *machine) string { return m.work }, 0},
		{"elsewhere", func(m *machine) string { return m.home }, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := newBareMachine(t, ruleSettings)
			t.Parallel()
			srv := llmtest.NewServer(t,
				llmtest.Script{Steps: []llmtest.Step{{Calls: []llmtest.Call{s.shell("allowed", "touch allowed")}}}})
			words, environ := s.prepare(m, srv)
			e := m.editor(s, row.dir(m), slices.Concat([]string{filepath.Join(m.bin, "nod"), "acp", "--"}, words),
				environ)
			e.prompt("do what the test wants")
			if ran := exists(filepath.Join(m.work, "allowed")); e.asked != row.asked || ran != (row.asked == 0) {
				t.Errorf("the editor was asked %d times, want %d; ran: %v", e.asked, row.asked, ran)
			}
		})
	}
}

// step is one call, what nod answers ("": allow or abstained), and the file
// that is there afterwards if it ran.
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

// driver is an editor that refuses whatever it is asked.
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

// edit starts an agent through nod acp and opens a session in the workspace.
func (m *machine) edit(s spoke, words, environ []string) *driver {
	m.t.Helper()
	through := []string{filepath.Join(m.bin, "nod"), "acp", "--name", s.name, "--"}
	return m.editor(s, m.work, append(through, words...), environ)
}

// editor is one that starts an agent in a directory and opens a session in the
// workspace.
func (m *machine) editor(s spoke, dir string, words, environ []string) *driver {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hang.Limit())
	cmd := m.command(ctx, words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Env, environ...)
	d := &driver{t: m.t, stderr: &bytes.Buffer{}, version: s.version}
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

// prompt has the agent do one turn. In version 2 the answer comes when the turn
// begins, and the end is told.
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

// serve reads one message and answers it where it asks for something: every
// question with no.
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
