package agent_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
)

// hostFiles writes files below a new directory and returns it.
func hostFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// saysAllowed is what a host is told of a call at its prompt that nod would allow.
func saysAllowed(t *testing.T, a agent.Adapter, payload map[string]any, environ ...string) string {
	t.Helper()
	e, err := a.Decode(marshal(t, payload), environ)
	if err != nil {
		t.Fatal(err)
	}
	allow := nod.Decision{Verdict: nod.Allow}
	if e.Complete == nil || a.Encode(e, allow, agent.Default, false).Said == "allow" {
		t.Error("not at its strictest before it is completed")
	}
	e.Complete(&e)
	return a.Encode(e, allow, agent.Default, false).Said
}

// Where Codex asks by a rule of the person's, or by one that nod cannot read, and wherever
// it asks about what stays in its sandbox, nod does not answer.
func TestCodexRulesStay(t *testing.T) {
	const (
		escalated = `,"sandbox_permissions":"require_escalated"`
		prompt    = `prefix_rule(pattern=["git", "commit"], decision="prompt")`
		user      = "home/.codex/rules/default.rules"
	)
	for _, row := range []struct {
		name, command, file, rules, more, want string
	}{
		{"no rules", "git commit -m x", "", "", escalated, "allow"},
		{"in the sandbox", "git commit -m x", "", "", "", "abstained"},
		{"prompt", "git commit -m x", user, prompt, escalated, "abstained"},
		{"another program", "go vet .", user, prompt, escalated, "allow"},
		{"behind wrappers", "cd a && sudo env A=b git commit", user, prompt, escalated, "abstained"},
		{"by its path", "/usr/bin/git commit", user, prompt, escalated, "abstained"},
		{"places of others", "git add .", user, `host_executable(name="git", paths=["/usr/bin/git"])`, escalated, "allow"},
		{"by place", "git add .", user, `prefix_rule(["git"], "prompt")`, escalated, "abstained"},
		{"a sign of no text", "git add .", user, "prefix_rule(pattern=[\"rm\"])\x00" + prompt, escalated, "abstained"},
		{"behind options", "git -C . commit -m x", user, prompt, escalated, "abstained"},
		{"within a substitution", "echo $(git commit)", user, prompt, escalated, "abstained"},
		{"the project's", "git commit", "work/.codex/rules/a.rules", prompt, escalated, "abstained"},
		{"no file of rules", "git commit", "home/.codex/rules/README.md", prompt, escalated, "allow"},
		{"forbidden", "rm -r a", user, `prefix_rule(pattern=["rm"], decision='forbidden',)`, escalated, "abstained"},
		{"allow", "git commit", user, `prefix_rule(pattern=["git"], decision="allow")` + "\n" +
			`prefix_rule(pattern=["bash", "-lc", "echo \"x\""])`, escalated, "allow"},
		{"a shell", "git add .", user, `prefix_rule(pattern=["bash", "-lc"], decision="prompt")`, escalated, "abstained"},
		{"an escape", "git add .", user, `prefix_rule(pattern=["g\u0069t"], decision="prompt")`, escalated, "abstained"},
		{"a variable", "git add .", user, "x = \"git\"\nprefix_rule(pattern=[x], decision=\"prompt\")", escalated,
			"abstained"},
	} {
		t.Run(row.name, func(t *testing.T) {
			line := `{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":` +
				string(marshal(t, `{"cmd":`+string(marshal(t, row.command))+row.more+`}`)) + `,"call_id":"c"}}` + "\n"
			files := map[string]string{"home/rollout.jsonl": line, "work/README": ""}
			if row.file != "" {
				files[row.file] = row.rules
			}
			dir := hostFiles(t, files)
			got := saysAllowed(t, agent.Host("codex"), map[string]any{
				"session_id": "s", "turn_id": "t", "transcript_path": filepath.Join(dir, "home/rollout.jsonl"),
				"cwd": filepath.Join(dir, "work"), "hook_event_name": "PermissionRequest", "model": "m",
				"permission_mode": "default", "tool_name": "Bash", "tool_input": map[string]any{"command": row.command},
			}, "PWD="+filepath.Join(dir, "work"), "HOME="+filepath.Join(dir, "home"))
			if got != row.want {
				t.Errorf("%s, want %s", got, row.want)
			}
		})
	}
}

// An earlier call of the same command counts only while it has no result: a command that
// failed in the sandbox is often tried again outside of it.
func TestCodexRulesStayOfWhatIsAsked(t *testing.T) {
	line := func(id, more string) string {
		return `{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":` +
			string(marshal(t, `{"cmd":"git add ."`+more+`}`)) + `,"call_id":"` + id + `"}}` + "\n"
	}
	const (
		escalated = `,"sandbox_permissions":"require_escalated"`
		result    = `{"type":"response_item","payload":{"type":"function_call_output","call_id":"a","output":"no"}}` + "\n"
	)
	for rollout, want := range map[string]string{
		line("a", "") + result + line("b", escalated): "allow",
		line("a", escalated) + result + line("b", ""): "abstained",
		line("a", "") + line("b", escalated):          "abstained",
		result + line("a", "") + line("b", escalated): "abstained",
		line("a", escalated) + result:                 "abstained",
	} {
		dir := hostFiles(t, map[string]string{"rollout.jsonl": rollout, "work/README": ""})
		if got := saysAllowed(t, agent.Host("codex"), map[string]any{
			"session_id": "s", "turn_id": "t", "transcript_path": filepath.Join(dir, "rollout.jsonl"),
			"cwd": filepath.Join(dir, "work"), "hook_event_name": "PermissionRequest", "model": "m",
			"permission_mode": "default", "tool_name": "Bash", "tool_input": map[string]any{"command": "git add ."},
		}, "PWD="+filepath.Join(dir, "work"), "HOME="+dir); got != want {
			t.Errorf("%s: %s, want %s", rollout, got, want)
		}
	}
}

// What Codex asks about a tool of a server is the person's where their settings have it ask.
func TestCodexToolsStay(t *testing.T) {
	for settings, want := range map[string]string{
		"[mcp_servers.lab]\ncommand = \"x\"\n":                                    "allow",
		"[mcp_servers.lab.tools.poke]\napproval_mode = \"prompt\"\n":              "abstained",
		"[mcp_servers.lab]\ndefault_tools_approval_mode = 'prompt' # every one\n": "abstained",
		"[mcp_servers.lab]\ndefault_tools_approval_mode = \"auto\"\n":             "allow",
	} {
		dir := hostFiles(t, map[string]string{"home/.codex/config.toml": settings, "work/README": ""})
		if got := saysAllowed(t, agent.Host("codex"), map[string]any{
			"session_id": "s", "turn_id": "t", "transcript_path": nil, "cwd": filepath.Join(dir, "work"),
			"hook_event_name": "PermissionRequest", "model": "m", "permission_mode": "default",
			"tool_name": "mcp__lab__poke", "tool_input": map[string]any{"x": "1"},
		}, "PWD="+filepath.Join(dir, "work"), "HOME="+filepath.Join(dir, "home")); got != want {
			t.Errorf("%s: %s, want %s", settings, got, want)
		}
	}
}

// Where Qwen Code asks by a rule of the person's, nod does not answer.
func TestQwenRulesStay(t *testing.T) {
	shell := func(command string) map[string]any {
		return map[string]any{"tool_name": "run_shell_command", "tool_input": map[string]any{"command": command}}
	}
	edit := map[string]any{"tool_name": "write_file",
		"tool_input": map[string]any{"file_path": "/w/a", "content": "x"}}
	for _, row := range []struct {
		name, file, rules string
		call              map[string]any
		want              string
	}{
		{"none", "home/.qwen/settings.json", `{"permissions":{"allow":["Bash(git *)"]}}`, shell("git push"), "allow"},
		{"a command", "home/.qwen/settings.json", `{"permissions":{"ask":["Bash(git push:*)"]}}`, shell("git -C . push"),
			"abstained"},
		{"another command", "home/.qwen/settings.json", `{"permissions":{"ask":["Bash(git push *)"]}}`, shell("ls"),
			"allow"},
		{"every command", "work/.qwen/settings.json", `{"permissions":{"ask":["run_shell_command"]}}`, shell("ls"),
			"abstained"},
		{"every command by its name", "work/.qwen/settings.json", `{"permissions":{"ask":["Bash"]}}`, shell("ls"),
			"abstained"},
		{"every command, and a file", "work/.qwen/settings.json", `{"permissions":{"ask":["Bash"]}}`, edit, "allow"},
		{"a file by a command", "work/.qwen/settings.json", `{"permissions":{"ask":["Edit(/a)"]}}`, shell("touch a"),
			"abstained"},
		{"a file", "work/.qwen/settings.json", `{"permissions":{"ask":["Edit"]}}`, edit, "abstained"},
		{"not read", "work/.qwen/settings.json", "{\"permissions\":{ // mine\n\"ask\":[\"Edit\"]}}", shell("ls"),
			"abstained"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := hostFiles(t, map[string]string{row.file: row.rules, "work/README": ""})
			row.call["session_id"], row.call["hook_event_name"] = "s", "PermissionRequest"
			row.call["cwd"], row.call["permission_mode"] = filepath.Join(dir, "work"), "default"
			if got := saysAllowed(t, agent.Host("qwen"), row.call, "HOME="+filepath.Join(dir, "home"),
				"QWEN_PROJECT_DIR="+filepath.Join(dir, "work")); got != row.want {
				t.Errorf("%s, want %s", got, row.want)
			}
		})
	}
}

// Over the protocol nobody says why an agent asks: where a rule of the person's may be why, nod does not answer.
func TestACPRulesStay(t *testing.T) {
	const policy = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"git\"\ndecision = "
	for _, row := range []struct{ name, peer, file, rules, want string }{
		{"none", "qwen-code", "work/README", "", "allow"},
		{"an agent that is not known", "stranger", "work/README", "", "abstained"},
		{"Claude Code's", "@zed-industries/claude-code-acp", "work/.claude/settings.json",
			`{"permissions":{"ask":["Bash(git *)"]}}`, "abstained"},
		{"Qwen Code's", "qwen-code", "home/.qwen/settings.json", `{"permissions":{"ask":["Bash(git status)"]}}`,
			"abstained"},
		{"Gemini CLI's", "gemini-cli", "home/.gemini/policies/a.toml", policy + `"ask_user"`, "abstained"},
		{"Codex's", "codex-acp", "home/.codex/rules/a.rules", `prefix_rule(pattern=["git"], decision="prompt")`,
			"abstained"},
		{"opencode's", "OpenCode", "home/.config/opencode/opencode.json",
			`{"permission":{"bash":{"*":"allow","git *":"ask"}}}`, "abstained"},
		{"an agent's of opencode", "OpenCode", "work/opencode.jsonc", `{"agent":{"build":{"permission":{"bash":"ask"}}}}`,
			"abstained"},
		{"as nod acp needs it", "OpenCode", "work/opencode.json", `{"permission":{"bash":"ask","edit":"ask"}}`, "allow"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := hostFiles(t, map[string]string{row.file: row.rules})
			a := agent.ACP{Program: "x", Peer: row.peer, Dir: filepath.Join(dir, "work"),
				Options: []agent.ACPOption{{ID: "once", Kind: "allow_once"}}}
			e, err := a.Decode(marshal(t, map[string]any{"sessionId": "s", "toolCall": map[string]any{"toolCallId": "c",
				"kind": "execute", "title": "git status", "rawInput": map[string]any{"command": "git status"}}}),
				[]string{"HOME=" + filepath.Join(dir, "home")})
			if err != nil {
				t.Fatal(err)
			}
			e.Complete(&e)
			e.Unproven = false
			if got := a.Encode(e, nod.Decision{Verdict: nod.Allow}, agent.Default, false).Said; got != row.want {
				t.Errorf("%s, want %s", got, row.want)
			}
		})
	}
}
