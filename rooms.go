package nod

import (
	"github.com/nodgate/nod/internal/guard"
	"github.com/nodgate/nod/internal/harm"
	"github.com/nodgate/nod/internal/match"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/withheld"
)

// rooms answer about one call. They are handed the call, its report and where it is, and know no gate.
type rooms struct {
	at     *place.Workspace
	report *shell.Report // of the command; empty until layer 0 has looked
	placed place.Call    // the call as all of these look at it

	loss     harm.Loss     // what could not be restored, and which secret would be shown
	self     guard.Call    // what of nod would change
	fit      match.Call    // how the call fits a rule
	withheld withheld.Call // what of the call is not said

	told func(Step) // is told the way of the call; nil: nobody is
}

// rooms returns what answers about a call.
func (g *Gate) rooms(c *Call, at *place.Workspace, report *shell.Report) *rooms {
	r := &rooms{at: at, report: report, told: g.told, placed: place.Call{
		At: at, Report: report, Agent: c.Agent, Tool: c.Tool, RawTool: c.RawTool, URL: c.URL, Command: c.Command,
		Dialect: c.Dialect, Input: c.Input, Paths: c.Paths, Roots: c.Roots, StdinUnseen: c.StdinUnseen,
		Edits: c.Edits, MCP: c.MCP,
	}}
	shared := &r.placed
	r.fit.Call, r.withheld.Call = shared, shared
	r.loss = harm.Of(shared)
	r.self = guard.Call{
		Call: shared, Loss: &r.loss, Sources: g.sources,
		Read: func(command string) *guard.Call { return g.asCommand(*c, command) },
	}
	return r
}

// asCommand reads an argument of a call as the command that it may be.
func (g *Gate) asCommand(c Call, command string) *guard.Call {
	c.MCP, c.Tool, c.Command, c.Dialect = nil, "bash", command, Bash
	t := g.trial(c)
	t.look()
	return &t.self
}
