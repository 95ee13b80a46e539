package nod

import "slices"

// allowlist is layer 1: a tool that reads, or only speaks to the agent and
// the person. It looks at the canonical name alone.
func (g *Gate) allowlist(c Call) clearance {
	if c.Tool == "" || c.MCP != nil || !slices.Contains(g.rules.Allowlist, c.Tool) {
		return clearance{}
	}
	return clearance{why: c.Tool + " is a safe tool"}
}
