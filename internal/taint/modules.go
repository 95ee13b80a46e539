package taint

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

const (
	maxModules    = 64      // directories of modules that are looked into
	maxModuleFile = 1 << 20 // of a file of a module that is read
)

// Modules says why a look-up of the modules that go.mod names is left open, "" if it is
// not: which names are asked for, and of whom, stands in files that the session has
// changed, or this very line, so that they can carry anything out.
func (c *Call) Modules(e shell.Effect) place.Objection {
	if e.Declared != "go.mod" || e.Command < 0 || e.Command >= len(c.Report.Commands) {
		return ""
	}
	command := c.Report.Commands[e.Command]
	for _, w := range command.Words {
		if strings.HasPrefix(w.Value, "-C") || strings.HasPrefix(w.Value, "-modfile") {
			return place.Objection("this asks the network, and nod does not know for what: " + printable.Text(e.Words))
		}
	}
	for _, name := range c.moduleFiles(path.Clean(command.Dir)) {
		if c.changed(name) {
			return place.Objection("this asks the network for what " + printable.Text(name) +
				" names, which has changed: " + printable.Text(e.Words))
		}
	}
	return ""
}

// moduleFiles are the files that say which modules are looked for: in the directories from
// dir up to the root, and in those that such a file names.
func (c *Call) moduleFiles(dir string) (names []string) {
	dirs := []string{dir}
	for dir != "/" && path.IsAbs(dir) {
		dir = path.Dir(dir)
		dirs = append(dirs, dir)
	}
	for i := 0; i < len(dirs) && i < maxModules; i++ {
		for _, base := range [...]string{"go.mod", "go.sum", "go.work", "go.work.sum"} {
			name := path.Join(dirs[i], base)
			names = append(names, name)
			text, _ := c.At.Machine.Files.Read(c.At.Machine.Real(name), maxModuleFile) // there, or it names nothing
			for word := range strings.FieldsSeq(string(text)) {
				word = strings.Trim(word, "\"`()")
				if !path.IsAbs(word) && strings.HasPrefix(word, ".") {
					word = path.Join(dirs[i], word)
				}
				if path.IsAbs(word) && !strings.HasSuffix(base, ".sum") && !slices.Contains(dirs, path.Clean(word)) {
					dirs = append(dirs, path.Clean(word))
				}
			}
		}
	}
	return names
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
