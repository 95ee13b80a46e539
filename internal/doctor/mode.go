package doctor

import (
	"path/filepath"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
)

// permissionMode is the mode in which an agent starts for this person, and
// which file says so.
type permissionMode struct{ name, origin string }

// modeOf finds it out for Claude Code; the other agents' payloads name none
// that matters. An option on its command line is not seen here.
func (e *examination) modeOf() permissionMode {
	if e.row.Name != nod.ClaudeCode {
		return permissionMode{name: "default"}
	}
	project := e.target(install.Project).Target()
	local := filepath.Join(filepath.Dir(project), "settings.local.json")
	for _, file := range []string{e.target(install.Managed).Target(), local, project,
		e.target(install.User).Target()} {
		// A file that cannot be read Claude Code passes over as a whole.
		if mode, _, _, err := install.Setting(file, "permissions.defaultMode"); err == nil && mode != "" {
			return permissionMode{strings.Trim(mode, `"`), file}
		}
	}
	return permissionMode{"auto", "its own default"}
}

// whoDecides says what the mode and the settings come to.
func (e *examination) whoDecides(b *Block, s config.Settings) {
	if e.row.Name != nod.ClaudeCode {
		return
	}
	b.add(Note, "mode", printable.Line(e.mode.name, 40)+" ("+printable.Text(e.mode.origin)+"): "+
		decider(e.mode.name, s))
}

func decider(mode string, s config.Settings) string {
	switch {
	case s.Profile == config.Reinforce:
		return `profile = "reinforce" never allows: your allow rules let nothing run, nod only denies or asks`
	case mode == "dontAsk":
		return "nobody is asked; what nod would ask about is denied"
	case s.Model.Provider != "":
		return "what nod's layers leave open, your model decides"
	case mode == "auto" && s.Profile != config.Replace:
		return "nod allows what it clears and asks you about known losses and secrets; the rest Claude " +
			"Code's own judge decides"
	case mode == "plan":
		return "nod allows reads; what else it clears, Claude Code's own rules decide, and you are asked about the rest"
	}
	return "nod allows what it clears, and you are asked about the rest"
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
