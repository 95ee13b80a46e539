package install

// copilot is measured on GitHub Copilot CLI 1.0.102. Every file in the
// directory is read, so nod has one of its own. A hook that exits with 1 or
// is killed blocks by itself; one that hangs does not, so the limit of the
// line that starts nod-hook counts. Event names are written with a small
// letter: their answers are read in one shape only.
func copilot() host {
	return host{
		agent:     "copilot",
		user:      ".copilot/hooks/nod.json",
		project:   ".github/hooks/nod.json",
		top:       ordered{{"version", 1}},
		flat:      true,
		events:    []event{{"preToolUse", true}, {"permissionRequest", true}, {"postToolUse", false}},
		handler:   shellHandler("bash", "timeoutSec"),
		plain:     true,
		silencers: []string{"disableAllHooks"},
	}
}
