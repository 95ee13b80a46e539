package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
)

// claudeModes are Claude Code's permission modes, that in which it starts first.
func claudeModes() []string {
	return []string{"auto", "default", "acceptEdits", "bypassPermissions", "dontAsk", "plan"}
}

// settleMode checks --mode, and makes the call Claude Code's.
func (f *checkFlags) settleMode() error {
	if f.mode == "manual" { // as Claude Code's screen has it
		f.mode = "default"
	}
	switch {
	case f.mode == "":
		return nil
	case !slices.Contains(claudeModes(), f.mode):
		return fmt.Errorf("--mode %q is no mode of Claude Code; its modes are %s", f.mode,
			strings.Join(claudeModes(), ", "))
	case f.agent != "" && f.agent != nod.ClaudeCode:
		return fmt.Errorf("--mode is a mode of Claude Code, and --agent says %s", f.agent)
	}
	f.agent = nod.ClaudeCode
	return nil
}

// told is what Claude Code is told in a mode. The zero value is that nobody
// asked for that.
type told struct {
	mode, said string
	profile    config.Profile
}

// modeEvent is the call as Claude Code would send it in a mode.
func modeEvent(f checkFlags, c nod.Call) (agent.Event, error) {
	payload, err := json.Marshal(map[string]any{
		"session_id": "nod-check", "cwd": c.Dir, "permission_mode": f.mode, "hook_event_name": "PreToolUse",
		"tool_name": "Bash", "tool_input": c.Input,
	})
	if err != nil {
		return agent.Event{}, err
	}
	environ := slices.DeleteFunc(slices.Clone(c.Environ), func(kv string) bool {
		return strings.HasPrefix(kv, "CLAUDE_CODE_ENTRYPOINT=")
	})
	if c.Interactive {
		environ = append(environ, "CLAUDE_CODE_ENTRYPOINT=cli")
	}
	e, err := agent.ClaudeCode{}.Decode(payload, environ)
	e.Call.Roots, e.Call.Environ = c.Roots, c.Environ
	return e, err
}

// tell says a decision as the hook would.
func tell(e agent.Event, d nod.Decision, s config.Settings) told {
	answer := agent.ClaudeCode{}.Encode(e, hook.Left(d, s), hook.Reach(s), s.Model.Provider != "")
	return told{mode: e.Mode, said: answer.Said, profile: s.Profile}
}

// line is the line below a decision.
func (w told) line(v nod.Verdict) string {
	return "Claude Code in mode " + w.mode + ": " + w.outcome(v)
}

func (w told) outcome(v nod.Verdict) string {
	switch {
	case w.said == "allow":
		return "nod allows it, nobody is asked"
	case w.said == "ask":
		return "you are asked"
	case w.said == "deny" && v == nod.Ask && w.mode == "dontAsk":
		return "nod denies it, since this mode asks nobody"
	case w.said == "deny" && v == nod.Ask:
		return "nod denies it, since nobody can be asked; with a person there (--interactive) it asks"
	case w.said == "deny":
		return "nod denies it"
	}
	silent := "nod is silent"
	if v == nod.Allow && w.profile == config.Reinforce {
		silent += ` (profile = "reinforce" never allows)`
	}
	if w.mode == "auto" {
		return silent + ", Claude Code's own judge decides"
	}
	return silent + ", Claude Code's own rules decide"
}
