package hook_test

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/confine/proof"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/rewriting"
	"github.com/nodgate/nod/internal/version"
)

// handedHost is a host in whose answers another command stands. In its payloads SHOP, ROLLOUT and INPUT are filled in.
type handedHost struct {
	adapter       agent.Adapter
	environ       []string
	before, after string
	answer        string    // up to the command
	rule          [2]string // a file of the home directory in which a rule speaks of commands
}

func handedHosts() []handedHost {
	codex := `{"session_id":"s","cwd":"SHOP","permission_mode":"bypassPermissions","tool_name":"Bash","tool_use_id":"c",` +
		`"transcript_path":"ROLLOUT","tool_input":INPUT,"hook_event_name":`
	copilot := `{"sessionId":"s","timestamp":1,"cwd":"SHOP","toolName":"bash","toolArgs":INPUT`
	gemini := `{"session_id":"s","cwd":"SHOP","tool_name":"run_shell_command","tool_input":INPUT,"hook_event_name":`
	opencode := `{"tool":"bash","session":"s","call":"c","directory":"SHOP","args":INPUT,"hook":`
	return []handedHost{
		{agent.Host("codex"), []string{"PWD=SHOP"}, codex + `"PreToolUse"}`, codex + `"PostToolUse","tool_response":"x"}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":` +
				`"it runs code that nod has not read, confined","updatedInput":{"command":`,
			[2]string{".codex/rules/x.rules", `prefix_rule(pattern=["python3"], decision="forbidden")`}},
		{agent.Host("copilot"), []string{"COPILOT_PROJECT_DIR=SHOP", "COPILOT_CLI_BINARY_VERSION=1.0.102",
			"COPILOT_CLI_RESOLVED_DIST_DIR=/x/1.0.102"}, copilot + `}`, copilot + `,"toolResult":{}}`,
			`{"permissionDecision":"allow","permissionDecisionReason":` +
				`"it runs code that nod has not read, confined","modifiedArgs":{"command":`,
			[2]string{".copilot/settings.json", `{"deniedUrls":["x"]}`}},
		{agent.Host("gemini"), []string{"GEMINI_PROJECT_DIR=SHOP"}, gemini + `"BeforeTool"}`,
			gemini + `"AfterTool","tool_response":{}}`,
			`{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":`,
			[2]string{".gemini/policies/x.toml", "[[rule]]"}},
		{agent.Host("opencode"), nil, opencode + `"tool.execute.before","rewrites":true}`, opencode + `"tool.execute.after"}`,
			`{"decision":"allow","reason":"it runs code that nod has not read, confined","command":`, [2]string{}},
	}
}

// The other hosts that were seen to run what they are handed are handed the line too, but
// where that takes a rule of the person's away; an outcome with another command ends it.
func TestALineIsHandedToOtherHosts(t *testing.T) {
	for _, host := range handedHosts() {
		t.Run(host.adapter.Name(), func(t *testing.T) { host.test(t) })
	}
}

func (h handedHost) test(t *testing.T) {
	p := newPlace(t)
	p.write(filepath.Join(p.shop, "lint.py"), "import os\n")
	p.run(bytes.NewReader(p.bash("ls"))) // which begins the session
	p.options.Nod, p.options.Adapter = p.nod(version.String()), h.adapter
	p.options.Rewrites = func(string, string) bool { return true }
	p.options.Environ = append([]string{"HOME=" + p.home, "PATH=/usr/bin:/bin", "SHELL=/bin/sh"},
		strings.Split(strings.ReplaceAll(strings.Join(h.environ, "\n"), "SHOP", p.shop), "\n")...)
	p.settings("confine = \"on\"\n")
	rollout, program := filepath.Join(p.home, "rollout.jsonl"), filepath.Join(p.home, "host")
	p.write(rollout, `{"type":"response_item","payload":{"type":"function_call","name":"exec_command","call_id":"c",`+
		`"arguments":"{\"cmd\":\"python3 lint.py\"}"}}`+"\n")
	p.write(program, "x")
	state := p.options.Places.State
	if err := proof.Write(state, program); err != nil {
		t.Fatal(err)
	}
	say := func(payload, command string) string {
		input, _ := json.Marshal(map[string]string{"command": command})
		payload = strings.NewReplacer("SHOP", p.shop, "ROLLOUT", rollout, "INPUT", string(input)).Replace(payload)
		var out bytes.Buffer
		hook.Run(t.Context(), p.options, strings.NewReader(payload), &out, io.Discard, func(int) {})
		return out.String()
	}
	line := confined(p.options.Nod, "python3 lint.py")
	if got := say(h.before, "python3 lint.py"); !strings.HasPrefix(got, h.answer+`"`+line+`"`) {
		t.Errorf("%s, want %s", got, h.answer)
	}
	proven := func() bool { ok, _ := rewriting.Recorded(state, h.adapter.Name(), program); return ok }
	found, err := rewriting.Look(program, "")
	if err == nil {
		err = rewriting.Record(state, h.adapter.Name(), found, rewriting.Asker{Program: found})
	}
	if say(h.after, line); err != nil || !proven() {
		t.Errorf("what was handed over ran, and it is switched off: %v", err)
	}
	if say(h.after, "python3 lint.py"); proven() {
		t.Error("the agent's own command ran, and it is not switched off")
	}
	if h.rule[0] != "" {
		p.write(filepath.Join(p.home, h.rule[0]), h.rule[1])
	}
	for name, got := range map[string]string{
		"a rule":       say(strings.Replace(h.before, `,"rewrites":true`, "", 1), "python3 lint.py"),
		"a known loss": say(h.before, "npm publish"),
	} {
		if strings.Contains(got, h.answer) {
			t.Errorf("%s: handed over: %s", name, got)
		}
	}
}
