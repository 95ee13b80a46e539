package hook

import (
	"cmp"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/keep"
)

// keeper keeps what a call takes away in nod's store, for nod undo. Without a store it
// only says that it would: where nothing is about to run.
type keeper struct{ store *keep.Store }

// Keep implements nod.Keeper.
func (k keeper) Keep(id string, c nod.Call, files []string, commits []nod.KeptCommit) error {
	if k.store == nil {
		return nil
	}
	words := cmp.Or(c.Command, strings.Join(append([]string{c.RawTool}, c.Paths...), " "))
	call := keep.Call{ID: id, Agent: c.Agent, Session: c.Session, Tool: c.Tool, Words: audit.MaskText(words),
		Dir: c.Dir}
	for _, one := range commits {
		call.Objects = append(call.Objects, keep.Object(one))
	}
	return k.store.Keep(call, files)
}

// keeper is what keeps for the calls of a run: those that are about to run under nod's answer.
func (r *run) keeper(acts bool) nod.Keeper {
	switch {
	case r.Keeper != nil:
		return r.Keeper
	case r.Places.State == "":
		return nil
	case !acts:
		return keeper{}
	}
	return keeper{keep.Open(keep.Dir(r.Places.State), keep.Options{Now: r.Now})}
}
