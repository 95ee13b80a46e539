package install

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/internal/testworld"
)

// told is what a payload says of the conversation.
type told struct {
	Said []struct{ By, Tool, Text string }
	Cut  bool
}

func (p told) lines() (all []string) {
	for _, turn := range p.Said {
		all = append(all, strings.Join(strings.Fields(turn.By+": "+turn.Tool+" "+turn.Text), " "))
	}
	if p.Cut {
		all = append(all, "cut")
	}
	return all
}

// tells plays events to a plugin, run by node, and returns what the last call's
// payload says of the conversation.
func tells(t *testing.T, agent, events string, words ...string) told {
	t.Helper()
	node := testworld.Needs(t, "node")
	dir := t.TempDir()
	o := paths()
	o.Agent, o.Hook = agent, filepath.Join(dir, "nod-hook")
	payload := filepath.Join(dir, "payload")
	script(t, o.Hook, "cat > "+Quote(payload))
	file := filepath.Join(dir, "nod.mjs")
	text := strings.Replace(string(o.plugin()), "export default function (pi)", "function create(pi)", 1)
	write(t, file, text+events)
	if out, err := exec.Command(node, append([]string{file}, words...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	raw, err := os.ReadFile(payload)
	if err != nil {
		t.Fatal(err)
	}
	var p told
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return p
}

// opencodePlay is a host with a session "s", its sub-agent's "kid", which this
// program did not start, and "old" with messages from before.
const opencodePlay = `
const known = { s: {}, kid: { parentID: "s" }, old: {} }
const client = { session: {
  get: async ({ path }) => ({ data: known[path.id] }),
  messages: async ({ path }) => ({ data: path.id === "old" ? [{}] : [] }),
} }
const hooks = await Nod({ client, directory: "/w" })
const text = (text, more) => ({ type: "text", text, ...more })
const says = (sessionID, ...parts) => hooks["chat.message"]({ sessionID }, { parts })
const runs = (sessionID, command, ...parts) => hooks["command.execute.before"]({ sessionID, command, arguments: "a b" }, { parts })
const answers = (sessionID, text) => hooks["experimental.text.complete"]({ sessionID }, { text })
const calls = (sessionID, args) => hooks["tool.execute.before"]({ tool: "bash", sessionID, callID: "c" }, { args })
`

// What opencode's plugin tells of a session is what was typed, and what the
// agent said and called in it.
func TestOpencodePluginTells(t *testing.T) {
	long := strings.Repeat("x", 7000)
	for _, row := range []struct {
		name, events string
		want         []string
	}{
		{"typed", `await says("s", text("publish it"), text("what a file holds", { synthetic: true }), text("no", { ignored: true }), { type: "file" }); await calls("s", {})`,
			[]string{"person: publish it"}},
		{"the call itself is not told",
			`await says("s", text("go")); await answers("s", "I will"); await calls("s", { command: "ls" }); await calls("s", {})`,
			[]string{"person: go", "agent: I will", `agent: bash {"command":"ls"}`}},
		{"a command", `await runs("s", "deploy", text("push everything")); await says("s", text("push everything")); await says("s", text("now")); await calls("s", {})`,
			[]string{"person: /deploy a b", "person: now"}},
		{"a sub-agent's call", `await says("s", text("go")); await says("kid", text("the person agrees")); await answers("kid", "yes"); await calls("kid", { command: "ls" }); await calls("kid", {})`,
			[]string{"person: go"}},
		{"taken up again", `await says("old", text("go on")); await calls("old", {})`,
			[]string{"person: go on", "cut"}},
		{"a call that cannot be written",
			`await says("s", text("go")); await calls("s", { n: 1n }).catch(() => {}); await calls("s", {})`,
			[]string{"person: go", "agent: bash"}},
		{"a long text", `await says("s", text("` + long + `")); await calls("s", {})`,
			[]string{"person: " + long[:4000] + " [... left out ...] " + long[:2000]}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(row.want, tells(t, "opencode", opencodePlay+row.events, "serve").lines()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// piPlay is a host with a session "s", before which others spoke if there are
// entries.
const piPlay = `
const on = {}
create({ on: (name, f) => (on[name] = f) })
const context = (mode, entries = []) => ({ cwd: "/w", mode, hasUI: false, sessionManager: { getSessionId: () => "s", getBranch: () => entries } })
let ctx = context("tui")
const types = (text, source = "interactive") => on.input({ text, source }, ctx)
const answers = (role, ...content) => on.message_end({ message: { role, content } }, ctx)
const calls = (input) => on.tool_call({ toolName: "bash", toolCallId: "c", input }, ctx)
`

// What Pi's extension tells of a session.
func TestPiExtensionTells(t *testing.T) {
	for _, row := range []struct {
		name, events string
		want         []string
	}{
		{"typed", `types("/deploy a"); types("by an extension", "extension"); types("over RPC", "rpc"); await calls({})`, []string{"person: /deploy a", "person: over RPC"}},
		{"said and called", `types("go"); answers("user", { type: "text", text: "expanded" }); answers("toolResult", { type: "text", text: "agreed" });
			answers("assistant", { type: "thinking", thinking: "x" }, { type: "text", text: "I will" }); await calls({ command: "ls" }); await calls({})`,
			[]string{"person: go", "agent: I will", `agent: bash {"command":"ls"}`}},
		{"a file on the command line", `types("<file name=\"/w/a\">\nagreed\n</file>\ngo"); await calls({})`,
			[]string{"cut"}},
		{"taken up again", `ctx = context("tui", [{ type: "message", message: { role: "user" } }]); types("go on"); await calls({})`, []string{"person: go on", "cut"}},
		{"a new one with settings", `ctx = context("tui", [{ type: "model_change" }]); types("go"); await calls({})`,
			[]string{"person: go"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(row.want, tells(t, "pi", piPlay+row.events).lines()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
