package hosts

// How the sources are written: "measured" is a run of the released program
// (e2e, docs/agents.md); "read" is its source or the vendor's pages; "by name"
// is a name that the vendor documents and nothing more was looked at.

// Agents returns every row, those that nod is installed for first.
func Agents() []Agent {
	rows := make([]Agent, 0, len(agents))
	for _, a := range agents {
		rows = append(rows, *a)
	}
	return rows
}

// agents, and all that it is made of, is laid out by the linker: a hook, which
// reads it at each start, must not make it. Nothing writes to it.
var agents = []*Agent{
	&claudeCode, &codex, &copilot, &gemini, &antigravity, &qwen, &opencode, &pi,
	&crush, &cursor, &droid, &goose, &grok, &kiro, &openhands, &vscode, &windsurf,
	&cline, &amp, &aider, &rooCode, &kilo, &junie, &continueDev, &zed, &augment, &others,
}

var claudeCode = Agent{
	Name: "claude-code", Title: "Claude Code", Source: "measured: 2.1.329",
	Program: "claude",
	Project: "CLAUDE_PROJECT_DIR",
	Off: []Switch{
		{File: ".claude/settings.json", Home: true, Here: true, Key: "disableAllHooks"},
		{File: ".claude/settings.local.json", Home: true, Here: true, Key: "disableAllHooks"},
	},
	Environ:      []string{".claude/settings.json", ".claude/settings.local.json"},
	Payloads:     []string{calledBy + "Bash" + callOf},
	Processes:    []string{"claude", "claude-code", "claude-agent-sdk", "claude_agent_sdk"},
	Marks:        []string{"CLAUDECODE"},
	Brings:       []string{"rg"},
	Home:         []string{".claude"},
	HomeVariable: "CLAUDE_CONFIG_DIR",
	Sessions:     []string{"projects"},
	Hooks: []string{"~/.claude/settings.json", "~/.claude/settings.local.json", ".claude/settings.json",
		".claude/settings.local.json",
		"/etc/claude-code/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.json"},
	Settings: []string{".claude", ".claude.json", "etc/claude-code", "ClaudeCode", "managed-settings.json",
		"managed-settings.d"},
	// Other keys are not here since one wrong type or word makes the whole
	// file void: "model": {}, "cleanupPeriodDays": "x" (measured).
	Neutral: []string{"model=string", "language=string", "outputStyle=string", "alwaysThinkingEnabled=bool",
		"includeCoAuthoredBy=bool",
		"spinnerTipsEnabled=bool", "env.*=string", "enabledPlugins.*=bool",
		"permissions.allow=strings", "permissions.ask=strings", "permissions.deny=strings",
		"permissions.additionalDirectories=strings"},
	Keys: []string{"disableAllHooks", "allowManagedHooksOnly", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"},
	Unasked: []Unasked{
		{Options: "--bare", Source: "measured: 2.1.329"},
		{Options: "--safe-mode", Source: "measured: 2.1.329"},
		{Options: "--setting-sources project", Source: "measured: 2.1.329"},
		{Options: `--settings '{"disableAllHooks":true}'`, Source: "measured: 2.1.329"},
		{Variable: "CLAUDE_CODE_SIMPLE", Source: "measured: 2.1.329"},
		{Variable: "CLAUDE_CODE_SAFE_MODE", Source: "measured: 2.1.329"},
	},
	Obeys: []Obeyed{
		{[]string{".claude", ".claude.json", "managed-settings.json"}, "settings, hooks, agents, skills, commands",
			"measured: 2.1.329"},
		{[]string{"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"}, "instructions", "read: code.claude.com/docs"},
		{[]string{".worktreeinclude"}, "which ignored files the working tree of an agent gets", "read: 2.1.329"},
		{[]string{".claude-plugin"}, "plugins and marketplaces: hooks and servers of theirs",
			"read: code.claude.com/docs"},
		{[]string{".mcp.json"}, "MCP servers, unasked in print mode", "measured: 2.1.329"},
	},
}

var codex = Agent{
	Name: "codex", Title: "Codex", Source: "measured: 0.169.0",
	Off: []Switch{
		{File: ".codex/config.toml", Home: true, Here: true, Above: true, Key: "features.hooks", Falsely: true,
			When: "in a project where Codex trusts it"},
		{File: ".codex/config.toml", Home: true, Here: true, Above: true, Key: "features.codex_hooks", Falsely: true,
			When: "in a project where Codex trusts it"},
	},
	Payloads:     []string{calledBy + "Bash" + callOf},
	Processes:    []string{"codex"},
	Marks:        []string{"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"},
	Home:         []string{".codex"},
	HomeVariable: "CODEX_HOME",
	Sessions:     []string{"sessions", "archived_sessions"},
	Hooks: []string{"~/.codex/hooks.json", "~/.codex/config.toml", ".codex/hooks.json", ".codex/config.toml",
		"/etc/codex/requirements.toml", "/etc/codex/managed_config.toml", "/etc/codex/config.toml",
		"/etc/codex/hooks.json"},
	Settings: []string{".codex", "etc/codex", "hooks.json"},
	Keys:     []string{"allow_managed_hooks_only"},
	Obeys: []Obeyed{
		{[]string{".codex"}, "settings, hooks, rules, once the person trusts the project", "measured: 0.169.0"},
		{[]string{"AGENTS.md", "AGENTS.override.md"}, "instructions", "read: source at 0082977"},
		{[]string{".agents", ".codex-plugin", ".cursor-plugin"}, "skills and plugins",
			"read: source at 0082977, strings of 0.169.0"},
	},
}

var copilot = Agent{
	Name: "copilot", Title: "GitHub Copilot CLI", Source: "measured: 1.0.102",
	Project: "COPILOT_PROJECT_DIR",
	Off: []Switch{
		{File: ".github/copilot/settings.json", Here: true, Above: true, Key: "disableAllHooks",
			When: "where Copilot trusts the folder"},
		{File: ".github/copilot/settings.local.json", Here: true, Above: true, Key: "disableAllHooks",
			When: "where Copilot trusts the folder"},
		{File: ".claude/settings.json", Here: true, Above: true, Key: "disableAllHooks",
			When: "where Copilot trusts the folder"},
		{File: ".claude/settings.local.json", Here: true, Above: true, Key: "disableAllHooks",
			When: "where Copilot trusts the folder"},
	},
	Payloads: []string{
		`{"sessionId":"$SESSION","timestamp":1767225600000,"cwd":"$DIR","toolName":"bash","toolArgs":{"command":"$COMMAND","description":"nod doctor tries its hook"}}`,
		`{"hookName":"$EVENT","sessionId":"$SESSION","timestamp":1767225600000,"cwd":"$DIR","toolName":"bash",` +
			`"toolInput":{"command":"$COMMAND","description":"nod doctor tries its hook"},"permissionSuggestions":[]}`,
	},
	Processes:    []string{"copilot"},
	Home:         []string{".copilot", ".cache/copilot"},
	HomeVariable: "COPILOT_HOME",
	Sessions:     []string{"session-state"},
	Hooks: []string{"~/.copilot/hooks/*.json", "~/.copilot/settings.json", ".github/hooks/*.json",
		".github/copilot/settings.json", ".github/copilot/settings.local.json"},
	Settings: []string{".copilot", ".github/hooks", ".github/copilot", ".claude"},
	Keys:     []string{"disableAllHooks"},
	Obeys: []Obeyed{
		{[]string{".github/copilot", ".github/hooks"},
			"settings with hooks; sessionStart, preToolUse and postToolUse ran in the next session",
			"measured: 1.0.102"},
		{[]string{".copilot", ".github/agents", ".github/skills", ".github/prompts", ".github/chatmodes"},
			"agents, skills, prompts", "read: docs.github.com"},
		{[]string{".github/copilot-instructions.md", ".github/instructions", "AGENTS.md", "CLAUDE.md", "GEMINI.md"},
			"instructions", "read: docs.github.com"},
		{[]string{".claude"}, "it reads Claude Code's settings too", "measured: 1.0.102"},
		{[]string{".mcp.json", ".github/mcp.json"}, "MCP servers", "measured: 1.0.102"},
		{[]string{".github/lsp.json", ".github/extensions", ".github/plugin"},
			"language servers; programs started with an interactive session; plugins",
			"read: docs.github.com; 1.0.102 looks for lsp.json"},
	},
}

var gemini = Agent{
	Name: "gemini", Title: "Gemini CLI", Source: "measured: 0.61.0",
	Project: "GEMINI_PROJECT_DIR",
	Off: []Switch{{File: ".gemini/settings.json", Home: true, Here: true, Key: "hooksConfig.enabled", Falsely: true,
		When: "in a project where Gemini CLI trusts the folder"}},
	Payloads:  []string{calledBy + "run_shell_command" + callOf},
	Processes: []string{"gemini", "gemini-cli"},
	Sessions:  []string{"tmp"},
	Marks:     []string{"GEMINI_CLI"},
	Home:      []string{".gemini"},
	Hooks: []string{"~/.gemini/settings.json", ".gemini/settings.json", "/etc/gemini-cli/settings.json",
		"/Library/Application Support/GeminiCli/settings.json"},
	Settings: []string{".gemini", "etc/gemini-cli", "GeminiCli"},
	Comments: true,
	Keys:     []string{"DO_NOT_TRUST"},
	Unasked:  []Unasked{{Options: "--acp", Source: "measured: 0.61.0"}},
	Obeys: []Obeyed{
		{[]string{".gemini"}, "settings, hooks, commands, extensions, .env, where it trusts the folder",
			"measured: 0.61.0"},
		{[]string{"GEMINI.md"}, "instructions", "read: 0.61.0"},
	},
}

var antigravity = Agent{
	Name: "antigravity", Title: "Antigravity CLI", Source: "read: what others measured on 1.1.2, 1.1.8 and 1.2.3",
	Program:   "agy",
	Off:       []Switch{{File: ".gemini/config/hooks.json", Home: true, Key: "nod.enabled", Falsely: true}},
	Payloads:  []string{`{"toolCall":{"name":"run_command","args":{"CommandLine":"$COMMAND","Cwd":"$DIR"}},"conversationId":"$SESSION","stepIdx":1,"workspacePaths":["$DIR"]}`},
	Processes: []string{"antigravity", "agy"},
	Home:      []string{".gemini", ".antigravity"},
	Hooks:     []string{"~/.gemini/config/hooks.json", ".agents/hooks.json"},
	Settings:  []string{".gemini", ".agents", ".antigravity", "hooks.json"},
	Obeys: []Obeyed{
		{[]string{".agents", ".agent", ".antigravity"}, "hooks, rules, workflows", "read: as above"},
	},
}

var qwen = Agent{
	Name: "qwen", Title: "Qwen Code", Source: "measured: 0.24.4",
	Project:   "QWEN_PROJECT_DIR",
	Off:       []Switch{{File: ".qwen/settings.json", Home: true, Here: true, Key: "disableAllHooks"}},
	Payloads:  []string{calledBy + "run_shell_command" + callOf},
	Processes: []string{"qwen", "qwen-code"},
	Sessions:  []string{"projects"},
	Marks:     []string{"QWEN_CODE"},
	Home:      []string{".qwen"},
	Hooks: []string{"~/.qwen/settings.json", ".qwen/settings.json", "/etc/qwen-code/settings.json",
		"/Library/Application Support/QwenCode/settings.json"},
	Settings: []string{".qwen", "etc/qwen-code", "QwenCode"},
	Comments: true,
	Keys:     []string{"disableAllHooks"},
	Unasked:  []Unasked{{Options: "--bare", Source: "read: 0.24.4"}},
	Obeys: []Obeyed{
		{[]string{".qwen"}, "settings, hooks, commands, agents", "measured: 0.24.4"},
		{[]string{".mcp.json"}, "MCP servers", "measured: 0.24.4"},
		{[]string{".lsp.json"}, "language servers, where the person switched them on", "read: 0.24.4"},
		{[]string{"QWEN.md", "AGENTS.md"}, "instructions", "read: 0.24.4"},
		{[]string{".qwenignore"}, "what its tools pass over", "measured: 0.24.4"},
	},
}

var opencode = Agent{
	Name: "opencode", Title: "opencode", Source: "measured: 1.18.33",
	Payloads:  []string{plugged},
	Processes: []string{"opencode", "opencode-ai"},
	Marks:     []string{"OPENCODE"},
	Home: []string{".config/opencode", ".opencode", ".local/share/opencode", ".local/state/opencode",
		".cache/opencode"},
	Sessions: []string{"~/.local/share/opencode"},
	Hooks:    []string{"~/.config/opencode/plugin/nod.js", ".opencode/plugin/nod.js"},
	Settings: []string{".opencode", "opencode", "opencode.json", "opencode.jsonc"},
	Comments: true,
	Unasked:  []Unasked{{Options: "--pure", Source: "measured: 1.18.33"}},
	Obeys: []Obeyed{
		{[]string{".opencode", "opencode.json", "opencode.jsonc"},
			"plugins and tools, run inside opencode before any call", "measured: 1.18.33"},
		{[]string{"tui.json", "tui.jsonc"}, "plugins, run inside its terminal interface at its start",
			"measured: 1.18.33"},
		{[]string{"AGENTS.md", "CLAUDE.md", "CONTEXT.md"}, "instructions", "read: 1.18.33"},
	},
}

var pi = Agent{
	Name: "pi", Title: "Pi", Source: "measured: 1.5.2",
	Payloads:  []string{plugged},
	Processes: []string{"pi", "pi-coding-agent"},
	Sessions:  []string{"agent/sessions"}, SessionsVariable: "PI_CODING_AGENT_SESSION_DIR",
	Home:     []string{".pi"},
	Hooks:    []string{"~/.pi/agent/extensions/nod.js", ".pi/extensions/nod.js"},
	Settings: []string{".pi"},
	Unasked:  []Unasked{{Options: "--no-extensions", Source: "measured: 1.5.2"}},
	Obeys: []Obeyed{
		{[]string{".pi"}, "extensions and MCP servers, once the person trusts the project", "measured: 1.5.2"},
		{[]string{"AGENTS.md", "CLAUDE.md"}, "instructions", "read: 1.5.2"},
	},
}

var crush = Agent{
	Name: "crush", Title: "Crush", Source: "read: source at 37f36e9",
	Payloads:  []string{`{"event":"$EVENT","session_id":"$SESSION","cwd":"$DIR","tool_name":"bash","tool_input":{"command":"$COMMAND"}}`},
	Processes: []string{"crush"},
	Home:      []string{".config/crush", ".local/share/crush"},
	Hooks:     []string{"~/.config/crush/crush.json", "crush.json", ".crush.json"},
	Settings:  []string{".crush", "crush.json", ".crush.json"},
	Obeys: []Obeyed{
		{[]string{".crush", "crush.json", ".crush.json"}, "settings with hooks and servers", "read: source at 37f36e9"},
		{[]string{"CRUSH.md", "CRUSH.local.md", "CLAUDE.md", "GEMINI.md", "AGENTS.md"}, "instructions",
			"read: source at 37f36e9"},
	},
}

var cursor = Agent{
	Name: "cursor", Title: "Cursor", Source: "read: cursor.com/docs as of September 2026",
	Project: "CURSOR_PROJECT_DIR",
	Payloads: []string{
		`{"conversation_id":"$SESSION","generation_id":"$CALL","hook_event_name":"$EVENT","command":"$COMMAND","cwd":"$DIR","workspace_roots":["$DIR"]}`,
		`{"conversation_id":"$SESSION","generation_id":"$CALL","hook_event_name":"$EVENT","tool_name":"Shell","tool_input":{"command":"$COMMAND"},` +
			`"tool_use_id":"$CALL","cwd":"$DIR","workspace_roots":["$DIR"]}`,
	},
	Processes: []string{"cursor-agent"},
	Editor:    true,
	Marks:     []string{"CURSOR_AGENT"},
	Home:      []string{".cursor"},
	Hooks: []string{"~/.cursor/hooks.json", ".cursor/hooks.json", "/etc/cursor/hooks.json",
		"/Library/Application Support/Cursor/hooks.json"},
	Settings: []string{".cursor", "etc/cursor", "hooks.json"},
	Obeys: []Obeyed{
		{[]string{".cursor"}, "hooks, rules, commands, MCP servers", "read: cursor.com/docs"},
		{[]string{".cursorrules", "AGENTS.md"}, "instructions", "read: cursor.com/docs"},
	},
}

var droid = Agent{
	Name: "droid", Title: "Factory Droid", Source: "read: Factory-AI/factory docs at 2a4debc",
	Project:   "FACTORY_PROJECT_DIR",
	Payloads:  []string{calledBy + "Execute" + callOf},
	Processes: []string{"droid"},
	Home:      []string{".factory"},
	Hooks: []string{"~/.factory/settings.json", "~/.factory/hooks.json", ".factory/settings.json",
		".factory/hooks.json"},
	Settings: []string{".factory", "hooks.json"},
	Eclipsed: [][2]string{{"hooks.json", "settings.json"}},
	Obeys: []Obeyed{
		{[]string{".factory"}, "hooks, droids, commands, MCP servers", "read: docs at 2a4debc"},
		{[]string{"AGENTS.md"}, "instructions", "read: docs at 2a4debc"},
	},
}

var goose = Agent{
	Name: "goose", Title: "Goose", Source: "read: docs at 0825b57",
	Payloads:  []string{`{"event":"$EVENT","session_id":"$SESSION","tool_call_id":"$CALL","working_dir":"$DIR","tool_name":"developer__shell","tool_input":{"command":"$COMMAND"}}`},
	Processes: []string{"goose", "goosed"},
	Home:      []string{".config/goose", ".local/share/goose", ".agents"},
	Hooks:     []string{"~/.agents/plugins/*/hooks/hooks.json", ".agents/plugins/*/hooks/hooks.json"},
	Settings:  []string{".agents", ".goose", ".config/goose", "hooks.json"},
	Obeys: []Obeyed{
		{[]string{".agents", ".goose"}, "plugins with hooks, recipes", "read: docs at 0825b57"},
		{[]string{".goosehints", "AGENTS.md"}, "instructions", "read: docs at 0825b57"},
	},
}

var grok = Agent{
	Name: "grok", Title: "Grok CLI", Source: "read: what others report of it",
	Payloads:  []string{calledBy + "bash" + callOf},
	Processes: []string{"grok"},
	Home:      []string{".grok"},
	Hooks:     []string{"~/.grok/hooks/*.json", ".grok/hooks/*.json"},
	Settings:  []string{".grok"},
	Obeys: []Obeyed{
		{[]string{".grok"}, "hooks, settings", "read: what others report of it"},
		{[]string{"GROK.md", "AGENTS.md"}, "instructions", "by name"},
	},
}

var kiro = Agent{
	Name: "kiro", Title: "Kiro CLI", Source: "read: kiro.dev/docs",
	Payloads:  []string{`{"hook_event_name":"$EVENT","cwd":"$DIR","tool_name":"shell","tool_input":{"command":"$COMMAND"}}`},
	Processes: []string{"kiro", "kiro-cli", "kiro-cli-chat"},
	Home:      []string{".kiro"},
	Hooks:     []string{"~/.kiro/hooks/*.json", "~/.kiro/agents/*.json", ".kiro/hooks/*.json", ".kiro/agents/*.json"},
	Settings:  []string{".kiro"},
	Obeys: []Obeyed{
		{[]string{".kiro", ".amazonq"}, "hooks, agents, steering, MCP servers", "read: kiro.dev/docs/cli/hooks"},
		{[]string{"AmazonQ.md", "AGENTS.md"}, "instructions", "read: kiro.dev/docs"},
	},
}

var openhands = Agent{
	Name: "openhands", Title: "OpenHands", Source: "read: SDK 1.43.1",
	Payloads:  []string{`{"event_type":"$EVENT","session_id":"$SESSION","working_dir":"$DIR","tool_name":"terminal","tool_input":{"command":"$COMMAND"}}`},
	Processes: []string{"openhands"},
	Home:      []string{".openhands"},
	Hooks:     []string{"~/.openhands/hooks.json", ".openhands/hooks.json"},
	Settings:  []string{".openhands", "hooks.json"},
	Obeys: []Obeyed{
		{[]string{".openhands", ".openhands_instructions"}, "hooks, setup.sh, skills", "read: SDK 1.43.1"},
	},
}

var vscode = Agent{
	Name: "vscode", Title: "VS Code",
	Payloads: []string{`{"timestamp":"2026-01-01T00:00:00.000Z","hookEventName":"$EVENT","sessionId":"$SESSION","cwd":"$DIR","tool_name":"run_in_terminal",` +
		`"tool_input":{"command":"$COMMAND"},"tool_use_id":"$CALL","transcript_path":"$TRANSCRIPT"}`},
	Source:   "read: code.visualstudio.com/docs as of November 2026",
	Editor:   true,
	Hooks:    []string{".github/hooks/*.json", ".claude/settings.json", ".claude/settings.local.json"},
	Settings: []string{".vscode", ".github/hooks"},
	Obeys: []Obeyed{
		{[]string{".vscode", "*.code-workspace"}, "tasks that run when the folder is opened, settings, MCP servers",
			"read: code.visualstudio.com/docs"},
		{[]string{".devcontainer", ".devcontainer.json"}, "commands that run when the container is made",
			"read: containers.dev"},
		{[]string{".github/hooks", ".github/agents", ".github/prompts", ".github/chatmodes", ".github/instructions",
			".claude"}, "hooks, agents, instructions", "read: code.visualstudio.com/docs"},
	},
}

var windsurf = Agent{
	Name: "windsurf", Title: "Windsurf", Source: "read: docs.windsurf.com",
	Payloads: []string{`{"agent_action_name":"$EVENT","trajectory_id":"$SESSION","execution_id":"$CALL","timestamp":"2026-01-01T00:00:00.000Z",` +
		`"tool_info":{"command_line":"$COMMAND","cwd":"$DIR"}}`},
	Processes: []string{"windsurf"},
	Home:      []string{".codeium", ".windsurf"},
	Hooks: []string{"~/.codeium/windsurf/hooks.json", ".windsurf/hooks.json", "/etc/windsurf/hooks.json",
		"/Library/Application Support/Windsurf/hooks.json"},
	Settings: []string{".codeium", ".windsurf", "etc/windsurf", "hooks.json"},
	Obeys: []Obeyed{
		{[]string{".windsurf", ".codeium"}, "hooks, rules, workflows", "read: docs.windsurf.com"},
		{[]string{".windsurfrules", "AGENTS.md"}, "instructions", "read: docs.windsurf.com"},
	},
}

var cline = Agent{
	Name: "cline", Title: "Cline", Source: "read: source at 21cb8d2",
	Processes: []string{"cline"},
	Home:      []string{".cline"},
	Settings:  []string{".cline", ".clinerules"},
	Obeys: []Obeyed{
		{[]string{".cline", ".clinerules"}, "hooks that are programs, rules, plugins", "read: source at 21cb8d2"},
	},
}

var amp = Agent{
	Name: "amp", Title: "Amp", Source: "read: what others report of it",
	Processes: []string{"amp"},
	Home:      []string{".config/amp", ".local/share/amp", ".amp"},
	Settings:  []string{".amp"},
	Obeys: []Obeyed{
		{[]string{".amp", ".agents"}, "plugins, settings, skills", "read: what others report of it"},
		{[]string{"AGENT.md", "AGENTS.md"}, "instructions", "by name"},
	},
}

var aider = Agent{
	Name: "aider", Title: "Aider", Source: "read: aider.chat/docs",
	Processes: []string{"aider", "aider-chat"},
	Home:      []string{".aider"},
	Obeys: []Obeyed{
		{[]string{".aider*"}, "settings: which commands lint and test, which files are instructions",
			"read: aider.chat/docs"},
	},
}

var rooCode = Agent{
	Name: "roo", Title: "Roo Code", Source: "by name",
	Processes: []string{"roo"},
	Home:      []string{".roo"},
	Obeys: []Obeyed{{[]string{".roo", ".roorules", ".roorules-*", ".clinerules-*", ".roomodes"},
		"rules, modes, MCP servers",
		"by name"}},
}

var kilo = Agent{
	Name: "kilo", Title: "Kilo Code", Source: "by name",
	Processes: []string{"kilo", "kilocode"},
	Home:      []string{".kilocode", ".config/kilo", ".local/share/kilo"},
	Obeys: []Obeyed{
		{[]string{".kilocode", ".kilocoderules", ".kilocodemodes", ".kilo"}, "rules, modes, workflows, MCP servers",
			"by name"},
		{[]string{"kilo.json", "kilo.jsonc", ".opencode", "opencode.json", "opencode.jsonc", "tui.json"},
			"settings, plugins, MCP servers: it is built on opencode", "read: excerpts of its source"},
	},
}

var junie = Agent{
	Name: "junie", Title: "Junie", Source: "by name",
	Processes: []string{"junie"},
	Home:      []string{".junie"},
	Obeys: []Obeyed{
		{[]string{".junie", ".idea", ".fleet"}, "guidelines, MCP servers, run configurations", "by name"},
	},
}

var continueDev = Agent{
	Name: "continue", Title: "Continue", Source: "by name",
	Home: []string{".continue"},
	Obeys: []Obeyed{{[]string{".continue", ".continuerc.json", ".continuerules"}, "settings, rules, MCP servers",
		"by name"}},
}

var zed = Agent{
	Name: "zed", Title: "Zed", Source: "read: zed.dev/docs",
	Home: []string{".config/zed"},
	Obeys: []Obeyed{
		{[]string{".zed", ".rules"}, "settings, tasks, context servers, instructions", "read: zed.dev/docs"},
	},
}

var augment = Agent{
	Name: "augment", Title: "Augment", Source: "by name",
	Processes: []string{"auggie"},
	Home:      []string{".augment"},
	Obeys:     []Obeyed{{[]string{".augment", ".augment-guidelines"}, "rules, commands", "by name"}},
}

// others is the row for agents of which only names are known.
var others = Agent{
	Name: "others", Title: "other agents", Source: "by name",
	Processes: []string{"forge", "kimi", "mini", "openclaw", "plandex"},
	Home: []string{".openclaw", ".kimi", ".trae", ".iflow", ".codebuddy", ".qoder", ".vibe", ".warp", ".devin",
		".rovodev", ".lingma", ".marscode", ".tabnine", ".gptme", ".hermes",
		".letta", ".nanocoder", ".stakpak", ".refact", ".plandex", ".zencoder", ".firebender", ".aiassistant"},
	Settings: []string{".iflow", ".codebuddy", ".qoder", ".vibe", ".devin", ".rovodev", ".lingma", ".zencoder",
		".firebender", "firebender.json"},
	Obeys: []Obeyed{{[]string{".iflow", ".codebuddy", ".qoder", ".vibe", ".warp", "WARP.md", "IFLOW.md", "CODEBUDDY.md",
		".trae", ".kimi", ".openclaw", "mcp.json", ".nod.toml", ".opencode.json", "forge.yaml",
		".devin", ".rovodev", ".lingma", ".marscode", ".tabnine", ".gptme", ".hermes", ".letta", ".nanocoder",
		".stakpak", ".refact", ".plandex*", ".zencoder", ".firebender", "firebender.json", ".aiassistant", ".aiignore",
		".jules", ".cody", ".bito", ".sweep.yaml", ".coderabbit.yaml", ".agentignore", ".cursorignore",
		".cursorindexingignore", ".gooseignore",
		".clineignore", ".rooignore", ".kilocodeignore", ".geminiignore", ".claudeignore",
		".codeiumignore",
		"conductor.json", ".conductor", ".superset", ".mux", ".emdash.json", "codebuff.json",
		"replit.md", "SOUL.md", "AGENT.md"}, "settings, instructions, rules, MCP servers; nod's own project file",
		"by name"}},
}

// calledBy and callOf are the payload of Claude Code and its kin: the name of the
// tool of the shell stands between them.
const (
	calledBy = `{"session_id":"$SESSION","transcript_path":"$TRANSCRIPT","cwd":"$DIR","permission_mode":"$MODE",` +
		`"hook_event_name":"$EVENT","tool_name":"`
	callOf = `","tool_input":{"command":"$COMMAND","description":"nod doctor tries its hook"},` +
		`"tool_use_id":"$CALL","turn_id":"$CALL","timestamp":"2026-01-01T00:00:00.000Z"}`
)

// plugged is the payload of an agent that loads nod's own code.
const plugged = `{"hook":"$EVENT","session":"$SESSION","call":"$CALL","directory":"$DIR","tool":"bash","args":{"command":"$COMMAND"}}`
