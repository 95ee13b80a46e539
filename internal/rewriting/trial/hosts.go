//go:build linux

package trial

import "strings"

// host is how the program of one host is tried.
type host struct {
	api
	tool, arguments string            // the model's call
	files           map[string]string // below the home directory
	args, environ   []string          // which have it ask its model once, and nobody else; LOOPBACK is the model
	answer          string            // the hook's
}

const task = "do what the model says"

// hosts are those that can be tried. Each is started so that what its hook allows runs.
func hosts() map[string]host {
	return map[string]host{
		"claude-code": {
			api: messages, tool: "Bash", arguments: `{"command":"` + original + `","description":"proof"}`,
			args: []string{"-p", task, "--permission-mode", "default"},
			environ: []string{"ANTHROPIC_BASE_URL=LOOPBACK", "ANTHROPIC_API_KEY=sk-ant-api03-nod-doctor",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
				"DISABLE_ERROR_REPORTING=1"},
			files:  map[string]string{".claude/settings.json": hooked("PreToolUse", "timeout", "20")},
			answer: nested("PreToolUse", `"permissionDecision":"allow","permissionDecisionReason":"proof","updatedInput"`),
		},
		"codex": {
			api: responses, tool: "exec_command", arguments: `{"cmd":"` + original + `"}`,
			args: []string{"exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "-s",
				"danger-full-access", task},
			environ: []string{"NOD_KEY=none"},
			files: map[string]string{
				".codex/hooks.json": hooked("PreToolUse", "timeout", "20"),
				".codex/config.toml": `model = "gpt-proof"
model_provider = "proof"
[model_providers.proof]
name = "proof"
base_url = "LOOPBACK/v1"
wire_api = "responses"
env_key = "NOD_KEY"
`},
			answer: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",` +
				`"updatedInput":{"command":"` + rewritten + `"}}}`,
		},
		"copilot": {
			api: completions, tool: "bash", arguments: `{"command":"` + original + `","description":"proof"}`,
			args: []string{"-p", task},
			environ: []string{"COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_BASE_URL=LOOPBACK/v1",
				"COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=claude-proof", "COPILOT_OFFLINE=true"},
			files: map[string]string{".copilot/hooks/proof.json": `{"version":1,"hooks":{"preToolUse":[` +
				`{"type":"command","bash":"` + started + `","timeoutSec":20}]}}`},
			answer: `{"permissionDecision":"allow","permissionDecisionReason":"proof",` +
				`"modifiedArgs":{"command":"` + rewritten + `","description":"proof"}}`,
		},
		"gemini": {
			api: content, tool: "run_shell_command", arguments: `{"command":"` + original + `","description":"proof"}`,
			args:    []string{"-p", task, "-m", "gemini-2.5-flash", "--yolo", "--skip-trust"},
			environ: []string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=LOOPBACK", "GEMINI_TELEMETRY_ENABLED=false"},
			files: map[string]string{".gemini/settings.json": strings.TrimSuffix(hooked("BeforeTool", "timeout", "20000"), "}") +
				`,"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"disableAutoUpdate":true}}`},
			answer: nested("BeforeTool", `"tool_input"`),
		},
		"opencode": {
			api: completions, tool: "bash", arguments: `{"command":"` + original + `","description":"proof"}`,
			args: []string{"run", task},
			environ: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
				"OPENCODE_DISABLE_LSP_DOWNLOAD=1", "npm_config_offline=true"},
			files: map[string]string{
				".config/opencode/opencode.json": `{"model":"proof/claude-proof","autoupdate":false,"share":"disabled",` +
					`"provider":{"proof":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"LOOPBACK/v1","apiKey":"none"},` +
					`"models":{"claude-proof":{"tool_call":true}}}}}`,
				".config/opencode/plugin/proof.js": `import { execFileSync } from "node:child_process"
export const Proof = async () => ({
  "tool.execute.before": async (input, output) => {
    output.args.command = execFileSync("/bin/sh", [process.env.HOME + "/hook"], { input: "" }).toString()
  },
})
`},
			answer: rewritten,
		},
	}
}

// started is the hook as a line of a shell, in a text of JSON.
const started = `sh \"$HOME/hook\"`

// hooked are settings of a host whose hooks have the shape of Claude Code's.
func hooked(event, limit, value string) string {
	return `{"hooks":{"` + event + `":[{"matcher":"*","hooks":[{"type":"command","` + limit + `":` + value +
		`,"command":"` + started + `"}]}]}}`
}

// nested is an answer in that shape.
func nested(event, key string) string {
	return `{"hookSpecificOutput":{"hookEventName":"` + event + `",` + key + `:{"command":"` + rewritten +
		`","description":"proof"}}}`
}
