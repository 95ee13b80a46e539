package doctor

import (
	"os"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/install"
)

// limiter is the program by which the guard script ends a hook that hangs.
const limiter = "/usr/bin/timeout"

// sayFailures says what becomes of a call where nod-hook fails. None of it is tried
// here: behind the guard script nod's own tests have tried it, else the agent's doing
// was measured.
func (e *examination) sayFailures(b *Block, in *install.Installed) {
	for _, name := range []string{"missing", "killed", "slow", "garbled"} {
		_, err := os.Stat(limiter)
		l := b.add(OK, name, "")
		l.Basis = e.basis()
		switch {
		case in.Guarded() && name == "slow" && err != nil:
			l.State = Open
			l.Text = limiter + " is missing here, so the agent's own limit ends the hook, and the call may run"
		case in.Guarded():
			l.Text = "the line denies, whatever becomes of nod-hook, and the agent blocks the call"
		case e.row.Install.Blocks == nil:
			l.State, l.Text, l.Basis = NotTried, "what the agent does then is not known", ""
		case !slices.Contains(e.row.Install.Blocks, name):
			l.State = Note
			l.Text = "the agent takes it for no decision, and its own rules hold; nod-hook prints nothing of the kind " +
				"(docs/agents.md)"
		default:
			l.Text = "the agent blocks the call"
			if how := e.adapter.Capabilities().FailClosed; how != "" {
				l.Text += " (" + how + ")"
			}
		}
	}
}

// basis says what a statement about the host rests on.
func (e *examination) basis() string {
	tried := e.adapter.Capabilities().Tried
	if strings.HasPrefix(tried, "read: ") {
		return tried + "; not run by nod's tests"
	}
	return "measured on " + tried
}
