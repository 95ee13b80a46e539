package nod

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// Approvals are calls that a person approved from outside of the agent. They
// are asked about what an ask rule leaves to a person, what layers 0 to 3 leave
// open, and about nothing else: no approval clears what layer 0 denies or the
// irrecoverable. It is safe for concurrent use.
type Approvals interface {
	// Approved says how the call of that key was approved, in a few words, ""
	// if it was not. An approval that holds once is used up: of several calls
	// at the same time exactly one gets it. An error approves nothing.
	Approved(key string) (how string, err error)
	// LetRun reports whether a person let a call of that key run when the
	// agent's host asked them, earlier in the session. A model is told; it
	// approves nothing.
	LetRun(key string) bool
}

// Approvable names an open call for the person who may approve it.
type Approvable struct {
	// Key is a hash of what the call would do and of the files that it would
	// run; "" where no approval clears it. It says nothing of the agent or the
	// session.
	Key string `json:"key"`
	// Once says that something that would run could not be hashed, or that a
	// word is known only when the command runs (a variable, the output of
	// another command), so that an approval holds for one call only.
	Once bool `json:"once,omitempty"`
}

// approved answers a call that a person approved. ok is false where nobody did,
// and then notice says, for the person, why that could not be found out.
func (t *trial) approved() (d Decision, notice string, ok bool) {
	if t.gate.approvals == nil {
		return Decision{}, "", false
	}
	how, err := t.gate.approvals.Approved(t.approvable().Key)
	switch {
	case err != nil:
		return Decision{}, "nod could not look for an approval: " + OneLine(err.Error(), reasonLimit), false
	case how == "":
		return Decision{}, "", false
	}
	return t.decided(LayerApproval, Allow, "a person approved this very call: "+how, t.soft), "", true
}

// approvable names the call: the tool, its arguments, the command as it is
// parsed, its directory, what it does and to what, and everything that was read
// to know that, with the hashes of what would run. Neither the agent nor the
// session is part of it, nor a time-out, nor words that only describe.
func (t *trial) approvable() Approvable {
	if t.name != nil {
		return *t.name
	}
	h, c := newKey("approval"), t.call
	h.add(c.Tool, c.URL)
	switch {
	case c.MCP != nil:
		h.add("mcp", c.MCP.Server, c.MCP.Tool)
	case c.Tool == "":
		h.add("agent", c.Agent, c.RawTool) // another agent's tool of that name is another one
	}
	t.addCall(h)
	t.addPaths(h)
	t.addReport(h)
	t.name = &Approvable{Key: h.sum(), Once: !t.bindsAll()}
	return *t.name
}

// addPaths adds where the files that the call names really are.
func (t *trial) addPaths(h key) {
	for _, name := range t.call.Paths {
		real, err := t.gate.locate(t.call.Dir, name)
		h.add(name, real, fmt.Sprint(err != nil))
	}
}

// addReport adds what is known of a command.
func (t *trial) addReport(h key) {
	for _, c := range t.report.Commands {
		h.add("command", c.Program, fmt.Sprint(c.Foreign), c.Dir)
		for _, w := range c.Words { // what the environment makes of them
			h.add(w.Value, fmt.Sprint(w.Known))
		}
	}
	for _, e := range t.report.Effects {
		h.add("effect", kindName(e.Kind), e.Target, e.Pattern, fmt.Sprint(e.Recursive, e.Forced, e.Moved))
	}
	for _, u := range t.report.Unknowns {
		h.add("unknown", unspaced(u.What))
	}
	for _, d := range t.report.Definitions {
		h.add("definition", d.Path, d.SHA256)
	}
	for _, e := range t.report.Read {
		if !t.entryOf(e.Path) {
			h.add("read", e.Path, e.SHA256)
		}
	}
}

// entryOf reports whether a file counts by an entry of it alone: of a
// package.json, the script that runs.
func (t *trial) entryOf(file string) bool {
	return slices.ContainsFunc(t.report.Definitions, func(d shell.Definition) bool {
		return d.Path != file && DefinitionFile(d.Path) == file && d.SHA256 != ""
	})
}

// bindsAll reports whether the call's name holds every word of the line and the
// hash of every file that it is known to run. What a script makes of variables
// is the script's.
func (t *trial) bindsAll() bool {
	for _, d := range t.report.Definitions {
		if d.SHA256 == "" {
			return false
		}
	}
	for _, e := range t.report.Effects {
		if e.Kind == shell.Run && path.IsAbs(e.Target) && !t.isBound(e.Target) {
			return false
		}
	}
	for _, c := range t.report.Commands {
		if c.Foreign && c.Program != "" && !t.isBound(c.Program) {
			return false
		}
		if c.Caller == 0 && slices.ContainsFunc(c.Words, func(w shell.Word) bool { return !w.Known }) {
			return false
		}
	}
	return true
}

func (t *trial) isBound(file string) bool {
	return slices.ContainsFunc(t.report.Definitions, func(d shell.Definition) bool {
		return d.SHA256 != "" && (d.Path == file || strings.HasPrefix(d.Path, file+"#"))
	})
}

// letRun is the fact that a person let this very call run before, for the
// model.
func (t *trial) letRun() []string {
	if t.gate.approvals == nil || !t.gate.approvals.LetRun(t.approvable().Key) {
		return nil
	}
	return []string{"the agent's host asked about this same call earlier in the session, and it was then let run; that was for that one time"}
}
