package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/llm/llmtest"
)

// promptTool is the tool of nod's MCP server, as Claude Code names it.
const promptTool = "mcp__nod__approve"

// asking writes an MCP configuration in which nod is the given command, and
// returns the flags that make Claude Code ask it.
func (m *machine) asking(command string, args ...string) []string {
	m.t.Helper()
	var words []string
	for _, a := range args {
		words = append(words, fmt.Sprintf("%q", a))
	}
	file := filepath.Join(m.dir, "nod.json")
	m.write(file, fmt.Sprintf(`{"mcpServers":{"nod":{"command":%q,"args":[%s]}}}`, command, strings.Join(words, ",")),
		0o600)
	return []string{"--mcp-config", file, "--permission-prompt-tool", promptTool}
}

// Without a hook, nod answers as the permission prompt tool: what it allows
// runs, what it denies does not, and the model reads why.
func TestPermissionPromptTool(t *testing.T) {
	begin(t)
	m := newMachine(t, ruleSettings)
	in := func(name string) string { return filepath.Join(m.work, name) }
	list := []expectation{
		{call: llmtest.Bash("allowed", "touch "+in("allowed")), answered: "allow", layer: nod.LayerShell, ran: true,
			makes: in("allowed")},
		{call: llmtest.Write("edit", in("new.txt"), "new"), answered: "allow", layer: nod.LayerEdit, ran: true,
			makes: in("new.txt")},
		{call: llmtest.Bash("denied", "touch forbidden"), answered: "deny", layer: nod.LayerGuard,
			makes: in("forbidden"), told: []string{"hard_deny", "touch forbidden"}},
		{call: llmtest.Bash("asked", "./opaque asked"), answered: "deny", kind: fault.NoModel, makes: in("asked"),
			told: []string{"A person has to approve this"}},
		{call: llmtest.Bash("where", "touch somewhere"), answered: "deny", kind: fault.NoModel, makes: in("somewhere"),
			told: []string{"not known"}},
	}
	r := m.prompt(llmtest.NewServer(t, script(list)), "default", m.asking(filepath.Join(m.bin, "nod"), "mcp")...)
	for _, e := range list {
		t.Run(e.call.Name, func(t *testing.T) {
			r.checkTold(t, e)
			decisions := r.ofCall(audit.Decision, e.call.Name)
			if len(decisions) != 1 {
				t.Fatalf("%d decisions in the log, want 1: %+v", len(decisions), decisions)
			}
			if d := decisions[0]; d.Answered != e.answered || d.Root != m.work || d.Session == "" ||
				e.layer != nod.LayerNone && d.Layer != e.layer {
				t.Errorf("%+v", d)
			}
		})
	}
}

// Where Claude Code's shell stands: a cd below the project lasts, one that leaves the
// project, also through a link, is put back, and with a variable each command starts in the project. The
// permission prompt tool is told none of it, which is why relative names lead nowhere
// there (docs/seats.md).
func TestWhereCommandsStart(t *testing.T) {
	deep(t, "what the permission prompt tool rests on")
	begin(t)
	for _, row := range []struct{ name, below, extra string }{
		{"it remembers", "/sub", ""},
		{"it is told not to", "", "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR=1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := newMachine(t, "")
			m.extra = []string{row.extra}
			outside := filepath.Join(m.dir, "outside")
			m.write(filepath.Join(outside, "there"), "", 0o644)
			m.link(outside, filepath.Join(m.work, "link"))
			list := []struct{ command, stands string }{
				{"cd sub", row.below},
				{"cd " + outside, ""},
				{"cd sub", row.below},
				{"cd .. && cd ..", ""},
				{"cd link", ""},
				{"cd .git", strings.Replace(row.below, "sub", ".git", 1)},
				{"cd .. ; (cd sub)", ""},
				{"cd sub && false", ""}, // what fails leaves it where it was
			}
			var script llmtest.Script
			for i, step := range list {
				for _, c := range []llmtest.Call{llmtest.Bash(fmt.Sprint("go ", i), step.command),
					llmtest.Bash(fmt.Sprint("at ", i), "pwd -P")} {
					script.Steps = append(script.Steps, llmtest.Step{Calls: []llmtest.Call{c}})
				}
			}
			srv := llmtest.NewServer(t, script)
			m.prompt(srv, "bypassPermissions")
			for i, step := range list {
				got, _ := srv.Result(fmt.Sprint("at ", i))
				went, _ := srv.Result(fmt.Sprint("go ", i))
				if got.Text != m.work+step.stands {
					t.Errorf("after %q (%q) the shell stands in %q, want %q", step.command, went.Text, got.Text,
						m.work+step.stands)
				}
			}
		})
	}
}

// What becomes of a call where the server does not answer: docs/seats.md says
// what this shows.
func TestPermissionPromptToolThatFails(t *testing.T) {
	deep(t, "the failure matrix of an agent")
	begin(t)
	for name, answer := range map[string]string{
		"gone":    "exit 1",
		"killed":  "kill -9 $$",
		"rubbish": `printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"perhaps\"}]}}"`,
		"error":   `printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32000,\"message\":\"no\"}}"`,
		"slow":    `sleep 5; exit 1`,
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "")
			file := filepath.Join(m.dir, "server")
			m.write(file, fakeServer(answer), 0o755)
			marker := filepath.Join(m.work, "ran")
			srv := llmtest.NewServer(t,
				llmtest.Script{Steps: []llmtest.Step{{Calls: []llmtest.Call{llmtest.Bash("call", "touch "+marker)}}}})
			start := time.Now()
			r := m.prompt(srv, "default", m.asking(file)...)
			if exists(marker) {
				t.Error("the call ran")
			}
			got, told := srv.Result("call")
			t.Logf("after %s: told %v, error %v: %q; stderr %q", time.Since(start).Round(time.Second), told,
				got.IsError, got.Text, r.stderr)
		})
	}
}

// fakeServer is an MCP server in shell that knows the tool, and answers a call
// of it as told.
func fakeServer(answer string) string {
	return `#!/bin/sh
while read -r line; do
	id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
	case $line in
	*'"initialize"'*) printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"nod\",\"version\":\"0\"}}}" ;;
	*'"tools/list"'*) printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"tools\":[{\"name\":\"approve\",\"inputSchema\":{\"type\":\"object\"}}]}}" ;;
	*'"tools/call"'*) ` + answer + ` ;;
	*'server/discover'*) printf '%s\n' '{"jsonrpc":"2.0","id":"server-discover-probe-1","error":{"code":-32601,"message":"unknown"}}' ;;
	esac
done
`
}
