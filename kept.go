package nod

import (
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
)

// Keeper keeps files of the workspace, absolute and real, before a call replaces or deletes them, and the names of
// commits that the call leaves without one. All are kept, or an error says why not. It is safe for concurrent use.
type Keeper interface {
	Keep(id string, c Call, files []string, commits []KeptCommit) error
}

// KeptCommit is an object of a repository that the call leaves without a name.
type KeptCommit = place.Object

// kept keeps what a call that may run replaces or deletes. Where that fails, a person
// decides. What runs behind the boundary is kept when it is applied.
func (t *trial) kept(d Decision) Decision {
	files, commits := t.at.Keeping.Kept()
	if d.Verdict == Deny || t.behind || len(files)+len(commits) == 0 {
		return d
	}
	if err := t.gate.options.Keeper.Keep(t.id, t.call, files, commits); err != nil {
		why := "what this replaces or deletes could not be kept: " + printable.Line(err.Error(), reasonLimit/2)
		asked := t.asked(LayerShell, against(why))
		asked.Notices = d.Notices
		return asked
	}
	d.Kept = len(files) + len(commits)
	if d.Verdict == Allow {
		d.Reason += "; nod undo brings it back"
	}
	return d
}
