package harm

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

// Modules says why a look-up of the modules that go.mod names is left open, "" if it is not: files that the
// session has changed, or this very line, say which names are asked for and from which server. So they can
// carry anything out.
func Modules(c *place.Call, e shell.Effect) place.Objection {
	if e.Declared != "go.mod" || e.Command < 0 || e.Command >= len(c.Report.Commands) {
		return ""
	}
	command := c.Report.Commands[e.Command]
	if slices.ContainsFunc(command.Words, func(w shell.Word) bool {
		return strings.HasPrefix(w.Value, "-C") || strings.HasPrefix(w.Value, "-modfile")
	}) {
		return place.Objection("this asks the network, and nod does not know for what: " + printable.Text(e.Words))
	}
	for _, name := range moduleFiles(c.At.Machine, path.Clean(command.Dir)) {
		if moduleChanged(c, name) {
			return place.Objection("this asks the network for what " + printable.Text(name) +
				" names, which has changed: " + printable.Text(e.Words))
		}
	}
	return ""
}

// moduleFiles are the files that say which modules are looked for: in the directories from
// dir up to the root, and in those that such a file names.
func moduleFiles(m *place.Machine, dir string) (names []string) {
	dirs := []string{dir}
	for dir != "/" && path.IsAbs(dir) {
		dir = path.Dir(dir)
		dirs = append(dirs, dir)
	}
	for i := 0; i < len(dirs) && i < maxModules; i++ {
		names = append(names, path.Join(dirs[i], "go.sum"), path.Join(dirs[i], "go.work.sum"))
		for _, base := range [...]string{"go.mod", "go.work"} {
			name := path.Join(dirs[i], base)
			names = append(names, name)
			text, _ := m.Files.Read(m.Real(name), maxModuleFile) // there, or it names nothing
			for word := range strings.FieldsSeq(string(text)) {
				if word = strings.Trim(word, "\"`()"); strings.HasPrefix(word, ".") {
					word = path.Join(dirs[i], word)
				}
				if word = path.Clean(word); path.IsAbs(word) && !slices.Contains(dirs, word) {
					dirs = append(dirs, word)
				}
			}
		}
	}
	return names
}

// moduleChanged reports whether a file is another than the session began with. Where nobody
// remembers that, git says whether it is another than what was added.
func moduleChanged(c *place.Call, name string) bool {
	if slices.ContainsFunc(c.Report.Effects, func(e shell.Effect) bool {
		return (e.Kind == shell.Write || e.Kind == shell.Delete) && (e.Target == name || e.Target == "") &&
			e.Place != shell.Null
	}) {
		return true
	}
	real := c.At.Machine.Real(name)
	if c.At.Wrote != nil {
		return c.At.Wrote(real)
	}
	r := c.At.Repository(path.Dir(real))
	return r != nil && !c.At.Missing(real) && r.Lost(real) != ""
}
