package hook

import (
	"errors"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/approval"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/session"
	"github.com/nodgate/nod/internal/view"
)

// approvals is what a person approved, as the gate asks about it.
type approvals struct {
	*session.Session // what the person let run
	run              *run
	by               approval.Caller
	root             string // the workspace's, real
	// silent says that an allow would not be said, so that no approval is used up.
	silent bool
}

// approvals is what the gate is told: nil for a run that keeps no state, and where the settings switch approvals off.
func (r *run) approvals(e agent.Event, s config.Settings, memory *session.Session, root string) nod.Approvals {
	if r.Places.State == "" || !s.Approvals {
		return nil
	}
	return approvals{
		run: r, Session: memory, silent: s.Mode == config.Observe || e.Plan || e.Unproven,
		root: r.workspace(root),
		by: approval.Caller{Agent: e.Call.Agent, Session: e.Call.Session, Call: e.Call.ID,
			Prompt: e.Kind == agent.Prompt},
	}
}

// workspace is the real path of a session's root; "" for a root that holds the home directory.
func (r *run) workspace(root string) string {
	real, err := view.Resolve(r.Files, root)
	home, homeErr := view.Resolve(r.Files, r.Places.Home)
	if err != nil || homeErr != nil || view.Within(r.Files, real, home) {
		return ""
	}
	return real
}

// Approved implements nod.Approvals. Without a file it reads nothing.
func (a approvals) Approved(key string) (how string, err error) {
	state := a.run.Places.State
	if a.silent || !approval.Kept(state) {
		return "", nil
	}
	if real, err := view.Resolve(a.run.Files, state); err != nil ||
		a.root != "" && view.Within(a.run.Files, a.root, real) {
		return "", errors.New("nod's state directory lies in the workspace, where an agent may write")
	}
	found, ok, err := approval.Use(state, key, a.by, a.run.Now())
	if !ok {
		return "", err
	}
	return string(found.Scope) + " (" + found.ID + ")", nil
}
