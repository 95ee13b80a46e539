package hook

import (
	"context"
	"os"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/session"
)

// PromptOf is what a model would be asked about the call of an event, under the
// settings and with the session's memory that the hook would use. root is the
// workspace, "" for the one that the hook would take. Nothing is asked, and
// nothing is written down: a session that has no memory yet is given none.
func PromptOf(ctx context.Context, o Options, e agent.Event, root string) (nod.Prompt, error) {
	r := newRun(o)
	if e.Complete != nil {
		e.Complete(&e)
	}
	memory, known := r.known(e)
	defer r.forget(memory)
	if root == "" {
		root = orElse(known, orElse(e.Project, e.Call.Dir))
	}
	settings, err := r.settings(root)
	if err != nil {
		return nod.Prompt{}, err
	}
	e.Call.Roots = append([]string{root}, e.Call.Roots...)
	return r.gate(settings, nil, r.recollection(memory), r.history(settings, memory),
		r.approvals(e, settings, memory, root)).Prompt(ctx, e.Call)
}

// known opens the memory of the event's session and its workspace root, if
// there is one.
func (r *run) known(e agent.Event) (memory *session.Session, root string) {
	if r.Places.State == "" || e.Call.Session == "" {
		return &session.Session{}, ""
	}
	if _, err := os.Lstat(session.FileName(r.Places.State, e.Call.Agent, e.Call.Session)); err != nil {
		return &session.Session{}, ""
	}
	memory, err := session.Open(r.Places.State, e.Call.Agent, e.Call.Session)
	if err != nil {
		return memory, ""
	}
	root, _ = memory.Root(orElse(e.Project, e.Call.Dir))
	return memory, root
}
