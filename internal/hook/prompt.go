package hook

import (
	"cmp"
	"context"
	"os"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/session"
)

// PromptOf is what a model would be asked about the call of an event, under the
// settings and with the session's memory that the hook would use. root is the
// workspace, "" for the one that the hook would take. Nothing is asked, and
// nothing is kept: a session that has no memory yet gets a new one, as the hook
// would begin it, and that is thrown away.
func PromptOf(ctx context.Context, o Options, e agent.Event, root string) (nod.Prompt, error) {
	r := newRun(o)
	if e.Complete != nil {
		e.Complete(&e)
	}
	memory, known, done := r.known(e)
	defer done()
	if root == "" {
		root = cmp.Or(known, e.Project, e.Start)
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
// there is one. done closes it.
func (r *run) known(e agent.Event) (memory *session.Session, root string, done func()) {
	if r.Places.State == "" || e.Call.Session == "" {
		return &session.Session{}, "", func() {}
	}
	state, clean := r.Places.State, func() {}
	if _, err := os.Lstat(session.FileName(state, e.Call.Agent, e.Call.Session)); err != nil {
		if state, err = os.MkdirTemp("", "nod-prompt-"); err != nil {
			return &session.Session{}, "", func() {}
		}
		clean = func() { _ = os.RemoveAll(state) }
	}
	memory, err := session.Open(state, e.Call.Agent, e.Call.Session)
	if err == nil {
		root, _ = memory.Root(cmp.Or(e.Project, e.Start))
	}
	return memory, root, func() { _ = memory.Close(); clean() }
}
