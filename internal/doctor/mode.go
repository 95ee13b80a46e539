package doctor

import (
	"path/filepath"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/install"
)

// modeOf is the permission mode in which Claude Code starts for this person; the other
// agents' payloads name none that matters. An option on its command line is not seen.
func (e *examination) modeOf() string {
	if e.row.Name != nod.ClaudeCode {
		return "default"
	}
	project := filepath.Join(e.Dir, e.row.Install.Project)
	local := filepath.Join(filepath.Dir(project), "settings.local.json")
	for _, file := range []string{e.target(install.Managed).Target(), local, project,
		e.target(install.User).Target()} {
		// A file that cannot be read Claude Code passes over as a whole.
		if mode, _, _, err := install.Setting(file, "permissions.defaultMode"); err == nil && mode != "" {
			return strings.Trim(mode, `"`)
		}
	}
	return "auto"
}

// quiet says why an allow is said as silence at an event, "" where it is said.
func (e *examination) quiet(event agent.Event, s config.Settings) string {
	seat := e.adapter.Capabilities().Before
	if event.Kind == agent.Prompt {
		seat = e.adapter.Capabilities().Asking
	}
	switch {
	case !seat.Allow:
		return "no hook can grant here, the agent's own rules do"
	case s.Profile == config.Reinforce:
		return `profile = "reinforce" never allows`
	case event.Plan:
		return "nod lets no command run in plan mode, the agent's own rules decide"
	}
	if event.Complete != nil {
		event.Complete(&event)
	}
	if event.Reserved {
		return "a rule of yours in the agent's own settings may be about it, or nothing says why the agent asks"
	}
	return ""
}
