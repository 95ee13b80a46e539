package taint

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// maxModuleFile bounds the file of a module that is read.
const maxModuleFile = 1 << 20

// Modules says why a look-up of the modules that go.mod names is left open, "" if it is
// not: which names are asked for, and of whom, stands in files that the session has
// changed, or this very line, so that they can carry anything out.
func (c *Call) Modules(e shell.Effect) place.Objection {
	if e.Declared != "go.mod" || e.Command < 0 || e.Command >= len(c.Report.Commands) {
		return ""
	}
	command := c.Report.Commands[e.Command]
	elsewhere := slices.ContainsFunc(command.Words, func(w shell.Word) bool {
		return strings.HasPrefix(w.Value, "-C") || strings.HasPrefix(w.Value, "-modfile")
	})
	for dir := path.Clean(command.Dir); path.IsAbs(dir); dir = path.Dir(dir) {
		for _, base := range [...]string{"go.mod", "go.sum", "go.work", "go.work.sum"} {
			if elsewhere || c.changed(path.Join(dir, base)) || c.leadsOn(path.Join(dir, base)) {
				return place.Objection("this asks the network for what " + printable.Text(path.Join(dir, base)) +
					" names, which has changed or names other such files: " + printable.Text(e.Words))
			}
		}
		if dir == "/" {
			break
		}
	}
	return ""
}

// leadsOn reports whether such a file names directories with further ones.
func (c *Call) leadsOn(name string) bool {
	text, err := c.At.Machine.Files.Read(c.At.Machine.Real(name), maxModuleFile)
	return err == nil && (path.Base(name) == "go.work" || strings.Contains(string(text), "=> .") ||
		strings.Contains(string(text), "=> /"))
}

// changed reports whether a file is another than the session began with. Where nobody
// remembers that, git says whether it is another than what was added.
func (c *Call) changed(name string) bool {
	for _, e := range c.Report.Effects {
		if (e.Kind == shell.Write || e.Kind == shell.Delete) && (e.Target == name || e.Target == "") &&
			e.Place != shell.Null {
			return true
		}
	}
	real := c.At.Machine.Real(name)
	if c.Session != nil {
		return c.Session.Origin(real) != ""
	}
	r, ok := c.At.Repository(real)
	return ok && !c.At.Missing(real) && r.Lost(real) != ""
}
