//go:build linux

package trial

import "embed"

// homes holds what the program of each host finds in its home directory, and the hook's
// answer; a name that begins with a dot is written with "dot-". LOOPBACK is the model.
//
//go:embed homes
var homes embed.FS

// host is how the program of one host is tried.
type host struct {
	api, path       string   // in answers; how an address ends in it
	tool, arguments string   // the model's call
	args, environ   []string // which have the program ask its model once, and nobody else
}

const task = "do what the model says"

// described is a call with what some hosts want beside the command.
const described = `{"command":"` + original + `","description":"proof"}`

// hosts are those that can be tried. Each is started so that what its hook allows runs.
func hosts() map[string]host {
	return map[string]host{
		"claude-code": {"messages", "/v1/messages", "Bash", described,
			[]string{"-p", task, "--permission-mode", "default"},
			[]string{"ANTHROPIC_BASE_URL=LOOPBACK", "ANTHROPIC_API_KEY=sk-ant-api03-nod-doctor",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
				"DISABLE_ERROR_REPORTING=1"}},
		"codex": {"responses", "/responses", "exec_command", `{"cmd":"` + original + `"}`,
			[]string{"exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "-s", "danger-full-access",
				task},
			[]string{"NOD_KEY=none"}},
		"copilot": {"completions", "/chat/completions", "bash", described,
			[]string{"-p", task},
			[]string{"COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_BASE_URL=LOOPBACK/v1",
				"COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=claude-proof", "COPILOT_OFFLINE=true"}},
		"gemini": {"content", ":streamGenerateContent", "run_shell_command", described,
			[]string{"-p", task, "-m", "gemini-2.5-flash", "--yolo", "--skip-trust"},
			[]string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=LOOPBACK", "GEMINI_TELEMETRY_ENABLED=false"}},
		"opencode": {"completions", "/chat/completions", "bash", described,
			[]string{"run", task},
			[]string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
				"OPENCODE_DISABLE_LSP_DOWNLOAD=1", "npm_config_offline=true"}},
	}
}
