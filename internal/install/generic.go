package install

// The agents below were read and not run here: where their hooks stand is from
// their sources and vendors' pages. All run the command by a shell, and stand
// behind the guard script.

// antigravity drops the whole file, every other hook with it, for a comment,
// a trailing comma and a limit that is no whole number; a key at the top is a
// hook's name. Which of its files below a project it reads differs by version,
// so nod stands in the person's.
func antigravity() host {
	return host{
		agent:   "antigravity",
		user:    ".gemini/config/hooks.json",
		named:   "nod",
		matcher: "*",
		events:  []event{{"PreToolUse", true}},
		handler: func(o Options, _ bool) ordered {
			return ordered{{"type", "command"}, {"command", o.behind(denyScript, decideTimeout-5)},
				{"timeout", decideTimeout}}
		},
		plain: true,
		next:  readOnly + " What nod would ask about it denies there: nothing says whether anybody can be asked.",
		failOpen: "A fault in any entry of this file keeps Antigravity CLI from loading it, without a word, and so " +
			"does \"enabled\": false in nod's.",
	}
}

// crush reads hooks from its one settings file. Its shell is a library that
// reads the same language.
func crush() host {
	return host{
		agent:   "crush",
		user:    ".config/crush/crush.json",
		project: "crush.json",
		flat:    true,
		events:  []event{{"PreToolUse", true}},
		handler: func(o Options, _ bool) ordered {
			return ordered{{"command", o.guarded(decideTimeout - 5)}, {"timeout", decideTimeout}}
		},
		plain: true,
		next:  readOnly,
		failOpen: "Crush shows no hook what its sub-agents do: nod asks about every call that starts one (agent, " +
			"agentic_fetch), and cannot see what comes of it.",
	}
}

// cursor has a switch of its own for hooks that fail.
func cursor() host {
	return host{
		agent:         "cursor",
		managed:       "etc/cursor/hooks.json",
		managedDarwin: "Library/Application Support/Cursor/hooks.json",
		user:          ".cursor/hooks.json",
		project:       ".cursor/hooks.json",
		top:           ordered{{"version", 1}},
		flat:          true,
		events: []event{{"preToolUse", true}, {"beforeShellExecution", true}, {"beforeMCPExecution", true},
			{"beforeReadFile", true}},
		handler: func(o Options, decides bool) ordered {
			return append(shellHandler("command", "timeout")(o, decides), member{"failClosed", true})
		},
		plain: true,
		next:  readOnly + " nod only denies there: Cursor's own list decides what runs without a prompt.",
	}
}

func droid() host {
	return host{
		agent:   "droid",
		user:    ".factory/settings.json",
		project: ".factory/settings.json",
		matcher: "*",
		events:  []event{{"PreToolUse", true}, {"PostToolUse", false}},
		handler: shellHandler("command", "timeout"),
		plain:   true,
		next:    readOnly,
		failOpen: "Droid takes no hooks from settings.json where a hooks.json stands beside it, without a word: if " +
			"there is one, move nod's entries into it.",
	}
}

func grok() host {
	return host{
		agent:   "grok",
		user:    ".grok/hooks/nod.json",
		events:  []event{{"PreToolUse", true}},
		handler: shellHandler("command", "timeout"),
		plain:   true,
		next:    readOnly,
	}
}

func openhands() host {
	return host{
		agent:   "openhands",
		user:    ".openhands/hooks.json",
		project: ".openhands/hooks.json",
		matcher: "*",
		events:  []event{{"PreToolUse", true}, {"PostToolUse", false}},
		handler: shellHandler("command", "timeout"),
		plain:   true,
		next:    readOnly,
	}
}

// windsurf names no limit, so the guard script's is the only one.
func windsurf() host {
	return host{
		agent:         "windsurf",
		managed:       "etc/windsurf/hooks.json",
		managedDarwin: "Library/Application Support/Windsurf/hooks.json",
		user:          ".codeium/windsurf/hooks.json",
		project:       ".windsurf/hooks.json",
		flat:          true,
		events: []event{{"pre_run_command", true}, {"pre_write_code", true}, {"pre_mcp_tool_use", true},
			{"pre_read_code", true}},
		handler: func(o Options, _ bool) ordered {
			return ordered{{"command", o.guarded(decideTimeout - 5)}, {"show_output", true}}
		},
		plain: true,
		next:  readOnly,
	}
}

// readOnly goes with every agent that nod's tests do not run.
const readOnly = "nod's tests do not run this agent: what nod says to it is from its documentation. See that a call " +
	"you have forbidden by hard_deny does not run before you rely on it."
