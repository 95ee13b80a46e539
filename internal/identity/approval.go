package identity

import (
	"path"
	"slices"

	"github.com/nodgate/nod/internal/shell"
)

// Approval names the call: the tool, its arguments, the command as it is parsed, its directory, and
// what is known to say what runs (a script, an entry of package.json) with its hash. Neither the
// agent nor the session is part of it, nor a time-out, nor words that only describe. once says that
// the name is good for one call only, since nobody says in which directory it runs.
func (n *Call) Approval() (name string, once bool) {
	h := NewKey("approval 3")
	h.Add(n.Tool, n.URL)
	switch {
	case n.MCP != nil:
		h.Add("mcp", n.MCP.Server, n.MCP.Tool)
	case n.Tool == "":
		h.Add("agent", n.Agent, n.RawTool) // another agent's tool of that name is another one
	}
	relative := func(name string) bool { return !path.IsAbs(name) }
	once = n.At.Dir == "" && (n.Command != "" || slices.ContainsFunc(n.Paths, relative))
	if once { // the same words mean other files in another workspace
		h.Add("roots")
		h.Add(n.At.Roots...)
	}
	n.AddCall(h)
	h.Add(n.Paths...)
	for _, d := range n.Report.Definitions {
		h.Add("definition", d.Path, d.SHA256)
		once = once || d.SHA256 == ""
	}
	for _, c := range n.Report.Commands {
		h.Add("program", c.Program)
		once = once || slices.ContainsFunc(c.Words, func(w shell.Word) bool { return !w.Known })
	}
	for _, e := range n.Report.Read {
		if !n.countsByEntry(e.Path) {
			h.Add("read", e.Path, e.SHA256)
		}
	}
	return h.Sum(), once
}

// countsByEntry reports whether a file counts by an entry of it alone: of a package.json,
// the script that runs.
func (n *Call) countsByEntry(file string) bool {
	return slices.ContainsFunc(n.Report.Definitions, func(d shell.Definition) bool {
		return d.Path != file && shell.DefinitionFile(d.Path) == file && d.SHA256 != ""
	})
}
