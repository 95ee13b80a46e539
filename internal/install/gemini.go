package install

// gemini is measured on Gemini CLI 0.61.0. Its settings may hold comments.
// Hooks have no name there: one can be switched off by it, and without one
// only by its whole command.
func gemini() host {
	return host{
		agent:         "gemini",
		managed:       "etc/gemini-cli/settings.json",
		managedDarwin: "Library/Application Support/GeminiCli/settings.json",
		user:          ".gemini/settings.json",
		project:       ".gemini/settings.json",
		events:        []event{{"BeforeTool", true}, {"AfterTool", false}},
		handler:       millisecondsHandler,
		next: "Gemini CLI cannot be made to ask by a hook, so nod denies what it would ask about and says " +
			"how to allow it. What nod allows, Gemini CLI's own policy still decides.",
		failOpen: "Gemini CLI runs no hook in a folder that it does not trust, none in --acp, and none where " +
			"hooksConfig.enabled is false, also in a repository's own settings.",
	}
}

// qwen is measured on Qwen Code 0.24.4. Its settings may hold comments.
func qwen() host {
	return host{
		agent:         "qwen",
		managed:       "etc/qwen-code/settings.json",
		managedDarwin: "Library/Application Support/QwenCode/settings.json",
		user:          ".qwen/settings.json",
		project:       ".qwen/settings.json",
		events: []event{
			{"PreToolUse", true}, {"PermissionRequest", true},
			{"PostToolUse", false}, {"PostToolUseFailure", false}, {"PermissionDenied", false},
		},
		handler:   millisecondsHandler,
		silencers: []string{"disableAllHooks"},
		failOpen: "Qwen Code runs no hook under --bare, in safe mode, and where disableAllHooks is true, also in a " +
			"repository's own settings.",
	}
}

// millisecondsHandler writes a hook whose command a shell reads, with its
// limit in milliseconds. Qwen Code takes numbers below 1000 for seconds.
func millisecondsHandler(o Options, decides bool) ordered {
	if decides {
		return ordered{{"type", "command"}, {"command", o.guarded(decideTimeout - 5)},
			{"timeout", decideTimeout * 1000}}
	}
	return ordered{{"type", "command"}, {"command", o.unguarded()}, {"timeout", recordTimeout * 1000}}
}
