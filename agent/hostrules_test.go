package agent_test

import (
	"path/filepath"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
)

// Over the protocol an agent does not say why it asks: if a rule of the person's may be why, nod does not answer.
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
			dir := agent.HostFiles(t, map[string]string{row.file: row.rules})
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
