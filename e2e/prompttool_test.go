package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// asking is Claude Code without a hook, which asks the tool of an MCP server instead: nod, as the given command.
func (d *driving) asking(command string, args ...string) {
	d.t.Helper()
	d.machine.write(filepath.Join(d.dir, "nod.json"), fmt.Sprintf(`{"mcpServers":{"nod":{"command":%q,"args":%s}}}`, command,
		marshal(append([]string{}, args...))), 0o600)
	d.words = []string{"{program}", "-p", task, "--permission-mode", "default", "--mcp-config", "{dir}/nod.json",
		"--permission-prompt-tool", "mcp__nod__approve"}
}

// Without a hook, nod answers as the permission prompt tool: what it allows runs, what it denies does not, and the
// model reads why. It is not told where a command starts, so a relative name leads nowhere.
func TestPermissionPromptTool(t *testing.T) {
	begin(t)
	d := drivenBy("claude-code")
	m := d.ready(t, ruleSettings, oneByOne())
	in := func(name string) string { return filepath.Join(m.work, name) }
	m.calls(d.shell("allowed", "touch "+in("allowed")), d.write("edit", in("new.txt"), "new"),
		d.shell("denied", "touch forbidden"), d.shell("asked", "./opaque asked"), d.shell("where", "touch somewhere"))
	m.asking(filepath.Join(m.bin, "nod"), "mcp")
	m.run()
	m.holds(t, map[string]bool{"allowed": true, "new.txt": true, "forbidden": false, "asked": false,
		"somewhere": false})
	m.answered(t, map[string]string{in("allowed"): "allow", "new.txt": "allow", "touch forbidden": "deny",
		"./opaque asked": "deny", "touch somewhere": "deny"})
	for call, words := range map[string]string{"denied": "hard_deny", "asked": "A person has to approve this",
		"where": "not known"} {
		if told := m.told(t, call); !strings.Contains(told, words) {
			t.Errorf("the model was told %q about what is %s", told, call)
		}
	}
	for _, e := range m.decided("") {
		if e.Root != m.work || e.Session == "" {
			t.Errorf("%+v", e)
		}
	}
}

// A server that does not answer as it should lets no call run (docs/seats.md).
func TestPermissionPromptToolThatFails(t *testing.T) {
	deep(t, "the failure matrix of an agent")
	begin(t)
	for name, answer := range map[string]string{
		"gone":    "exit 1",
		"killed":  "kill -9 $$",
		"rubbish": `say '"result":{"content":[{"type":"text","text":"perhaps"}]}'`,
		"error":   `say '"error":{"code":-32000,"message":"no"}'`,
		"slow":    `sleep 5; exit 1`,
	} {
		t.Run(name, func(t *testing.T) {
			d := drivenBy("claude-code")
			m := d.ready(t, "", oneByOne())
			file := filepath.Join(m.dir, "server")
			m.machine.write(file, strings.Replace(fakeServer, "ANSWER", answer, 1), 0o755)
			m.calls(d.shell("call", "touch "+filepath.Join(m.work, "ran")))
			m.asking(file)
			m.run()
			m.holds(t, map[string]bool{"ran": false})
		})
	}
}

// fakeServer is an MCP server in shell that knows the tool.
const fakeServer = `#!/bin/sh
say() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
while read -r line; do
	id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
	case $line in
	*'"initialize"'*) say '"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"nod","version":"0"}}' ;;
	*'"tools/list"'*) say '"result":{"tools":[{"name":"approve","inputSchema":{"type":"object"}}]}' ;;
	*'"tools/call"'*) ANSWER ;;
	*'server/discover'*) id='"server-discover-probe-1"'; say '"error":{"code":-32601,"message":"unknown"}' ;;
	esac
done
`
