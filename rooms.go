package nod

import (
	"cmp"

	"github.com/nodgate/nod/internal/guard"
	"github.com/nodgate/nod/internal/harm"
	"github.com/nodgate/nod/internal/identity"
	"github.com/nodgate/nod/internal/match"
	"github.com/nodgate/nod/internal/taint"
	"github.com/nodgate/nod/internal/withheld"
)

// rooms answer about one call and its report. Each is handed what it may know
// and knows no gate.
type rooms struct {
	loss     *harm.Loss     // what could not be restored
	secrecy  *harm.Secrets  // which secret would be shown
	self     *guard.Call    // what of nod would change
	rules    *match.Call    // the call as rules are held against it
	identity *identity.Call // what tells the call from others
	taint    *taint.Call    // what came into the session
	withheld *withheld.Call // what of the call is not said
}

// setRooms has the rooms answer about the call as it is now. What they have
// looked up of another command they forget.
func (t *trial) setRooms() {
	c := t.call
	t.loss, t.secrecy = harm.Of(t.at, &t.report, harm.Secrets{Tool: c.Tool, Agent: c.Agent, Paths: c.Paths, Input: c.Input})
	t.self = t.selfRoom()
	t.rules = t.rulesRoom()
	t.identity = t.identityRoom()
	t.taint = t.taintRoom()
	t.withheld = &withheld.Call{At: t.at, Report: &t.report, Command: c.Command, Mask: t.gate.mask}
}

func (t *trial) selfRoom() *guard.Call {
	c := t.call
	room := &guard.Call{
		At: t.at, Report: &t.report, Loss: t.loss, Sources: t.gate.sources, Command: c.Command, Input: c.Input,
		Roots: c.Roots, Unread: c.MCP != nil || c.Tool == "", Read: t.asCommand,
	}
	if c.IsEdit() {
		room.Changed = c.Paths
	}
	for _, e := range c.Edits {
		room.Edits = append(room.Edits, guard.Edit{Path: e.Path, Old: e.Old, New: e.New, All: e.All, Whole: e.Whole})
	}
	return room
}

// asCommand reads an argument of the call as the command that it may be.
func (t *trial) asCommand(command string) *guard.Call {
	call := t.call
	call.MCP, call.Tool, call.Command, call.Dialect = nil, "bash", command, Bash
	sub := t.gate.trial(call)
	sub.look()
	return sub.self
}

func (t *trial) rulesRoom() *match.Call {
	c := t.call
	room := &match.Call{
		At: t.at, Report: &t.report, Tool: c.Tool, RawTool: c.RawTool, Agent: c.Agent, URL: c.URL, Command: c.Command,
		Input: c.Input, Paths: c.Paths, Roots: c.Roots, Edits: c.IsEdit(),
	}
	if c.MCP != nil {
		room.MCP = &match.MCP{Server: c.MCP.Server, Tool: c.MCP.Tool, Named: c.MCP.Named}
	}
	return room
}

func (t *trial) identityRoom() *identity.Call {
	c := t.call
	room := &identity.Call{
		At: t.at, Report: &t.report, Loss: t.loss, Tool: c.Tool, RawTool: c.RawTool, Agent: c.Agent, URL: c.URL,
		Command: c.Command, Dialect: c.Dialect, Input: c.Input, Paths: c.Paths, Edits: c.IsEdit(), StdinUnseen: c.StdinUnseen,
	}
	if c.MCP != nil {
		room.MCP, room.Server, room.ServerTool = true, c.MCP.Server, c.MCP.Tool
	}
	return room
}

func (t *trial) taintRoom() *taint.Call {
	c := t.call
	room := &taint.Call{At: t.at, Report: &t.report, Tool: c.Tool, URL: c.URL, Command: c.Command, Paths: c.Paths}
	if w, ok := t.gate.memory.(Witness); ok {
		room.Session = w
	}
	if c.MCP != nil {
		room.Server = cmp.Or(c.MCP.Server, "without a name")
	}
	return room
}
