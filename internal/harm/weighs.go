package harm

import (
	"slices"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// Weighs reports whether the call may do what cannot be undone, leaves the
// machine, or changes what the agent may do: by what it does, not by the tool
// that does it. What is not known may.
func (l *Loss) Weighs() bool {
	switch {
	case len(l.Report.Unknowns) > 0:
		return true
	case l.URL != "":
		return false // a page is read
	case l.MCP != nil:
		return !looksUp(l.MCP.Tool)
	case l.Command == "":
		return l.Tool != "web_search"
	}
	return slices.ContainsFunc(l.Report.Effects, l.weighs)
}

func (l *Loss) weighs(e shell.Effect) bool {
	switch e.Kind {
	case shell.Read, shell.Fetch:
		return false
	case shell.Write:
		return e.Place != shell.Workspace && e.Place != shell.Temporary && e.Place != shell.Null
	case shell.Run:
		return e.Target == "" || shipsOut(e.Words) ||
			e.Command >= 0 && e.Command < len(l.Report.Commands) && shipsOut(l.Report.Commands[e.Command].Source)
	}
	return true
}

// shipsOut reports whether project code is run under a name that says that it
// changes what others use.
func shipsOut(words string) bool {
	return slices.ContainsFunc(printable.Words(words), func(w string) bool {
		switch w {
		case "deploy", "deployment", "release", "publish", "ship", "rollout", "promote", "prod", "production",
			"staging", "live", "apply", "migrate", "migration", "upload", "sync", "push", "destroy", "teardown":
			return true
		}
		return false
	})
}

// looksUp reports whether the name of an MCP tool says that it only reads.
func looksUp(tool string) bool {
	reads := false
	for _, w := range printable.Words(tool) {
		switch w {
		case "create", "update", "delete", "remove", "send", "write", "post", "put", "set", "add", "run", "exec",
			"execute", "push", "merge", "edit", "upload", "move", "replace", "comment":
			return false
		case "get", "list", "search", "read", "find", "fetch", "lookup", "describe", "show", "resolve", "docs",
			"status":
			reads = true
		}
	}
	return reads
}

// Overwrites reports whether a tool that writes a file as a whole replaces what
// lies outside the workspace and could not be restored.
func (l *Loss) Overwrites() bool {
	if l.Tool != "file_write" {
		return false
	}
	return slices.ContainsFunc(l.Paths, func(name string) bool {
		reals, err := l.At.Readings(name)
		return err != nil || slices.ContainsFunc(reals, func(real string) bool {
			return !l.At.Machine.Inside(l.At.Roots, real) && !shell.IsTemporary(real) && !l.At.Missing(real) &&
				l.LostFile(real) != ""
		})
	})
}
