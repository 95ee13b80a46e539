package install

// codex is measured on 0.169.0. hooks.json stands next to each config.toml; a
// hook in it runs only once the person has confirmed it in Codex, which is
// theirs to do: nod never writes the hash that stands for it. Managed hooks
// run without that; they stand in the file of requirements.
func codex() host {
	return host{
		agent:   "codex",
		managed: "etc/codex/requirements.toml",
		trust:   codexTrust,
		user:    ".codex/hooks.json",
		project: ".codex/hooks.json",
		events:  []event{{"PreToolUse", true}, {"PermissionRequest", true}, {"PostToolUse", false}},
		handler: shellHandler("command", "timeout"),
		plain:   true,
		confirm: `Codex runs no hook that you have not trusted: start codex and choose "Trust all" where it says "Hooks need review". Until then, and after every change of nod's place, codex exec runs calls unasked and says nothing.`,
	}
}

// shellHandler writes a hook whose command a shell reads, with its limit in
// seconds.
func shellHandler(command, limit string) func(Options, bool) ordered {
	return func(o Options, decides bool) ordered {
		if decides {
			return ordered{{"type", "command"}, {command, o.guarded(decideTimeout - 5)}, {limit, decideTimeout}}
		}
		return ordered{{"type", "command"}, {command, o.unguarded()}, {limit, recordTimeout}}
	}
}
